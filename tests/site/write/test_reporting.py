"""Whoever finds an error reports it from the page: what is filled in, with an address and without."""

from urllib.parse import parse_qs, urlsplit

from pe_book.evidence import project
from tests.site.conftest import ISSUES, page_of

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
