"""Explorers in Chromium: real controls are moved, and every number and hand is held against Python's."""

import json
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import pe_book as pe
from tests.site.conftest import page_of
from tests.site.page.explorers.conftest import WINDOWS, some_of

REPO = Path(__file__).resolve().parents[4]
PAGE = "family/rotary.html"
SCRIPTS = REPO / "docs" / "_static" / "explorers"
SHOWN = "pe-rotary"
WAYS = {"neighbours": "neighbours", "halves": "halves", "moved": "halves, columns moved"}
WHOLE = "neighbours"
MOST = 63
STATE = """() => {
    const live = document.querySelector("pe-rotary .live")
    const texts = (selector) => [...live.querySelectorAll(selector)].map((e) => e.textContent)
    const numbers = (e, ...names) => names.map((name) => Number(e.getAttribute(name)))
    return {
        positions: texts(".control:has([type=range]) .number"),
        heard: [...live.querySelectorAll("[type=range]")].map((e) => e.getAttribute("aria-valuetext")),
        scores: texts(".scores .number"),
        columns: texts(".dials svg + small"),
        angles: texts(".dials .angle"),
        products: texts(".dials .number"),
        said: texts(".said"),
        hands: [...live.querySelectorAll(".dials line")].map((e) => numbers(e, "x2", "y2")),
        points: [...live.querySelectorAll(".curves circle")].map((e) => numbers(e, "cx", "cy")),
        curves: [...live.querySelectorAll(".curves g path")].map((e) =>
            e.getAttribute("d").slice(1).split("L").map((at) => at.split(" ").map(Number))),
        faint: [...live.querySelectorAll(".curves g")].map((e) => e.classList.contains("faint")),
    }
}"""
LOW_CONTROLS = """() => {
    const controls = document.querySelectorAll(".live :is([type=range], select, summary, button)")
    const seen = [...controls].filter((e) => e.checkVisibility())
    return seen.filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)
}"""
LIVE_COLOURS = """() => ["query", "key"].map((name) =>
    getComputedStyle(document.querySelector(`.live line.${name}`)).stroke)"""
COLOURS = """() => [...document.querySelectorAll("pe-rotary > .panels svg [data-part$=hand] path")].map((e) =>
    getComputedStyle(e).stroke)"""


@pytest.fixture(scope="module")
def given():
    """What Python gave the explorer, read from the package and not from the page."""
    if str(REPO) not in sys.path:
        sys.path.insert(0, str(REPO))
    from pe_book.show.family.turned_hands import two_positions

    return two_positions().given


def written(x, digits=2):
    text = f"{x:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def expected(given, way, m, n):
    """All that the explorer shows at a setting, from Python."""
    rows = {name: np.array(given[name]) for name in ("query", "key")}
    omega = np.array(given["frequencies"])

    def score(way, m, n):
        query, key, layout = placed(way)
        turned = [pe.rotate(r, p, frequencies=omega, layout=layout) for r, p in ((query, m), (key, n))]
        return turned[0] @ turned[1], turned

    def placed(way):
        if way == "moved":
            return *(pe.relayout(r, source="interleaved", to="halves") for r in rows.values()), "halves"
        return *rows.values(), {"neighbours": "interleaved", "halves": "halves"}[way]

    def sizes(layout):
        """How long the pairs of query and key are, multiplied and added: no turn gives a larger score."""
        lengths = [
            np.linalg.norm(pe.relayout(row, source=layout, to="interleaved").reshape(-1, 2), axis=1)
            for row in rows.values()
        ]
        return lengths[0] @ lengths[1]

    bound = max(sizes("interleaved"), sizes("halves"))

    def place(way, m, n):
        return [24 + 280 * (n - m + MOST) / (2 * MOST), 54 - 46 * score(way, m, n)[0] / bound]

    layout = placed(way)[2]
    total, turned = score(way, m, n)
    query, key = (pe.relayout(row, source=layout, to="interleaved").reshape(-1, 2) for row in turned)
    hands = []
    for a, b in zip(key, query, strict=True):
        hands += [[x / np.hypot(x, y), -y / np.hypot(x, y)] for x, y in (a, b)]
    ahead = (key @ [1, 1j]) * (query @ [1, -1j])
    pairs = pe.permutation(8, source=layout, to="interleaved").reshape(-1, 2)
    steps = range(-MOST, MOST + 1)
    return {
        "positions": [str(m), str(n)],
        "heard": [f"position {m}", f"position {n}"],
        "scores": [written(score(other, m, n)[0]) for other in WAYS],
        "columns": [f"{a} and {b}" for a, b in pairs],
        "angles": [f"{written(x, 0).replace('−180', '180')}°" for x in np.degrees(np.angle(ahead))],
        "products": [written(value) for value in (query * key).sum(axis=1)],
        "said": [f"At n − m = {written(n - m, 0)} the score is {written(total)}.{answer(given, m, n)}"],
        "hands": hands,
        "points": [place(kind, m, n) for kind in ("neighbours", "halves")],
        "curves": [[place(kind, max(-r, 0), max(r, 0)) for r in steps] for kind in ("neighbours", "halves")],
        "faint": [way == "halves", way != "halves"],
    }


def answer(given, m, n):
    """What is said of the question: other positions with the score of those at the beginning."""
    difference = given["n"] - given["m"]
    other = n - m == difference and m != given["m"]
    return f" Answered: any two with n − m = {written(difference, 0)}." if other else ""


def open_whole(look, page, home):
    """The page, at the stage with all pairs; it begins with one."""
    look.open_settled(page, home + PAGE)
    page.get_by_label("Show").select_option(WHOLE)


def said_of_one(given, way, m, n):
    """The sentence on the first pair, from Python."""
    omega, layout = given["frequencies"], "interleaved" if way == "neighbours" else "halves"
    pairs = []
    for name in ("query", "key"):
        row = np.array(given[name], dtype=float)
        row = pe.relayout(row, source="interleaved", to="halves") if way == "moved" else row
        pairs.append(complex(*pe.relayout(row, source=layout, to="interleaved")[:2]))
    query, key = pairs
    turned = key * np.exp(1j * (n - m) * omega[0]) * query.conjugate()
    degrees = {
        name: f"{written(np.degrees(x), 0).replace('−180', '180')}°"
        for name, x in (("before", np.angle(key * query.conjugate())), ("after", np.angle(turned)))
    }
    turn = f"{written(np.degrees((n - m) * omega[0]), 0)}°"
    return (
        f"From query to key it was {degrees['before']}. n − m = {written(n - m, 0)} tokens turn it by {turn} "
        f"({np.degrees(omega[0]):.1f}° each). Without whole turns it is {degrees['after']} now, and the pair "
        f"adds {written(turned.real)}.{answer(given, m, n)}"
    )


def differing(page, given, way, m, n):
    """What the page shows that is not Python's."""
    state, right = page.evaluate(STATE), expected(given, way, m, n)
    exact = ("hands", "points", "curves")
    assert state.keys() == right.keys()
    return [
        (name, m, n, way)
        for name in right
        if (
            np.shape(state[name]) != np.shape(right[name])
            or not np.allclose(state[name], right[name], rtol=0, atol=0.0051 if name != "hands" else 6e-5)
            if name in exact
            else state[name] != right[name]
        )
    ]


def moved(page, way, m, n, by_keys):
    """Move the sliders and choose, with the keyboard or as a pointer does."""
    for name, value in (("Query at m", m), ("Key at n", n)):
        slider = page.get_by_label(name)
        if not by_keys:
            slider.fill(str(value))
            continue
        slider.focus()
        near_end = value > MOST / 2
        page.keyboard.press("End" if near_end else "Home")
        for _ in range(MOST - value if near_end else value):
            page.keyboard.press("ArrowLeft" if near_end else "ArrowRight")
    page.get_by_label("Show").select_option(way)


SETTINGS = [(0, 0), (63, 0), (0, 63), (63, 63), (17, 17), (5, 2), (2, 5), (62, 1), (40, 43), (12, 50)]


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_what_is_shown_is_what_python_computes(look, browser, home, given, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    errors = look.collect_errors(page, home)
    open_whole(look, page, home)
    wrong = differing(page, given, "neighbours", given["m"], given["n"])
    for number, (m, n) in enumerate(SETTINGS if width == 1300 else SETTINGS[:4]):
        for way in WAYS:
            moved(page, way, m, n, by_keys=number % 2 == 1)
            wrong += differing(page, given, way, m, n)
    assert wrong == []
    assert errors + look.list_overflowing(page) == []
    small = page.evaluate(LOW_CONTROLS)
    assert small == []
    page.close()


SEEN = """() => [...document.querySelectorAll(
    "pe-rotary .live :is(.control, .dials > div, .curves, .scores, details)")].filter((e) =>
    e.checkVisibility()).map((e) => e.getAttribute("class") || e.localName)"""
ONE = ["control is-m", "control is-n", "control", "div"]


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_it_begins_with_one_pair_and_its_angle(look, browser, home, given, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 640}, color_scheme=scheme)
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + PAGE)
    assert page.evaluate(SEEN) == ONE
    wrong = []
    for m, n in [(given["m"], given["n"]), *SETTINGS]:
        page.get_by_label("Query at m").fill(str(m))
        page.get_by_label("Key at n").fill(str(n))
        state, right = page.evaluate(STATE), expected(given, "neighbours", m, n)
        wrong += [(m, n)] * (state["said"] != [said_of_one(given, "neighbours", m, n)])
        wrong += [(m, n, name) for name in ("positions", "angles", "products") if state[name] != right[name]]
        wrong += [(m, n, "hands")] * (not np.allclose(state["hands"], right["hands"], rtol=0, atol=6e-5))
    assert wrong == []
    assert errors + look.list_overflowing(page) + page.evaluate(LOW_CONTROLS) == []
    moved(page, "halves", 5, 2, by_keys=False)
    assert len(page.evaluate(SEEN)) == 3 + 4 + 1 + 1 + 1
    page.get_by_label("Show").select_option("one")
    assert page.evaluate(SEEN) == ONE
    assert page.evaluate(STATE)["said"] == [said_of_one(given, "neighbours", 5, 2)]
    page.close()


ONE_PLANTED = {
    "turn of a token": ("(this.given.frequencies[0] * 180)", "(this.given.frequencies[0] * 200)"),
    "sign of the difference": ("product.textContent, n - m)", "product.textContent, m - n)"),
    "angle before": ("[query, key].map((row) => pairs[0]", "[key, query].map((row) => pairs[0]"),
    "angle of another pair": (
        "const [{ angle, product }] = this.dials",
        "const [, { angle, product }] = this.dials",
    ),
}


@pytest.mark.parametrize("name", some_of(ONE_PLANTED, "sign of the difference"))
def test_a_sentence_on_one_pair_that_drifts_is_noticed(look, browser, home, given, name):
    stands, planted = ONE_PLANTED[name]
    text = (SCRIPTS / "rotary.js").read_text(encoding="utf-8")
    assert text.count(stands) == 1
    page = browser.new_page()
    serve_instead(page, "rotary.js", body=text.replace(stands, planted), content_type="text/javascript")
    look.open_settled(page, home + PAGE)
    said = page.evaluate(STATE)["said"]
    page.close()
    assert said != [""]
    assert said != [said_of_one(given, "neighbours", given["m"], given["n"])]


def test_both_move_and_no_score_changes(look, browser, home, given):
    page = browser.new_page()
    open_whole(look, page, home)
    before = page.evaluate(STATE)
    page.get_by_role("button", name="Both one on").click()
    assert differing(page, given, "neighbours", given["m"] + 1, given["n"] + 1) == []
    after = page.evaluate(STATE)
    assert (before["scores"], before["points"]) == (after["scores"], after["points"])
    assert after["said"][0] == before["said"][0] + answer(given, given["m"] + 1, given["n"] + 1)
    assert before["hands"] != after["hands"]
    back = page.get_by_role("button", name="Both one back")
    for _ in range(given["n"] + 1):  # the key stops at the beginning, and so does the query
        assert back.is_enabled()
        back.click()
    assert back.is_disabled()
    assert differing(page, given, "neighbours", given["m"] - given["n"], 0) == []
    page.close()


def test_rows_can_be_edited_and_a_slip_is_told_in_words(look, browser, home, given):
    page = browser.new_page()
    open_whole(look, page, home)
    page.get_by_text("Other numbers").click()
    mine = {**given, "query": [1, 0.5, 2, 1, 2, 1, -1, -1.5], "key": [1, 2, 0.5, 3, 0.5, 1, 3, 1]}
    for name in ("query", "key"):
        page.get_by_label(f"Numbers of the {name}").fill(", ".join(f"{x:g}" for x in mine[name]))
    assert differing(page, mine, "neighbours", given["m"], given["n"]) == []
    for slip in ("", "1, 2", "1, 2, 3, 4, 5, 6, 7, x"):
        page.get_by_label("Numbers of the key").fill(slip)
        told = page.locator(".live .wrong").text_content()
        assert told == "The key wants 8 numbers between −100 and 100, with commas between them."
        assert differing(page, mine, "neighbours", given["m"], given["n"]) == []
    page.get_by_label("Numbers of the query").fill("1")
    page.get_by_label("Numbers of the key").fill(", ".join(f"{x:g}" for x in mine["key"]))
    told = page.locator(".live .wrong").text_content()  # of the row that is still wrong
    assert told == "The query wants 8 numbers between −100 and 100, with commas between them."
    page.close()


def test_typed_numbers_and_the_curve_stand_on_one_screen(look, browser, home):
    page = browser.new_page(viewport={"width": 360, "height": 640})
    open_whole(look, page, home)
    page.get_by_text("Other numbers").click()
    tall = page.evaluate("""() => {
        const at = (selector) => document.querySelector(`pe-rotary .live ${selector}`).getBoundingClientRect()
        return at(".wrong").bottom - at(".dials").top
    }""")
    page.close()
    assert tall <= 1.05 * 640


PLANTED = {
    "columns of a pair": ("rotary-maths.js", "[2 * i, 2 * i + 1]", "[2 * i + 1, 2 * i]"),
    "sign of the turn": ("rotary-maths.js", "position * frequencies[i]", "-position * frequencies[i]"),
    "cosine and sine": ("rotary-maths.js", "[cos, sin]", "[sin, cos]"),
    "columns moved": ("rotary-maths.js", "i % 2 === 0", "i % 2 === 1"),
    "label alone": ("explorer.js", "seen(input.value)", "+input.value + 1"),
    "what is heard alone": ("rotary.js", "`position ${value}`", "`position ${most}`"),
    "sentence alone": ("rotary.js", "`At n − m = ${written(n - m, 0)}", "`At n − m = ${written(m - n, 0)}"),
    "answer's sentence alone": ("rotary.js", "m !== +asked[0]", "m === +asked[0]"),
    "scores alone": ("rotary.js", "written(this.score(way, m, n))))", "written(this.score(way, n, m))))"),
    "hands alone": ("rotary.js", "(-b / length)", "(b / length)"),
    "point alone": ("rotary.js", "this.across(n - m)", "this.across(m - n)"),
    "angle alone": ("rotary-maths.js", "* 180) / Math.PI", "* 200) / Math.PI"),
    "curve alone": ("rotary.js", "Math.max(-r, 0), Math.max(r, 0)", "Math.max(r, 0), Math.max(-r, 0)"),
}


def serve_instead(page, file, **answer):
    page.route(f"**/explorers/{file}", lambda route: route.fulfill(**answer))


@pytest.mark.parametrize("name", some_of(PLANTED, "sign of the turn", "hands alone"))
def test_a_script_that_drifts_is_noticed(look, browser, home, given, name):
    file, stands, planted = PLANTED[name]
    text = (SCRIPTS / file).read_text(encoding="utf-8")
    assert text.count(stands) == 1
    page = browser.new_page()
    serve_instead(page, file, body=text.replace(stands, planted), content_type="text/javascript")
    open_whole(look, page, home)
    wrong = []
    for way in WAYS:
        for m, n in ((17, 40), (8, 5)):
            moved(page, way, m, n, by_keys=False)
            wrong += differing(page, given, way, m, n)
    page.close()
    parts = {part for part, *_ in wrong}
    assert len(parts) == 1 if name.endswith("alone") else parts


# ---- its colours, and what pages hold


def test_colours_are_those_of_the_page(look, browser, home):
    page = browser.new_page(color_scheme="dark")
    open_whole(look, page, home)
    dark = page.evaluate(LIVE_COLOURS)
    assert set(dark) == set(page.evaluate(COLOURS))
    page.get_by_role("button", name="Dark colours").click()
    light = page.evaluate(LIVE_COLOURS)
    assert set(light) == set(page.evaluate(COLOURS))
    assert not set(light) & set(dark)
    page.close()


CONTRASTS = """() => {
    const numbers = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number)
    const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
    const shares = [0.2126, 0.7152, 0.0722]
    const light = (colour) => shares.reduce((sum, by, i) => sum + by * linear(colour[i] / 255), 0.05)
    const paper = numbers(getComputedStyle(document.body).backgroundColor)
    return [...document.querySelectorAll("pe-rotary .curves g")].map((e) => {
        const part = Number(getComputedStyle(e).opacity)
        const colour = numbers(getComputedStyle(e.querySelector("path")).stroke)
        const both = [light(colour.map((x, i) => part * x + (1 - part) * paper[i])), light(paper)]
        return Math.max(...both) / Math.min(...both)
    })
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_curve_that_is_not_chosen_can_be_seen(look, browser, home, scheme):
    page = browser.new_page(color_scheme=scheme)
    open_whole(look, page, home)
    seen = []
    for way in ("neighbours", "halves"):
        moved(page, way, 5, 2, by_keys=False)
        seen += page.evaluate(CONTRASTS)
    page.close()
    assert min(seen) >= 3, seen  # WCAG 1.4.11


def test_a_page_loads_what_its_explorers_need_and_no_more(pages):
    rules = tomllib.loads((REPO / "docs/_ext/page/shipped.toml").read_text(encoding="utf-8"))["explorers"]
    wrong, seen = {}, set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        shown = set(re.findall(r"<(pe-[a-z-]+) data-given=", text))
        loaded = re.findall(r'"[./]*_static/(explorers/[^"]+)"', text.partition("</head>")[0])
        if sorted(loaded) != sorted({file for element in shown for file in rules[element]}):
            wrong[page.name] = loaded
        seen |= shown
    assert wrong == {}
    assert seen == rules.keys()


def test_the_page_holds_what_python_gives(site, given):
    text = page_of(site, PAGE).read_text(encoding="utf-8").partition('data-given="')[2].partition('"')[0]
    assert json.loads(text.replace("&quot;", '"')) == given
