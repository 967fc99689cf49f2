"""Cells of exercises, each alone, as they are and with what their solutions return made into something else.

What is due by its kind says the annotation of a solution, and `pe_book.inputs.answers.answer` looks at it.
"""

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from tests.pages.paste import PROCESSES

Ended = tuple[str, str]  # the exception, and what it says


def as_float32(one: Any) -> Any:
    if isinstance(one, float):
        return np.float32(one)
    return one.astype("float32") if isinstance(one, np.ndarray) else one


def as_tensor(one: Any) -> Any:
    import torch

    if isinstance(one, torch.Tensor):
        return one.numpy()
    return one if one is None else torch.as_tensor(np.array(one))


CHANGES = {  # what is made of an answer, and which annotations say that it can differ by that
    "lists": (lambda one: one.tolist() if hasattr(one, "tolist") else one, "array|tuple|tensor"),
    "float32": (as_float32, "array|float"),
    "tensors": (as_tensor, "array|float|tensor"),
    "transposed": (lambda one: one.T if np.ndim(one) == 2 else one, "array"),
    "nothing": (lambda one: None, ""),
}


def each(value: Any, change: str) -> Any:
    if isinstance(value, tuple) and change != "nothing":
        parts = [each(one, change) for one in value]
        return parts if change == "lists" else tuple(parts)
    if isinstance(value, dict) and change != "nothing":
        return {name: each(one, change) for name, one in value.items()}
    return value if isinstance(value, str) else CHANGES[change][0](value)


def changed(change: str) -> Callable[..., Any]:
    """A solution that returns the same as something else."""
    return lambda solve: wraps(solve)(lambda *given, **named: each(solve(*given, **named), change))


def returning(code: str, change: str) -> Iterator[tuple[str, str]]:
    """The cell, for each function of its solution, with something else from that."""
    lines = code.splitlines()
    for begin in (at for at, line in enumerate(lines) if line.strip() == "# begin solution"):
        at = max(at for at, line in enumerate(lines[:begin]) if line.startswith("def "))
        name = lines[at].removeprefix("def ").partition("(")[0]
        due = "\n".join(lines[at:begin]).partition("->")[2]
        if re.search(CHANGES[change][1], due.lower()):
            yield name, "\n".join([*lines[:at], f"@changed({change!r})", *lines[at:]])


def run(variants: dict[str, str], folder: str) -> dict[str, Ended]:
    os.chdir(folder)
    ended = {}
    for name, code in variants.items():
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                cell = compile(code, "cell", "exec", dont_inherit=True)
                exec(cell, {"__name__": "__main__", "changed": changed})
            ended[name] = ("", "")
        except Exception as error:  # how each ends is what the tests look at
            ended[name] = (type(error).__name__, str(error))
    return ended


def ends(variants: dict[str, str], folder: Path) -> dict[str, Ended]:
    """How each of the cells ends, in a process that no test has touched."""
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as pool:
        return pool.submit(run, variants, str(folder)).result()
