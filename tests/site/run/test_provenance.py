"""Where a number comes from, asked in Chromium with mouse, keyboard and finger, and without JavaScript."""

import re
from functools import partial

import pytest

NUMBER = "a.found[href='#cell-3']"  # the cell is folded
COVERED = """(a, b) => {
    const [one, two] = [a, b].map((css) => document.querySelector(css).getBoundingClientRect())
    return one.bottom > two.top && one.top < two.bottom && one.right > two.left && one.left < two.right
}"""


@pytest.fixture
def opened(visited, traced):
    return partial(visited, traced, "index.html")


def focused(page, css):
    return page.evaluate("(css) => document.activeElement.matches(css)", css)


def is_open(page):
    return page.evaluate("document.getElementById('where-from').matches(':popover-open')")


def tab_stops(page):
    """What takes focus within the article, by Tab, from where the focus is."""
    stops, inside = [], False
    for _ in range(200):
        page.keyboard.press("Tab")
        now = page.evaluate("!!document.activeElement.closest('.bd-article')")
        if inside and not now:
            break
        inside = inside or now
        if now:
            stops.append(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
    return stops


def test_a_click_shows_the_expression_and_leads_to_the_folded_cell(opened):
    with opened() as page:
        assert not page.locator("#cell-3").is_visible()
        page.locator(NUMBER).first.click()
        assert page.locator("#where-from code").text_content() == "near:.2f"
        assert page.locator("#where-from a").all_text_contents() == ["The cell that computed it", "encode"]
        assert not page.evaluate(f"({COVERED})('#where-from', \"{NUMBER}\")")
        page.locator("#where-from a").first.click()
        assert page.url.endswith("#cell-3")
        assert not is_open(page)
        assert page.locator("#cell-3").is_visible()
        # below the bar
        assert page.evaluate("document.querySelector('#cell-3').getBoundingClientRect().top") > 50
        assert page.evaluate("getComputedStyle(document.querySelector('#cell-3')).outlineStyle") == "solid"
        page.go_back()
        assert page.url.endswith("index.html")


def test_names_from_two_cells_and_from_the_package(opened):
    with opened() as page:
        page.locator("a.from[data-cells]").click()
        words = ["The cell that computed near", "The cell that computed bank", "encode"]
        assert page.locator("#where-from a").all_text_contents() == words
        page.keyboard.press("Escape")
        page.locator("figcaption a.computed").click()
        assert page.locator("#where-from a").all_text_contents() == ["clock"]
        page.locator("#where-from a").click()
        assert page.url.endswith("pe_book/show/sinusoidal/shift.html#clock")
        assert page.locator(".defined:target").text_content().startswith("def clock")


def test_escape_a_click_elsewhere_and_the_button_close_the_window(opened):
    with opened() as page:
        for close in (
            lambda: page.keyboard.press("Escape"),
            lambda: page.locator("h1").last.click(),
            lambda: page.get_by_role("button", name="Close").click(),
        ):
            page.locator(NUMBER).first.click()
            assert is_open(page)
            assert page.locator(NUMBER).first.get_attribute("aria-expanded") == "true"
            close()
            assert not is_open(page)


def test_tab_passes_the_numbers_by_until_the_switch_is_on(opened):
    with opened() as page:
        stops = tab_stops(page)
        assert "numbers-focus" in stops[0]
        assert len(stops) > 3
        assert [stop for stop in stops if 'class="from' in stop] == []

        page.locator(".numbers-focus").focus()
        assert (
            page.get_by_role("button", name="Let numbers take focus").get_attribute("aria-pressed") == "false"
        )
        page.keyboard.press("Space")
        assert page.locator(".numbers-focus").get_attribute("aria-pressed") == "true"
        links = [link for link in page.locator(".bd-article a.from").all() if link.is_visible()]
        reached = [stop for stop in tab_stops(page) if 'class="from' in stop]
        assert len(reached) == len(links) > 10

        page.reload()
        assert page.locator(".numbers-focus").get_attribute("aria-pressed") == "true"
        page.locator(".numbers-focus").focus()
        page.keyboard.press("Enter")
        assert page.locator(NUMBER).first.get_attribute("tabindex") == "-1"


def test_a_number_by_keyboard(opened):
    with opened() as page:
        page.locator(".numbers-focus").focus()
        page.keyboard.press("Space")
        page.locator(NUMBER).first.focus()
        page.keyboard.press("Enter")
        assert focused(page, "#where-from a")
        page.keyboard.press("Escape")
        assert not is_open(page)
        assert focused(page, NUMBER)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.wait_for_function("document.activeElement.id === 'cell-3'")
        assert page.locator("#cell-3").is_visible()


def test_a_finger_on_a_phone(look, opened):
    with opened(viewport=look.PHONE, has_touch=True, is_mobile=True) as page:
        for css in (NUMBER, "a.held", "div.math a.from", "table a.computed"):
            page.locator(css).first.tap()
            box_shown = page.locator("#where-from").bounding_box()
            assert (box_shown["x"], box_shown["width"]) == (0, 390), css
            assert round(box_shown["y"] + box_shown["height"]) == 844, css
            assert not page.evaluate(f"({COVERED})('#where-from', \"{css}\")"), css
            for target in page.locator("#where-from :is(a, button)").all():
                box = target.bounding_box()
                assert min(box["width"], box["height"]) >= 44, (css, target.text_content())
            assert look.list_overflowing(page) == []
            page.get_by_role("button", name="Close").tap()
        page.locator(NUMBER).first.tap()
        page.locator("#where-from a").first.tap()
        assert page.locator("#cell-3").is_visible()


def test_without_javascript_the_link_leads_to_the_cell(opened):
    with opened(java_script_enabled=False) as page:
        page.locator(NUMBER).first.click()
        assert page.url.endswith("#cell-3")
        page.locator("#cell-3").wait_for(state="visible")  # Chromium opens the fold for an address inside it
        assert page.locator("details.hide summary").is_visible()
        assert page.locator(".numbers-focus").count() == 0


def test_a_link_is_called_by_its_number_and_described_by_its_expression(opened):
    with opened() as page:
        link = page.get_by_role("link", name="−0.4161", exact=True)
        assert link.count() == 1
        assert link.get_attribute("title") == "computed: bank[1]:.4f"
        held = page.get_by_role("link", name="far is farther than near", exact=True)
        assert held.get_attribute("title") == "checked: near < far"


def test_an_expression_without_a_cell_is_shown(opened):
    with opened() as page:
        page.locator("#alone-1").click()
        assert page.locator("#where-from code").text_content() == "import math\nmath.sqrt(2):.3f"
        assert page.locator("#where-from a").count() == 0
        assert focused(page, "#where-from button")
        page.keyboard.press("Escape")
        assert focused(page, "#alone-1")


# ---- every page of the book

LEFT = re.compile(r'<span class="(?:[^"]* )?(?:held|found)(?: [^"]*)?"[^>]* title=[^>]*>')
BESIDE = re.compile(r' data-(source|cells)="([^"]*)"')  # what a link says besides its address


def test_every_link_of_the_site_has_its_target(pages):
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    ids = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    assert {page: left for page, text in texts.items() if (left := LEFT.findall(text))} == {}
    targets = set()
    for page, text in texts.items():
        for kind, listed in BESIDE.findall(text):
            for words in (one.split(" ") for one in listed.split(";")):
                path, _, anchor = (words[1] if kind == "source" else "#" + words[0]).partition("#")
                targets.add(((page.parent / path).resolve() if path else page, anchor))
    assert {target for target in targets if target[1] not in ids.get(target[0], ())} == set()
    assert len(targets) > 300
