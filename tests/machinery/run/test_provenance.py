"""Each number of a page links to the cell that computed it: found here by running the cells, not by reading them."""

import re
import types
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from myst_nb.core.read import read_myst_markdown_notebook

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def page(traced):
    return BeautifulSoup((traced / "index.html").read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def bound():
    """Cell by cell, the names that now mean another object than before, and are no modules."""
    text = (REPO / "tests" / "site" / "provenance.md").read_text(encoding="utf-8")
    space: dict[str, object] = {}
    steps = []
    for cell in read_myst_markdown_notebook(text).cells:
        if cell.cell_type == "code":
            before = dict(space)
            exec(cell.source, space)
            steps.append(
                {
                    name
                    for name, value in space.items()
                    if (name not in before or before[name] is not value)
                    and not isinstance(value, types.ModuleType)
                    and name != "__builtins__"
                }
            )
    return steps


IMPORT = re.compile(r"(from [\w.]+ )?import \w+( as \w+)?$")


def names_of_package(title):
    """The names that expressions read, as Python compiles them."""
    lines = [line for line in title.partition(": ")[2].split("\n") if not IMPORT.match(line)]
    code = [compile(f"f'''{{{line}}}'''", "", "eval") for line in lines]
    return {name for one in code for name in one.co_names}


def cells_before(link):
    """The number of the last cell that stands above a link; hidden cells have no place on the page."""
    return max(
        [int(cell["id"][5:]) for cell in link.find_all_previous("div", class_="cell_input", id=True)],
        default=1,
    )


def test_every_number_links_to_the_cell_that_last_bound_its_names(page, bound):
    links = page.select("a.from[title]")
    checked = 0
    for link in links:
        names = names_of_package(link["title"])
        above = range(cells_before(link), 0, -1)
        expected = next((number for number in above if names & bound[number - 1]), None)
        if expected:
            assert link["href"] == f"#cell-{expected}", link
            checked += 1
        else:
            assert "/pe_book/" in "/" + link["href"] or link["href"] == f"#{link.get('id')}", link
    assert checked >= 10
    # a function of the package and one of a library called in the text; figure, table, derivation
    assert len(links) - checked == 5


def test_nothing_evaluated_is_left_without_a_link(page):
    statement = page.find("a", title="checked: near < far\nnear:.1f\nfar:.1f")
    assert page.select("span.found, span.held") == statement.select("span.found") != []
    text = (REPO / "tests" / "site" / "provenance.md").read_text(encoding="utf-8")
    assert len(page.select("a.found, a.held")) + 1 == text.count("{{") + text.count("{holds}") == 13
    assert len(page.select("a.computed")) == 3
    assert len(page.select("div.math > a.from")) == len(page.select("a.from:not(.held) > span.math")) == 1
    assert page.select("a a") == []


def test_what_the_hidden_cell_imports_is_said(page, bound):
    """The expression runs as shown, behind the cells that the page shows."""
    figure = page.select_one("figure a.computed")
    said = figure["title"].partition(": ")[2].split("\n")
    assert [line for line in said if IMPORT.match(line)] == [
        "from pe_book.show.sinusoidal import shift as show"
    ]
    assert not any(IMPORT.match(line) for line in page.select_one("a.found")["title"].split("\n"))


def test_cells_have_addresses_in_order_inside_their_folds(page):
    cells = [cell["id"] for cell in page.select("div.cell_input")]
    assert cells == ["cell-2", "cell-3", "cell-4", "cell-5"]  # cell-1 is hidden
    assert page.find(id="cell-3").find_parent("details") is not None


def test_cells_link_to_the_source_of_what_they_call(page):
    named = {
        cell["id"]: [link.text for link in cell.select(".cell-source a")]
        for cell in page.select("div.cell_input")
    }
    assert named == {"cell-2": ["encode"], "cell-3": ["encode"], "cell-4": ["encode"], "cell-5": ["shift"]}


def test_source_links_lead_to_the_definition(page, traced):
    links = {a["href"] for a in page.select("a.from") if not a["href"].startswith("#")}
    links |= {
        part.split(" ")[1] for a in page.select("a[data-source]") for part in a["data-source"].split(";")
    }
    assert len(links) == 6
    for link in links:
        file, _, name = link.partition("#")
        source = BeautifulSoup((traced / file).read_text(encoding="utf-8"), "html.parser")
        line = source.find(id=name).text.strip()
        assert line.startswith((f"def {name}", f"class {name}", f"{name} =", f"{name}:")), line
        assert [a["href"] for a in source.select(".bd-article a[href$='index.html']")]  # and back


def test_a_source_page_shows_the_whole_file(traced):
    face = Path("pe_book", "sinusoidal", "shift", "__init__")
    html = (traced / face.with_suffix(".html")).read_text(encoding="utf-8")
    shown = BeautifulSoup(html, "html.parser").select_one(".bd-article pre").text
    assert shown.strip() == (REPO / face.with_suffix(".py")).read_text(encoding="utf-8").strip()
