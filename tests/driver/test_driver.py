"""The driver behind make: no real environment is made here, and no page is built."""

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import book
import environment
from driver import build, commands, libraries, stamps
from environment import Refusal
from lint.lock import read

ROOT = Path(__file__).resolve().parents[2]
PINS = "numpy==2.4.6\ntorch==2.13.0\npexpect==4.9.0 ; sys_platform != 'win32'\n"


# ---------------------------------------------------------------- the environment


class Machine:
    """A root to make an environment in, and a stand-in for the programs that would be run."""

    def __init__(self, root: Path) -> None:
        self.root, self.environ = root, dict[str, str]()
        self.ran, self.said, self.fails = list[list[str]](), list[str](), list[str]()
        self.requirements = root / "requirements.txt"
        self.requirements.write_text(PINS)

    def run(self, command: list[str]) -> int:
        self.ran.append(command)
        if command[1:3] == ["-m", "venv"]:
            python = environment.interpreter(Path(command[3]))
            python.parent.mkdir(parents=True)
            python.touch()
        return int(any(word in command for word in self.fails))

    def ensure(self) -> Path:
        self.ran.clear()
        return environment.ensure(self.root, self.environ, self.run, self.said.append)

    @property
    def installed(self) -> bool:
        return any("install" in command for command in self.ran)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(environment, "this_torch_gap", lambda: "")
    return Machine(tmp_path)


def test_the_first_call_installs_and_the_second_does_nothing(machine: Machine) -> None:
    python = machine.ensure()
    assert python == environment.interpreter(machine.root / ".venv")
    assert machine.installed
    assert machine.ensure() == python
    assert machine.ran == []


def test_changed_requirements_reinstall(machine: Machine) -> None:
    machine.ensure()
    machine.requirements.write_text(PINS.replace("2.4.6", "2.4.7"))
    machine.ensure()
    assert machine.installed
    assert "changed: requirements" in machine.said[-1]
    assert "2.4.7" in (machine.root / ".venv" / "requirements.txt").read_text()


def test_torch_is_left_out_on_request_until_it_is_asked_for(machine: Machine) -> None:
    machine.environ["TORCH"] = "no"
    machine.ensure()
    listed = machine.root / ".venv" / "requirements.txt"
    assert listed.read_text() == PINS.replace("torch==2.13.0\n", "")
    del machine.environ["TORCH"]
    machine.ensure()
    assert not machine.installed
    machine.environ["TORCH"] = "yes"
    machine.ensure()
    assert listed.read_text() == PINS


def test_an_offline_folder_is_given_to_pip_and_kept_for_the_next_time(machine: Machine) -> None:
    machine.environ["PIP_ARGS"] = "--no-index --find-links='two words'"
    machine.ensure()
    assert machine.ran[-1][-2:] == ["--no-index", "--find-links=two words"]
    del machine.environ["PIP_ARGS"]
    machine.requirements.write_text(PINS + "build==1.6.1\n")
    machine.ensure()
    assert machine.ran[-1][-1] == "--find-links=two words"


def test_what_pip_could_not_finish_is_not_taken_for_whole(machine: Machine) -> None:
    machine.fails = ["-r"]
    with pytest.raises(Refusal, match=r"pip could not install requirements\.txt"):
        machine.ensure()
    assert environment.recorded(machine.root) == {}
    machine.fails = []
    machine.ensure()
    assert machine.installed


def test_pip_that_finds_no_torch_leads_to_one_line_of_advice(machine: Machine) -> None:
    machine.fails = ["-r", "torch==2.13.0"]
    with pytest.raises(Refusal) as refusal:
        machine.ensure()
    assert "no wheel of the pinned torch" in str(refusal.value)
    assert "TORCH=no" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 1), (3, 13, 0), (3, 14, 9)])
def test_supported_pythons(version: tuple[int, int, int]) -> None:
    environment.refuse_unsupported_python(version)


@pytest.mark.parametrize("version", [(3, 6, 15), (3, 9, 6), (3, 10, 13), (3, 15, 0), (4, 0, 0)])
def test_other_pythons_are_told_in_one_line_what_to_run(version: tuple[int, int, int]) -> None:
    def which(name: str) -> str | None:
        return "/somewhere" if name in ("python3.11", "python3.12") else None

    with pytest.raises(Refusal) as refusal:
        environment.refuse_unsupported_python(version, which)
    said = str(refusal.value)
    assert f"needs Python 3.11 to 3.14 and this is {'.'.join(map(str, version))}" in said
    assert said.endswith("PYTHON=python3.12.")
    assert "\n" not in said
    with pytest.raises(Refusal, match="install one of them"):
        environment.refuse_unsupported_python(version, lambda name: None)


@pytest.mark.parametrize("name", ["book.py", "environment.py"])
def test_old_pythons_can_read_the_driver(name: str) -> None:
    tree = ast.parse((ROOT / "docs" / "_ext" / name).read_text(encoding="utf-8"), feature_version=(3, 7))
    modules = {
        imported.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert modules <= set(sys.stdlib_module_names) | {"environment"}


# ---------------------------------------------------------------- the commands


class Book:
    """A small tree in place of the book, and a record of what the driver would have run."""

    def __init__(self, root: Path) -> None:
        self.root, self.build = root, root / "docs" / "_build"
        self.ran, self.fails = list[str](), set[str]()
        for name in (
            "docs/why/order-blindness.md",
            "docs/sinusoidal/shift.md",
            "pe_book/a.py",
            "tests/test_a.py",
        ):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("status: complete\n")
        for name in ("conf.py", "requirements.txt", "pyproject.toml", "docs/labels.lock"):
            (root / name).write_text("")

    def call(self, *command: object, variables: object = None) -> int:
        words = [str(word) for word in command]
        built = "build" in words
        kind = "sphinx" if built else "doctests" if "--doctest-modules" in words else words[1]
        self.ran.append(kind)
        if kind == "sphinx":
            self.out, doctrees = (Path(word) for word in words[3:5])
            for folder in (self.out, doctrees):
                folder.mkdir(parents=True, exist_ok=True)
            (doctrees / "labels.json").write_text('{"sinusoidal/shift": ["sec:shift:top", "thm:shift:new"]}')
            (self.out / "index.html").touch()
        self.words = words
        return int(kind in self.fails)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    fake = Book(tmp_path)
    monkeypatch.setenv("PE_BOOK_NO_VENV", "1")
    for name in ("P", "PORT", "PAGES", "ALL", "TORCH", "PE_TORCH"):
        monkeypatch.delenv(name, raising=False)
    for module in (book, commands, stamps):
        monkeypatch.setattr(module, "ROOT", tmp_path)
        monkeypatch.setattr(module, "BUILD", fake.build)
    for module in (commands, stamps):
        monkeypatch.setattr(module, "SITE", fake.build / "html")
    monkeypatch.setattr(commands, "call", fake.call)
    # in this process, not in one of the environment
    monkeypatch.setattr(book, "call", lambda python, driver, module, name: commands.main(name))
    return fake


def test_html_runs_the_doctests_then_every_page_and_says_where_to_look(
    tree: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    assert book.main(["html"]) == 0
    assert tree.ran == ["doctests", "sphinx"]
    said = capsys.readouterr().out
    assert str(tree.build / "html" / "index.html") in said
    assert (tree.build / "html" / "index.html").as_uri() in said


def test_doctests_that_passed_are_run_again_when_the_package_changes(tree: Book) -> None:
    book.main(["html"])
    tree.ran.clear()
    book.main(["html"])
    assert tree.ran == []
    (tree.root / "pe_book" / "a.py").write_text("changed")
    tree.ran.clear()
    book.main(["html"])
    assert tree.ran == ["doctests", "sphinx"]


def test_failing_doctests_fail_every_time_and_no_page_is_built(tree: Book) -> None:
    tree.fails = {"doctests"}
    assert [book.main(["html"]), book.main(["html"])] == [1, 1]
    assert tree.ran == ["doctests", "doctests"]


def test_a_site_that_somebody_touched_is_built_again(tree: Book, capsys: pytest.CaptureFixture[str]) -> None:
    book.main(["html"])
    book.main(["html"])
    assert tree.ran.count("sphinx") == 1
    assert "nothing changed" in capsys.readouterr().out
    (tree.build / "html" / "index.html").write_text("touched")
    book.main(["html"])
    (tree.build / "html" / "stale.html").touch()
    book.main(["html"])
    assert tree.ran.count("sphinx") == 3


def test_a_changed_test_leaves_the_site_current_and_what_it_is_made_from_does_not(tree: Book) -> None:
    book.main(["html"])
    (tree.root / "tests" / "test_a.py").write_text("changed")
    (tree.root / "tests" / "test_b.py").write_text("new")
    assert stamps.site_is_current()
    for source in ("docs/why/order-blindness.md", "pe_book/a.py", "conf.py", "README.md"):
        (tree.root / source).write_text("changed")
        assert not stamps.site_is_current()
        book.main(["html"])
        assert stamps.site_is_current()


def test_a_failed_or_killed_build_is_not_taken_for_current(
    tree: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.main(["html"])
    (tree.root / "docs" / "why" / "order-blindness.md").write_text("changed")
    tree.fails = {"sphinx"}
    assert [book.main(["html"]), book.main(["html"])] == [1, 1]
    tree.fails = set()

    def killed(*command: object) -> int:
        tree.call(*command)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(commands, "call", killed)
        assert book.main(["html"]) == 130
    assert not stamps.site_is_current()
    assert book.main(["html"]) == 0
    assert stamps.site_is_current()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(28, "No space left on device", "page.html"),
            "The disk is full (page.html): free some space",
        ),
        (PermissionError(13, "Permission denied", "page.html"), "page.html cannot be written"),
        (OSError(30, "Read-only file system", "page.html"), "page.html cannot be written"),
        (ModuleNotFoundError("No module named 'yaml'"), "The environment is broken (No module named 'yaml')"),
        (ImportError("cannot import name 'evaljs' from 'dukpy'"), "clean with ALL=yes"),
        (ValueError("odd"), "The build stopped: ValueError: odd"),
    ],
)
def test_what_is_nobodys_page_is_one_line(error: Exception, said: str) -> None:
    assert said in build.advice(error)
    assert "\n" not in build.advice(error)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
def test_what_a_command_started_ends_with_it(tmp_path: Path) -> None:
    """The driver is told to end while a process of its process is at work."""
    mark = tmp_path / "at-work"
    inner = (
        f"import pathlib, os, time; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(600)"
    )
    outer = f"import subprocess, sys; subprocess.call([sys.executable, '-c', {inner!r}])"
    driver = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r}); import book\n"
        f"book.BARE['html'] = lambda: book.call(sys.executable, '-c', {outer!r})\n"
        "sys.exit(book.main(['html']))"
    )
    process = subprocess.Popen([sys.executable, "-c", driver])
    while not mark.exists() or not mark.read_text():
        assert process.poll() is None
    process.terminate()
    assert process.wait(30) == 143
    wait_for_the_end_of(int(mark.read_text()))


def wait_for_the_end_of(process: int, seconds: float = 20) -> None:
    """It is asked first, and given a moment."""
    for _ in range(int(seconds / 0.02)):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {process} is left behind")


@pytest.mark.parametrize("changed", ["docs/why/order-blindness.md", "pe_book/a.py", "conf.py"])
def test_tests_build_the_site_when_it_is_missing_or_out_of_date(
    tree: Book, changed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert book.main(["test"]) == 0
    assert tree.ran == ["doctests", "sphinx", "pytest"]
    assert "building it first" in capsys.readouterr().out
    tree.ran.clear()
    book.main(["test"])
    assert tree.ran == ["pytest"]
    (tree.root / changed).write_text("changed")
    tree.ran.clear()
    book.main(["test"])
    assert "sphinx" in tree.ran
    assert "building it first" in capsys.readouterr().out


def test_tests_do_not_run_on_a_site_that_failed_to_build(tree: Book) -> None:
    tree.fails = {"sphinx"}
    assert [book.main(["test"]), book.main(["test"])] == [1, 1]
    assert "pytest" not in tree.ran


def test_the_exit_code_of_the_tests_is_the_exit_code(tree: Book) -> None:
    tree.fails = {"pytest"}
    assert book.main(["test"]) == 1


@pytest.mark.parametrize("broken", ["ruff", "mypy"])
def test_check_runs_every_tool_and_fails_with_any(tree: Book, broken: str) -> None:
    assert book.main(["check"]) == 0
    assert tree.ran == ["ruff", "ruff", "mypy"]
    tree.ran, tree.fails = [], {broken}
    assert book.main(["check"]) == 1
    assert tree.ran == ["ruff", "ruff", "mypy"]


@pytest.mark.parametrize("choice", ["yes", "no"])
def test_pages_and_tests_learn_whether_torch_is_left_out(
    tree: Book, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH", choice)
    (tree.root / "pe_book" / "module.py").write_text("import torch\n")
    book.main(["html"])
    assert environment.option("PE_TORCH") == choice


@pytest.mark.parametrize(
    "given", ["sinusoidal/shift", "docs/sinusoidal/shift.md", "sinusoidal/shift.html", "sinusoidal\\shift"]
)
def test_a_page_by_any_of_its_names(tree: Book, given: str) -> None:
    assert book.main(["page", given]) == 0
    assert "pe_only=sinusoidal/shift" in tree.words
    assert tree.out == tree.build / "page" / "sinusoidal-shift"


def test_an_unknown_page_is_refused_with_the_nearest(tree: Book, capsys: pytest.CaptureFixture[str]) -> None:
    assert book.main(["page", "P=sinusoidal/shfit"]) == 2
    assert "did you mean sinusoidal/shift?" in capsys.readouterr().err
    assert book.main(["page", "P="]) == 2
    assert tree.ran == []


LISTED = {"sec:shift:top": "sinusoidal/shift", "thm:shift:new": "sinusoidal/shift"}


def test_labels_of_complete_pages_are_listed_once_even_after_a_failure(tree: Book) -> None:
    lock = tree.root / "docs" / "labels.lock"
    lock.write_text("sec:shift:top sinusoidal/shift\n")
    assert book.main(["labels"]) == 2
    tree.fails = {"sphinx"}
    book.main(["html"])
    for _ in range(2):
        assert book.main(["labels"]) == 0
        assert read(lock).pages == LISTED


def test_labels_are_listed_from_the_page_alone_unless_it_has_changed(
    tree: Book, capsys: pytest.CaptureFixture[str]
) -> None:
    page, lock = tree.root / "docs" / "sinusoidal" / "shift.md", tree.root / "docs" / "labels.lock"
    old = tree.build / "doctrees" / "labels.json"
    old.parent.mkdir(parents=True)
    old.write_text('{"sinusoidal/shift": ["thm:shift:gone"], "sinusoidal/gone": ["sec:gone:top"]}')
    os.utime(old, (1, 1))
    book.main(["page", "P=sinusoidal/shift"])
    later = time.time() + 9
    os.utime(page, (later, later))
    assert book.main(["labels"]) == 2
    assert "has changed since its labels were listed: run page P=sinusoidal/shift" in capsys.readouterr().err
    os.utime(page, (2, 2))
    assert book.main(["labels"]) == 0
    assert read(lock).pages == LISTED


def test_serve_is_for_this_machine_alone(tree: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    assert book.main(["serve"]) == 2  # there is no site yet
    book.main(["html"])
    bound = []

    class Server(commands.http.server.ThreadingHTTPServer):
        def serve_forever(self, poll_interval: float = 0.5) -> None:
            bound.append(self.server_address[0])

    monkeypatch.setattr(commands.http.server, "ThreadingHTTPServer", Server)
    assert book.main(["serve", "PORT=0"]) == 0
    assert bound == ["127.0.0.1"]


def test_a_comparison_that_fails_is_not_recorded(tree: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = list[str]()

    def call(*command: object, variables: dict[str, str]) -> int:
        ran.append(str(command[-1]))
        return int("pytest" in tree.fails)

    monkeypatch.setattr(libraries, "ensure", lambda: tree.root)
    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setenv("RECORD", "yes")
    record = "tests/parity/test_record.py"
    assert book.main(["parity"]) == 0
    assert ran == [f"--ignore={record}", record]
    tree.fails = {"pytest"}
    assert book.main(["parity"]) == 1
    assert ran[2:] == [f"--ignore={record}"]


def test_reproducible_fails_on_a_difference_and_on_a_failed_build(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert book.main(["reproducible"]) == 0

    def numbered(*command: object) -> int:
        code = tree.call(*command)
        Path(tree.out, "index.html").write_text(str(len(tree.ran)))
        return code

    monkeypatch.setattr(commands, "call", numbered)
    assert book.main(["reproducible", "PAGES=sinusoidal/shift"]) == 1
    assert "sinusoidal/shift: 1 files differ\nindex.html" in capsys.readouterr().out
    tree.fails = {"sphinx"}
    assert book.main(["reproducible"]) == 1


def test_clean_leaves_the_environment_unless_asked(tree: Book) -> None:
    book.main(["html"])
    (tree.root / ".venv").mkdir()
    assert book.main(["clean"]) == 0
    assert not tree.build.exists()
    assert (tree.root / ".venv").exists()
    book.main(["clean", "ALL=yes"])
    assert not (tree.root / ".venv").exists()


# ---------------------------------------------------------------- help and the Makefile


def test_help_has_one_line_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert book.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, sentence in book.COMMANDS.items():
        assert [line for line in lines if f" {name} " in line and line.endswith(sentence)], name
    assert len(lines) == len(book.COMMANDS) + 1


@pytest.mark.parametrize("words", [["htlm"], ["html", "extra"]])
def test_what_is_no_command_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert book.main(words) == 2
    assert "help lists them" in capsys.readouterr().err


def test_the_makefile_only_forwards() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^COMMANDS = (.*)$", text, re.MULTILINE)
    assert commands.split() == list(book.COMMANDS)
    assert [line for line in text.splitlines() if line.startswith("\t")] == [
        "\t@$(PYTHON) docs/_ext/book.py $@"
    ]


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_make_hands_over_variables_and_exit_codes(tmp_path: Path) -> None:
    stand_in = tmp_path / "docs" / "_ext" / "book.py"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(
        "import os, sys\nprint(sys.argv[1:], os.environ.get('P'), os.environ.get('PIP_ARGS'))\nsys.exit(7)\n"
    )
    shutil.copy(ROOT / "Makefile", tmp_path)
    command = ["make", "page", "P=why/order-blindness", "PIP_ARGS=--no-index -v", f"PYTHON={sys.executable}"]
    # this test itself may have been started by make, which tells its children so
    plain = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=plain)
    assert done.stdout.splitlines()[0] == "['page'] why/order-blindness --no-index -v"
    assert "Error 7" in done.stderr
    assert done.returncode == 2  # what make says of any command that failed
