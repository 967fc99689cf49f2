"""The Makefile and the modules behind it, in a small tree: nothing real is made or built."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from driver import page, reproducible
from tests.driver.commands import COMMANDS, MAKEFILE, ROOT

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed: see make.bat")
PINS = "numpy==2.4.6\ntorch==2.13.0\n"
# in place of Python: notes what it is asked, makes what -m venv makes, fails where the file `fails` says so
PYTHON = """#!/bin/sh
echo "$*" >>ran
case "$*" in *"import sys"*) exec {python} "$@" ;; esac
case "$*" in *"-m venv"*) mkdir -p .venv/bin && cp python .venv/bin/python ;; esac
case "$*" in *sphinx*) mkdir -p docs/_build/html ;; esac
if [ -e fails ] && case "$*" in *"$(cat fails)"*) true ;; *) false ;; esac; then exit 1; fi
"""


class Tree:
    """A small tree in place of the book."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in re.findall(r"^SOURCES := (.*)$", MAKEFILE, re.MULTILINE)[0].split():
            if "." in name or name.isupper():
                (root / name).write_text("")
        for name in (
            "docs/_ext/bookish/live/package.json",
            "docs/shift.md",
            "pe_book/a.py",
            "study/dask-requirements.txt",
            "study/setup.py",
            "tests/parity/requirements.txt",
            "tests/test_a.py",
        ):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("")
        (root / "requirements.txt").write_text(PINS)
        (root / "python").write_text(PYTHON.format(python=sys.executable))
        (root / "python").chmod(0o755)
        shutil.copy(ROOT / "Makefile", root)

    def make(self, *words: str, code: int = 0, fails: str = "") -> str:
        """What was run, one line each, and after it what was said."""
        (self.root / "ran").write_text("")
        (self.root / "fails").unlink(missing_ok=True)
        if fails:
            (self.root / "fails").write_text(fails)
        # this test itself may have been started by make, which tells its children so
        theirs = ("MAKE", "MFLAGS", "TORCH", "STUDY_ON", "P")  # P, PY, PIP_ARGS, PE_SITE_URL …
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith(theirs) or name == "PATH"
        }
        command = ["make", *words, *([] if any("PYTHON=" in word for word in words) else ["PYTHON=./python"])]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False, env=plain)
        assert done.returncode == code, done.stdout + done.stderr
        self.said = done.stdout + done.stderr
        return (self.root / "ran").read_text()

    def change(self, name: str, text: str = "changed") -> None:
        (self.root / name).write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture
def made(tree: Tree) -> Tree:
    tree.make("html")
    return tree


def kinds(ran: str) -> list[str]:
    """What was run, in words."""
    words = {"-m venv": "venv", "pip": "pip", "doctest": "doctests", "sphinx": "site", "-m pytest": "tests"}
    lines = [line for line in ran.splitlines() if "import sys" not in line]
    return [next((kind for word, kind in words.items() if word in line), line) for line in lines]


# ---------------------------------------------------------------- the environment


def test_the_first_call_makes_the_environment_and_the_second_does_nothing(tree: Tree) -> None:
    assert kinds(tree.make("html")) == ["venv", "pip", "doctests", "site"]
    assert f"Open file://{tree.root}/docs/_build/html/index.html" in tree.said
    assert tree.make("html") == ""


def test_changed_requirements_install_again_with_what_was_given_before(tree: Tree) -> None:
    tree.make("install", "PIP_ARGS=--no-index --find-links='two words'", "TORCH=no")
    assert (tree.root / ".venv" / "requirements.txt").read_text() == "numpy==2.4.6\n"
    tree.change("requirements.txt", PINS.replace("2.4.6", "2.4.7"))
    assert "--no-index --find-links=two words" in tree.make("install")
    assert (tree.root / ".venv" / "requirements.txt").read_text() == "numpy==2.4.7\n"
    assert kinds(tree.make("install", "TORCH=yes")) == ["venv", "pip"]
    assert "torch" in (tree.root / ".venv" / "requirements.txt").read_text()


def test_what_pip_could_not_finish_is_not_taken_for_whole(tree: Tree) -> None:
    tree.make("html", code=2, fails="pip")
    assert "TORCH=no" in tree.said
    assert "--find-links" in tree.said
    assert kinds(tree.make("install")) == ["venv", "pip"]


def test_an_environment_without_its_python_is_made_anew(made: Tree) -> None:
    (made.root / ".venv" / "bin" / "python").unlink()
    assert kinds(made.make("install")) == ["venv", "pip"]


def test_another_python_is_told_in_one_line_what_would_do(tree: Tree) -> None:
    (tree.root / "old").write_text("#!/bin/sh\nexit 1\n")
    (tree.root / "old").chmod(0o755)
    tree.make("html", "PYTHON=./old", code=2)
    assert "needs Python 3.11 to 3.14: name one, as in PYTHON=python3.13" in tree.said


def test_the_environment_that_one_is_in_is_used_as_it_is(tree: Tree) -> None:
    assert kinds(tree.make("html", "PY=./python")) == ["doctests", "site"]
    assert not (tree.root / ".venv").exists()


def test_what_torch_is_has_two_values(tree: Tree) -> None:
    tree.make("html", "TORCH=maybe", code=2)
    assert "TORCH is maybe: it can be yes or no" in tree.said


# ---------------------------------------------------------------- what is built when


@pytest.mark.parametrize(
    ("changed", "runs"),
    [
        ("pe_book/a.py", ["doctests", "site"]),
        ("docs/shift.md", ["site"]),
        ("conf.py", ["site"]),
        ("README.md", ["site"]),
        ("tests/test_a.py", []),
    ],
)
def test_what_changed_is_made_again_and_tests_are_no_part_of_it(
    made: Tree, changed: str, runs: list[str]
) -> None:
    made.change(changed)
    assert kinds(made.make("html")) == runs
    assert made.make("html") == ""


def test_a_page_that_is_new_or_gone_and_another_address_make_the_site_again(made: Tree) -> None:
    made.change("docs/new.md")
    assert kinds(made.make("html")) == ["site"]
    (made.root / "docs" / "new.md").unlink()
    assert kinds(made.make("html")) == ["site"]
    assert kinds(made.make("html", "PE_SITE_URL=https://book.example.org/")) == ["site"]
    assert made.make("html", "PE_SITE_URL=https://book.example.org/") == ""


@pytest.mark.parametrize(("fails", "ran"), [("doctest", ["doctests"]), ("sphinx", ["doctests", "site"])])
def test_what_failed_fails_again_and_nothing_runs_upon_it(made: Tree, fails: str, ran: list[str]) -> None:
    made.change("pe_book/a.py")
    assert kinds(made.make("test", code=2, fails=fails)) == ran
    assert kinds(made.make("test", code=2, fails=fails)) == ran[-1:]
    assert kinds(made.make("test"))[-1] == "tests"


def test_tests_run_on_a_site_that_is_current_and_their_failure_is_that_of_make(made: Tree) -> None:
    assert kinds(made.make("test")) == ["tests"]
    made.change("docs/shift.md")
    assert kinds(made.make("test")) == ["site", "tests"]
    made.make("test", code=2, fails="-m pytest -n 2")


def test_a_comparison_that_fails_is_not_recorded(made: Tree) -> None:
    ran = made.make("parity", "RECORD=yes").splitlines()[-2:]
    assert ["--ignore=tests/parity/test_record.py" in line for line in ran] == [True, False]
    assert "test_record.py" in ran[1]
    failed = made.make("parity", "RECORD=yes", code=2, fails="--ignore=tests/parity/test_record.py")
    assert len(failed.splitlines()) == 1


def test_a_part_of_the_weekly_set_is_followed_by_nothing(made: Tree) -> None:
    assert "versions" not in made.make("thorough", "PART=3/14")
    whole = made.make("thorough")
    assert whole.splitlines()[-2:] == ["docs/_ext/driver versions", "docs/_ext/driver reproducible"]
    assert "--part" not in whole


def test_cells_run_in_the_browser_only_where_that_is_asked_for(made: Tree) -> None:
    assert made.make("html") == made.make("html", "LIVE=no") == ""
    assert made.make("html", "LIVE=yes").splitlines() == ["docs/_ext/driver live.run"]


def test_clean_leaves_the_environment_unless_asked(made: Tree) -> None:
    made.make("clean")
    assert not (made.root / "docs" / "_build").exists()
    assert (made.root / ".venv").exists()
    made.make("clean", "ALL=yes")
    assert not (made.root / ".venv").exists()


def test_help_has_one_line_for_every_command(tree: Tree) -> None:
    tree.make("help")
    lines = tree.said.splitlines()
    assert len(lines) == len(COMMANDS) + 1 > 20
    for name, sentence in COMMANDS.items():
        assert [line for line in lines if line.startswith(f"make {name} ") and line.endswith(sentence)], name


def test_windows_has_the_same_build_and_the_same_tests() -> None:
    """No machine of ours runs it; what it runs is what make runs, but for the number of processes."""
    batch = (ROOT / "make.bat").read_text(encoding="utf-8").replace("\\", "/")
    for line in (
        "-m pytest -q --doctest-modules pe_book",
        *re.findall(r"sys.exit.*\(3, \d+\)\)", MAKEFILE),
        '-m pytest -n 2 -p tests.driver.sharing -m "not thorough" tests',
    ):
        assert line in batch
    asked = re.findall(r"^SPHINX := \S+ (.*) -D", MAKEFILE, re.MULTILINE)[0]
    assert asked.replace(" -j $(JOBS)", "") in batch


# ---------------------------------------------------------------- the modules behind it


@pytest.mark.parametrize(
    "given", ["sinusoidal/shift", "docs/sinusoidal/shift.md", "sinusoidal/shift.html", "sinusoidal\\shift"]
)
def test_a_page_by_any_of_its_names(given: str) -> None:
    assert page.page_name(given) == "sinusoidal/shift"


@pytest.mark.parametrize(
    ("given", "cure"), [("sinusoidal/shfit", "did you mean sinusoidal/shift?"), ("", "P=sinusoidal/shift")]
)
def test_an_unknown_page_is_refused_in_one_line_with_the_nearest(given: str, cure: str) -> None:
    command = [sys.executable, ROOT / "docs" / "_ext" / "driver", "page"]
    done = subprocess.run(
        command, env={**os.environ, "P": given}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert cure in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "tests", "others", "modules"),
    [
        ("sinusoidal/shift", "sinusoidal/test_fitting nn/functional/test_functions", "fuzz/test_fuzz",
         "sinusoidal.shift nn.functional.shift"),
        ("family/rotary", "nn/modules/test_rotary_cache nn/kernels/test_rotary checkpoint/test_names",
         "config/test_scaling", "family.rotary.axes nn.kernels.rotary checkpoint.stacks"),
        ("family/reading-a-config", "config/test_scaling config/test_command", "nn/test_parity", ""),
        ("sinusoidal/production", "nn/modules/test_sinusoidal", "nn/modules/test_learned", ""),
        ("howto/check-a-config", "howto/test_check_a_config", "howto/test_find_the_bug", ""),
    ],
)  # fmt: skip
def test_what_belongs_to_a_page_is_tested_with_it(
    monkeypatch: pytest.MonkeyPatch, name: str, tests: str, others: str, modules: str
) -> None:
    asked, used_by = {*tests.split(), *others.split()}, page.used_by

    def used_by_these(file: Path) -> frozenset[str]:
        return used_by(file) if place(file) in asked else frozenset()

    def place(file: Path) -> str:
        return file.relative_to(ROOT / "tests").with_suffix("").as_posix()

    monkeypatch.setattr(page, "used_by", used_by_these)  # to read all takes seconds
    assert {place(file) for file in page.tests_of(name)} & asked == {*tests.split()}
    assert all(page.belonging(name).match(f"pe_book.{module}") for module in modules.split())


@pytest.mark.parametrize("code", [0, 1])
def test_words_are_compared_of_a_refused_page_too_and_what_is_recorded_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    record, asked = tmp_path / "tests/evidence/claims/said.txt", []
    (tmp_path / "tests/show").mkdir(parents=True)
    record.parent.mkdir(parents=True)

    def call(*words: object, variables: dict[str, str] | None = None) -> int:
        if variables is None:
            assert {"sphinx", "-E"} <= {*words}  # what a failed build leaves behind is not taken for good
            return code
        asked.extend([*map(str, words), variables["PE_RECORD"]])
        record.write_text(variables["PE_RECORD"])
        return 0

    for name, one in {"ROOT": tmp_path, "call": call, "option": lambda _: "yes"}.items():
        monkeypatch.setattr(page, name, one)
    monkeypatch.setattr(page.second_reader, "tell", lambda _: None)
    assert page.page("evidence/claims/models") == code
    assert {"tests/recorded/test_recorded.py", "tests/evidence/claims/test_claims.py"} <= {*asked}
    assert ("tests/pages/test_pasted.py" in asked, asked[-1]) == ((False, "") if code else (True, "looked"))
    told = "Nothing was recorded." if code else "Recorded in tests/evidence/claims/said.txt."
    assert capsys.readouterr().out.splitlines()[-1] == told


@pytest.mark.parametrize(
    ("texts", "codes", "ends", "said"),
    [
        ("aa", (0, 0), 0, "sinusoidal/shift: 0 files differ\n"),
        ("ab", (0, 0), 1, "sinusoidal/shift: 1 files differ\nindex.html\n"),
        ("aa", (0, 2), 2, ""),
    ],
    ids=["the same", "another byte", "a failed build"],
)
def test_two_builds_are_the_same_or_reproducible_fails(monkeypatch, capsys, texts, codes, ends, said):
    turns = zip(texts, codes, strict=True)

    def sphinx(out: Path, *settings: str, jobs: str) -> int:
        text, code = next(turns)
        out.mkdir(parents=True)
        (out / "index.html").write_text(text)
        return code

    monkeypatch.setattr(reproducible, "sphinx", sphinx)
    assert reproducible.twice("sinusoidal/shift") == ends
    assert capsys.readouterr().out == said


def test_whatever_the_cells_of_the_site_used_is_a_source_of_it() -> None:
    files = sorted((ROOT / "docs" / "_build" / "executions").rglob("*.json"))
    if not files:
        pytest.skip("nothing has been executed: run `make html` first")
    uses = [one for file in files for one in json.loads(file.read_text(encoding="utf-8"))["uses"]]
    own = {path.partition("/")[0] for kind, path, _ in uses if kind != "variable"}
    assert own <= {*re.findall(r"^SOURCES := (.*)$", MAKEFILE, re.MULTILINE)[0].split()}
    assert {"docs", "pe_book", "CHANGELOG.md"} <= own
