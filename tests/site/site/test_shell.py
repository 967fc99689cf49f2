"""The shell around every page: what it loads and says, and what its few controls do.

What pages weigh, and whether all that they ask for is there, is asked in tests/site/test_visits.py.
"""

import hashlib
import re

import pytest

from bookish.write import bundle
from tests.site.conftest import REPO, SITE

SIZES = {"desktop": {"width": 1300, "height": 900}, "phone": {"width": 360, "height": 740}}
ONCE = ("<title>[^<]+<", '<meta name="viewport"', '<meta name="description" content="[^"]{20,200}"')


@pytest.fixture(scope="module")
def texts(site, pages):
    return {page.relative_to(site).as_posix(): page.read_text(encoding="utf-8") for page in pages}


def wrong_in_head(text):
    """What a page lacks or has too often."""
    head = text.partition("</head>")[0]
    found = [
        f"{len(re.findall(pattern, head))} of {pattern}"
        for pattern in ONCE
        if len(re.findall(pattern, head)) != 1
    ]
    found += [f"lacks {name}" for name in ("color-scheme", "theme-color") if f'name="{name}"' not in head]
    found += ["a canonical address, which nobody knows yet"] if 'rel="canonical"' in head else []
    return found + ([] if text.count("<h1") == 1 else [f"{text.count('<h1')} headings of the first level"])


def test_head(texts):
    assert {name: wrong for name, text in texts.items() if (wrong := wrong_in_head(text))} == {}
    titles = [re.search("<title>(.*?)</title>", text)[1] for text in texts.values()]
    assert sorted(titles) == sorted(set(titles))


def test_no_page_names_a_folder_of_the_machine_that_built_it(texts):
    assert [name for name, text in texts.items() if str(REPO) in text] == []


# ---- the files


def test_nothing_is_shipped_that_is_not_named(site):
    static = site / "_static"
    files = {path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()}
    own = set(bundle.JOINED)
    assert own <= files
    assert {file for file in files - own if not bundle.is_kept(file)} == set()
    assert not bundle.is_kept("scripts/fontawesome.js")


def test_own_files_are_joined_whole(site):
    for joined, parts in bundle.JOINED.items():
        text = (site / "_static" / joined).read_text(encoding="utf-8")
        wholes = [(bundle.THEME / "static" / part).read_text(encoding="utf-8") for part in parts]
        if joined.endswith(".css"):
            wholes = [re.sub(r"/\*[^*]*(?:\*(?!/)[^*]*)*\*/\s*", "", whole) for whole in wholes]  # no remarks
        assert [part for part, whole in zip(parts, wholes, strict=True) if whole not in text] == []


@pytest.mark.parametrize("top", [SITE / "_static/fonts", SITE / "_static/katex", REPO / "tests/driver/cff"])
def test_files_of_others_are_unmodified(pages, top):
    listed = dict(
        reversed(line.split("  ")) for line in (top / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    )
    found = {
        path.relative_to(top).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in top.rglob("*")
        if path.is_file() and path.name not in ("SHA256SUMS", "README.md")
    }
    assert found == listed
    assert "LICENSE" in listed


# ---- in the browser


def opened(look, browser, site, name, size, **options):
    page = browser.new_page(viewport=SIZES[size], **options)
    look.open_settled(page, (site / name).as_uri())
    return page


CONTROLS = """() => {
    const controls = document.querySelectorAll(
        ".bd-header :is(a, button), .bd-contents :is(a, button, summary), .sections :is(a, summary)")
    return [...controls].filter((e) => e.checkVisibility()).map((e) => {
        const { width, height } = e.getBoundingClientRect()
        return [e.ariaLabel ?? e.textContent.trim(), width, height]
    })
}"""
FURNITURE = "[...document.querySelectorAll('header, nav, footer')].filter((e) => e.checkVisibility()).length"
PAPER = "getComputedStyle(document.body).backgroundColor"
A_CHAPTER = "sinusoidal/shift.html"


def test_contents_on_a_phone(look, browser, site):
    page = opened(look, browser, site, A_CHAPTER, "phone")
    contents = page.locator("#contents")
    assert not contents.is_visible()
    title = page.locator(".book-title span")
    assert title.evaluate(
        "e => [e.getClientRects().length, e.scrollWidth <= e.parentElement.clientWidth]"
    ) == [1, True]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert contents.is_visible()
    assert contents.locator("[aria-current=page]").is_visible()
    small = [control for control in page.evaluate(CONTROLS) if min(control[1:]) < 44]
    assert small == []
    page.keyboard.press("Escape")
    assert not contents.is_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Close the contents"
    page.keyboard.press("Enter")
    assert not contents.is_visible()
    fold = page.locator("details.sections")
    fold.locator("summary").press("Enter")
    fold.locator("a").last.press("Enter")
    assert page.evaluate("scrollY") > 1000
    page.close()


def test_the_reader_is_followed(look, browser, site):
    page = opened(look, browser, site, A_CHAPTER, "desktop")
    links = page.locator(".bd-toc a")
    current = page.locator(".bd-toc [aria-current]")
    for place in (3, 1):
        address = links.nth(place).get_attribute("href")
        page.evaluate("id => document.getElementById(id).closest('section').scrollIntoView()", address[1:])
        page.wait_for_function(
            "a => document.querySelector('.bd-toc [aria-current]')?.hash === a", arg=address
        )
        assert current.count() == 1
    page.close()


def test_light_or_dark_is_remembered(look, browser, site):
    context = browser.new_context(viewport=SIZES["desktop"], color_scheme="dark")
    page = context.new_page()
    look.open_settled(page, (site / A_CHAPTER).as_uri())
    button = page.get_by_role("button", name="Dark colours")
    dark = page.evaluate(PAPER)
    assert button.get_attribute("aria-pressed") == "true"
    button.press("Enter")
    light = page.evaluate(PAPER)
    assert button.get_attribute("aria-pressed") == "false"
    assert dark != light
    page.reload()
    assert page.evaluate(PAPER) == light
    page.emulate_media(media="print")
    assert page.evaluate(FURNITURE) == 0
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    context.close()


def test_on_paper_title_and_address_are_in_the_margins_and_solutions_at_the_end(tab, look, home):
    look.open_settled(tab, home + A_CHAPTER)
    margins = tab.evaluate("[...document.adoptedStyleSheets[0].cssRules].map((rule) => rule.cssText).join()")
    assert f'"{tab.title().partition(" · ")[0]}"' in margins
    assert f'"{home + A_CHAPTER}"' in margins
    asked = "document.querySelectorAll('details.solution, .exercise, .solutions')"
    order = f"[...{asked}].map((e) => e.className[0] + e.id)"
    screen = tab.evaluate(order)
    solutions = [one for one in screen if one.startswith("ssol:")]
    assert len(solutions) > 3
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(order)[-len(solutions) - 1 :] == ["s", *solutions]
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(order) == screen
