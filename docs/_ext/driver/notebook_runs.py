"""`make notebooks`: every notebook of the built site, executed in an environment that has the wheels alone.

The environment is made anew in a folder that is deleted afterwards. There the first cell of a notebook
installs the wheels of the site. Notebooks that need torch run in a second one, which finds the torch of the
book behind the packages of the first.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from book import ROOT, SITE, Refusal, interpreter, packages, pip_install
from bookish.notebooks import execute, formulas
from bookish.notebooks.write import STUDENTS
from bookish.run.solutions import solution_cell, split_solution

# beside the wheels and for them; their versions are those of the book
NEEDED = ("ipykernel", "nbclient", "numpy", "mpmath", "matplotlib", "sympy")
FETCHED = Path(formulas.__file__).with_name("requirements.txt")
HIDDEN = ("PYTHON", "IPYTHON", "JUPYTER", "PE_")  # settings that would lead back into the book
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PLANTED = (r"a \allowbreak b", False)  # a formula that MathJax has to refuse, or it refuses nothing
INSTALLED = "import pe_book.show; print(pe_book.__file__, pe_book.show.__file__)"


class Job(NamedTuple):
    """The notebooks of one page as one that is run: each stub stands before its solution."""

    file: Path
    torch: bool
    wrong: list[str]
    """What the two notebooks do not share."""


def variables() -> dict[str, str]:
    """Notebooks run side by side, each on one thread, as pages do."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    return {**kept, **dict.fromkeys(THREADS, "1")}


def must(command: list[object], refusal: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, env=variables(),
        cwd=tempfile.gettempdir(),
    )  # fmt: skip
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise Refusal(refusal)
    return done.stdout


def joined(whole: dict, students: dict, text: str) -> tuple[dict, list[str]]:
    """One notebook with the stubs of the other; cells of students that are none of its cells are named."""
    there = iter(list(whole["cells"]))
    stubs, wrong = {}, []
    for number, cell in enumerate(code_of(students), 1):
        label = cell["metadata"].get("pe_book", {}).get("exercise", "")
        source = split_solution(solution_cell(text, label))[1] if label else "".join(cell["source"])
        match = next((one for one in there if "".join(one["source"]) == source), None)
        if match is None:
            wrong.append("cell %d for students is no cell of the whole, or not in its order" % number)
            break
        if label:
            stubs[match["id"]] = {**cell, "id": "stub-%d" % number}
    pairs = ([stubs[cell["id"]], cell] if cell["id"] in stubs else [cell] for cell in whole["cells"])
    return {**whole, "cells": [cell for pair in pairs for cell in pair]}, wrong


def code_of(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def jobs_of(folder: Path) -> list[Job]:
    """What is run of the notebooks of a site, one for each page."""
    found = []
    for file in sorted(folder.rglob("*.ipynb")):
        notebook, wrong = json.loads(file.read_text(encoding="utf-8")), []
        text = (ROOT / "docs" / f"{notebook['metadata']['pe_book']['page']}.md").read_text(encoding="utf-8")
        if file.stem.endswith(STUDENTS):
            continue
        if (students := file.with_stem(file.stem + STUDENTS)).exists():
            notebook, wrong = joined(notebook, json.loads(students.read_text(encoding="utf-8")), text)
            file.write_text(json.dumps(notebook), encoding="utf-8")
        found.append(Job(file, "\nneeds: torch\n" in text, wrong))
    return found


def made(place: Path) -> Path:
    """The Python of a new environment with what runs notebooks, and without the package."""
    venv = place / "plain"
    must([sys.executable, "-m", "venv", venv], "This Python cannot make environments.")
    python = interpreter(venv)
    runs = [*NEEDED, "-c", ROOT / "requirements.txt"]
    apart = ["--no-deps", "--target", place / "fetched", "-r", FETCHED]
    for what, asked in (("what runs notebooks", runs), (FETCHED.name, apart)):
        must([python, *pip_install(*asked)], "pip could not install %s, for the reason above." % what)
    return python


def with_torch(place: Path, python: Path) -> Path:
    """A second environment: the packages of the first, and behind them those of the book."""
    venv = place / "torch"
    must([sys.executable, "-m", "venv", "--without-pip", venv], "This Python cannot make environments.")
    behind = f"{packages(python)}\n{sysconfig.get_path('purelib')}\n"
    (packages(interpreter(venv)) / "behind.pth").write_text(behind, encoding="utf-8")
    return interpreter(venv)


def install_by_first_cell(python: Path, job: Job) -> None:
    alone = json.loads(job.file.read_text(encoding="utf-8"))
    alone["cells"] = [cell for cell in alone["cells"] if cell["cell_type"] == "code"][:1]
    file = job.file.with_name("first-cell.ipynb")
    file.write_text(json.dumps(alone), encoding="utf-8")
    said = must([python, execute.__file__, file, file.parent], "The first cell of a notebook does not run.")
    file.unlink()
    home = must([python, "-c", INSTALLED], "The first cell has not installed the package: %s" % said)
    if home.count(str(packages(python))) != 2:
        raise Refusal("The package comes from %s, not from the wheels." % home.strip())


def executed(job: Job, python: Path) -> tuple[Job, list[str], float]:
    began = time.monotonic()
    command = [python, execute.__file__, job.file, job.file.parent]
    said = must(command, "%s could not be run." % job.file.name)
    return job, [*job.wrong, *json.loads(said.splitlines()[-1])], time.monotonic() - began


def refuse_formulas(place: Path) -> list[str]:
    """Every formula of every notebook through MathJax 3, as JupyterLab and Colab have it."""
    mathjax = next((place / "fetched").glob("*/static/mathjax"))
    read = [json.loads(file.read_text(encoding="utf-8")) for file in (place / "notebooks").rglob("*.ipynb")]
    found = set().union(*map(formulas.of_notebook, read))
    version, wrong = formulas.not_understood({*found, PLANTED}, mathjax)
    if not wrong.pop(PLANTED[0], ""):
        return ["MathJax takes what it does not know: " + PLANTED[0]]
    print("%d formulas parsed by MathJax %s." % (len(found), version), flush=True)
    return ["%s (%s)" % (tex, reason) for tex, reason in wrong.items()]


def main(site: Path) -> int:
    began, torch = time.monotonic(), find_spec("torch") is not None
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        shutil.copytree(site / "notebooks", place / "notebooks")
        jobs = jobs_of(place / "notebooks")
        built = list((place / "notebooks").glob("*.whl"))
        if not jobs or len(built) != 2:
            raise Refusal("The site has no notebooks, or not their two wheels: build it with html.")
        plain = made(place)
        install_by_first_cell(plain, next(job for job in jobs if not job.torch))
        print("Environment made, wheels installed: %.0f s." % (time.monotonic() - began), flush=True)
        failed = []
        left_out = [job for job in jobs if job.torch and not torch]
        for job in left_out:
            print("%-45s left out: needs torch" % job.file.relative_to(place / "notebooks"))
        pythons = {False: plain, True: with_torch(place, plain) if torch else plain}
        chosen = sorted((job for job in jobs if job not in left_out), key=lambda job: not job.torch)
        # each waits for its kernel now and then, and another runs meanwhile
        with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
            refused = pool.submit(refuse_formulas, place)
            for job, wrong, seconds in pool.map(lambda job: executed(job, pythons[job.torch]), chosen):
                name = job.file.relative_to(place / "notebooks").as_posix()
                print("%-45s %5.1f s%s" % (name, seconds, ": FAILED" * bool(wrong)), flush=True)
                failed += ["%s: %s" % (name, one) for one in wrong]
            failed += refused.result()
    print("\n".join(failed), file=sys.stderr)
    print(
        "The notebooks of %d pages in %.0f s, %d complaints."
        % (len(chosen), time.monotonic() - began, len(failed))
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(SITE))
