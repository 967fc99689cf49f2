"""The notebooks of the built site: what is in each, and that what would be wrong with one is seen."""

import copy
import re
from functools import cache

import nbformat
import pytest
from bs4 import BeautifulSoup

from tests.chapters import chapters
from tests.site.conftest import SITE
from tests.site.notebooks.inspected import (
    IMAGE,
    code_cells,
    code_differs,
    complaints,
    gives_away,
    solution_lines,
    text_cells,
)
from tests.site.prose import numbers, numbers_of_prose

FILES = sorted((SITE / "notebooks").rglob("*.ipynb"))
WHOLE = [file for file in FILES if not file.stem.endswith("-students")]
STUDENTS = [file for file in FILES if file.stem.endswith("-students")]
SAMPLE = "notebooks/sinusoidal/shift"
named = pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SITE).as_posix())


@cache
def read(file):
    return nbformat.read(file, as_version=4)


def page_of(notebook):
    return notebook.metadata.pe_book.page


def test_every_chapter_has_its_notebooks(pages):
    run = {chapter for chapter in chapters() if not chapter.startswith("evidence/")}
    pages_of_notebooks = {page_of(read(file)) for file in WHOLE}
    assert pages_of_notebooks >= run
    assert not any(page.startswith("evidence/") for page in pages_of_notebooks)  # records, nothing to run
    assert len(STUDENTS) >= 15


@named
def test_each_notebook_is_whole(file):
    assert complaints(read(file), students=file in STUDENTS) == []


@pytest.mark.parametrize("file", WHOLE, ids=lambda file: file.stem)
def test_code_is_that_of_the_page(file):
    notebook = read(file)
    assert not code_differs(notebook, page_of(notebook))


@pytest.mark.parametrize("file", WHOLE, ids=lambda file: file.stem)
def test_numbers_are_those_of_the_page(file):
    notebook = read(file)
    page = SITE / f"{page_of(notebook)}.html"
    assert numbers_of_prose(page) - numbers("\n".join(text_cells(notebook))) == set()


@pytest.mark.parametrize("file", STUDENTS, ids=lambda file: file.stem)
def test_students_get_stubs_and_no_solution(file):
    notebook, whole = read(file), read(file.with_name(file.name.replace("-students", "")))
    page = page_of(notebook)
    assert gives_away(notebook, page) == []
    assert solution_lines(page), "there are lines to be found"
    assert "Solution to" not in "\n".join(text_cells(notebook))
    stubs = [
        cell.metadata.pe_book.exercise
        for cell in code_cells(notebook)
        if "exercise" in cell.metadata.get("tags", ())
    ]
    listed = "\n".join(text_cells(whole)).count("**Exercise ")
    assert "\n".join(text_cells(notebook)).count("**Exercise ") == listed
    assert len(set(stubs)) == len(stubs) <= listed
    hints = BeautifulSoup((SITE / f"{page}.html").read_text("utf-8"), "html.parser").select(
        ".exercise > * details"
    )
    assert len(hints) == len(stubs) == "\n".join(text_cells(notebook)).count("<summary>A hint</summary>")
    assert not any(hint.has_attr("open") for hint in hints)


def test_figures_of_the_page_are_in_it(pages):
    for file in WHOLE:
        notebook = read(file)
        html = (SITE / f"{page_of(notebook)}.html").read_text(encoding="utf-8")
        drawn = html.count('role="img" aria-label=')
        assert len(IMAGE.findall("\n".join(text_cells(notebook)))) == drawn, file.stem


def test_the_foot_of_a_page_leads_to_them(pages):
    found = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        foot = text[text.index('class="formats"') :] if 'class="formats"' in text else ""
        for link in BeautifulSoup(foot, "html.parser").select("a[download]"):
            assert (page.parent / link["href"]).is_file()
            found.add((page.parent / link["href"]).resolve())
    assert found == {file.resolve() for file in FILES}


def test_the_page_of_notebooks_lists_them_with_their_sizes(pages):
    page = SITE / "coursework" / "notebooks.html"
    text = page.read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "html.parser")
    assert "{size:" not in text
    links = {link["href"]: link.next_sibling for link in soup.select("article a[href*='notebooks/']")}
    for file in FILES:
        said = links[f"../{file.relative_to(SITE).as_posix()}"]
        assert re.match(rf" \({max(1, round(file.stat().st_size / 1000))}.kB\)", said), (file, said)


def test_notebooks_install_the_wheels_beside_them(pages):
    built = list((SITE / "notebooks").glob("*.whl"))
    assert len(built) == 2
    assert all(one.name in code_cells(read(file))[0].source for file in FILES for one in built)


# ---------------------------------------------------------------- what would be wrong is seen


def test_a_solution_left_in_is_seen(pages):
    notebook = copy.deepcopy(read(SITE / f"{SAMPLE}-students.ipynb"))
    page = page_of(notebook)
    line = min(solution_lines(page))
    notebook.cells[-1].source += f"\n{line}"
    assert gives_away(notebook, page) == [line]
