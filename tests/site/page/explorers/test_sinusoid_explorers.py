"""The explorers of the sinusoidal chapters in Chromium: every number, hand, curve and cell is Python's."""

import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pytest

import pe_book as pe
from tests.site.conftest import page_of
from tests.site.page.explorers.conftest import WINDOWS, some_of
from tests.site.page.explorers.test_explorers_stand import PAGES

REPO = Path(__file__).resolve().parents[4]
SCRIPTS = REPO / "docs" / "_static" / "explorers"
ELEMENTS = ("pe-circle", "pe-matrix", "pe-shift", "pe-fit")
NUMBERS = "const numbers = (e, ...names) => names.map((name) => Number(e.getAttribute(name)))"
POINTS = r"""const points = (e) =>
    [...e.getAttribute("d").matchAll(/(-?[0-9.]+) (-?[0-9.]+)/g)].map((at) => [+at[1], +at[2]])"""
STATES = {
    "pe-circle": """
        curves: [...live.querySelectorAll(".wave path:not(.axis)")].map(points),
        lines: [...live.querySelectorAll(".wave line")].map((e) => numbers(e, "x1", "y1", "x2", "y2")),
        dots: [...live.querySelectorAll(".wave circle:not(.axis)")].map((e) => numbers(e, "cx", "cy")),
        entries: texts(".entries span"),""",
    "pe-matrix": """
        size: [live.querySelector("canvas").height, live.querySelector("canvas").width],
        cells: pixels(live.querySelector("canvas")),
        mark: ["top", "left", "height", "width"].map((side) =>
            parseFloat(live.querySelector(".mark").style[side]) / 100),
        curve: points(live.querySelector(".curve")),
        dot: numbers(live.querySelector(".column circle:not(.axis)"), "cx", "cy"),
        hands: [...live.querySelectorAll("g:not([hidden]) .hand")].map((e) =>
            numbers(e, "x1", "y1", "x2", "y2")),
        dials: texts("g:not([hidden]) text"),
        ends: texts(".column > text"),
        legend: texts(".legend"),""",
    "pe-shift": """
        hands: [...live.querySelectorAll(".shifted line")].map((e) => numbers(e, "x1", "y1", "x2", "y2")),
        angles: texts(".shifted text"),
        matrix: [...live.querySelectorAll("tr")].map((e) => [...e.cells].map((cell) => cell.textContent)),
        caption: texts("caption"),""",
    "pe-fit": """
        curve: points(live.querySelector(".curve")),
        dot: numbers(live.querySelector(".missed circle"), "cx", "cy"),
        seen: numbers(live.querySelector(".seen"), "x", "width"),
        matrix: [...live.querySelectorAll("tr")].map((e) => [...e.cells].map((cell) => cell.textContent)),
        caption: texts("caption"),""",
}
# how much of a cell is painted, and in which colour
PIXELS = """const pixels = (canvas) => {
    const sheet = ({ width, height }) => Object.assign(document.createElement("canvas"), { width, height })
        .getContext("2d", { willReadFrequently: true })
    const copy = sheet(canvas)
    copy.drawImage(canvas, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    const probe = sheet({ width: 1, height: 1 })
    const blues = ["blue", "orange"].map((name) => {
        probe.fillStyle = getComputedStyle(document.body).getPropertyValue(`--pe-${name}`)
        probe.fillRect(0, 0, 1, 1)
        return probe.getImageData(0, 0, 1, 1).data[2]
    })
    const half = (blues[0] + blues[1]) / 2
    return Array.from({ length: data.length / 4 }, (_, i) =>
        ((data[4 * i + 2] > half ? -1 : 1) * data[4 * i + 3]) / 255)
}"""
EXACT = {"curves", "lines", "dots", "cells", "mark", "curve", "dot", "hands", "seen"}


@pytest.fixture(scope="module")
def given():
    """What Python gave each explorer, read from the package and not from the page."""
    if str(REPO) not in sys.path:
        sys.path.insert(0, str(REPO))
    from pe_book.show.sinusoidal import circle, fitting, matrix, turned_planes

    figures = (circle.hands(), matrix.heatmap(50, 128), turned_planes.planes(), fitting.fitted())
    return {element: figure.given for element, figure in zip(ELEMENTS, figures, strict=True)}


def written(x, digits=2):
    """As scripts round: what lies halfway goes away from zero."""
    text = str(Decimal(float(x)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def circle_of(given, p, i, base):
    """All that <pe-circle> shows at a setting, from Python."""
    p, i, base = int(p), int(i), int(base)
    width, last = given["width"], given["last"]
    steps = np.arange(given["samples"] * last + 1) / given["samples"]
    rate = pe.frequencies(width, base=base)[i]
    sine, cosine = pe.encode(p, width, base=base)[2 * i : 2 * i + 2]
    at, (x, y) = 136 + 172 * p / last, (58 + 50 * sine, 68 - 50 * cosine)
    waves = pe.encode(steps, width, base=base)[:, 2 * i : 2 * i + 2].T
    turn, degrees = written(2 * np.pi / rate, 1), written(np.degrees(p * rate), 1)
    answer = ""
    if i == width // 2 - 1:
        answer = f" Answered: pair {i} needs the most, {turn} words."
    elif i == 0 and p == given["asked"]:
        answer = f" Answered: at word {p} it has turned {degrees}°, nearly once round."
    return {
        "controls": [str(p), str(i), str(base)],
        "heard": [f"word {p}", f"pair {i}"],
        "curves": [np.column_stack([136 + 172 * steps / last, 68 - 50 * wave]) for wave in waves],
        "lines": [[58, 68, x, 68], [x, 68, x, y], [x, y, at, y], [58, 68, x, y]],
        "dots": [[at, 68 - 50 * sine], [at, y], [x, y]],
        "entries": [
            f"column {2 * i}, sine: {written(sine, 4)}",
            f"column {2 * i + 1}, cosine: {written(cosine, 4)}",
        ],
        "said": f"The angle is {p} / {written(1 / rate)} = {written(p * rate, 4)} radians, {degrees}°. "
        f"One turn takes {turn} words.{answer}",
    }


def matrix_of(given, n, d, base, p, c):
    """All that <pe-matrix> shows at a setting, from Python."""
    n, d, base, p, c = map(int, (n, d, base, p, c))
    rows = pe.encode(range(n), d, base=base)
    pairs = d // 2
    spread = [int(Decimal(i * (pairs - 1)) / 7 + Decimal("0.5")) for i in range(8)]
    shown = range(pairs) if pairs <= 8 else spread
    ranges = np.ptp(rows, axis=0)
    loud = np.flatnonzero(ranges >= given["quiet"])
    first = loud[-1] + 1 if loud.size else 0
    call = ("sin", "cos")[c % 2]
    answer = f" Answered: from column {c} on." if c == first else ""
    return {
        "controls": [str(n), str(d), str(base)],
        "heard": [f"{n} words", f"{d} columns"],
        "size": [n, d],
        "cells": rows.ravel(),
        "mark": [p / n, c / d, 1 / n, 1 / d],
        "curve": np.column_stack([24 + 280 * np.arange(n) / (n - 1), 26 - 22 * rows[:, c]]),
        "dot": [24 + 280 * p / (n - 1), 26 - 22 * rows[p, c]],
        "hands": [
            [24 + 38 * at, 92, 24 + 38 * at + 16 * rows[p, 2 * i], 92 - 16 * rows[p, 2 * i + 1]]
            for at, i in enumerate(shown)
        ],
        "dials": [str(i) if at else f"pair {i}" for at, i in enumerate(shown)],
        "ends": ["1", "−1", "word 0", f"word {n - 1}, column {c}"],
        "legend": [f"columns 0 to {d - 1}, words 0 to {n - 1}; −1 is blue, 1 orange"],
        "said": f"Word {p}, column {c}: {call}({p} / {base}^({c - c % 2}/{d})) = {written(rows[p, c], 4)}. "
        f"The column moves by {written(ranges[c], 4)}.{answer}",
    }


def shift_of(given, p, k, then):
    """All that <pe-shift> shows at a setting, from Python."""
    p, k, then = map(int, (p, k, then))
    width, base = given["width"], given["base"]
    rows = pe.encode([p, p + k, p + k + then], width, base=base).reshape(3, -1, 2)
    both = pe.shift_matrix(then, width, base=base) @ pe.shift_matrix(k, width, base=base)
    first, second, total = (written(x, 0) for x in (k, then, k + then))
    said = f"Position {p} goes to {written(p + k, 0)} and on to {written(p + k + then, 0)}. "
    said += f"Both shifts together are the shift by {total}."
    if k and k + then == 0:
        said += f" Answered: a shift by {second}, and the matrix is the identity."
    turned = np.degrees((k + then) * pe.frequencies(width, base=base))
    own = np.kron(np.eye(width // 2), np.ones((2, 2)))
    return {
        "controls": [str(p), first, second],
        "heard": [f"position {p}", f"{first} tokens", f"{second} tokens"],
        "hands": [
            [x, 44, x + 38 * sine, 44 - 38 * cosine]
            for i, x in enumerate(range(52, 52 + 52 * width, 104))
            for sine, cosine in rows[:, i]
        ],
        "angles": [f"pair {i}: {written(angle, 1)}°" for i, angle in enumerate(turned)],
        "matrix": [
            [written(both[r, c], 3) if own[r, c] else "0" for c in range(width)] for r in range(width)
        ],
        "caption": [f"The matrix of both shifts, by {total} tokens"],
        "said": said,
    }


def fit_of(given, rows, p):
    """All that <pe-fit> shows at a setting, from Python."""
    p, count = int(p), 0 if rows == "all" else int(rows)
    width, k, last = given["width"], given["k"], given["last"]
    matrix = np.array(given["fits"][rows]) if count else pe.shift_matrix(k, width)
    places = np.arange(last + 1)
    missed = pe.encode(places, width) @ matrix.T - pe.encode(places + k, width)
    errors = np.linalg.norm(missed, axis=1) / np.sqrt(width / 2)
    first = np.flatnonzero(errors > 0.1)[:1]
    said = f"The fit to {count} rows" if count else "The closed form"
    said += f" misses {written(errors[p], 4)} of a row at position {p}"
    said += ", which it was fitted to." if p < count else "."
    if p in first:
        said += f" Answered: position {p} is the first at which it misses more than a tenth."
    title = f"What least squares finds on positions 0 to {count - 1}"
    return {
        "controls": [str(rows), str(p)],
        "heard": [f"position {p}"],
        "curve": np.column_stack([24 + 284 * places / last, 100 - 92 * errors]),
        "dot": [24 + 284 * p / last, 100 - 92 * errors[p]],
        "seen": [24, 284 * (count - 1) / last if count else 0],
        "matrix": [[written(x, 3) for x in line] for line in matrix],
        "caption": [title if count else f"The matrix of the shift by {k}"],
        "said": said,
    }


EXPECTED = {"pe-circle": circle_of, "pe-matrix": matrix_of, "pe-shift": shift_of, "pe-fit": fit_of}
SETTINGS = {
    "pe-circle": [
        {"p": 1, "i": 0, "base": 10000}, {"p": 6, "i": 0, "base": 10000}, {"p": 0, "i": 2, "base": 100},
        {"p": 60, "i": 1, "base": 500000}, {"p": 17, "i": 2, "base": 1000},
    ],
    "pe-matrix": [
        {"n": 50, "d": 128, "base": 10000, "p": 0, "c": 0},
        {"n": 50, "d": 128, "base": 10000, "p": 12, "c": 62},
        {"n": 7, "d": 6, "base": 100, "p": 3, "c": 1}, {"n": 100, "d": 2, "base": 1000, "p": 99, "c": 1},
        {"n": 33, "d": 30, "base": 500000, "p": 5, "c": 9},
    ],
    "pe-shift": [
        {"p": 10, "k": 10, "then": 0}, {"p": 10, "k": 10, "then": -10}, {"p": 0, "k": -20, "then": 7},
        {"p": 20, "k": 3, "then": 20}, {"p": 5, "k": 0, "then": 0},
    ],
    "pe-fit": [
        {"rows": "3", "p": 0}, {"rows": "3", "p": 5}, {"rows": "4", "p": 18}, {"rows": "5", "p": 76},
        {"rows": "5", "p": 77}, {"rows": "all", "p": 100},
    ],
}  # fmt: skip
# where the browser stands before anything is moved
FIRST = {element: SETTINGS[element][0] for element in ELEMENTS}


def state(page, element):
    return page.evaluate(f"""() => {{
        {NUMBERS}
        {POINTS}
        {PIXELS}
        const live = document.querySelector("{element} .live")
        const texts = (selector) => [...live.querySelectorAll(selector)].map((e) => e.textContent)
        return {{
            controls: [...live.querySelectorAll(".control")].map((e) =>
                e.querySelector("select")?.value ?? e.querySelector(".number").textContent),
            heard: [...live.querySelectorAll("[type=range]")].map((e) => e.ariaValueText),
            {STATES[element]}
            said: live.querySelector(".said").textContent,
        }}
    }}""")


def differing(page, element, given, setting):
    """What the page shows that is not Python's."""
    found, right = state(page, element), EXPECTED[element](given[element], **setting)
    assert found.keys() == right.keys()
    wrong = set()
    for name in right:
        if name not in EXACT:
            wrong |= {name} if found[name] != right[name] else set()
        elif np.shape(found[name]) != np.shape(right[name]):
            wrong.add(name)
        elif name == "cells":
            # the faintest cells have no colour to tell
            seen = np.abs(right[name]) > 0.1
            cells = np.array(found[name])
            pale, coloured = np.abs(cells) - np.abs(right[name]), cells[seen] - right[name][seen]
            wrong |= {name} if max(np.abs(pale).max(), np.abs(coloured).max()) > 0.005 else set()
        elif not np.allclose(found[name], right[name], rtol=0, atol=0.0051):
            wrong.add(name)
    return wrong


def keyed(control, value):
    """Move a slider by its keys."""
    least, step = (int(control.get_attribute(name) or 1) for name in ("min", "step"))
    control.press("Home")
    for _ in range((value - least) // step):
        control.press("ArrowRight")


def choose(page, element, setting, by_keys=False):
    """Move the controls as a reader does; the cell of the matrix by its own keys or by a tap."""
    for name, value in setting.items():
        control = page.locator(f"{element} [name={name}]")
        if not control.count():
            continue
        if control.evaluate("(e) => e.localName") == "select":
            control.select_option(str(value))
        elif by_keys:
            keyed(control, value)
        else:
            control.fill(str(value))
    if element != "pe-matrix":
        return
    table = page.locator("pe-matrix canvas")
    if by_keys:
        table.press("Home")
        for key, count in (("PageUp", 12), ("ArrowDown", setting["p"]), ("ArrowRight", setting["c"])):
            for _ in range(count):
                table.press(key)
        return
    box = table.bounding_box()
    at = {"x": (setting["c"] + 0.5) / setting["d"] * box["width"],
          "y": (setting["p"] + 0.5) / setting["n"] * box["height"]}  # fmt: skip
    table.click(position=at)


@pytest.fixture(params=ELEMENTS)
def element(request):
    return request.param


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_what_is_shown_is_what_python_computes(look, browser, home, given, element, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + PAGES[element])
    wrong = [("first", *differing(page, element, given, FIRST[element]))]
    for number, setting in enumerate(SETTINGS[element]):
        choose(page, element, setting, by_keys=number % 2 == 1)
        wrong.append((number, *differing(page, element, given, setting)))
    assert [one for one in wrong if len(one) > 1] == []
    assert errors + look.list_overflowing(page) == []
    page.close()


def test_a_finger_chooses_a_cell(look, browser, home, given):
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    page = context.new_page()
    look.open_settled(page, home + PAGES["pe-matrix"])
    table = page.locator("pe-matrix canvas")
    box = table.bounding_box()
    table.tap(position={"x": 40.5 / 128 * box["width"], "y": 12.5 / 50 * box["height"]})
    assert differing(page, "pe-matrix", given, {**FIRST["pe-matrix"], "p": 12, "c": 40}) == set()
    context.close()


def test_a_cell_stays_in_a_table_that_shrinks(look, browser, home, given):
    page = browser.new_page()
    look.open_settled(page, home + PAGES["pe-matrix"] + "?pe-matrix=p:49,c:127")
    assert differing(page, "pe-matrix", given, {**FIRST["pe-matrix"], "p": 49, "c": 127}) == set()
    choose(page, "pe-matrix", {"n": 9, "d": 4, "p": 8, "c": 3}, by_keys=True)
    assert differing(page, "pe-matrix", given, {"n": 9, "d": 4, "base": 10000, "p": 8, "c": 3}) == set()
    page.close()


def test_the_matrix_is_painted_again_in_the_colours_of_the_page(look, browser, home, given):
    page = browser.new_page(color_scheme="dark")
    look.open_settled(page, home + PAGES["pe-matrix"])
    dark = page.evaluate("document.querySelector('pe-matrix canvas').toDataURL()")
    page.get_by_role("button", name="Dark colours").click()
    assert differing(page, "pe-matrix", given, FIRST["pe-matrix"]) == set()
    assert page.evaluate("document.querySelector('pe-matrix canvas').toDataURL()") != dark
    page.close()


PLANTED = {
    "formula: exponent": ("pe-circle", "sinusoid-maths.js", "(-2 * i) / width", "-i / width", None),
    "formula: sine and cosine": (
        "pe-circle",
        "sinusoid-maths.js",
        "column % 2 ?",
        "column % 2 === 0 ?",
        None,
    ),
    "picture: hand": ("pe-circle", "circle.js", "hand, 58, 68, x, y", "hand, 58, 68, y, x", {"lines"}),
    "picture: curve": ("pe-circle", "circle.js", "down(at(step, name))", "-down(at(step, name))", {"curves"}),
    "said of the circle": ("pe-circle", "circle.js", "written(1 / rate, 2)", "written(rate, 2)", {"said"}),
    "formula: ranges": ("pe-matrix", "sinusoid-maths.js", "- Math.min(...entries)", "- entries[0]", {"said"}),
    "formula: base": (
        "pe-matrix",
        "matrix.js",
        "sinusoid.frequencies(width, base)",
        "sinusoid.frequencies(width, 1e4)",
        None,
    ),
    "picture: cells": ("pe-matrix", "explorer.js", "Math.abs(value)", "value ** 2", {"cells"}),
    "picture: colours": ("pe-matrix", "explorer.js", "+(value > 0)", "+(value < 0)", {"cells"}),
    "picture: dials": (
        "pe-matrix",
        "matrix.js",
        "16 * rows[word][2 * pair + 1]",
        "16 * rows[word][2 * pair]",
        {"hands"},
    ),
    "formula: turn": ("pe-shift", "sinusoid-maths.js", "line(-sin, cos)", "line(sin, cos)", {"matrix"}),
    "formula: order": (
        "pe-shift",
        "shift.js",
        "sinusoid.shift(l, this",
        "sinusoid.shift(-l, this",
        {"matrix"},
    ),
    "picture: hands": ("pe-shift", "shift.js", "44 - 38 * rows[n]", "44 + 38 * rows[n]", {"hands"}),
    "picture: hands of one": (
        "pe-shift",
        "shift.js",
        "[p, p + k, p + k + l]",
        "[p, p + l, p + k + l]",
        {"hands"},
    ),
    "formula: missed": ("pe-fit", "sinusoid-maths.js", "x * here[j]", "x * there[j]", None),
    "formula: offset of the fit": (
        "pe-fit",
        "fit.js",
        "sinusoid.missed(matrix, at, k,",
        "sinusoid.missed(matrix, at, k + 1,",
        None,
    ),
    "picture: curve of the fit": (
        "pe-fit",
        "fit.js",
        "100 - 92 * error",
        "100 - 80 * error",
        {"curve", "dot"},
    ),
    "picture: rows seen": ("pe-fit", "fit.js", "across(count - 1) - 24", "across(count) - 24", {"seen"}),
    "angles": ("pe-shift", "shift.js", "* 180) / Math.PI", "* 200) / Math.PI", {"angles"}),
}


# of each explorer one
@pytest.mark.parametrize(
    "name",
    some_of(PLANTED, "formula: exponent", "picture: cells", "picture: hands", "picture: curve of the fit"),
)
def test_a_script_that_drifts_is_noticed(look, browser, home, given, name):
    element, file, stands, planted, parts = PLANTED[name]
    text = (SCRIPTS / file).read_text(encoding="utf-8")
    assert text.count(stands) == 1
    page = browser.new_page()
    page.route(
        f"**/explorers/{file}",
        lambda route: route.fulfill(body=text.replace(stands, planted), content_type="text/javascript"),
    )
    look.open_settled(page, home + PAGES[element])
    wrong = set()
    for setting in SETTINGS[element]:
        choose(page, element, setting, by_keys=setting.get("n", 0) > 60)  # rows too thin for a pointer
        wrong |= differing(page, element, given, setting)
    page.close()
    assert wrong == parts if parts else wrong


def test_the_page_holds_what_python_gives(site, given, element):
    text = page_of(site, PAGES[element]).read_text(encoding="utf-8").partition(f'<{element} data-given="')[2]
    assert json.loads(text.partition('"')[0].replace("&quot;", '"')) == given[element]
