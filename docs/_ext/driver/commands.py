"""The commands that need the packages of the book: docs/_ext/book.py runs them in the environment.

Options are variables of the process, as book.py sets them: `P=sinusoidal/shift` of `make page`.
"""

from __future__ import annotations

import difflib
import filecmp
import functools
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import environment
from driver import libraries, stamps
from driver.browser import chromium_path
from driver.stamps import BUILD, SITE
from environment import ROOT, Refusal, option

DRIVER = Path(__file__).parent  # which runs its modules by name
LEAST_DISK = 300e6  # bytes that a build needs
GROUPED = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")  # tests that share something, together
SEVENTHS = 7  # of the weekly set: .ci/run takes one, by the hash of the commit
NOTHING_CHOSEN = 5  # what pytest says if no test was chosen: a page without figures and tables


def call(*command: object, variables: dict[str, str] | None = None) -> int:
    """Run a command of this Python in the root of the book and return its exit code."""
    sys.stdout.flush()
    return subprocess.call([sys.executable, *map(str, command)], cwd=ROOT, env=variables)


# ---------------------------------------------------------------- the work


def needs_torch(file: Path) -> bool:
    return bool(re.search(r"^(import|from) torch\b", file.read_text(encoding="utf-8"), re.MULTILINE))


def doctests() -> int:
    """Run the examples of every docstring, unless this package has passed them in this environment."""
    if stamps.stamped("doctests") == stamps.doctest_state():
        print("Doctests: nothing changed since they passed.")
        return 0
    skip = []
    if option("PE_TORCH") == "no":
        skip = ["--ignore=%s" % file for file in sorted(ROOT.glob("pe_book/**/*.py")) if needs_torch(file)]
    command = ["-m", "pytest", "-q", "--doctest-modules", "pe_book", *skip]
    return stamps.under_stamp("doctests", stamps.doctest_state(), lambda: call(*command))


def note_environment() -> None:
    os.environ["PE_MADE_IN"] = hashlib.sha256(stamps.made_in().encode()).hexdigest()


def sphinx(out: Path, doctrees: Path, *settings: str) -> int:
    """Build into `out`; what the kernels said is kept beside the doctrees, and nothing else is used again."""
    refuse_unusable_folder(out)
    note_environment()
    return call("-u", DRIVER, "build", out, doctrees, *settings)


def refuse_unusable_folder(folder: Path) -> None:
    """Refuse a folder that is full or cannot be written, before anything is built."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=str(folder)):
            free = shutil.disk_usage(str(folder)).free
    except OSError as error:
        raise Refusal("%s cannot be written (%s): make it writable." % (folder, error.strerror)) from None
    if free < LEAST_DISK:
        raise Refusal("A build needs %d MB of disk; %d MB are free here." % (LEAST_DISK / 1e6, free / 1e6))


def build_site() -> int:
    """Build the site, unless this one was built from what there is now and nobody touched it since."""
    if stamps.site_is_current():
        print("Site: nothing changed since it was built.")
        return 0
    (BUILD / "site-files.stamp").unlink(missing_ok=True)
    shared = "pe_executions=%s" % (BUILD / "executions")
    jobs = "jobs=%d" % (os.cpu_count() or 1)
    code = stamps.under_stamp(
        "site", stamps.site_state(), lambda: sphinx(SITE, BUILD / "doctrees", jobs, shared)
    )
    if code == 0:
        (BUILD / "site-files.stamp").write_text(stamps.listing(SITE), encoding="utf-8")
    return code


def shown_and_pasted(name: str, *, recording: bool = False) -> int:
    """Run a page's visible cells alone, compute its figures once more, and compare them with what was seen.

    Recording, what is seen now is written down instead.

    For the whole book that takes half as long as a build, so `html` leaves it to `test`.
    """
    if not (ROOT / "tests" / "show").is_dir():
        return 0
    files = ["tests/pages/test_pasted.py", "tests/show/test_whole.py", "tests/show/test_snapshots.py"]
    variables = {**os.environ, "PE_RECORD": "snapshots" if recording else ""}
    code = call("-m", "pytest", "-q", *files, "-k", f"[{name}- or [{name}]", variables=variables)
    return 0 if code == NOTHING_CHOSEN else code


def tests_of(name: str) -> list[Path]:
    """The tests of what a chapter defines and decides."""
    part, _, slug = name.replace("-", "_").rpartition("/")
    folders = [ROOT / "tests" / top for top in (part, f"evidence/{part}", "nn/functional")]
    found = [file for folder in folders for file in sorted(folder.glob(f"test_{slug}*.py"))]
    return found + sorted((ROOT / "tests" / part / slug).glob("test_*.py"))  # of its later sections


def examples_of(name: str) -> list[Path]:
    """The modules whose examples belong to a chapter: what its files define, and its public names."""
    from pe_book.catalogue import RECORDS

    stem = name.replace("-", "_")
    homes = [ROOT / "pe_book" / top / stem for top in ("", "evidence", "show")]
    public = [home for row in RECORDS if row.page == name for home in (row.numpy, row.torch) if home]
    homes += [ROOT / home.replace(".", "/") for home in public]
    found = {
        file for home in homes for file in (home.with_suffix(".py"), *home.rglob("*.py")) if file.exists()
    }
    return sorted(file for file in found if option("PE_TORCH") != "no" or not needs_torch(file))


def page_name(given: str) -> str:
    """`sinusoidal/shift` from that, from `docs/sinusoidal/shift.md` or from `sinusoidal/shift.html`."""
    name = re.sub(r"^(\./)?docs/|\.md$|\.html$", "", given.replace("\\", "/").strip("/"))
    if (ROOT / "docs" / (name + ".md")).exists():
        return name
    pages = [file.relative_to(ROOT / "docs").with_suffix("").as_posix() for file in ROOT.glob("docs/*/*.md")]
    closest = difflib.get_close_matches(name, pages, n=1, cutoff=0.4)
    hint = "did you mean %s?" % closest[0] if closest else "give it as P=sinusoidal/shift."
    raise Refusal("There is no page %r: %s" % (given, hint))


def differences(left: Path, right: Path) -> list[str]:
    """Files that are in one folder only, or differ in a byte."""
    names = {str(file.relative_to(top)) for top in (left, right) for file in top.rglob("*") if file.is_file()}
    _, differ, missing = filecmp.cmpfiles(str(left), str(right), sorted(names), shallow=False)
    return sorted(differ + missing)


def add(listed: Path) -> int:
    """Install what a command needs besides; no version that the book pins is moved by it."""
    if environment.already_inside():
        return 0  # used as it is
    asked = ["-q", "-r", listed, "-c", ROOT / "requirements.txt"]
    return call(*environment.pip_install(sys.executable, asked)[1:])  # `call` begins with this Python itself


# ---------------------------------------------------------------- the commands; book.py says what each does


def html() -> int:
    code = doctests() or build_site()
    if code == 0:
        print("Open %s" % (SITE / "index.html"))
        print("  or %s" % (SITE / "index.html").as_uri())
    return code


def built() -> int:
    """Build the site if it is missing or out of date."""
    if stamps.site_is_current():
        return 0
    print("The site is missing or out of date: building it first.")
    return build_site()


def test() -> int:
    if name := option("P"):
        name = page_name(name)
        own = [
            *tests_of(name),
            *examples_of(name),
        ]  # of a how-to there may be none, and pytest would take all
        code = call("-m", "pytest", "-q", "--doctest-modules", *own) if own else 0
        return (0 if code == NOTHING_CHOSEN else code) or shown_and_pasted(name)
    code = doctests() or built()
    others = ("--ignore=tests/machinery", "--ignore=tests/site", "--ignore=tests/parity")
    shared = ("-n", "2", "-p", "tests.driver.sharing", "-m", "not thorough")
    one_thread = {"OMP_NUM_THREADS": "1", **os.environ}  # of more, each waits for a core that it has not
    return code or call("-m", "pytest", *shared, "tests", *others, variables=one_thread)


def browser() -> int:
    return built() or call("-m", "pytest", "-n", "2", "-m", "not thorough", "tests/site")


def machinery() -> int:
    return call("-m", "pytest", *GROUPED, "-m", "not thorough", "tests/machinery")


def parity() -> int:
    """Compare first; with RECORD=yes write the record, which then has to be what the comparison produces."""
    if environment.torch_choice() == "no":
        raise Refusal("parity compares with libraries on torch: run it without TORCH=no.")
    variables = libraries.variables(libraries.ensure())
    recording = option("RECORD") == "yes"
    variables["PE_RECORD"] = "parity" if recording else ""
    record = "tests/parity/test_record.py"
    # what is recorded comes together in one process
    chosen = ["tests/parity", f"--ignore={record}"]
    if not recording:
        chosen = [*GROUPED, "tests/parity"]
    code = call("-m", "pytest", "-m", "not thorough", *chosen, variables=variables)
    if code == 0 and recording:
        variables["PE_RECORD"] = ""
        code = call("-m", "pytest", "-q", record, variables=variables)
    return code


def page() -> int:
    name = page_name(option("P"))
    out = BUILD / "page" / name.replace("/", "-")
    shared = "pe_executions=%s" % (BUILD / "executions")
    code = sphinx(out, out.with_name(out.name + ".doctrees"), "pe_only=" + name, shared)
    if code == 0:
        print("Open %s" % (out / (name + ".html")))
    return code or shown_and_pasted(name, recording=option("RECORD") == "yes")


def serve() -> int:
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
    return max([call("-m", *tool) for tool in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"])])


def reproducible() -> int:
    pages = [page_name(given) for given in option("PAGES").split()]
    return next(filter(None, map(twice, pages or [""])), 0)


def twice(page: str) -> int:
    """Build a page, or the whole site, twice from nothing, and compare every byte."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = [Path(folder) / turn / "html" for turn in ("first", "second")]
        for out in (first, second):
            jobs = "jobs=%d" % (os.cpu_count() or 1)
            if code := sphinx(out, out.parent / "doctrees", jobs, "pe_only=" + page):
                return code
        found = differences(first, second)
    print("\n".join(["%s: %d files differ" % (page or "the whole site", len(found)), *found]))
    return 1 if found else 0


def bench() -> int:
    if environment.torch_choice() == "no":
        raise Refusal("bench compares with torch: run it without TORCH=no.")
    listed = ROOT / "pe_book" / "evidence" / "records" / "bench-requirements.txt"
    timed = {"table": "timing", "rotary": "rotary_timing", "bias": "bias_timing"}
    only = option("ONLY")
    if only and only not in timed:
        raise Refusal("ONLY must be one of %s, or be left out; got %s." % (", ".join(timed), only))
    names = [timed[only]] if only else timed.values()
    return add(listed) or next(filter(None, (call("-m", f"pe_book.evidence.{name}") for name in names)), 0)


def install() -> int:
    """The environment is there when this runs; what parity compares with has a folder of its own."""
    if option("LIBRARIES") == "yes":
        libraries.ensure()
    return 0


def audit() -> int:
    if code := built():
        return code
    note_environment()
    from driver.audit import run

    return run.main()


def versions() -> int:
    from driver import versions

    return versions.main(needs_torch)


def notebooks() -> int:
    from driver import notebook_runs

    return built() or notebook_runs.main(SITE, environment.torch_choice() != "no")


def archive() -> int:
    from driver.archive import write_archive

    if code := built():
        return code
    print(write_archive(SITE, ROOT / "dist"))
    return 0


def thorough() -> int:
    """The weekly set, on new draws; with SEVENTH one in seven of it, on the draws of every run."""
    part = option("SEVENTH")
    if part not in {"", *map(str, range(SEVENTHS))}:
        raise Refusal("SEVENTH must be one of 0 to %d, or be left out; got %s." % (SEVENTHS - 1, part))
    variables = {**os.environ, "PE_WEEKLY": "" if part else "1"}
    command = [
        "-m",
        "pytest",
        *GROUPED,
        "--durations=20",
        "-m",
        "thorough",
        *(["--seventh", part] if part else []),
    ]
    code = built() or call(*command, "tests", "--ignore=tests/parity", variables=variables)
    if code in (0, NOTHING_CHOSEN) and environment.torch_choice() != "no":
        code = call(*command, "tests/parity", variables=libraries.variables(libraries.ensure()) | variables)
    if code not in (0, NOTHING_CHOSEN):
        return code
    return 0 if part else versions() or twice("")


def stubs() -> int:
    return call(DRIVER, "stubs")


def chapter() -> int:
    name = option("NAME")
    code = call(DRIVER, "chapter", name, option("TITLE"), option("TWIN"))
    return code or (stubs() if option("TWIN") == "yes" else 0) or shown_and_pasted(name, recording=True)


def labels() -> int:
    from driver.labels import lock_labels

    return lock_labels(ROOT / "docs", BUILD)


def doctor() -> int:
    found = chromium_path() or "none: the tests that open the site in it are skipped"
    site = "current" if stamps.site_is_current() else "missing or out of date"
    print(f"{'Chromium':12} {found}\n{'site':12} {site}")
    return 0


COMMANDS = {
    command.__name__: command
    for command in (
        html,
        test,
        browser,
        machinery,
        parity,
        page,
        serve,
        check,
        reproducible,
        bench,
        audit,
        versions,
        notebooks,
        archive,
        thorough,
        chapter,
        stubs,
        labels,
        doctor,
        install,
    )
}


def main(name: str) -> int:
    sys.path.append(str(ROOT))  # the package of this checkout, which is not installed
    try:
        return COMMANDS[name]()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
