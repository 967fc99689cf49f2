"""What can be cited has an address beside it, and a window that says how: opened in the built site."""

import re

import pytest
from pybtex.database import parse_string

from pe_book.evidence import project
from tests.site.conftest import page_of

PAGE = "family/rotary.html"


@pytest.fixture
def rotary(tab, look, site):
    look.open_settled(tab, page_of(site, PAGE).as_uri())
    return tab


def cited(page, selector):
    """The forms in the window that opens at the # of one thing."""
    link = page.locator(selector).locator("a.headerlink").first
    if page.locator("#cite-window:popover-open").count():  # as it closes its # has the focus again
        page.keyboard.press("Escape")
        page.wait_for_function("document.activeElement.hash")
    link.press("Enter")
    page.wait_for_selector("#cite-window:popover-open")
    names = page.locator("#cite-window pre").evaluate_all("all => all.map((one) => one.ariaLabel)")
    return dict(zip(names, page.locator("#cite-window pre").all_inner_texts(), strict=True))


OF_EACH_KIND = {  # that has a number
    "sinusoidal/shift": {
        "theorem": "thm:shift:exists", "lemma": "lem:shift:half", "corollary": "cor:shift:rigid",
        "remark": "rem:shift:complex", "exercise": "exr:shift:quarter", "figure": "fig-shift-hops",
        "table": "tab-shift-hops", "equation": "equation-eq-shift-pair",
    },
    "sinusoidal/distance": {"definition": "def:distance:kernel", "example": "ex:distance:hours"},
}  # fmt: skip


@pytest.mark.parametrize("page", OF_EACH_KIND)
def test_the_window_says_what_the_page_counts_of_each_kind(tab, look, site, page):
    look.open_settled(tab, page_of(site, f"{page}.html").as_uri())
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for kind, name in OF_EACH_KIND[page].items():
        window_of(tab, kind, name)


def test_a_page_is_cited_by_its_heading(rotary):
    heading = rotary.locator("h1").inner_text().rstrip("# ")
    assert heading.replace("\n", " ") in cited(rotary, "h1")["text"]


def window_of(page, kind, name):
    box = f"[id='{name}']"
    number = page.locator(box).locator(".caption-number, .eqno").first.inner_text().strip()
    number = f"Equation {number}" if kind == "equation" else number
    assert re.fullmatch(kind.title() + r" \(?(\d+|[A-Z])(\.(\d+|[A-Z]))*\)?", number)
    forms = cited(page, box)
    cites = page.locator("#cite-window p").first.inner_text().removeprefix("Cite ")
    called = cites.removeprefix(number)
    assert cites.startswith(number)
    if kind in ("theorem", "exercise"):  # all of them have a name
        title = page.locator(f"{box} > .admonition-title").inner_text()
        assert re.fullmatch(r" \([^()]{3,}\)", called)
        assert called[2:-1] in title
    number = cites
    assert page.evaluate("decodeURIComponent(location.hash)") == f"#{name}"
    record = project.citation()
    edition = f"version {record['version']} ({record['year'] or 'not yet released'})"
    assert forms["text"] == f"{', '.join(record['authors'])}. {record['title']}, {edition}. {number}."
    for form in ("BibTeX", "biblatex"):
        [(key, entry)] = parse_string(forms[form], "bibtex").entries.items()
        assert forms["LaTeX"] == f"\\cite{{{key}}}"
        assert entry.fields["title"].strip("{}") == record["title"]
        assert number in entry.fields["note"]
        assert record["version"] in entry.fields["note"] + entry.fields.get("version", "")
        assert entry.fields.get("year", "") == record["year"]
        assert "url" not in entry.fields  # no address is configured
        [author] = entry.persons["author"]
        assert str(author).strip("{}") == project.for_tex(record["authors"][0])


def test_with_an_address_configured_each_form_leads_to_the_thing(browser, look, hosted):
    opened = browser.new_page(viewport=look.PHONE)
    look.open_settled(opened, hosted(PAGE, "2031").as_uri())
    forms = cited(opened, "[id='thm:rotary:difference']")
    address = "https://example.org/family/rotary.html#thm:rotary:difference"
    assert forms["text"].endswith(address)
    for form, kind in (("BibTeX", "misc"), ("biblatex", "online")):
        [entry] = parse_string(forms[form], "bibtex").entries.values()
        assert (entry.type, entry.fields["url"], entry.fields["year"]) == (kind, address, "2031")
    opened.close()


def test_what_is_copied_is_shown_and_escape_gives_the_focus_back(rotary):
    forms = cited(rotary, "[id='exr:rotary:six']")
    rotary.evaluate(
        "navigator.clipboard && (navigator.clipboard.writeText = async (text) => { window.copied = text })"
    )
    rotary.get_by_role("button", name="Copy BibTeX").click()
    assert rotary.evaluate("window.copied") == forms["BibTeX"]
    rotary.keyboard.press("Escape")
    rotary.wait_for_function("document.activeElement.hash")
    assert rotary.locator("#cite-window:popover-open").count() == 0
    assert rotary.evaluate("document.activeElement.hash") == "#exr:rotary:six"
    rotary.locator("h2 a.headerlink").first.press("Enter")  # headings have no window
    rotary.wait_for_timeout(200)
    assert rotary.locator("#cite-window:popover-open").count() == 0
