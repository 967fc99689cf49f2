"""Every explorer: where it does not run Python's picture stands, and where it runs everybody can use it."""

import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[4]
RULES = tomllib.loads((REPO / "docs/_ext/page/shipped.toml").read_text(encoding="utf-8"))["explorers"]
PAGES = {
    "pe-rotary": "family/rotary.html",
    "pe-ladders": "family/context-extension.html",
    "pe-bias": "family/score-bias.html",
    "pe-circle": "sinusoidal/formula.html",
    "pe-matrix": "sinusoidal/waves.html",
    "pe-shift": "sinusoidal/shift.html",
    "pe-fit": "sinusoidal/fitting.html",
}
SCRIPTS = [(element, file) for element in RULES for file in RULES[element] if file.endswith(".js")]
# in every run the script that a figure has to itself, and the farthest of all figures
OWN = [
    pytest.param(element, file, marks=() if file == RULES[element][-1] else pytest.mark.thorough)
    for element, file in SCRIPTS
]
of_the_farthest = pytest.mark.parametrize(
    "element",
    [pytest.param(name, marks=() if name == "pe-matrix" else pytest.mark.thorough) for name in PAGES],
)
STANDS = """(element) => {
    const seen = (selector) => document.querySelector(selector)?.checkVisibility() ?? false
    return [seen(`${element} > .panels`), seen(`${element} > .live`)]
}"""
SECTION_TOP = "(element) => document.querySelector(element).closest('section').getBoundingClientRect().top"
LOW_CONTROLS = """(element) => {
    const kinds = "[type=range], [type=number], select, canvas, button, textarea, summary"
    const controls = [...document.querySelectorAll(`${element} .live :is(${kinds})`)]
    return controls.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44)
        .map((e) => e.outerHTML)
}"""


@pytest.fixture(params=PAGES)
def element(request):
    return request.param


def serve_instead(page, file, **answer):
    page.route(f"**/{file}", lambda route: route.fulfill(**answer))


def test_every_explorer_is_tried():
    assert PAGES.keys() == RULES.keys()


def test_without_script(browser, home, element):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(home + PAGES[element])
    assert page.locator(f"{element} > .panels").is_visible()
    assert page.locator(f"{element} > .panels svg").count() > 0
    assert page.locator(f"{element} .live").count() == 0
    context.close()


@pytest.mark.parametrize(("element", "file"), OWN)
def test_with_a_script_that_is_broken_or_missing(look, browser, home, element, file):
    page = browser.new_page()
    for answer in ({"status": 404}, {"body": "throw new Error('planted')"}):
        serve_instead(page, file, **answer)
        look.open_settled(page, home + PAGES[element])
        assert page.evaluate(STANDS, element) == [True, False]
    page.close()


def test_on_paper_and_from_the_folder(look, browser, site, element):
    page = browser.new_page(color_scheme="dark")
    errors = look.collect_errors(page, site.as_uri())
    look.open_settled(page, (site / PAGES[element]).as_uri())
    assert page.evaluate(STANDS, element) == [False, True]
    page.emulate_media(media="print")
    assert page.evaluate(STANDS, element) == [True, False]
    assert errors == []
    page.close()


def test_axe_finds_nothing_and_every_control_can_be_hit(look, browser, site, axe, element):
    """In the light, folds open as well, axe has seen it on its page: see test_visits.py."""
    page = browser.new_page(viewport={"width": 360, "height": 900}, color_scheme="dark")
    look.open_settled(page, (site / PAGES[element]).as_uri())
    for fold in page.locator(f"{element} summary:visible").all():
        fold.click()
    page.evaluate(axe)
    run = f"() => axe.run('{element}').then((found) => found.violations.map((one) => one.id + one.help))"
    assert look.ask(page, run) == []
    assert page.evaluate(LOW_CONTROLS, element) == []
    assert look.list_overflowing(page) == []
    page.close()


@of_the_farthest
def test_it_is_built_as_the_reader_comes_near_its_section_and_not_before(browser, whole, element):
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.goto(whole + PAGES[element])
    live, down = page.locator(f"{element} .live"), page.evaluate(SECTION_TOP, element)
    if down > 3 * 700:
        page.wait_for_timeout(300)
        assert live.count() == 0
        page.evaluate("(top) => scrollTo({top, behavior: 'instant'})", down - 2 * 700)
    live.first.wait_for(state="attached", timeout=10_000)
    page.close()


@of_the_farthest
def test_tab_goes_to_its_controls_from_far_above(browser, whole, element):
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.goto(whole + PAGES[element])
    page.keyboard.press("Tab")
    assert page.locator(f"{element} .live :is(input, select, button)").count() > 0
    page.close()


@of_the_farthest
def test_who_stays_has_it_without_coming_near(browser, whole, element):
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.clock.install()
    page.goto(whole + PAGES[element])
    page.clock.run_for(12_000)
    page.locator(f"{element} .live").first.wait_for(state="attached", timeout=10_000)
    assert page.evaluate("scrollY") == 0
    page.close()
