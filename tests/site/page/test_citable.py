"""Over every page of the site: what can be cited has a # that one sees and hits, and its window."""

import re
from collections import Counter

import pytest
from pybtex.database import parse_string

from pe_book.evidence import project

LEAST = 24  # px
# in each page: what can be cited, its kind, its #; a thing without a number has none
FIND = """() => {
    const things = []
    const add = (kind, thing, holder) =>
        things.push({kind, thing, link: holder?.querySelector('a.headerlink')})
    const article = document.querySelector('.bd-article')
    if (!article) return 0
    for (const box of article.querySelectorAll('.proof[id]'))
        if (box.querySelector(':scope > .admonition-title .caption-number'))
            add([...box.classList].find((name) => !['proof', 'admonition', 'by-hand'].includes(name)), box,
                box.querySelector(':scope > .admonition-title'))
    for (const box of article.querySelectorAll('.exercise[id]'))
        add('exercise', box, box.querySelector(':scope > .admonition-title'))
    for (const figure of article.querySelectorAll('figure[id]'))
        add('figure', figure, figure.querySelector(':scope > figcaption'))
    for (const caption of article.querySelectorAll('table > caption'))
        if (caption.querySelector('.caption-number')) add('table', caption.parentElement, caption)
    for (const number of article.querySelectorAll('div.math[id] > .eqno'))
        add('equation', number.parentElement, number)
    window.citable = things
    return things.length
}"""
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"
AT_ONCE = "* {transition: none !important; content-visibility: visible !important}"
# as a finger finds them: all are seen, and each is large enough
TOUCHED = """(least) => window.citable.flatMap(({kind, thing, link}) => {
    if (!link) return [`${kind} ${thing.id}: no #`]
    const box = link.getBoundingClientRect(), wrong = []
    if (decodeURIComponent(link.hash) !== '#' + thing.id) wrong.push('leads elsewhere')
    if (getComputedStyle(link).opacity !== '1') wrong.push('not seen')
    if (box.width < least - 0.1 || box.height < least - 0.1) wrong.push(`${box.width} × ${box.height} px`)
    return wrong.map((what) => `${kind} ${thing.id}: ${what}`)
})"""
FOCUSED = """(least) => window.citable.flatMap(({kind, thing, link}) => {
    if (!link) return [`${kind} ${thing.id}: no #`]
    link.focus()
    const box = link.getBoundingClientRect()
    const small = box.width < least - 0.1 || box.height < least - 0.1
    const seen = getComputedStyle(link).opacity === '1'
    return [small && `${box.width} × ${box.height} px`, !seen && 'not seen in focus'].filter(Boolean)
        .map((what) => `${kind} ${thing.id}: ${what}`)
})"""
MIDDLE = """(number) => {
    const {link} = window.citable[number]
    document.activeElement.blur()
    link?.scrollIntoView({block: 'center', behavior: 'instant'})
    const box = link?.getBoundingClientRect()
    return box && [box.x + box.width / 2, box.y + box.height / 2]
}"""
HOVERED = """(number) => {
    const {kind, thing, link} = window.citable[number]
    const seen = link.matches(':hover') && getComputedStyle(link).opacity === '1'
    return seen ? [] : [`${kind} ${thing.id}: not seen`]
}"""
PER_KIND = """() => window.citable.map(({kind, thing}) => [kind, thing.id])"""


@pytest.fixture(scope="module")
def touching(browser, look):
    context = browser.new_context(viewport=look.PHONE, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def pointing(browser, look):
    context = browser.new_context(viewport=look.DESKTOP)
    yield context.new_page()
    context.close()


def laid_out(page, look, file):
    page.goto(file.as_uri(), wait_until="load")
    page.evaluate(OPEN)
    page.add_style_tag(content=AT_ONCE)
    return page.evaluate(FIND)


@pytest.fixture(scope="module")
def with_some(pages):
    """Pages that may hold something: the others are not opened."""
    marks = re.compile(r'class="(?:proof|exercise)|<figure|<caption|class="eqno')
    return [page for page in pages if marks.search(page.read_text(encoding="utf-8"))]


def test_on_touch_each_is_seen_and_hit(touching, look, with_some, site):
    wrong, counted = {}, Counter()
    for file in with_some:
        if laid_out(touching, look, file):
            counted.update(kind for kind, _ in touching.evaluate(PER_KIND))
            assert touching.evaluate("matchMedia('(hover: none)').matches")
            if found := touching.evaluate(TOUCHED, LEAST):
                wrong[file.relative_to(site).as_posix()] = found
    assert wrong == {}
    kinds = {"theorem", "lemma", "definition", "example", "exercise", "table", "figure", "equation"}
    assert kinds <= set(counted), counted
    assert sum(counted.values()) > 350, counted


def test_with_a_mouse_and_by_keyboard_each_is_seen_and_hit(pointing, look, with_some, site):
    wrong = {}
    for file in with_some:
        if not (many := laid_out(pointing, look, file)):
            continue
        pointing.keyboard.press("Shift")  # from now on the focus is shown
        found = pointing.evaluate(FOCUSED, LEAST)
        for number in range(many):
            if middle := pointing.evaluate(MIDDLE, number):
                pointing.mouse.move(*middle)
                found += pointing.evaluate(HOVERED, number)
        if found:
            wrong[file.relative_to(site).as_posix()] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("", None),
        ("a.headerlink {opacity: 0 !important}", "not seen"),
        ("a.headerlink {min-width: 0 !important; padding: 0 !important}", " px"),
        ("gone", "no #"),
        ("elsewhere", "leads elsewhere"),
    ],
)
def test_what_is_planted_is_noticed(touching, look, with_some, planted, said):
    file = next(file for file in with_some if file.name == "rotary.html")
    laid_out(touching, look, file)
    if planted in ("gone", "elsewhere"):
        change = "link.remove()" if planted == "gone" else "link.hash = '#top'"
        touching.evaluate(f"{{const {{link}} = window.citable[0]; {change}}}")
        touching.evaluate(FIND)
    elif planted:
        touching.add_style_tag(content=planted)
    found = touching.evaluate(TOUCHED, LEAST)
    assert any(said in one for one in found) if said else found == [], found


@pytest.mark.parametrize(
    "kind",
    [
        "theorem",
        "lemma",
        "corollary",
        "definition",
        "example",
        "remark",
        "exercise",
        "table",
        "figure",
        "equation",
    ],
)
def test_the_window_cites_one_of_each_kind(pointing, look, with_some, kind):
    for file in with_some:
        if laid_out(pointing, look, file):
            found = [name for one, name in pointing.evaluate(PER_KIND) if one == kind]
            if found:
                break
    else:
        pytest.fail(f"no page has a {kind}")
    thing = pointing.locator(f"[id='{found[0]}']")
    number = thing.locator(".caption-number, .eqno").first.inner_text().strip()
    number = f"Equation {number}" if kind == "equation" else number
    assert re.fullmatch(kind.title() + r" \(?(\d+|[A-Z])(\.(\d+|[A-Z]))*\)?", number)
    link = thing.locator("a.headerlink").first
    link.focus()
    link.press("Enter")
    pointing.wait_for_selector("#cite-window:popover-open")
    assert pointing.locator("#cite-window p").first.inner_text() == f"Cite {number}"
    codes = pointing.locator("#cite-window pre")
    forms = dict(
        zip(
            codes.evaluate_all("all => all.map((one) => one.ariaLabel)"), codes.all_inner_texts(), strict=True
        )
    )
    assert forms["text"] == f"{project.reference()} {number}."
    for form in ("BibTeX", "biblatex"):
        [(key, entry)] = parse_string(forms[form], "bibtex").entries.items()
        assert forms["LaTeX"] == f"\\cite{{{key}}}"
        assert number in entry.fields["note"]
        [author] = entry.persons["author"]
        assert str(author).strip("{}") == project.for_tex(project.citation()["authors"][0])
