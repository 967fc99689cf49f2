"""`make chapter` in a copy of the book: what it lays out builds, passes its own tests, and is found by every list.

One draft is looked at in each run; that each of its parts can fail, and a second one, is for every week.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from book import Refusal
from driver.chapter import chapter
from tests.chapters import ROOT, chapters, judged

pytestmark = pytest.mark.xdist_group("driver/test_chapter.py")  # they share what is laid out
LONGEST = "Rows and columns, of pictures and of all other grids we know"
RECORDED = "tests/recorded/family/{}.txt"
ROTARY = [
    "docs/family/swinging.md",
    "pe_book/evidence/family/swinging.py",
    "pe_book/family/swinging.py",
    "pe_book/show/family/swinging.py",
    "tests/evidence/family/test_swinging.py",
    "tests/family/test_swinging.py",
    "tests/show/family/recomputed_swinging.py",
]


def run(book, *command, **variables) -> subprocess.CompletedProcess:
    """A command in the copy, without settings of the test that calls it."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAKE", "MFLAGS"))
    }
    kept |= {"PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(
        [sys.executable, *command], cwd=book.root, env=kept, capture_output=True, text=True, check=False
    )


def make_chapter(book, **variables) -> subprocess.CompletedProcess:
    return run(book, "docs/_ext/driver", "chapter", **variables)


def state(book) -> dict[str, bytes]:
    files = [file for top in ("docs", "pe_book", "tests") for file in (book.root / top).rglob("*")]
    mine = [
        file
        for file in files
        if file.is_file() and not {"_static", "_themes", "__pycache__", "_build"} & set(file.parts)
    ]
    return {file.relative_to(book.root).as_posix(): file.read_bytes() for file in mine}


@pytest.fixture(scope="module")
def drafted(new_whole_book, tmp_path_factory):
    """A copy with a chapter and its twin, what changed, and what was said."""
    book = new_whole_book(tmp_path_factory.mktemp("draft"))
    before = state(book)
    done = make_chapter(book, NAME="family/grid-of-pairs", TITLE=LONGEST, TWIN="yes")
    assert done.returncode == 0, done.stderr
    changed = {name for name, data in state(book).items() if before.get(name) != data}
    return book, changed, done.stdout


def test_a_draft_is_listed_builds_and_passes_its_tests(drafted):
    book, changed, said = drafted
    listed = {
        "docs/family/index.md",
        "docs/labels.lock",
        RECORDED.format("grid-of-pairs"),
        "pe_book/catalogue.py",
    }
    stubs = {name for name in changed if name.endswith(".pyi")}
    new = {line for line in said.splitlines() if line in changed}
    assert len(stubs) == 2
    assert len(new) == len(ROTARY) + 2
    assert changed == new | listed | stubs
    assert set(chapters(book.root)) - set(chapters()) == {"family/grid-of-pairs"}
    build_whole(book, "family/grid-of-pairs")
    tests = [name for name in new if name.rpartition("/")[2].startswith("test_")]
    done = run(book, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout
    lint(book)


@pytest.fixture(scope="module")
def laid(new_whole_book, tmp_path_factory):
    """A copy with two chapters, and the files that changed for the first."""
    book = new_whole_book(tmp_path_factory.mktemp("chapter"))
    before = state(book)
    done = make_chapter(book, NAME="family/swinging", TITLE="Swinging")
    assert done.returncode == 0, done.stderr
    after = state(book)
    grid = make_chapter(book, NAME="family/grid-of-pairs", TITLE=LONGEST, TWIN="yes")
    assert grid.returncode == 0, grid.stderr
    return book, {name for name, data in after.items() if before.get(name) != data}, done.stdout


@pytest.mark.thorough
def test_the_files_are_named_and_nothing_else_changes_but_three_lists(laid):
    _, changed, said = laid
    assert changed == {*ROTARY, "docs/family/index.md", "docs/labels.lock", RECORDED.format("swinging")}
    assert sorted(line for line in said.splitlines() if line in changed) == ROTARY


@pytest.mark.thorough
def test_the_chapter_is_in_every_list(laid):
    book, _, _ = laid
    assert set(chapters(book.root)) - set(chapters()) == {"family/swinging", "family/grid-of-pairs"}
    assert set(judged(book.root)) - set(judged()) == {"family/swinging", "family/grid-of-pairs"}
    (listed,) = re.findall(
        r"```\{toctree\}\n(.*?)```", (book.root / "docs/family/index.md").read_text("utf-8"), re.S
    )
    assert "reading-a-config\nswinging\ngrid-of-pairs\nyarn-as-run\n" in listed, "before the side pages"
    lock = (book.root / "docs" / "labels.lock").read_text(encoding="utf-8").splitlines()
    assert set(lock) - set((ROOT / "docs" / "labels.lock").read_text(encoding="utf-8").splitlines()) == {
        "sec:api:swinging reference/api/family",
        "sec:api:grid-of-pairs reference/api/family",
        "sec:apitorch:grid-of-pairs reference/api-torch",
    }


@pytest.mark.thorough
def test_what_has_a_page_is_no_longer_planned(new_whole_book, tmp_path):
    book = new_whole_book(tmp_path)
    plan = book.root / "docs" / "planned.yml"
    new_part = "sinusoidal:\n  chapters:\n    swings: Swings\n    grids: Grids\n"
    plan.write_text(plan.read_text(encoding="utf-8") + new_part, encoding="utf-8")
    before = yaml.safe_load(plan.read_text(encoding="utf-8"))
    assert make_chapter(book, NAME="family/no-encoding", TITLE="No encoding").returncode == 0
    for name in ("swings", "grids"):
        assert make_chapter(book, NAME=f"sinusoidal/{name}", TITLE="Work").returncode == 0
    del before["family"]["chapters"]["no-encoding"], before["sinusoidal"]
    assert yaml.safe_load(plan.read_text(encoding="utf-8")) == before
    map_test = "tests/pages/test_index.py::test_a_planned_chapter_that_has_a_page_is_no_longer_planned"
    done = run(book, "-m", "pytest", "-q", "-p", "no:cacheprovider", map_test)
    assert done.returncode == 0, done.stdout
    plan.write_text(plan.read_text(encoding="utf-8") + "why:\n  chapters:\n    first-attempts: Planted\n")
    done = run(book, "-m", "pytest", "-q", "-p", "no:cacheprovider", map_test)
    assert "take why/first-attempts out of planned.yml" in done.stdout


@pytest.mark.thorough
def test_a_twin_is_a_public_name_compared_and_fuzzed(laid):
    """It stands in the catalogue: the interface, the stubs, the comparison and the fuzz find it from there."""
    book, _, _ = laid
    quiet = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    twin = "pe_book/nn/functional/grid_of_pairs.py"
    tests = [
        "tests/nn/test_parity.py",
        "tests/fuzz/test_fuzz.py",
        "tests/test_catalogue.py",
        "tests/test_typing.py",
    ]
    chosen = "angle or sorted or stub or types"
    done = run(book, *quiet, *tests, "--deselect", "tests/test_catalogue.py::with_swing", "-k", chosen)
    assert done.returncode == 0, done.stdout
    page = book.build("-D", "pe_only=reference/api-torch", builder="html")
    assert page.code == 0, page.output[-3000:]
    html = (book.root / "out" / "reference" / "api-torch.html").read_text(encoding="utf-8")
    assert 'id="sec-apitorch-grid-of-pairs"' in html
    assert 'id="pe_book.nn.functional.grid_of_pairs.angle"' in html
    own = "tests/nn/functional/test_grid_of_pairs.py"
    assert "10 passed" in run(book, *quiet, "--doctest-modules", twin, own).stdout
    detached = "return angles", "return angles.detach()"
    for was, now, seen_by in (("* omega", "* omega * 1.01", tests[0]), (*detached, own)):
        book.change(twin, was, now)
        done = run(book, *quiet, seen_by, "-k", "angle or grid_of_pairs")
        book.change(twin, now, was)
        assert done.returncode == 1, done.stdout
    complete = "status: draft", "status: complete"
    book.change("docs/family/grid-of-pairs.md", *complete)
    done = run(book, *quiet, "tests/test_catalogue.py", "-k", "angle")
    book.change("docs/family/grid-of-pairs.md", *reversed(complete))
    assert "name the source" in done.stdout


def build_whole(book, page: str) -> None:
    """Build the page of a draft, and find every kind of thing on it that a chapter has."""
    built = book.build("-D", f"pe_only={page}", builder="html")
    assert built.code == 0, built.output[-3000:]
    slug = page.partition("/")[2]
    html = (book.root / "out" / f"{page}.html").read_text(encoding="utf-8")
    text = (book.root / "docs" / f"{page}.md").read_text(encoding="utf-8")
    labels = re.findall(rf"\(?\b((?:sec|eq|thm|exr|sol|dep|fig|tab):{slug}:[a-z-]+)\b", text)
    kinds = {"sec", "eq", "thm", "exr", "sol", "dep", "fig", "tab"}
    assert {label.partition(":")[0] for label in labels} == kinds
    ids = set(re.findall(r'\bid="([^"]+)"', html))  # boxes keep the colons, an equation has a word before it
    for label in labels:
        plain = label.replace(":", "-")
        assert ids & {plain, label, f"equation-{plain}"}, label
    assert "<svg" in html
    assert (book.root / "out" / "_data" / f"fig-{slug}-angle.csv").exists()
    assert ["angles[3]:.1f", "1.5"] in book.findings()[page]["found"]
    assert len(book.findings()[page]["held"]) == 1


@pytest.mark.thorough
def test_its_own_tests_pass_and_can_fail(laid):
    book, _, _ = laid
    tests = ["tests/family/test_swinging.py", "tests/evidence/family/test_swinging.py"]
    grid = [name.replace("swinging", "grid_of_pairs") for name in tests]
    quiet = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = run(book, *quiet, *tests, *grid)
    assert done.returncode == 0, done.stdout
    shown = run(book, *quiet, "tests/show/test_whole.py", "-k", "swinging or grid-of-pairs")
    assert shown.returncode == 0, shown.stdout
    assert "4 passed" in shown.stdout
    whole = {file: (book.root / file).read_text(encoding="utf-8") for file in ROTARY}
    for file, was, now, refused_by in (
        ("pe_book/family/swinging.py", "places * omega", "places + omega", tests[0]),
        ("pe_book/evidence/family/swinging.py", "<= within", ">= -1", tests[1]),
        (
            "pe_book/show/family/swinging.py",
            "angle(positions)}",
            "angle(positions + 1)}",
            "tests/show/test_whole.py",
        ),
    ):
        book.change(file, was, now)
        done = run(book, *quiet, refused_by, "-k", "swinging")
        (book.root / file).write_text(whole[file], encoding="utf-8")
        assert done.returncode == 1, f"{file}\n{done.stdout}"


def lint(book) -> None:
    new = [name for name in state(book) if not (ROOT / name).exists() and name.endswith(".py")]
    assert new
    for tool in (["ruff", "check", "--no-cache"], ["ruff", "format", "--check", "--no-cache"]):
        done = run(book, "-m", *tool, *new, "pe_book/catalogue.py")
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "swinging", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/two/three", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/Swinging", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/../../away", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/first_attempts", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/lambda", "TITLE": "Swinging"}, "NAME must be importable"),
        ({"NAME": "family/index", "TITLE": "Swinging"}, "NAME must be importable"),
        ({"NAME": "show/swinging", "TITLE": "Swinging"}, "NAME must be importable"),
        ({"NAME": "familiy/swinging", "TITLE": "Swinging"}, "There is no part 'familiy' for chapters; take one of family, sin"),
        ({"NAME": "reference/swinging", "TITLE": "Swinging"}, "There is no part 'reference'"),
        ({"NAME": "howto/swinging", "TITLE": "Swinging"}, "There is no part 'howto' for chapters"),
        ({"NAME": "family/learned", "TITLE": "Learned"}, ", pe_book/family/learned/__init__.py, "),
        ({"NAME": "why/formula", "TITLE": "Again"}, "The label sec:formula:top has been used"),
        ({"NAME": "family/offsets", "TITLE": "Again"}, "The chapter is there already"),
        ({"NAME": "family/turned", "TITLE": "Again", "TWIN": "yes"}, "pe.angle is the name of another draft with a twin"),
        ({"NAME": "family/turned", "TITLE": "Again", "TWIN": "true"}, "TWIN must be yes or no, got 'true'."),
        ({"NAME": "family/turned", "TITLE": ""}, "TITLE must be 60 letters or fewer"),
        ({"NAME": "family/turned", "TITLE": LONGEST + "s"}, "TITLE must be 60 letters or fewer"),
        ({"NAME": "family/turned", "TITLE": 'The "best"'}, "TITLE must be 60 letters or fewer"),
    ],
)  # fmt: skip
def test_what_would_do_is_said_and_nothing_is_written(drafted, variables, says):
    book, _, _ = drafted
    given = {"NAME": "", "TITLE": "", "TWIN": "", **variables}
    before = state(book)
    with pytest.raises(Refusal) as refused:
        chapter(*given.values(), root=book.root)
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert state(book) == before


def test_a_refusal_is_one_line(drafted):
    book, _, _ = drafted
    done = make_chapter(book, NAME="swinging", TITLE="Swinging")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


@pytest.mark.thorough
def test_the_whole_book_builds_with_it(remembering):
    book = remembering
    assert make_chapter(book, NAME="family/grid-of-pairs", TITLE=LONGEST).returncode == 0
    assert make_chapter(book, NAME="family/swinging", TITLE="Swinging").returncode == 0
    built = book.build("-j", "2", "-D", f"pe_executions={book.root / 'executions'}", builder="html")
    assert built.code == 0, built.output[-3000:]


@pytest.mark.thorough
def test_what_contributing_says_to_run_passes_and_a_complete_chapter_needs_one_build(
    new_whole_book, tmp_path
):
    """Its commands in their order, but for the whole book; then the labels are locked from the page alone."""
    book = new_whole_book(tmp_path)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("Then run, in this order:")[2]
    lines = re.findall(r"```shell\n(.*?)```", text, re.DOTALL)[0].splitlines()
    assert make_chapter(book, NAME="family/swinging", TITLE="Swinging", TWIN="yes").returncode == 0

    def entered(line: str) -> subprocess.CompletedProcess:
        line = re.sub(r"\s+#.*", "", line).replace("rotary", "swinging")
        program, *words = shlex.split(line)
        if program != "make":
            return run(book, *words)
        return subprocess.run(
            ["make", *words, f"PY={sys.executable}"],
            cwd=book.root,
            capture_output=True,
            text=True,
            check=False,
        )

    assert lines[-1].startswith("make html && make test ")
    for line in lines[:-1]:
        done = entered(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    book.change("docs/family/swinging.md", "status: draft", "status: complete")
    page = entered("make page P=family/rotary")
    assert page.returncode == 2
    assert page.stderr.count("WARNING") == page.stderr.count("PE404") == 1
    assert entered("make labels").returncode == 0
    assert entered("make page P=family/rotary").returncode == 0
