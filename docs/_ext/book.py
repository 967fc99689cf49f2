"""Every command of the book. `make` is a thin front; without make: `python docs/_ext/book.py html`.

Standard library only. Options come as variables, from make, from the environment or after the command,
all three alike: `python docs/_ext/book.py serve PORT=8001`.
"""

import difflib
import filecmp
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import environment
from environment import ROOT, Refusal

BUILD = ROOT / "docs" / "_build"
SITE = BUILD / "html"
ROOM = 300e6  # bytes of disk that a build needs
FOREIGN = ("PYTHON", "IPYTHON", "JUPYTER", "PYTEST_", "MPL", "SPHINX")  # settings of other people's programs
CACHES = [".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"]


def option(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def python() -> Path:
    """The Python of the book's environment. Pages and tests learn from PE_TORCH whether torch is in it."""
    found = environment.ensure()
    os.environ["PE_TORCH"] = environment.torch_choice()
    return found


def own_environment() -> dict:
    """The variables that reach what is run: without settings that would change what a program does."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return dict(kept, PYTHONNOUSERSITE="1", PYTHONHASHSEED="0")


def call(*command) -> int:
    """Run a command in the root of the book and return its exit code; it ends when this ends."""
    sys.stdout.flush()
    words = [str(part) for part in command]
    apart = os.name != "nt"  # a group of its own, so that what it has started can be ended with it
    process = subprocess.Popen(words, cwd=str(ROOT), env=own_environment(), start_new_session=apart)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            end(process, apart)


def end(process, apart: bool) -> None:
    """Ask, wait, then end a process and, where it leads a group, the group."""
    for sign in ("SIGTERM", "SIGKILL" if apart else "SIGTERM"):
        try:
            if apart:
                os.killpg(process.pid, getattr(signal, sign))
            else:
                process.terminate()
            process.wait(10)
        except (subprocess.TimeoutExpired, ProcessLookupError):
            continue


def drop(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(str(path))
    elif path.exists():
        path.unlink()


# ---------------------------------------------------------------- what was made from what


def made_in() -> str:
    """The environment that something was made in."""
    inside = sys.prefix if environment.already_inside() else sorted(environment.recorded().items())
    return "%s %s torch=%s" % (sys.version, inside, environment.torch_choice())


def state_of(*names) -> str:
    """One hash of every file below these, names and contents, and of the environment they are used in."""
    seen = hashlib.sha256(made_in().encode())
    for top in [ROOT / name for name in names]:
        for file in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if file.is_file() and not {"_build", "__pycache__"} & set(file.parts):
                seen.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return seen.hexdigest()


def doctest_state() -> str:
    return state_of("pe_book", "requirements.txt", "pyproject.toml")


def site_state() -> str:
    """What the site is made from: tests of a site that is older than this would say nothing."""
    return state_of("docs", "pe_book", "tests", "conf.py", "requirements.txt", "pyproject.toml")


def stamped(name: str) -> str:
    file = BUILD / (name + ".stamp")
    return file.read_text(encoding="utf-8") if file.exists() else ""


def under_stamp(name: str, state: str, work) -> int:
    """Do the work, and stamp it with the state it began from if it succeeds."""
    file = BUILD / (name + ".stamp")
    drop(file)
    code = work()
    if code == 0:
        BUILD.mkdir(parents=True, exist_ok=True)
        file.write_text(state, encoding="utf-8")
    return code


def listing(folder: Path) -> str:
    """One hash of the names and sizes of what a folder holds: enough to see that it was not touched."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    said = "\n".join("%s %d" % (file.relative_to(folder), file.stat().st_size) for file in files)
    return hashlib.sha256(said.encode()).hexdigest()


def site_is_current() -> bool:
    return stamped("site") == site_state() and stamped("site-files") == listing(SITE)


# ---------------------------------------------------------------- the work


def needs_torch(file: Path) -> bool:
    return bool(re.search(r"^(import|from) torch\b", file.read_text(encoding="utf-8"), re.MULTILINE))


def doctests(inside: Path) -> int:
    """Run the examples of every docstring, unless this package has passed them in this environment."""
    if stamped("doctests") == doctest_state():
        print("Doctests: nothing changed since they passed.")
        return 0
    skip = []
    if option("PE_TORCH") == "no":
        skip = ["--ignore=%s" % file for file in sorted(ROOT.glob("pe_book/**/*.py")) if needs_torch(file)]
    command = [inside, "-m", "pytest", "-q", "--doctest-modules", "pe_book"] + skip
    return under_stamp("doctests", doctest_state(), lambda: call(*command))


def sphinx(inside: Path, out: Path, doctrees: Path, *settings) -> int:
    """Build into `out`; what the kernels said is kept beside the doctrees, and nothing else is used again."""
    refuse_full_or_closed(out)
    os.environ["PE_MADE_IN"] = hashlib.sha256(made_in().encode()).hexdigest()
    return call(inside, "-u", ROOT / "docs" / "_ext" / "build.py", out, doctrees, *settings)


def refuse_full_or_closed(folder: Path) -> None:
    """Say before anything is built that there is no room, or no permission, for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=str(folder)):
            free = shutil.disk_usage(str(folder)).free
    except OSError as error:
        raise Refusal("%s cannot be written (%s): make it writable." % (folder, error.strerror)) from None
    if free < ROOM:
        raise Refusal("A build needs %d MB of disk; %d MB are free here." % (ROOM / 1e6, free / 1e6))


def build_site(inside: Path) -> int:
    """Build the site, unless this one was built from what there is now and nobody touched it since."""
    if site_is_current():
        print("Site: nothing changed since it was built.")
        return 0
    drop(BUILD / "site-files.stamp")
    shared = "pe_executions=%s" % (BUILD / "executions")
    jobs = "jobs=%d" % (os.cpu_count() or 1)
    code = under_stamp("site", site_state(), lambda: sphinx(inside, SITE, BUILD / "doctrees", jobs, shared))
    if code == 0:
        (BUILD / "site-files.stamp").write_text(listing(SITE), encoding="utf-8")
    return code


def page_name(given: str) -> str:
    """`sinusoidal/shift` from that, from `docs/sinusoidal/shift.md` or from `sinusoidal/shift.html`."""
    name = re.sub(r"^(\./)?docs/|\.md$|\.html$", "", given.replace("\\", "/").strip("/"))
    if (ROOT / "docs" / (name + ".md")).exists():
        return name
    pages = [file.relative_to(ROOT / "docs").with_suffix("").as_posix() for file in ROOT.glob("docs/*/*.md")]
    near = difflib.get_close_matches(name, pages, n=1, cutoff=0.4)
    hint = "did you mean %s?" % near[0] if near else "give it as P=sinusoidal/shift."
    raise Refusal("There is no page %r: %s" % (given, hint))


def differences(left: Path, right: Path) -> list:
    """Files that are in one folder only, or differ in a byte."""
    names = {str(file.relative_to(top)) for top in (left, right) for file in top.rglob("*") if file.is_file()}
    _, differ, missing = filecmp.cmpfiles(str(left), str(right), sorted(names), shallow=False)
    return sorted(differ + missing)


# ---------------------------------------------------------------- the commands


def help_() -> int:
    """list the commands"""
    front = "make" if shutil.which("make") else "python docs/_ext/book.py"
    for name, command in COMMANDS.items():
        print("%s %-13s %s" % (front, name, command.__doc__))
    print("For each: PYTHON=python3.12 (make alone), PIP_ARGS='...', TORCH=no to do without torch.")
    return 0


def html() -> int:
    """build the site: run the doctests, execute every page"""
    inside = python()
    code = doctests(inside) or build_site(inside)
    if code == 0:
        print("Open %s" % (SITE / "index.html"))
        print("  or %s" % (SITE / "index.html").as_uri())
    return code


def test() -> int:
    """run the doctests and the tests, after building the site if it is missing or out of date"""
    inside = python()
    code = doctests(inside)
    if code == 0 and not site_is_current():
        print("The site is missing or out of date: building it first.")
        code = build_site(inside)
    return code or call(
        inside, "-m", "pytest", "-n", "2", "-m", "not thorough", "tests", "--ignore=tests/machinery"
    )


def machinery() -> int:
    """test what keeps the book honest: mistakes planted in small books, edits one after another"""
    return call(python(), "-m", "pytest", "-n", "2", "-m", "not thorough", "tests/machinery")


def page() -> int:
    """build one page alone: P=sinusoidal/shift"""
    name = page_name(option("P"))
    out = BUILD / "page" / name.replace("/", "-")
    shared = "pe_executions=%s" % (BUILD / "executions")
    code = sphinx(python(), out, out.with_name(out.name + ".doctrees"), "pe_only=" + name, shared)
    if code == 0:
        print("Open %s" % (out / (name + ".html")))
    return code


def serve() -> int:
    """serve the built site to this machine alone: PORT=8000"""
    if not (SITE / "index.html").exists():
        raise Refusal("There is no site yet: build it with html first.")
    port = option("PORT", "8000")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(SITE))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except (OSError, OverflowError, ValueError) as error:
        raise Refusal(
            "Port %s cannot be used (%s): choose another, as in PORT=8001." % (port, error)
        ) from None
    print("http://127.0.0.1:%d/ (stop with Ctrl-C)" % server.server_port, flush=True)
    with server:
        server.serve_forever()
    return 0


def check() -> int:
    """check lint, format and types"""
    inside = python()
    return max(
        [call(inside, "-m", *tool) for tool in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"])]
    )


def reproducible() -> int:
    """build twice from nothing and compare every byte: PAGES='why/order-blindness ...' for some alone"""
    inside = python()
    for name in [page_name(given) for given in option("PAGES").split()] or [""]:
        with tempfile.TemporaryDirectory() as folder:
            first, second = [Path(folder) / turn / "html" for turn in ("first", "second")]
            for out in (first, second):
                code = sphinx(inside, out, out.parent / "doctrees", "pe_only=" + name)
                if code:
                    return code
            found = differences(first, second)
            print("\n".join(["%s: %d files differ" % (name or "the whole site", len(found))] + found))
            if found:
                return 1
    return 0


def bench() -> int:
    """measure the speed of the table against other libraries, and record it in pe_book/evidence"""
    if environment.torch_choice() == "no":
        raise Refusal("bench compares with torch: run it without TORCH=no.")
    inside = python()
    listed = ROOT / "pe_book" / "evidence" / "bench-requirements.txt"
    return environment.add(inside, listed) or call(inside, "-m", "pe_book.evidence.timing")


def thorough() -> int:
    """run what takes longer: the tests marked thorough, then reproducible"""
    code = call(python(), "-m", "pytest", "-m", "thorough", "tests")
    return reproducible() if code in (0, 5) else code  # 5: no test is marked so


def stubs() -> int:
    """write what type checkers see of the package, from its catalogue"""
    return call(python(), ROOT / "docs" / "_ext" / "stubs.py")


def chapter() -> int:
    """lay out the files of a new chapter: NAME=family/rotary TITLE="Rotary"; PART="A title" for a new part"""
    words = [option("NAME"), option("TITLE"), option("PART")]
    return call(python(), ROOT / "docs" / "_ext" / "chapter.py", *words)


def labels() -> int:
    """lock the labels that the last build found new on complete pages: from then on they stay"""
    found, lock = BUILD / "doctrees" / "labels.json", ROOT / "docs" / "labels.lock"
    if not found.exists():
        raise Refusal("No build has listed the labels yet: run html first.")
    locked = {line.split(" ")[0] for line in lock.read_text(encoding="utf-8").splitlines()}
    new = []
    for name, own in json.loads(found.read_text(encoding="utf-8")).items():
        text = (ROOT / "docs" / (name + ".md")).read_text(encoding="utf-8")
        if re.search(r"^status: complete$", text, re.MULTILINE):
            new += ["%s %s" % (label, name) for label in own if label not in locked]
    with lock.open("a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in new))
    print("%d labels added to docs/labels.lock." % len(new))
    return 0


def doctor() -> int:
    """say what this machine has and what it lacks"""
    code, verdict, state, site = 0, "supported", "half made: the next command makes it anew", "not looked at"
    venv, gap, before = environment.venv_of(), environment.this_torch_gap(), environment.recorded()
    try:
        environment.refuse_unsupported_python()
        site = "current" if site_is_current() else "missing or out of date"
        if environment.already_inside():
            state = "not used: this Python has the packages"
        elif not venv.exists():
            state = "none: the next command makes it"
        elif before:
            lost = environment.lost(venv)
            state = (
                "whole" if before == environment.wanted() else "out of date: the next command makes it anew"
            )
            state = "broken, without %s: the next command makes it anew" % ", ".join(lost) if lost else state
            state += "; torch: %s; pip arguments: %s" % (before["torch"], before["pip_args"] or "none")
    except Refusal as refusal:
        code, verdict = 2, str(refusal)
    rows = [
        ("Python", "%s at %s: %s" % (environment.dotted(sys.version_info[:3]), sys.executable, verdict)),
        ("torch wheel", "none for %s: use TORCH=no" % gap if gap else "to be expected for this platform"),
        ("disk", "%.1f GB free" % (shutil.disk_usage(str(ROOT)).free / 1e9)),
        (".venv", state),
        ("Chromium", environment.chromium() or "none: the tests that open the site in it are skipped"),
        ("site", site),
    ]
    print("\n".join("%-12s %s" % row for row in rows))
    return code


def clean() -> int:
    """delete what was built; ALL=yes deletes the environment too"""
    for name in CACHES + ([".venv"] if option("ALL") == "yes" else []):
        drop(ROOT / name)
    drop(BUILD)
    return 0


COMMANDS = {
    "help": help_,
    "html": html,
    "test": test,
    "machinery": machinery,
    "page": page,
    "chapter": chapter,
    "stubs": stubs,
    "serve": serve,
    "check": check,
    "reproducible": reproducible,
    "bench": bench,
    "thorough": thorough,
    "labels": labels,
    "doctor": doctor,
    "clean": clean,
}


def main(arguments) -> int:
    os.environ.update(argument.split("=", 1) for argument in arguments if "=" in argument)
    plain = [argument for argument in arguments if "=" not in argument] or ["help"]
    if plain[0] == "page" and len(plain) == 2:
        os.environ["P"] = plain.pop()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if len(plain) > 1 or plain[0] not in COMMANDS:
            raise Refusal("There is no command %r: help lists them." % " ".join(plain))
        return COMMANDS[plain[0]]()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
