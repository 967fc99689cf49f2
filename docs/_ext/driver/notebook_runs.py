"""`make notebooks`: every notebook of the built site, executed in an environment that has the wheel alone.

The environment is made anew in a folder that is deleted afterwards. There the first cell of a notebook
installs the wheel of the site. Notebooks that need torch run in a second one, which finds the torch of the
book behind the packages of the first.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import environment
from environment import ROOT, Refusal
from kernel.solutions import solution_cell, split_solution
from notebooks import execute, formulas, wheel
from notebooks.write import STUDENTS

NEEDED = (
    "ipykernel",
    "nbclient",
    "numpy",
    "mpmath",
)  # beside the wheel; their versions are those of the book
FETCHED = ROOT / "docs" / "_ext" / "notebooks" / "requirements.txt"
HIDDEN = ("PYTHON", "IPYTHON", "JUPYTER", "PE_")  # settings that would lead back into the book
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PLANTED = (r"a \allowbreak b", False)  # a formula that MathJax has to refuse, or it refuses nothing
INSTALLED = "import pe_book; print(pe_book.__file__)"


class Job(NamedTuple):
    """One notebook; one for students has the solutions of its stubs, which may be none."""

    file: Path
    fills: dict[str, str] | None
    torch: bool


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


def jobs_of(folder: Path) -> list[Job]:
    """The notebooks of a site; a stub is filled in from the text of its page."""
    found = []
    for file in sorted(folder.rglob("*.ipynb")):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        page = notebook["metadata"]["pe_book"]["page"]
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        marked = [cell["metadata"].get("pe_book", {}) for cell in notebook["cells"]]
        labels = [mark["exercise"] for mark in marked if "exercise" in mark]
        fills = {label: split_solution(solution_cell(text, label))[1] for label in labels}
        students = file.stem.endswith(STUDENTS)
        found.append(Job(file, fills if students else None, "\nneeds: torch\n" in text))
    return found


def packages(python: Path) -> str:
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return must([python, "-c", asked], "The new environment does not start.").strip()


def made(place: Path) -> Path:
    """The Python of a new environment with what runs notebooks, and without the package."""
    venv = place / "plain"
    must([sys.executable, "-m", "venv", venv], "This Python cannot make environments.")
    python = environment.interpreter(venv)
    runs = [*NEEDED, "-c", ROOT / "requirements.txt"]
    apart = ["--no-deps", "--target", place / "fetched", "-r", FETCHED]
    for what, asked in (("what runs notebooks", runs), (FETCHED.name, apart)):
        pip = environment.pip_install(python, ["-q", "--progress-bar=off", *asked])
        must(pip, "pip could not install %s, for the reason above." % what)
    return python


def with_torch(place: Path, python: Path) -> Path:
    """A second environment: the packages of the first, and behind them those of the book."""
    venv = place / "torch"
    must([sys.executable, "-m", "venv", "--without-pip", venv], "This Python cannot make environments.")
    behind = f"{packages(python)}\n{sysconfig.get_path('purelib')}\n"
    (environment.packages_of(venv) / "behind.pth").write_text(behind, encoding="utf-8")
    return environment.interpreter(venv)


def install_by_first_cell(python: Path, job: Job) -> None:
    """Let the first cell of a notebook install the wheel, as it does for a reader."""
    alone = json.loads(job.file.read_text(encoding="utf-8"))
    alone["cells"] = [cell for cell in alone["cells"] if cell["cell_type"] == "code"][:1]
    file = job.file.with_name("first-cell.ipynb")
    file.write_text(json.dumps(alone), encoding="utf-8")
    said = must([python, execute.__file__, file, file.parent], "The first cell of a notebook does not run.")
    file.unlink()
    home = must([python, "-c", INSTALLED], "The first cell has not installed the package: %s" % said)
    if packages(python) not in home:
        raise Refusal("The package comes from %s, not from the wheel." % home.strip())


def executed(job: Job, python: Path) -> tuple[Job, list[str], float]:
    began = time.monotonic()
    command: list[object] = [python, execute.__file__, job.file, job.file.parent]
    if job.fills is not None:
        fills = job.file.with_suffix(".json")
        fills.write_text(json.dumps(job.fills), encoding="utf-8")
        command.append(fills)
    said = must(command, "%s could not be run." % job.file.name)
    return job, json.loads(said.splitlines()[-1]), time.monotonic() - began


def refuse_formulas(jobs: list[Job], place: Path) -> list[str]:
    """Every formula of every notebook through MathJax 3, as JupyterLab and Colab have it."""
    mathjax = next((place / "fetched").glob("*/static/mathjax"))
    read = [json.loads(job.file.read_text(encoding="utf-8")) for job in jobs]
    found = set().union(*map(formulas.of_notebook, read))
    version, wrong = formulas.not_understood({*found, PLANTED}, mathjax)
    if not wrong.pop(PLANTED[0], ""):
        return ["MathJax takes what it does not know: " + PLANTED[0]]
    print("%d formulas parsed by MathJax %s." % (len(found), version), flush=True)
    return ["%s (%s)" % (tex, reason) for tex, reason in wrong.items()]


def main(site: Path, torch: bool) -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        shutil.copytree(site / "notebooks", place / "notebooks")
        jobs = jobs_of(place / "notebooks")
        built = next((place / "notebooks").glob("*.whl"), None)
        if not jobs or built is None:
            raise Refusal("The site has no notebooks, or no wheel for them: build it with html.")
        failed = ["the wheel has another %s" % name for name in wheel.strangers(built)]
        plain = made(place)
        install_by_first_cell(plain, next(job for job in jobs if not job.torch))
        print("Environment made, wheel installed: %.0f s." % (time.monotonic() - began), flush=True)
        failed += refuse_formulas(jobs, place)
        left_out = [job for job in jobs if job.torch and not torch]
        for job in left_out:
            print("%-45s left out: needs torch" % job.file.relative_to(place / "notebooks"))
        pythons = {False: plain, True: with_torch(place, plain) if torch else plain}
        chosen = sorted((job for job in jobs if job not in left_out), key=lambda job: job.fills is None)
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for job, wrong, seconds in pool.map(lambda job: executed(job, pythons[job.torch]), chosen):
                name = job.file.relative_to(place / "notebooks").as_posix()
                runs = "untouched and filled in" if job.fills is not None else "in order"
                print("%-45s %5.1f s, %s%s" % (name, seconds, runs, ": FAILED" * bool(wrong)), flush=True)
                failed += ["%s: %s" % (name, one) for one in wrong]
    print("\n".join(failed), file=sys.stderr)
    print("%d notebooks in %.0f s, %d complaints." % (len(chosen), time.monotonic() - began, len(failed)))
    return 1 if failed else 0
