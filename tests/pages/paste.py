"""Cells run as somebody pastes them, in a process of their own that is forked where a system can fork.

It imports nothing of the package: what a page needs of it the page itself has to import.
"""

import contextlib
import io
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
PROCESSES = multiprocessing.get_context(METHOD)
PROCESSES.set_forkserver_preload([__name__, "numpy", "matplotlib.pyplot", "torch"])  # what is missing is not

Pasted = list[tuple[int, str, int, bool]]  # index of the cell, its code, its fold or 0, whether it is folded


def run(cells: Pasted, folder: str) -> str:
    """What goes wrong: errors, and what is written to the standard error."""
    os.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    opened: dict[str, object] = dict(names)  # what the folded cells find, which see the visible ones, too
    now, there, wrong = 0, names, io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(wrong):
        for index, code, fold, folded in cells:
            if fold != now:  # what a fold binds is there in the fold alone
                now, there = fold, dict(names) if fold else names
            before = dict(there)
            try:
                exec(compile(code, f"cell {index}", "exec"), opened if folded else there)
            except BaseException as error:
                print(f"cell {index}: {type(error).__name__}: {error}", file=wrong)
            opened |= {name: it for name, it in there.items() if before.get(name, opened) is not it}
    return wrong.getvalue()


def pasted(cells: Pasted, folder: Path) -> str:
    """What goes wrong in a process that has nothing but the package."""
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as pool:
        return pool.submit(run, cells, str(folder)).result()
