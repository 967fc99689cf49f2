"""What can be cited has an address beside it, and a window that says how: opened in the built site."""

import json
import re

import pytest
from pybtex.database import parse_string

from pe_book.evidence import project
from tests.site.conftest import page_of

PAGE = "family/rotary.html"
THINGS = (
    ".proof[id]:not([id^='proof-']), .exercise[id], "
    "figure[id] figcaption, table[id] caption, div.math[id] .eqno"
)


@pytest.fixture
def page(browser, look, site):
    opened = browser.new_page(viewport=look.DESKTOP)
    look.open_settled(opened, page_of(site, PAGE).as_uri())
    yield opened
    opened.close()


def cited(page, selector):
    """The forms in the window that opens at the # of one thing."""
    link = page.locator(selector).locator("a.headerlink").first
    link.focus()
    link.press("Enter")
    page.wait_for_selector("#cite-window:popover-open")
    names = page.locator("#cite-window pre").evaluate_all("all => all.map((one) => one.ariaLabel)")
    return dict(zip(names, page.locator("#cite-window pre").all_inner_texts(), strict=True))


def test_everything_that_can_be_cited_has_an_address(page):
    bare = page.locator(THINGS).evaluate_all(
        "all => all.filter((one) => !one.querySelector('a.headerlink')).length"
    )
    assert page.locator(THINGS).count() > 10
    assert bare == 0


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        ("thm:rotary:difference", "Theorem"),
        ("ex:rotary:one", "Example"),
        ("exr:rotary:six", "Exercise"),
        ("fig-rotary-hands", "Figure"),
        ("equation-eq-rotary-four", "Equation"),
    ],
)
def test_the_window_says_what_the_page_counts(page, thing, told):
    box = f"[id='{thing}']"
    number = page.locator(box).locator(".caption-number, .eqno").first.inner_text().strip()
    number = f"Equation {number}" if told == "Equation" else number
    forms = cited(page, box)
    assert re.fullmatch(told + r" \(?\d+(\.\d+)+\)?", number)
    assert page.evaluate("decodeURIComponent(location.hash)") == f"#{thing}"
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


def test_with_an_address_configured_each_form_leads_to_the_thing(browser, look, site, tmp_path):
    text = page_of(site, PAGE).read_text(encoding="utf-8")
    hosted = text.replace(
        "<head>", '<head><link rel="canonical" href="https://example.org/family/rotary.html">', 1
    )
    hosted = hosted.replace("&#34;year&#34;: &#34;&#34;", "&#34;year&#34;: &#34;2031&#34;").replace(
        "../_static", (site / "_static").as_uri()
    )
    copy = tmp_path / "rotary.html"
    copy.write_text(hosted, encoding="utf-8")
    opened = browser.new_page(viewport=look.PHONE)
    look.open_settled(opened, copy.as_uri())
    forms = cited(opened, "[id='thm:rotary:difference']")
    address = "https://example.org/family/rotary.html#thm:rotary:difference"
    assert forms["text"].endswith(address)
    for form, kind in (("BibTeX", "misc"), ("biblatex", "online")):
        [entry] = parse_string(forms[form], "bibtex").entries.values()
        assert (entry.type, entry.fields["url"], entry.fields["year"]) == (kind, address, "2031")
    opened.close()


def test_escape_closes_and_gives_the_focus_back(page):
    cited(page, "[id='thm:rotary:difference']")
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.hash")
    assert page.locator("#cite-window:popover-open").count() == 0
    assert page.evaluate("document.activeElement.hash") == "#thm:rotary:difference"


def test_what_is_copied_is_what_is_shown(page):
    forms = cited(page, "[id='exr:rotary:six']")
    page.evaluate(
        "navigator.clipboard && (navigator.clipboard.writeText = async (text) => { window.copied = text })"
    )
    page.get_by_role("button", name="Copy BibTeX").click()
    assert page.evaluate("window.copied") == forms["BibTeX"]


def test_headings_have_no_window(page):
    page.locator("h2 a.headerlink").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.locator("#cite-window:popover-open").count() == 0


def test_the_record_of_a_page_is_that_of_the_book(site):
    text = page_of(site, PAGE).read_text(encoding="utf-8")
    [found] = re.findall(r'<meta name="citation" content="([^"]*)">', text)
    assert json.loads(found.replace("&#34;", '"')) == project.citation()
