"""The driver behind make: no real environment is made here, and no page is built."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

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


def test_a_half_made_environment_is_made_anew(machine: Machine) -> None:
    leftover = machine.root / ".venv" / "leftover"
    leftover.parent.mkdir()
    leftover.touch()
    machine.ensure()
    assert machine.installed
    assert not leftover.exists()
    assert "half made" in machine.said[0]


@pytest.mark.parametrize("torn", ["", "{", '{"torch": "y'])
def test_a_torn_stamp_counts_as_none(machine: Machine, torn: str) -> None:
    machine.ensure()
    environment.stamp_of(machine.root / ".venv").write_text(torn)
    machine.ensure()
    assert machine.installed


@pytest.mark.parametrize(
    ("inside", "pinned", "used"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_an_environment_that_holds_the_pins_is_used_as_it_is(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, inside: bool, pinned: bool, used: bool
) -> None:
    version = "1.0" if pinned else "2.0"
    machine.requirements.write_text("".join(f"{name}=={version}\n" for name in environment.DECIDING))
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.0")
    monkeypatch.setattr(sys, "prefix", "/an/environment" if inside else sys.base_prefix)
    assert (machine.ensure() == Path(sys.executable)) == used
    assert machine.installed != used


def test_a_lost_interpreter_is_noticed(machine: Machine) -> None:
    machine.ensure().unlink()
    machine.ensure()
    assert machine.installed


def test_changed_requirements_reinstall(machine: Machine) -> None:
    machine.ensure()
    machine.requirements.write_text(PINS.replace("2.4.6", "2.4.7"))
    machine.ensure()
    assert machine.installed
    assert "changed: requirements" in machine.said[-1]
    assert "2.4.7" in (machine.root / ".venv" / "requirements.txt").read_text()


def test_another_kind_of_line_ending_is_no_change(machine: Machine) -> None:
    machine.ensure()
    machine.requirements.write_bytes(PINS.replace("\n", "\r\n").encode())
    machine.ensure()
    assert not machine.installed


def test_another_python_reinstalls(machine: Machine) -> None:
    machine.ensure()
    stamp = environment.stamp_of(machine.root / ".venv")
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"Python": "3.11.0"}))
    machine.ensure()
    assert machine.installed
    assert "changed: Python" in machine.said[-1]


def test_pip_arguments_reach_pip_and_stay_until_others_are_given(machine: Machine) -> None:
    machine.environ["PIP_ARGS"] = "--no-index --find-links='two words'"
    machine.ensure()
    assert machine.ran[-1][-2:] == ["--no-index", "--find-links=two words"]
    del machine.environ["PIP_ARGS"]
    machine.ensure()
    assert not machine.installed
    machine.requirements.write_text(PINS + "build==1.6.1\n")
    machine.ensure()
    assert machine.ran[-1][-1] == "--find-links=two words"
    machine.environ["PIP_ARGS"] = ""
    machine.ensure()
    assert machine.installed
    assert machine.ran[-1][-1].endswith("requirements.txt")


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


def test_torch_is_yes_or_no(machine: Machine) -> None:
    machine.environ["TORCH"] = "cpu"
    with pytest.raises(Refusal, match="TORCH is 'cpu': it can be yes or no"):
        machine.ensure()


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


def test_a_python_without_venv_says_which_package_to_install(machine: Machine) -> None:
    machine.fails = ["venv"]
    with pytest.raises(Refusal, match="python3-venv"):
        machine.ensure()


def test_a_full_disk_is_refused_before_anything_is_fetched(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        environment.refuse_full_disk, "__defaults__", (machine.root, lambda path: SimpleNamespace(free=1.5e9))
    )
    with pytest.raises(Refusal, match=r"needs 2 GB of disk; 1\.5 GB are free"):
        machine.ensure()
    assert machine.ran == []
    machine.environ["TORCH"] = "no"
    machine.ensure()


def test_a_platform_without_torch_is_refused_before_anything_is_made(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "this_torch_gap", lambda: "macOS on Intel")
    with pytest.raises(Refusal, match=r"this platform \(macOS on Intel\): .*TORCH=no"):
        machine.ensure()
    assert machine.ran == []
    machine.environ["TORCH"] = "no"
    machine.ensure()
    assert machine.installed


@pytest.mark.parametrize(
    ("platform", "gap"),
    [
        (("linux", "x86_64", 64, "glibc"), ""),
        (("linux", "aarch64", 64, "glibc"), ""),
        (("darwin", "arm64", 64, ""), ""),
        (("win32", "AMD64", 64, ""), ""),
        (("darwin", "x86_64", 64, ""), "macOS on Intel"),
        (("win32", "ARM64", 64, ""), "Windows on ARM"),
        (("win32", "AMD64", 32, ""), "32-bit Python"),
        (("linux", "x86_64", 64, ""), "Linux without glibc"),
        (("linux", "riscv64", 64, "glibc"), "Linux on riscv64"),
    ],
)
def test_platforms(platform: tuple[str, str, int, str], gap: str) -> None:
    assert environment.torch_gap(*platform) == gap


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


def test_nothing_beside_the_driver_hides_a_standard_module() -> None:
    """The folder of the driver comes first on its path."""
    names = {path.stem for path in (ROOT / "docs" / "_ext").glob("*.py")}
    assert not names & set(sys.stdlib_module_names)


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


def test_a_doctest_broken_after_a_pass_loses_the_stamp(tree: Book) -> None:
    book.main(["html"])
    (tree.root / "pe_book" / "a.py").write_text("changed")
    tree.fails = {"doctests"}
    book.main(["html"])
    (tree.root / "pe_book" / "a.py").write_text("status: complete\n")
    tree.ran.clear()
    book.main(["html"])
    assert tree.ran == ["doctests"]


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


def test_another_environment_is_another_site(tree: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    book.main(["html"])
    made = os.environ["PE_MADE_IN"]
    monkeypatch.setenv("TORCH", "no")
    book.main(["html"])
    assert tree.ran.count("sphinx") == 2
    assert os.environ["PE_MADE_IN"] != made


def test_no_room_and_no_permission_are_said_before_anything_is_built(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1e6))
    assert book.main(["html"]) == 2
    assert "300 MB of disk; 1 MB are free" in capsys.readouterr().err
    monkeypatch.undo()
    with pytest.raises(Refusal, match="cannot be written"):
        commands.refuse_unusable_folder(Path(os.devnull) / "folder")


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


def test_a_failure_in_a_process_beside_is_taken_for_what_it_is() -> None:
    beside = RuntimeError("SphinxParallelError")
    beside.orig_exc, beside.traceback = OSError(28, "No space left on device"), "lines"  # type: ignore[attr-defined]
    inner, trace = build.cause(beside)
    assert isinstance(inner, OSError)
    assert trace == "lines"


def test_settings_of_other_programs_do_not_reach_what_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONOPTIMIZE", "PYTHONPATH", "PYTEST_ADDOPTS", "IPYTHONDIR", "MPLBACKEND"):
        monkeypatch.setenv(name, "1")
    seen = (
        "import os, sys; sys.exit(sys.flags.optimize + 2 * ('PYTEST_ADDOPTS' in os.environ) + 4 * __debug__)"
    )
    assert book.call(sys.executable, "-c", seen) == 4
    assert not {"PYTHONPATH", "IPYTHONDIR", "MPLBACKEND"} & book.own_environment().keys()


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


def test_a_package_that_was_deleted_is_noticed(machine: Machine) -> None:
    run = machine.run

    def installing(command: list[str]) -> int:
        code = run(command)
        if "install" in command:
            for name in ("numpy", "numpy-2.4.6.dist-info"):
                (machine.root / ".venv" / "lib" / "python3.11" / "site-packages" / name).mkdir(parents=True)
        return code

    machine.run = installing  # type: ignore[method-assign]
    machine.ensure()
    assert environment.missing_packages(machine.root / ".venv") == []
    (machine.root / ".venv" / "lib" / "python3.11" / "site-packages" / "numpy").rmdir()
    assert environment.missing_packages(machine.root / ".venv") == ["numpy"]
    machine.ensure()
    assert machine.installed
    assert "gone from it: numpy" in machine.said[-1]


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


def test_without_torch_the_doctests_leave_out_what_imports_it(
    tree: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tree.root / "pe_book" / "module.py"
    module.write_text("from torch import nn\n")
    monkeypatch.setenv("PE_TORCH", "no")
    commands.doctests()
    assert [word for word in tree.words if word.startswith("--ignore")] == [f"--ignore={module}"]


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


def test_serve_is_for_this_machine_alone(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert book.main(["serve"]) == 2
    assert "There is no site yet" in capsys.readouterr().err
    (tree.build / "html").mkdir(parents=True)
    (tree.build / "html" / "index.html").touch()
    assert book.main(["serve", "PORT=many"]) == 2
    assert "Port many cannot be used" in capsys.readouterr().err
    bound = []

    class Server(commands.http.server.ThreadingHTTPServer):
        def serve_forever(self, poll_interval: float = 0.5) -> None:
            bound.append(self.server_address[0])

    monkeypatch.setattr(commands.http.server, "ThreadingHTTPServer", Server)
    assert book.main(["serve", "PORT=0"]) == 0
    assert bound == ["127.0.0.1"]
    assert re.search(r"^http://127\.0\.0\.1:\d+/ ", capsys.readouterr().out)


def test_differences_are_found_byte_by_byte(tmp_path: Path) -> None:
    left, right = tmp_path / "left", tmp_path / "right"
    for side in (left, right):
        (side / "sub").mkdir(parents=True)
        (side / "sub" / "same").write_text("same")
        (side / "changed").write_text("1")
    assert commands.differences(left, right) == []
    (right / "changed").write_text("2")
    for side in (left, right):  # neither size nor time tells them apart
        os.utime(side / "changed", (0, 0))
    (left / "sub" / "alone").touch()
    assert commands.differences(left, right) == ["changed", str(Path("sub/alone"))]


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


def test_bench_installs_what_it_compares_with_and_then_measures(
    tree: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = []
    monkeypatch.setattr(commands, "add", lambda listed: added.append(listed) or 0)
    assert book.main(["bench"]) == 0
    assert [path.name for path in added] == ["bench-requirements.txt"]
    timed = ["pe_book.evidence.timing", "pe_book.evidence.rotary_timing", "pe_book.evidence.bias_timing"]
    assert tree.ran[-3:] == timed
    monkeypatch.setattr(commands, "add", lambda listed: 1)
    assert book.main(["bench"]) == 1


def test_bench_measures_one_part_alone(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "add", lambda listed: 0)
    assert book.main(["bench", "ONLY=bias"]) == 0
    assert tree.ran == ["pe_book.evidence.bias_timing"]
    tree.fails = {"pe_book.evidence.timing"}
    assert book.main(["bench", "ONLY="]) == 1
    assert tree.ran[1:] == ["pe_book.evidence.timing"]  # and no further
    assert book.main(["bench", "ONLY=biases"]) == 2
    assert "ONLY must be one of table, rotary, bias, or be left out; got biases" in capsys.readouterr().err


def test_bench_needs_torch(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environment, "torch_choice", lambda: "no")
    assert book.main(["bench"]) == 2
    assert "without TORCH=no" in capsys.readouterr().err
    assert tree.ran == []


def test_what_a_command_needs_besides_moves_no_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(commands, "call", lambda *words: ran.append([str(word) for word in words]) or 3)
    monkeypatch.setattr(environment, "already_inside", lambda: False)
    monkeypatch.setattr(environment, "wanted", lambda: {"pip_args": "--no-index"})
    assert commands.add(Path("more.txt")) == 3
    assert ran[0][ran[0].index("-r") + 1] == "more.txt"
    assert ran[0][ran[0].index("-c") + 1] == str(ROOT / "requirements.txt")
    assert ran[0][-1] == "--no-index"
    monkeypatch.setattr(environment, "already_inside", lambda: True)
    assert commands.add(Path("more.txt")) == 0
    assert len(ran) == 1


def test_clean_leaves_the_environment_unless_asked(tree: Book) -> None:
    book.main(["html"])
    (tree.root / ".venv").mkdir()
    assert book.main(["clean"]) == 0
    assert not tree.build.exists()
    assert (tree.root / ".venv").exists()
    book.main(["clean", "ALL=yes"])
    assert not (tree.root / ".venv").exists()


def test_doctor_looks_inside_only_where_there_is_an_environment(
    tree: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert book.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "this Python has the packages" in said
    assert re.search(r"^site +missing or out of date$", said, re.MULTILINE)
    monkeypatch.setenv("PE_BOOK_NO_VENV", "")
    monkeypatch.setattr(environment, "venv_of", lambda root=None: tree.root / ".venv")
    monkeypatch.setattr(environment, "already_inside", lambda: False)
    assert book.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "none: the next command makes it" in said
    assert "not looked at" in said


# ---------------------------------------------------------------- help and the Makefile


def test_help_has_one_line_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert book.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, sentence in book.COMMANDS.items():
        assert [line for line in lines if f" {name} " in line and line.endswith(sentence)], name
    assert len(lines) == len(book.COMMANDS) + 1


def test_every_command_that_help_lists_is_there() -> None:
    assert {*book.BARE, *commands.COMMANDS} == book.COMMANDS.keys()


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


def test_a_command_finds_the_package_of_its_checkout(tmp_path):
    """Even where nothing else has put it on the path: `make archive` is run from a shell."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        "from driver import commands\n"
        "commands.COMMANDS['probe'] = lambda: __import__('driver.archive') and 0\n"
        "sys.exit(commands.main('probe'))"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---------------------------------------------------------------- libraries to compare with


class Shelf:
    """A requirements file that includes another, and a stand-in for pip."""

    def __init__(self, root: Path) -> None:
        self.requirements, self.inner, self.folder = root / "a.txt", root / "b.txt", root / ".parity"
        self.requirements.write_text("-r b.txt\nx==1\n")
        self.inner.write_text("y==2\n")
        self.ran, self.fails = list[list[str]](), False

    def run(self, command: list[str]) -> int:
        self.ran.append(command)
        return int(self.fails)

    def ensure(self) -> Path:
        self.ran.clear()
        return libraries.ensure(self.requirements, self.folder, self.run)


def test_the_libraries_are_installed_once_beside_the_environment_and_as_listed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    assert shelf.ensure() == shelf.folder / "libraries"
    (command,) = shelf.ran
    assert "--no-deps" in command
    assert command[command.index("--target") + 1] == str(shelf.folder / "libraries")
    shelf.ensure()
    assert shelf.ran == []


def test_libraries_of_other_pins_or_half_made_are_made_anew(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.ensure()
    (shelf.folder / "leftover").touch()
    shelf.inner.write_text("y==3\n")
    shelf.ensure()
    assert len(shelf.ran) == 1
    assert not (shelf.folder / "leftover").exists()
    shelf.inner.write_text("y==4\n")
    shelf.fails = True
    with pytest.raises(Refusal, match=r"pip could not install a\.txt"):
        shelf.ensure()
    shelf.fails = False
    shelf.ensure()
    assert len(shelf.ran) == 1


def test_the_comparison_has_its_libraries_first_and_no_network(tmp_path: Path) -> None:
    found = libraries.variables(tmp_path)
    assert found["PYTHONPATH"] == found["PE_PARITY"] == str(tmp_path)
    assert found["HF_HUB_OFFLINE"] == "1"


def test_a_comparison_that_fails_is_not_recorded(tree: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = list[tuple[str, str]]()

    def call(*command: object, variables: dict[str, str]) -> int:
        ran.append((str(command[-1]), variables["PE_RECORD"]))
        return int("pytest" in tree.fails)

    monkeypatch.setattr(libraries, "ensure", lambda: tree.root)
    monkeypatch.setattr(commands, "call", call)
    assert book.main(["parity"]) == 0
    assert ran == [("tests/parity", "")]
    monkeypatch.setenv("RECORD", "yes")
    assert book.main(["parity"]) == 0
    record = "tests/parity/test_record.py"
    assert ran[1:] == [(f"--ignore={record}", "parity"), (record, "")]
    tree.fails = {"pytest"}
    assert book.main(["parity"]) == 1
    assert ran[3:] == [(f"--ignore={record}", "parity")]
    monkeypatch.setenv("TORCH", "no")
    assert book.main(["parity"]) == 2
