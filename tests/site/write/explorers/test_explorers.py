"""Every explorer in Chromium, on one phone and moved to one state: its words, its picture, keys and address.

Numbers at other states are those of the formulas, which tests/show/explorers runs without a browser.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import pe_book as pe
from tests.site.write.explorers.conftest import CELLS, PAGES, PHONE, STATE, WRITTEN
from tests.site.write.explorers.drawn import drawn

MOST_CONTROLS = 4  # at a time
# a state of each by its controls, an answer to its question
MOVED = {
    "pe-order": {"swaps": "010", "place": "on"},
    "pe-rotary": {"m": "9", "n": "6", "show": "halves"},
    "pe-ladders": {"asked": "65536", "method": "linear", "pair": "40"},
    "pe-bias": {"heads": "16", "head": "12", "kind": "window"},
    "pe-circle": {"p": "40", "i": "2", "base": "1000"},
    "pe-matrix": {"n": "40", "d": "12", "p": "2", "c": "7"},
    "pe-shift": {"p": "3", "k": "-7", "then": "7"},
    "pe-fit": {"rows": "5", "p": "77"},
    "pe-near": {"d": "128", "base": "100"},
    "pe-attempts": {"attempt": "three pairs", "n": "1"},
    "pe-past": {"rule": "interpolate", "words": "8"},
    "pe-lengths": {"task": "first", "encoding": "learned", "times": "4"},
    "pe-tour": {"step": "output", "n": "48", "model": "width 32, two layers", "word": "40"},
}
KEYS = {"p": "ArrowDown", "c": "ArrowRight"}  # a cell of the matrix has no control, but keys
# where words with numbers stand, and what the package gives for them when it has been moved
WORDS = {
    "pe-order": (
        ".words > th, .count, .said",
        "man | bites | dog | 6 of 6 changed | Without a mask and with positions, 6 of 6 numbers change.",
    ),
    "pe-rotary": (
        ".angle, .said, .scores b",
        "−172° | −107° | 88° | −90° | At n − m = −3 the score is −2.52. Answered: any two with n − "
        "m = −3. | 2.37 | −2.52 | 2.37",
    ),
    "pe-ladders": (
        ".said, .told, option:checked, [x='36']",
        "Interpolated: 0 beyond 65,536 | 46 of 64 pairs have gone round in 4,096 tokens; 0 meet new"
        " angles in 65,536. Answered: this one does. | trained 4,096 | asked 65,536 | Pair 40: one "
        "turn in 1,987 tokens as trained, in 31,791 now. Training took it 2.06 times round, 65,536 "
        "tokens take it 2.06 times.",
    ),
    "pe-bias": (
        ".said, .keys, .points, .weights",
        "The last word sees 5 of 10 words, each with weight 0.20. Answered: both have weight 0.20. "
        "| 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 0.0 | −∞ | −∞ | −∞ | −∞ | −∞ | 0.0 | 0.0 | 0.0 |"
        " 0.0 | 0.20 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.20 | 0.20 | 0.20 | 0.20",
    ),
    "pe-circle": (
        ".entries span, .said",
        "column 4, sine: 0.3894 | column 5, cosine: 0.9211 | The angle is 40 / 100.00 = 0.4000 "
        "radians, 22.9°. One turn takes 628.3 words. Answered: pair 2 needs the most, 628.3 words.",
    ),
    "pe-matrix": (
        ".legend, .said",
        "columns 0 to 11, words 0 to 39; −1 is blue, 1 orange | Word 2, column 7: cos(2 / "
        "10000^(6/12)) = 0.9998. The column moves by 0.0751. Answered: from column 7 on.",
    ),
    "pe-shift": (
        ".shifted text, caption, tr:nth-child(4) td, .said",
        "pair 0: 0.0° | pair 1: 0.0° | pair 2: 0.0° | The matrix of both shifts, by 0 tokens | 0 | "
        "0 | 0.000 | 1.000 | 0 | 0 | Position 3 goes to −4 and on to 3. Both shifts together are "
        "the shift by 0. Answered: a shift by 7, and the matrix is the identity.",
    ),
    "pe-fit": (
        "caption, tr:nth-child(4) td, .said",
        "What least squares finds on positions 0 to 4 | 0.000 | 0.000 | −0.447 | 0.894 | −0.025 | "
        "0.000 | The fit to 5 rows misses 0.1017 of a row at position 77. Answered: position 77 is "
        "the first at which it misses more than a tenth.",
    ),
    "pe-near": (
        ".said, option:checked",
        "128 | 100 | After offset 18 similarity first rises, at a cosine of 0.238. Of 60 steps, 9 "
        "rise. Answered: base 100; with every other base here it comes sooner.",
    ),
    "pe-attempts": (
        ".said, [x='310']",
        "32 | 32 | 1 | 0 | 1 | 1 | 0 | yes | In a text of 32 words, “three pairs” fails nothing. "
        "Answered: of these lengths, 32 is the longest at which it fails nothing.",
    ),
    "pe-past": (
        ".reads g:not([hidden]) text, .said",
        "0 | 0.6 | 1.1 | 1.7 | 2.3 | 2.9 | 3.4 | 4 | All 8 rows differ. Of the first 5 positions, 4"
        " no longer read the row that was trained. Answered: interpolation does it, and only "
        "position 0 keeps its row.",
    ),
    "pe-lengths": (
        ".along text, .said",
        "1 | 0 | 0 | 640 words | The first word, 640 words: in the last quarter learned has a share"
        " right of 1.00 (1.00 to 1.00 over seeds). Answered: learned is, on this task.",
    ),
    "pe-tour": (
        ".letters .here, .said",
        "I | At word 40 the answer is F, with probability 1.00. C is asked: wrong. Answered: past "
        "the 32 words of training the word 5 back gets at most 0.05 of the weight.",
    ),
}
# which numbers of which marks are compared
MARKS = {
    "pe-order": {},  # it has numbers alone: see test_own_controls.py
    "pe-rotary": {".dials line": "x2 y2", ".in-halves circle": "cx cy", ".in-halves path": "d"},
    "pe-ladders": {"path:not(.axis, .chosen, .arc)": "d", ".asked-hand": "x2 y2"},
    "pe-bias": {".biases rect": "x y fill-opacity", ".biases circle:not([hidden])": "cx cy"},
    "pe-circle": {".wave line": "x1 y1 x2 y2", ".wave path.sine": "d"},
    "pe-matrix": {".curve": "d", ".hand:not([hidden] *)": "x2 y2"},
    "pe-shift": {".shifted line": "x2 y2"},
    "pe-fit": {".missed circle": "cx cy", ".seen": "x width", ".curve": "d"},
    "pe-near": {".alike circle": "cx cy", ".curve": "d", ".up": "d"},
    "pe-attempts": {".failing .fails": "x y", ".failing .column": "x"},
    "pe-past": {".reads g:not([hidden]) line": "x1 x2"},
    "pe-lengths": {".along .curve": "d", ".along .trained": "width"},
    "pe-tour": {".odds rect": "y height"},
}
NUMBERS = r"""([element, marks]) => Object.entries(marks).flatMap(([selector, names]) =>
    [...document.querySelectorAll(`${element} .live :is(${selector})`)].flatMap((e) =>
        names.split(" ").flatMap((name) => e.getAttribute(name).match(/-?[0-9.]+/g) ?? []).map(Number)))"""
TEXTS = """([element, selector]) => [...document.querySelectorAll(`${element} .live :is(${selector})`)]
    .map((e) => e.textContent).join(" | ")"""
GIVEN = "(element) => JSON.parse(document.querySelector(element).dataset.given)"
SIZES = """(element) => {
    const live = document.querySelector(`${element} .live`)
    const seen = (selector) => [...live.querySelectorAll(selector)].filter((e) => e.checkVisibility())
    const height = (e) => e.getBoundingClientRect().height
    const controls = seen(":is(.control, .boxes) :is(input, select)").length
    const swaps = seen(".swap").length
    return [height(live), Math.max(...seen("svg, canvas, .orders").map(height)), controls + swaps]
}"""
FOCUSED = """(name) => {
    const here = document.activeElement
    return here.closest(`${name} .live`) && (here.matches(".swap") ? "swap" : here.localName)
}"""
LOW_CONTROLS = """(element) => {
    const kinds = "[type=range], [type=number], select, canvas, button, textarea, summary"
    const controls = [...document.querySelectorAll(`${element} .live :is(${kinds})`)]
    return controls.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44)
        .map((e) => e.outerHTML)
}"""


def set_to(page, element, state):
    """Move the controls as a reader does; what is folded is opened."""
    for place in state.get("swaps", ""):
        page.locator(f"{element} .swap").nth(int(place)).click()
    for name, value in state.items():
        if name == "swaps":
            continue
        control = page.locator(f"{element} .live [name={name}]:is(input, select)")
        fold = page.locator(f"{element} details:not([open])").filter(has=page.locator(f"[name={name}]"))
        if fold.count():
            fold.locator("summary").click()
        if not control.count():
            for _ in range(int(value)):
                page.locator(f"{element} canvas").press(KEYS[name])
        elif control.evaluate("(e) => e.localName") == "select":
            control.select_option(value)
        elif control.get_attribute("type") == "checkbox":
            control.set_checked(value == "on")
        else:
            control.fill(value)


@pytest.fixture(scope="module", params=PAGES)
def moved(request, look, browser, home):
    """The page of an explorer that has been moved, and what it was before."""
    element = request.param
    page = browser.new_page(viewport=PHONE, color_scheme="dark", reduced_motion="reduce")
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + PAGES[element])
    entries, first = page.evaluate("history.length"), page.evaluate(STATE, element)
    set_to(page, element, MOVED[element])
    assert page.evaluate("document.getAnimations().length") == 0  # nothing moves by itself
    page.wait_for_timeout(WRITTEN)
    assert page.evaluate("history.length") == entries  # no step of it is an entry
    state = page.evaluate(STATE, element)
    yield SimpleNamespace(element=element, page=page, first=first, state=state, address=page.url)
    assert errors == []
    page.close()


def test_it_says_and_draws_what_python_computes(moved):
    selector, words = WORDS[moved.element]
    assert moved.page.evaluate(TEXTS, [moved.element, selector]) == words
    found = moved.page.evaluate(NUMBERS, [moved.element, MARKS[moved.element]])
    given = moved.page.evaluate(GIVEN, moved.element)
    right = drawn(moved.element, given)
    assert np.shape(found) == np.shape(right)
    np.testing.assert_allclose(found, right, rtol=0, atol=0.0051)
    if moved.element == "pe-matrix":
        cells = pe.encode(range(40), 12, base=given["base"]).ravel()
        cells[np.abs(cells) < 0.1] = 0  # too faint to have a colour
        painted = np.array(moved.page.evaluate(CELLS))
        np.testing.assert_allclose(np.where(cells, painted, 0), cells, rtol=0, atol=0.005)


def test_it_asks_and_fits_one_screen_on_which_every_control_can_be_hit(look, axe, moved):
    """In the light, folds open as well, axe has seen it on its page: see test_visits.py."""
    page, element = moved.page, moved.element
    assert page.locator(f"{element} .asked p").text_content().endswith(("?", "."))
    page.evaluate("document.querySelectorAll('.live details').forEach((fold) => (fold.open = false))")
    tall, picture, controls = page.evaluate(SIZES, element)
    assert tall <= 1.05 * PHONE["height"]
    assert 0 < picture <= PHONE["height"] / 2
    assert 0 < controls <= MOST_CONTROLS
    for fold in page.locator(f"{element} summary:visible").all():
        fold.click()
    page.evaluate(axe)
    run = f"() => axe.run('{element}').then((found) => found.violations.map((one) => one.id + one.help))"
    assert look.ask(page, run) == []
    assert page.evaluate(LOW_CONTROLS, element) == []
    assert look.list_overflowing(page) == []


def test_a_keyboard_reaches_every_control(moved):
    page, element = moved.page, moved.element
    page.get_by_role("button", name="Reset").focus()
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        inside = page.evaluate(FOCUSED, element)
        if not inside:
            break
        reached.append(inside)
    wanted = page.locator(f"{element} .live :is(input, select, canvas, .swap):visible").count()
    assert sum(name in ("input", "select", "canvas", "swap") for name in reached) == wanted


def test_a_link_opens_the_state_that_it_was_copied_in(opened, moved):
    element = moved.element
    page = opened(element, moved.address.partition(".html")[2], reduced_motion="reduce")
    assert page.evaluate(STATE, element) == moved.state
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(STATE, element) == moved.first
