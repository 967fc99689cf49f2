"""Old addresses in Chromium: each opens the thing where it stands now; without script a link does."""

from __future__ import annotations

import pytest

from lint.lock import anchor, read
from tests.conftest import make_book
from tests.site.conftest import REPO, page_of

THINGS = """(sec:things:top)=
# Things

(sec:things:all)=
## All of them

:::{prf:theorem} One
:label: thm:things:one

True.
:::

$$ x = y $$ (eq:things:same)

:::{depth-start} Deeper
:label: dep:things:deep
:::

:::{prf:lemma} Inside
:label: lem:things:inside

True.
:::

:::{depth-end}
:::

:::{exercise} [by hand, level 1, 5 min] Do it
:label: exr:things:do

Now.
:::

```{code-cell} python
:tags: [hide-input]
from pe_book.show.drawing.table import Column, Table
```

:::{tabled} Table(Column("a", ["b"]), Column("c", ["d"]))
:name: tab:things:table
A table.
:::
"""
LABELS = [
    "sec:things:all", "thm:things:one", "eq:things:same", "dep:things:deep", "lem:things:inside",
    "exr:things:do", "tab:things:table",
]  # fmt: skip
LOCK = [
    "edition 2",
    "sec:things:top things - < 1 gone/old -",
    *(f"{label} things < 1 stayed 9.9" for label in LABELS),
    "thm:things:two stayed 9.9 -> thm:things:one",
    "rem:things:three things 9.9 -> thm:things:one",
]
FILLING = "\n\n".join(["A line that fills the page."] * 80)
IN_VIEW = """(id) => {
    const {top, bottom} = document.getElementById(id).getBoundingClientRect()
    return top < innerHeight && bottom > 0
}"""


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """A page whose things stood on another that stayed; its title on one that is gone."""
    book = make_book(tmp_path_factory.mktemp("moved"))
    book.page("things", THINGS.replace("## All of them\n", f"## All of them\n\n{FILLING}\n"))
    book.page("stayed", f"(sec:stayed:top)=\n# Stayed\n\n{FILLING}\n")
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\nthings\nstayed\nlist\n```\n")
    book.page("list", "(sec:list:top)=\n# List\n\n```{what-moved}\n```\n")
    (book.root / "docs" / "labels.lock").write_text("\n".join([*LOCK, ""]), encoding="utf-8")
    built = book.build(builder="html")
    assert built.code == 0, built.output[-3000:]
    return book.root / "out"


def arrives(page, site, old, new):
    """Go to an old address and wait for the new one, with the thing in view."""
    page.goto((site / "index.html").as_uri())
    page.goto(f"{site.as_uri()}/{old}")
    page.wait_for_url(f"{site.as_uri()}/{new}")
    page.wait_for_load_state("load")
    page.wait_for_function(IN_VIEW, arg=new.partition("#")[2])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((f"stayed.html#{anchor(label)}", f"things.html#{anchor(label)}") for label in LABELS),
        ("stayed.html#thm:things:two", "things.html#thm:things:one"),
        ("gone/old.html#sec-things-top", "things.html#sec-things-top"),
    ],
)
def test_an_old_address_opens_the_thing_where_it_stands_now(browser, moved, old, new):
    page = browser.new_page()
    arrives(page, moved, old, new)
    page.close()


def test_an_old_name_on_the_same_page_is_an_anchor_of_the_new(browser, moved):
    page = browser.new_page()
    page.goto(f"{moved.as_uri()}/things.html#rem:things:three")
    page.wait_for_function(IN_VIEW, arg="thm:things:one")
    page.close()


def test_a_link_within_the_page_is_followed(browser, moved):
    """A reader who is on the page and enters an old address in it loads nothing; the address changes."""
    page = browser.new_page()
    page.goto(f"{moved.as_uri()}/stayed.html")
    page.evaluate("location.hash = 'thm:things:one'")
    page.wait_for_url("**/things.html#thm:things:one")
    page.close()


def test_the_address_of_a_page_that_is_gone_opens_the_new_page(browser, moved):
    page = browser.new_page()
    page.goto(f"{moved.as_uri()}/gone/old.html")
    page.wait_for_url("**/things.html")
    page.close()


@pytest.mark.parametrize("label", LABELS)
def test_without_script_the_line_with_the_link_is_in_view(browser, moved, label):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{moved.as_uri()}/stayed.html#{anchor(label)}")
    line = page.locator(f'.moved li[id="{anchor(label)}"]')
    box = line.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < page.viewport_size["height"]
    line.locator("a").click()
    page.wait_for_url(f"**/things.html#{anchor(label)}")
    context.close()


def test_without_script_a_page_that_is_gone_leads_on(browser, moved):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{moved.as_uri()}/gone/old.html")
    page.wait_for_url("**/things.html")
    context.close()


def test_other_pages_load_nothing_for_it(moved):
    assert "moved.js" not in (moved / "things.html").read_text(encoding="utf-8")
    assert "<script>" not in (moved / "gone" / "old.html").read_text(encoding="utf-8")


def test_the_list_has_old_and_new_place_of_each(browser, moved):
    page = browser.new_page()
    page.goto(f"{moved.as_uri()}/list.html")
    rows = [[cell.strip() for cell in row.split("\t")] for row in page.locator("tbody tr").all_inner_texts()]
    page.close()
    assert len(rows) == len(LABELS) + 3
    assert ["Theorem 1, Things", "Theorem 9.9, stayed.html, #thm:things:one", "1"] in rows
    assert ["Theorem 1, Things", "Theorem 9.9, stayed.html, #thm:things:two", "renamed"] in rows


def test_every_old_address_of_the_book_arrives(browser, site):
    """What has left a page of the real book, one after another."""
    page_of(site, "reference/what-moved.html")
    lock = read(REPO / "docs" / "labels.lock")
    page = browser.new_page()
    for label, _, old in lock.former():
        new = lock.entries[lock.now(label)].place
        if old.page != new.page:
            address = f"{new.page}.html#{anchor(lock.now(label))}"
            arrives(page, site, f"{old.page}.html#{anchor(label)}", address)
    page.close()
