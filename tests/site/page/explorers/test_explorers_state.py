"""Every explorer: one screen of a phone, a question, a way back, and its state in the address."""

import re

import pytest

from tests.site.page.explorers.test_explorers_stand import PAGES, RULES

WIDTH, HEIGHT, MOST_CONTROLS = 360, 640, 3  # px of a phone; controls at a time
WRITTEN = 400  # milliseconds, after which a state stands in the address
# another state of each by its controls, an answer to its question, and how many entries of the address it has
MOVED = {
    "pe-rotary": {"m": "9", "n": "6", "show": "halves"},
    "pe-ladders": {"asked": "65536", "method": "linear", "pair": "40"},
    "pe-bias": {"heads": "16", "head": "12", "kind": "window"},
    "pe-circle": {"p": "40", "i": "2", "base": "1000"},
    "pe-matrix": {"n": "40", "d": "12", "c": "7"},
    "pe-shift": {"p": "3", "k": "-7", "then": "7"},
    "pe-fit": {"rows": "5", "p": "77"},
}
# the states with the most to show
WHOLE = {
    "pe-rotary": {"m": "60", "n": "57", "show": "moved"},
    "pe-ladders": {"asked": "262144", "method": "dynamic", "pair": "63"},
    "pe-matrix": {"p": "49", "c": "127", "base": "500000"},
    "pe-shift": {"k": "-20", "then": "20"},
    "pe-fit": {"rows": "4", "p": "18"},
}
STATE = """(element) => {
    const live = document.querySelector(`${element} .live`)
    const all = (selector) => [...live.querySelectorAll(selector)]
    const drawn = [...all("svg *").map((e) => e.outerHTML), ...all("canvas").map((e) => e.toDataURL())]
    return [live.textContent, ...drawn, ...all("input, select").map((e) => e.value)].join("\\n")
}"""
SIZES = """(element) => {
    const live = document.querySelector(`${element} .live`)
    const seen = (selector) => [...live.querySelectorAll(selector)].filter((e) => e.checkVisibility())
    const height = (e) => e.getBoundingClientRect().height
    const controls = seen(".control :is(input, select)")
    return [height(live), Math.max(...seen("svg, canvas").map(height)), controls.length]
}"""


# what is no explorer's own, but that of them all, is tried with one of them; with the others now and then
of_one = pytest.mark.parametrize(
    "element", [pytest.param(name, marks=() if name == "pe-bias" else pytest.mark.thorough) for name in PAGES]
)


@pytest.fixture(params=PAGES)
def element(request):
    return request.param


def in_address(element, state):
    return f"{element}=" + ",".join(f"{name}:{value}" for name, value in state.items())


def opened(look, browser, address, **how):
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, **how)
    look.open_settled(page, address)
    return page


def set_to(page, element, state):
    """Move the controls as a reader does; what is folded is opened."""
    for name, value in state.items():
        if name == "c":  # the column of the matrix has keys of its own
            for _ in range(int(value)):
                page.locator(f"{element} canvas").press("ArrowRight")
            continue
        control = page.locator(f"{element} .live [name={name}]:is(input, select)")
        fold = page.locator(f"{element} details:not([open])").filter(has=page.locator(f"[name={name}]"))
        if fold.count():
            fold.locator("summary").click()
        if control.evaluate("(e) => e.localName") == "select":
            control.select_option(value)
        else:
            control.fill(value)


def test_every_explorer_is_tried():
    assert MOVED.keys() == RULES.keys()


def test_control_and_picture_stand_on_one_screen(look, browser, site, element):
    address = (site / PAGES[element]).as_uri()
    page = opened(look, browser, address)
    for state in ({}, WHOLE.get(element, {}), MOVED[element]):
        look.open_settled(page, f"{address}?{in_address(element, state)}")
        tall, picture, controls = page.evaluate(SIZES, element)
        assert tall <= 1.05 * HEIGHT, (state, tall)
        assert 0 < picture <= HEIGHT / 2, (state, picture)
        assert 0 < controls <= MOST_CONTROLS, (state, controls)
    page.close()


def test_a_link_opens_the_state_that_it_was_copied_in(look, browser, home, element):
    its_state_is_opened_again(look, browser, home, element)


@of_one
def test_from_the_folder_too(look, browser, site, element):
    its_state_is_opened_again(look, browser, f"{site.as_uri()}/", element)


def its_state_is_opened_again(look, browser, root, element):
    page = opened(look, browser, root + PAGES[element], reduced_motion="reduce")
    entries = page.evaluate("history.length")
    first = page.evaluate(STATE, element)
    said = page.locator(f"{element} .said")
    assert re.search(r"[?.]$", page.locator(f"{element} .asked p").text_content())
    assert said.get_attribute("role") == "status"
    assert "Answered" not in said.text_content()
    set_to(page, element, MOVED[element])
    assert page.evaluate("document.getAnimations().length") == 0  # nothing moves by itself
    page.wait_for_timeout(WRITTEN)
    moved, address = page.evaluate(STATE, element), page.url
    assert moved != first
    assert page.evaluate("history.length") == entries  # no step of it is an entry
    figure = page.evaluate("(element) => document.querySelector(element).closest('[id]').id", element)
    assert address.endswith(f"#{figure}")

    page.goto("about:blank")
    look.open_settled(page, address)
    assert page.evaluate(STATE, element) == moved
    assert "Answered: " in said.text_content()
    page.get_by_role("button", name="Reset").click()
    page.wait_for_timeout(WRITTEN)
    assert "?" not in page.url
    assert page.evaluate(STATE, element) == first
    page.close()


@of_one
def test_the_state_stands_beside_other_parts_of_an_address(look, browser, site, element):
    address = f"{(site / PAGES[element]).as_uri()}?q=a&{in_address(element, MOVED[element])}&lang=en#top"
    page = opened(look, browser, address)
    page.wait_for_timeout(WRITTEN)
    assert page.url.endswith("#top")
    assert sorted(page.url.partition("?")[2].partition("#")[0].split("&")) == sorted(
        ["q=a", "lang=en", in_address(element, in_order(page, element, MOVED[element]))]
    )
    page.get_by_role("button", name="Reset").click()
    page.wait_for_timeout(WRITTEN)
    assert page.url.endswith("?q=a&lang=en#top")
    page.close()


def in_order(page, element, state):
    names = page.evaluate("(element) => Object.keys(document.querySelector(element).controls)", element)
    return {name: state[name] for name in names if name in state}


@of_one
def test_an_address_that_was_cut_opens_the_page_as_it_is(look, browser, site, element):
    address = (site / PAGES[element]).as_uri()
    page = opened(look, browser, address)
    errors = look.collect_errors(page, site.as_uri())
    first = page.evaluate(STATE, element)
    for cut in ("", "x", ":", "nothing:1", "%", "m:%E0%A4%A", ",,,", "a:b:c"):
        look.open_settled(page, f"{address}?{element}={cut}")
        assert page.evaluate(STATE, element) == first, cut
    assert errors == []
    page.close()


@of_one
def test_what_no_control_can_hold_is_not_taken(look, browser, site, element):
    names = dict.fromkeys(MOVED[element], "-1e99")
    page = opened(look, browser, f"{(site / PAGES[element]).as_uri()}?{in_address(element, names)}")
    for control in page.locator(f"{element} .control :is(input, select)").all():
        assert control.evaluate("(e) => e.validity.valid && e.value !== ''")
    page.close()


def test_a_keyboard_reaches_every_control(look, browser, site, element):
    page = opened(look, browser, (site / PAGES[element]).as_uri())
    page.locator(f"{element} .asked button").focus()
    reached = ["Reset"]
    wanted = page.locator(f"{element} .live :is(input, select, canvas):visible").count()
    for _ in range(20):
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "(name) => document.activeElement.closest(`${name} .live`) && document.activeElement.localName",
            element,
        )
        if not inside:
            break
        reached.append(inside)
    assert sum(name in ("input", "select", "canvas") for name in reached) == wanted
    page.close()


@of_one
def test_two_of_a_kind_keep_their_states_apart(look, browser, site, element):
    page = opened(look, browser, (site / PAGES[element]).as_uri())
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
        element,
    )
    before = page.evaluate(STATE, element)
    page.evaluate("(element) => document.querySelectorAll(element)[1].take({})", element)
    name, value = next(iter(MOVED[element].items()))
    page.evaluate(
        """([element, name, value]) => {
            const other = document.querySelectorAll(element)[1]
            other.controls[name].value = value
            other.moved()
        }""",
        [element, name, value],
    )
    page.wait_for_timeout(WRITTEN)
    assert f"{element}-2={name}:{value}" in page.url
    assert page.evaluate(STATE, element) == before
    all_ids = "(element) => [...document.querySelectorAll(`${element} .live [id]`)].map((e) => e.id)"
    ids = page.evaluate(all_ids, element)
    assert len(ids) == len(set(ids))
    page.close()
