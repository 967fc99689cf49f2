"""Folds and the first-screen box in Chromium: links open folds, print shows them, no script is needed."""

import pytest

from tests.site.conftest import page_of

PAGE = "sinusoidal/distance.html"
DEPTH, SOLUTION = "details.depth[id='dep-distance-law']", "details.solution[id='sol:distance:closest']"
INTO = {  # an address, and the fold that it opens
    "dep-distance-law": DEPTH,
    "thm:distance:law": DEPTH,
    "equation-eq-distance-law": DEPTH,
    "cell-9": DEPTH,
    "sec-distance-spectra": "details.depth[id='dep-distance-spectra']",
    "sol:distance:closest": SOLUTION,
}
CLOSE = "document.querySelectorAll('details').forEach((one) => (one.open = false))"
SHOWN = "(css) => document.querySelector(css).checkVisibility({ contentVisibilityAuto: true })"
FOLLOW = """(address) => {
    const link = Object.assign(document.createElement("a"), { href: "#" + address })
    document.querySelector("article").append(link)
    link.click()
}"""


@pytest.fixture
def opened(visited, site):
    page_of(site, PAGE)
    return lambda address="", **settings: visited(site, PAGE + address, **settings)


def is_open(page, css):
    return page.evaluate("(css) => document.querySelector(css).open", css)


def test_what_is_led_to_is_open(opened):
    with opened() as page:
        assert not any(is_open(page, css) for css in INTO.values())
        last = list(INTO.items())[-1]
        for address, css in [*INTO.items(), last]:  # of the second time the address is the same
            page.evaluate(CLOSE)
            page.evaluate(FOLLOW, address)
            page.wait_for_function("(css) => document.querySelector(css).open", arg=css)
            assert page.evaluate(SHOWN, f"[id='{address}']"), address


def test_a_page_that_is_opened_at_a_fold_shows_it(opened):
    for address in ("dep-distance-law", "sol:distance:closest"):
        with opened(f"#{address}") as page:
            assert is_open(page, INTO[address])


def test_print_shows_what_is_folded(opened):
    with opened() as page:
        assert not page.evaluate(SHOWN, "[id='thm:distance:law']")
        page.emulate_media(media="print")
        for address in INTO:
            assert page.evaluate(SHOWN, f"[id='{address}']"), address
        assert not is_open(page, DEPTH)


def test_title_question_and_box_are_one_screen_of_a_phone(opened):
    with opened(viewport={"width": 360, "height": 640}) as page:
        box = page.locator(".opening")
        assert "?" in box.inner_text()
        assert " minutes, without the exercises" in box.inner_text()
        bottom = page.evaluate("document.querySelector('.opening').getBoundingClientRect().bottom")
        assert bottom <= 1.05 * 640
        for css in (DEPTH, SOLUTION):
            assert page.locator(f"{css} > summary").bounding_box()["height"] >= 44
