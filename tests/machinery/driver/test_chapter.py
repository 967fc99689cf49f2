"""`make chapter` in a copy of the book: what it lays out builds, passes its own tests, and is found by every list.

One draft is looked at in each run; that each of its parts can fail, and a second one, is for every week.
"""

import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from book import MOST, Refusal
from driver.chapter import chapter, placed
from tests.chapters import ROOT, chapters, judged

LONGEST = "Rows and columns, of pictures and of all other grids we know"
RECORDED = "tests/recorded/family/{}.txt"
TWIN = "pe_book/nn/functional/grid_of_pairs.py"


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
    assert len(new) == 9
    assert changed == new | listed | stubs
    for every in (chapters, judged):
        assert set(every(book.root)) - set(every()) == {"family/grid-of-pairs"}
    before_the_side_pages = "reading-a-config\ngrid-of-pairs\nyarn-as-run\n"
    assert before_the_side_pages in (book.root / "docs/family/index.md").read_text(encoding="utf-8")
    assert "sec:apitorch:grid-of-pairs reference/api-torch" in (book.root / "docs/labels.lock").read_text(
        "utf-8"
    )
    build_whole(book, "family/grid-of-pairs")
    tests = [name for name in new if name.rpartition("/")[2].startswith("test_")]
    done = run(book, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout
    lint(book)


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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "was", "now", "seen_by"),
    [
        ("pe_book/family/grid_of_pairs.py", "places * omega", "places + omega", "family/test_grid_of_pairs"),
        ("pe_book/evidence/family/grid_of_pairs.py", "<= within", ">= -1", "evidence/family/test_grid_of_pairs"),
        ("pe_book/show/family/grid_of_pairs.py", "angle(positions)}", "angle(positions + 1)}", "show/test_whole"),
        (TWIN, "* omega", "* omega * 1.01", "nn/test_parity"),
        (TWIN, "return angles", "return angles.detach()", "nn/functional/test_grid_of_pairs"),
        ("docs/family/grid-of-pairs.md", "status: draft", "status: complete", "test_catalogue"),
    ],
)  # fmt: skip
def test_each_part_of_a_draft_can_fail(drafted, file, was, now, seen_by):
    book, _, _ = drafted
    file = file if (book.root / file).exists() else file.replace(".py", "/__init__.py")
    chosen = ["-k", "angle or grid_of_pairs or grid-of-pairs"]
    asked = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{seen_by}.py", *chosen]
    book.change(file, was, now)
    done = run(book, *asked)
    book.change(file, now, was)
    assert done.returncode == 1, done.stdout


def build_whole(book, page: str) -> None:
    """Build the page of a draft, and find every kind of thing on it that a chapter has."""
    built = book.build("-D", f"pe_only={page}", builder="html")
    assert built.code == 0, built.output[-3000:]
    assert not (book.root / "out" / "index.html").exists()  # it is alone
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
        ({"NAME": "family/../../away", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/first_attempts", "TITLE": "Swinging"}, "NAME must be a part and a name"),
        ({"NAME": "family/lambda", "TITLE": "Swinging"}, "NAME must be importable"),
        ({"NAME": "family/index", "TITLE": "Swinging"}, "NAME must be importable"),
        ({"NAME": "familiy/swinging", "TITLE": "Swinging"}, "There is no part 'familiy' for chapters; take one of family, sin"),
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


def test_where_a_folder_is_full_a_chapter_has_a_folder_and_what_cannot_is_said(tmp_path):
    for room in ("pe_book/family", "tests/family"):
        (tmp_path / room).mkdir(parents=True)
        for number in range(MOST):
            (tmp_path / room / f"m{number}.py").touch()
    assert placed("pe_book/family/new.py", tmp_path) == tmp_path / "pe_book/family/new/__init__.py"
    with pytest.raises(Refusal, match="tests/family has 14 modules, and a folder has no more: move some"):
        placed("tests/family/test_new.py", tmp_path)
    (tmp_path / "tests/family/m0.py").unlink()
    assert placed("tests/family/test_new.py", tmp_path) == tmp_path / "tests/family/test_new.py"


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
    assert page.stderr.count("WARNING") == page.stderr.count("PE404") + page.stderr.count("PE603") == 2
    # its formula is read only when somebody has said what its letters stand for
    book.change("docs/family/swinging.md", " (eq:swinging:angle)", "")
    assert entered("make labels").returncode == 0
    assert entered("make page P=family/rotary").returncode == 0
