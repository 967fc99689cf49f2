"""What all explorers share, tried with one: where it does not run, when it is built, what addresses hold."""

from functools import partial

import pytest

from bookish.write.bundle import EXPLORERS
from tests.site.write.explorers.conftest import PAGES, PHONE, STATE, WRITTEN

ELEMENT = "pe-bias"
FARTHEST = "pe-matrix"  # of all figures
STANDS = """(element) => {
    const seen = (selector) => document.querySelector(selector)?.checkVisibility() ?? false
    return [seen(`${element} > .panels`), seen(`${element} > .live`)]
}"""
SECTION_TOP = "(element) => document.querySelector(element).closest('section').getBoundingClientRect().top"


def test_every_explorer_is_tried():
    assert PAGES.keys() == EXPLORERS.keys()


# ---- where it does not run


def test_without_script(browser, home):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(home + PAGES[ELEMENT])
    assert page.evaluate(STANDS, ELEMENT) == [True, False]
    context.close()


def answered(answer, route):
    route.fulfill(**answer)


@pytest.mark.parametrize("file", ["explorer.js", "bias.js"])
def test_with_a_script_that_is_broken_or_missing(look, browser, home, file):
    page = browser.new_page()
    for answer in ({"status": 404}, {"body": "throw new Error('planted')"}):
        page.route(f"**/{file}", partial(answered, answer))
        look.open_settled(page, home + PAGES[ELEMENT])
        assert page.evaluate(STANDS, ELEMENT) == [True, False]
    page.close()


def test_on_paper_and_from_the_folder(look, browser, site):
    page = browser.new_page(color_scheme="dark")
    errors = look.collect_errors(page, site.as_uri())
    look.open_settled(page, (site / PAGES[ELEMENT]).as_uri() + f"?{ELEMENT}=kind:window")
    assert page.evaluate(STANDS, ELEMENT) == [False, True]
    assert page.locator(f"{ELEMENT} select").input_value() == "window"
    page.get_by_role("button", name="Reset").click()
    page.wait_for_timeout(WRITTEN)
    assert "?" not in page.url
    page.emulate_media(media="print")
    assert page.evaluate(STANDS, ELEMENT) == [True, False]
    assert errors == []
    page.close()


# ---- when it is built


@pytest.fixture
def far(browser, whole):
    """The page of an explorer that is far down, with a clock of its own."""
    page = browser.new_page(viewport=PHONE)
    page.clock.install()
    page.goto(whole + PAGES[FARTHEST])
    assert page.evaluate(SECTION_TOP, FARTHEST) > 3 * PHONE["height"]
    yield page
    page.close()


def built(page):
    return page.locator(f"{FARTHEST} .live :is(input, select, button)")


def test_it_is_built_as_the_reader_comes_near_its_section_and_not_before(far):
    far.wait_for_timeout(300)
    assert built(far).count() == 0
    top = far.evaluate(SECTION_TOP, FARTHEST) - 2 * PHONE["height"]
    far.evaluate("(top) => scrollTo({top, behavior: 'instant'})", top)
    built(far).first.wait_for(state="attached", timeout=10_000)


def test_tab_goes_to_its_controls_from_far_above(far):
    far.keyboard.press("Tab")
    assert built(far).count() > 0


def test_who_stays_has_it_without_coming_near(far):
    far.clock.run_for(12_000)
    built(far).first.wait_for(state="attached", timeout=10_000)
    assert far.evaluate("scrollY") == 0


# ---- its state in the address


def test_its_state_stands_beside_other_parts_of_an_address(opened):
    page = opened(ELEMENT, f"?q=a&{ELEMENT}=head:5,kind:window&lang=en#top")
    page.wait_for_timeout(WRITTEN)
    assert page.url.endswith(f"?q=a&lang=en&{ELEMENT}=kind:window,head:5#top")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_timeout(WRITTEN)
    assert page.url.endswith("?q=a&lang=en#top")


def test_an_address_that_was_cut_opens_the_page_as_it_is_and_no_control_holds_what_it_cannot(
    look, opened, home
):
    page = opened(ELEMENT)
    first = page.evaluate(STATE, ELEMENT)
    for cut in ("", "%", "m:%E0%A4%A", ",,,", "a:b:c", "kind:nothing"):
        look.open_settled(page, f"{home}{PAGES[ELEMENT]}?{ELEMENT}={cut}")
        assert page.evaluate(STATE, ELEMENT) == first, cut
    look.open_settled(page, f"{home}{PAGES[ELEMENT]}?{ELEMENT}=heads:-1e99,head:-1e99")
    for control in page.locator(f"{ELEMENT} .control input").all():
        assert control.evaluate("(e) => e.validity.valid && e.value !== ''")


def test_two_of_a_kind_keep_their_states_apart(opened):
    page = opened(ELEMENT)
    before = page.evaluate(STATE, ELEMENT)
    page.evaluate(
        """(element) => {
            const figure = document.querySelector(element).closest("figure")
            const other = figure.cloneNode(true)
            other.id = "other"
            other.querySelector(".live").remove()
            other.querySelector(element).removeAttribute("ready")
            figure.after(other)
            dispatchEvent(new KeyboardEvent("keydown", {key: "Tab"})) // built without being near
        }""",
        ELEMENT,
    )
    page.wait_for_function("(name) => document.querySelectorAll(`${name}[ready]`).length === 2", arg=ELEMENT)
    page.locator(f"#other {ELEMENT} [name=head]").fill("5")
    page.wait_for_timeout(WRITTEN)
    assert f"{ELEMENT}-2=head:5" in page.url
    assert page.evaluate(STATE, ELEMENT) == before
    ids = page.locator(f"{ELEMENT} .live [id]").evaluate_all("(all) => all.map((e) => e.id)")
    assert len(ids) == len(set(ids))
