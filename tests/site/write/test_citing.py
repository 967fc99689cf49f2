"""What can be cited has an address and a window that says how; who finds an error reports it from there."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from pybtex.database import parse_string

from pe_book.evidence import project
from tests.site.conftest import ISSUES, page_of

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


# ---- what is filled in of a report, with an address and without

VERSION = f"Version: {project.version()}" + ("" if project.year() else ", not yet released")
CATCH = """() => {
    window.open = (address) => { window.opened = address }
    navigator.clipboard.writeText = async (text) => { window.copied = text }
}"""
SELECT = "(selector) => getSelection().selectAllChildren(document.querySelector(selector))"


def opened(tab, look, file):
    look.open_settled(tab, file.as_uri())
    tab.evaluate(CATCH)
    return tab


def reported(tab, control):
    """What is copied, or filled into an issue."""
    control.click()
    found = tab.wait_for_function("window.copied ?? window.opened").json_value()
    tab.evaluate("window.copied = window.opened = undefined")
    return found


def test_each_page_and_each_claim_has_a_way_to_report(pages):
    for page in pages:
        text = page.read_text(encoding="utf-8")
        claims = text.count('class="claim-how')
        assert text.count('class="report"') == claims + 1 + text.count('<nav class="bd-toc"'), page


def test_without_an_address_the_report_is_copied(tab, look, site):
    page = opened(tab, look, page_of(site, "sinusoidal/shift.html"))
    said = reported(page, page.locator(".formats .report"))
    assert said.splitlines()[:4] == ["Error: sinusoidal/shift", "", "Page: sinusoidal/shift", VERSION]
    assert "> " not in said
    page.locator("[id='exr:shift:quarter'] a.headerlink").press("Enter")
    page.wait_for_selector("#cite-window:popover-open")
    said = reported(page, page.locator("#cite-window .report"))
    assert "\nPlace: exr:shift:quarter, Exercise 2.3.1 (A quarter of the dial)\n" in said


def test_a_sentence_outside_what_has_a_number_is_reported_by_its_section(tab, look, site):
    page = opened(tab, look, page_of(site, "sinusoidal/shift.html"))
    [heading, name] = page.evaluate("""() => {
        const numbered = document.querySelector(".bd-article section section :is(.proof, figure)")
        const section = numbered.closest("section[id]")
        getSelection().selectAllChildren([...section.children].find((one) => one.matches("p")))
        return [section.querySelector("h2, h3").firstChild.textContent, section.id]
    }""")
    said = reported(page, page.locator(".formats .report"))
    assert said.splitlines()[0].startswith(f"Error: {heading.strip()}")
    assert f"\nPlace: {name}, {heading.strip()}" in said


def test_beside_the_text_the_section_in_view_is_reported_or_what_the_address_leads_to(tab, look, site):
    page = opened(tab, look, page_of(site, "sinusoidal/shift.html"))
    told = []
    for place in "thm:shift:exists", "sec-shift-group":
        page.evaluate("at => { location.hash ||= at; document.getElementById(at).scrollIntoView() }", place)
        page.wait_for_timeout(300)
        told.append(reported(page, page.locator(".bd-toc .report")).splitlines()[0])
    assert told == ["Error: Theorem 2.3.1 (Shift)", "Error: 2.3.5. One shift after another: the group law"]


def test_with_an_address_an_issue_is_filled_in(tab, look, hosted):
    page = opened(tab, look, hosted("sinusoidal/shift.html"))
    page.evaluate(SELECT, "[id='thm:shift:exists'] section")
    address = urlsplit(reported(page, page.locator(".formats .report")))
    assert address._replace(query="").geturl() == ISSUES
    [title], [body] = parse_qs(address.query)["title"], parse_qs(address.query)["body"]
    assert title == "Error: Theorem 2.3.1 (Shift)"
    link = "https://example.org/sinusoidal/shift.html#thm:shift:exists"
    told = {"Place: thm:shift:exists, Theorem 2.3.1 (Shift)", f"Address: {link}", VERSION}
    assert told <= {*body.splitlines()}
    assert "\n> Let $PE(p)$ be" in body


def test_a_claim_is_disputed_where_it_stands(tab, look, hosted):
    page = opened(tab, look, hosted("evidence/claims/attempts.html"))
    claims = page.locator(".proof.claim")
    page.evaluate(SELECT, ".proof.claim:nth-of-type(1) > p + p")  # of another claim: not quoted
    address = reported(page, claims.nth(1).locator(".report"))
    [title], [body] = (parse_qs(urlsplit(address).query)[name] for name in ("title", "body"))
    number, said, verdict = (
        claims.nth(1).locator(f".admonition-title {part}").first.inner_text()
        for part in (".caption-number", "", ".verdict")
    )
    assert title == f"Error: {number.strip()}"
    assert f"\nPlace: {claims.nth(1).get_attribute('id')}, {number.strip()}\n" in body
    [quoted] = [line for line in body.splitlines() if line.startswith("> ")]
    assert " ".join(quoted[2:].split()) == " ".join(said.split())
    assert quoted.endswith(verdict)
    assert "what speaks against the verdict" in body
