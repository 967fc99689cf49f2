"""Small books for the tests of the machinery: the real settings and package around a page or two."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import tests.seeds  # noqa: F401 (how properties draw)
from book import differences  # no module that needs Sphinx: `make versions` tries the package without it
from tests import forked

REPO = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", help="3/14: of the chosen tests every fourteenth, from the fourth on")


@pytest.hookimpl(trylast=True)  # when -m and -k have chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if part := config.getoption("part"):
        first, parts = map(int, part.split("/"))
        config.hook.pytest_deselected(items=[one for k, one in enumerate(items) if k % parts != first])
        items[:] = items[first::parts]
    items.sort(key=lambda one: not one.nodeid.endswith(LONG))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The files that took longest, in seconds of their worker: who adds a check sees what it costs."""
    took: Counter[str] = Counter()
    for report in (one for reports in terminalreporter.stats.values() for one in reports):
        if isinstance(report, pytest.TestReport):
            took[report.nodeid.partition("::")[0]] += report.duration
    for file, seconds in took.most_common(DEAREST):
        if seconds > A_MOMENT:
            terminalreporter.write_line(f"{seconds:6.0f} s  {file}")


DEAREST, A_MOMENT = 20, 5.0  # files, seconds
# minutes of one worker: they begin, so that nothing long runs alone at the end
LONG = ("::test_the_steps_of_read_the_docs_work_in_a_clean_clone", "other_draws[show/test_whole.py]")
SETTINGS = ["conf.py", "pyproject.toml", "requirements.txt", "README.md", "LICENSE"]
MACHINERY = ["docs/_ext", "docs/_jupyter", "pe_book", "study"]
FRONT = """---
file_format: mystnb
kernelspec: {{name: python3, display_name: Python 3}}
title: {title}
description: A page of a small book on which the machinery of the real one is tried out.
question: What is tried out on this page?
given: {given}
needs: {needs}
{front}status: draft
---
"""
REFERENCES = """
@inproceedings{vaswani2017,
  author = {Vaswani, Ashish and others},
  title = {Attention Is All You Need},
  booktitle = {Advances in Neural Information Processing Systems 30},
  year = {2017}
}
"""


def complaints(output: str) -> list[str]:
    """The complaints of a build, by page and line, wherever the book lies."""
    return sorted(re.findall(r"[^/\s]+\.md:?\d*: (?:WARNING|ERROR): .*|WARNING: PE.*", output))


@dataclass
class Build:
    """How a build ended: exit code, everything it said, and the pages it executed."""

    code: int
    output: str
    executed: list[str]

    def about(self, page: str) -> str:
        """What was said of one page, by its address or the last part of it; a complaint may have lines."""
        begins = rf"^\S*/{re.escape(page)}\.md(?::\d+)?: (?:WARNING|ERROR|CRITICAL)"
        goes_on = r"(?:(?!/|reading |writing ).*\n)*"
        return "".join(re.findall(rf"{begins}.*\n{goes_on}", self.output, re.MULTILINE))


@dataclass
class Book:
    """A checkout of the book with pages of its own."""

    root: Path

    def page(
        self,
        name: str,
        text: str,
        *,
        given: str = "{}",
        needs: str = "numpy",
        title: str = "A page",
        front: str = "",
    ) -> Path:
        path = self.root / "docs" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        head = FRONT.format(given=given, needs=needs, title=title, front=front)
        path.write_text(head + text, encoding="utf-8")
        return path

    def build(
        self, *options: str, builder: str = "dummy", strict: bool = True, into: str = "", **environment: str
    ) -> Build:
        """Build as `sphinx` does; with variables of its own in a process of its own."""
        trees = self.root / into / "doctrees"
        arguments = ["-b", builder, "-n", *(["-W", "--keep-going"] if strict else []), "-c", self.root]
        arguments += ["-d", trees, *options, self.root / "docs", self.root / into / "out"]
        command = [str(argument) for argument in arguments]
        if environment or not hasattr(os, "fork"):
            alone, variables = [sys.executable, "-m", "sphinx", *command], {**os.environ, **environment}
            done = subprocess.run(alone, capture_output=True, text=True, env=variables, check=False)
            code, output = done.returncode, done.stdout + done.stderr
        else:
            code, output = forked.build(command)
        executed = trees / "executed.json"
        pages = json.loads(executed.read_text()) if executed.exists() else []
        return Build(code, output, pages)

    def differs_from_clean(self, *options: str) -> list[str]:
        """Build upon what is there and from nothing: both say the same; the files in which they differ."""
        again = self.build("-j", "2", *options, builder="html")
        shutil.rmtree(self.root / "clean", ignore_errors=True)
        clean = self.build("-j", "2", *options, builder="html", into="clean", PYTHONHASHSEED="random")
        assert (again.code, complaints(again.output)) == (clean.code, complaints(clean.output))
        assert clean.executed, "a clean build executes"
        return differences(self.root / "out", self.root / "clean" / "out") if clean.code == 0 else []

    def remembered(self, page: str) -> Build:
        """Build one page alone; if nothing that it used has changed since then, it executes nothing."""
        return self.build("-D", f"pe_only={page}", "-D", f"pe_executions={self.root / 'executions'}")

    def findings(self) -> dict[str, dict[str, list[list[str]]]]:
        return json.loads((self.root / "doctrees" / "findings.json").read_text())

    def change(self, file: str, old: str, new: str) -> None:
        """Replace one line (or less) and make sure that it was there."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def make_book(tmp_path: Path) -> Book:
    for name in SETTINGS:
        shutil.copy(REPO / name, tmp_path / name)
    for name in MACHINERY:
        shutil.copytree(REPO / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    docs = tmp_path / "docs"
    for shared in ("given.yml", "quotations.toml"):
        shutil.copy(REPO / "docs" / shared, docs)
    (docs / "references.bib").write_text(REFERENCES, encoding="utf-8")
    for name in ("_static", "_themes"):
        (docs / name).symlink_to(REPO / "docs" / name)
    return Book(tmp_path)


def make_whole_book(tmp_path: Path) -> Book:
    """A copy of the whole book, with its tests."""
    book = make_book(tmp_path)
    left = shutil.ignore_patterns("_build", "_ext", "_jupyter", "_static", "_themes", "__pycache__")
    for name in ("docs", "tests"):
        shutil.copytree(REPO / name, book.root / name, ignore=left, dirs_exist_ok=True)
    for name in ("CHANGELOG.md", "CITATION.cff", "Makefile"):
        shutil.copy(REPO / name, book.root / name)
    return book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return make_book(tmp_path)


@pytest.fixture(scope="session")
def new_book() -> Callable[[Path], Book]:
    """For tests that share one book."""
    return make_book


@pytest.fixture(scope="session")
def new_whole_book() -> Callable[[Path], Book]:
    return make_whole_book


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """The whole book; with `remembered` a page of it says again what it said when the site was built."""
    book = make_whole_book(tmp_path_factory.mktemp("whole"))
    kept = REPO / "docs" / "_build" / "executions"
    if kept.exists():
        shutil.copytree(kept, book.root / "executions")
    return book


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site whose one page has every kind of cell, and of what links to a cell."""
    small = make_book(tmp_path_factory.mktemp("traced"))
    small.page("index", (REPO / "tests" / "site" / "provenance.md").read_text(encoding="utf-8"))
    built = small.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    return small.root / "out"
