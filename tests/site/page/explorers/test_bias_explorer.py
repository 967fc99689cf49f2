"""The explorer of biases in Chromium: real controls are moved, and every number, cell and dot is Python's."""

import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pytest

import pe_book as pe
from tests.site.conftest import page_of
from tests.site.page.explorers.conftest import WINDOWS, some_of

REPO = Path(__file__).resolve().parents[4]
PAGE = "family/score-bias.html"
SCRIPTS = REPO / "docs" / "_static" / "explorers"
KINDS = {"slope": "ALiBi, a slope", "table": "T5, a table", "window": "A window"}
STATE = """() => {
    const live = document.querySelector("pe-bias .live")
    const all = (selector) => [...live.querySelectorAll(selector)]
    const texts = (selector) => all(selector).map((e) => e.textContent)
    const shown = all(".control:has(input)").filter((e) => e.checkVisibility())
    return {
        controls: shown.map((e) => [...["label", ".number"].map((one) => e.querySelector(one).textContent),
            e.querySelector("input").ariaValueText]),
        keys: texts(".last .keys"),
        points: texts(".last .points"),
        weights: texts(".last .weights"),
        said: texts(".said"),
        cells: all(".biases rect").map((e) =>
            ["x", "y", "fill-opacity"].map((name) => Number(e.getAttribute(name)))),
        dots: all(".biases circle").map((e) =>
            e.checkVisibility() ? [Number(e.getAttribute("cx")), Number(e.getAttribute("cy"))] : null),
    }
}"""
PLANTED = {
    "sign of the offset": ("bias-maths.js", "-slope * (i - j)", "slope * (i - j)"),
    "window off by one": ("bias-maths.js", "i - j < window", "i - j <= window"),
    "bucket off by one": ("bias-maths.js", "begin <= distance", "begin < distance"),
    "order of slopes": ("bias.js", "[head.value - 1]", "[heads.value - head.value]"),
    "keys alone": ("bias.js", "cell.textContent = j", "cell.textContent = j + 1"),
    "points alone": ("bias.js", "written(added, 1)", "written(-added, 1)"),
    "weights alone": ("bias.js", "written(weights[j])", "written(weights[0])"),
    "said alone": ("bias.js", "Math.LN2 / slope", "1 / slope"),
    "cells alone": ("bias.js", "rows[i].weights[j].toFixed", "rows[i].weights[i - j].toFixed"),
    "dots alone": ("bias.js", "this.down(Math.max(added, -8))", "this.down(-Math.max(added, -8))"),
    "said of the first of equals alone": ("bias.js", "weight === top ?", "j === weights.lastIndexOf(top) ?"),
    "said of the answer alone": ("bias.js", "weights[0] >= weights", "weights[0] <= weights"),
    "controls alone": ("explorer.js", "seen(input.value)", "input.max"),
}


@pytest.fixture(scope="module")
def given():
    if str(REPO) not in sys.path:
        sys.path.insert(0, str(REPO))
    from pe_book.show.family.moved_biases import last_word

    return last_word().given


def written(x, digits=2):
    """As scripts round: what lies halfway goes away from zero."""
    text = str(Decimal(float(x)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def expected(given, kind, heads, head, window, sinks):
    """All that the explorer shows at a setting, from Python."""
    words = given["words"]
    places = range(words)
    slope = pe.alibi_slopes(heads)[head - 1]
    if kind == "slope":
        bias = pe.alibi_bias([slope], places, places)[0]
    elif kind == "table":
        numbers = np.array(given["numbers"])[:, None]
        bias = pe.t5_bias(numbers, places, places, max_distance=words, bidirectional=False)[0]
    else:
        bias = np.where(pe.window_mask(places, places, window=window, sinks=sinks), 0, -np.inf)
    seen = np.isfinite(bias) & np.tri(words, dtype=bool)
    powers = np.where(seen, np.exp(bias), 0)
    weights = powers / powers.sum(axis=1, keepdims=True)
    last, row = weights[-1], np.where(seen[-1], bias[-1], -np.inf)
    *others, farthest = sorted(words - 1 - int(j) for j in np.flatnonzero(np.isclose(last, last.max())))
    favourites = f"words {', '.join(map(str, others))} and {farthest}" if others else f"word {farthest}"
    each = " each" if others else ""
    controls = {
        "slope": [["Heads", str(heads), f"{heads} heads"], ["Head", str(head), f"{head} of {heads}"]],
        "table": [],
        "window": [
            ["Words in the window", str(window), f"{window} words"],
            ["First words kept", str(sinks), f"{sinks} words"],
        ],
    }[kind]
    said = {
        "slope": f"Head {head} of {heads}: slope {slope:.4f}, so a weight halves every "
        f"{np.log(2) / slope:.1f} tokens.",
        "table": f"The last word looks most at the {favourites} back, with weight {last.max():.2f}{each}.",
        "window": f"The last word sees {seen[-1].sum()} of {words} words, each with weight {last.max():.2f}.",
    }[kind]
    if last[0] >= last[-1] * (1 - 1e-12):
        said += f" Answered: both have weight {last[0]:.2f}."
    dots = [
        [186 + 114 * n / (words - 1), 24 + 114 * (3 - max(row[words - 1 - n], -8)) / 11]
        if seen[-1, words - 1 - n] else None
        for n in places
    ]  # fmt: skip
    return {
        "controls": controls,
        "keys": [str(j) for j in places],
        "points": [written(x, 1) if np.isfinite(x) else "−∞" for x in row],
        "weights": [written(x) for x in last],
        "said": [said],
        "cells": [[20 + 12 * j, 18 + 12 * i, weights[i, j]] for i in places for j in range(i + 1)],
        "dots": dots,
    }


def differing(page, given, *setting):
    """What the page shows that is not Python's."""
    state, right = page.evaluate(STATE), expected(given, *setting)
    assert state.keys() == right.keys()
    wrong = [name for name in right if name not in ("cells", "dots") and state[name] != right[name]]
    if not np.allclose(state["cells"], right["cells"], rtol=0, atol=6e-5):
        wrong.append("cells")
    same = [
        (a is None) == (b is None) and (a is None or np.allclose(a, b, rtol=0, atol=0.0051))
        for a, b in zip(state["dots"], right["dots"], strict=True)
    ]
    return wrong if all(same) else [*wrong, "dots"]


def choose(page, kind, heads, head, window, sinks, by_keys=False):
    """Choose a kind and move its sliders, with the keyboard or as a pointer does."""
    page.get_by_label("Added to scores").select_option(label=KINDS[kind])
    names = {"slope": {"Heads": heads, "Head": head}, "table": {},
             "window": {"Words in the window": window, "First words kept": sinks}}[kind]  # fmt: skip
    for name, value in names.items():
        slider = page.locator("pe-bias").get_by_label(name, exact=True)
        if not by_keys:
            slider.fill(str(value))
            continue
        slider.focus()
        page.keyboard.press("Home")
        for _ in range(value - int(slider.get_attribute("min"))):
            page.keyboard.press("ArrowRight")


SETTINGS = [
    ("slope", 8, 3, 4, 1), ("slope", 12, 9, 4, 1), ("slope", 1, 1, 4, 1), ("slope", 16, 16, 4, 1),
    ("slope", 6, 5, 4, 1), ("table", 6, 5, 4, 1), ("window", 6, 5, 4, 1), ("window", 6, 5, 1, 0),
    ("window", 6, 5, 10, 4), ("window", 6, 5, 3, 4),
]  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_what_is_shown_is_what_python_computes(look, browser, home, given, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + PAGE)
    first = ("slope", given["heads"], given["head"], given["window"], given["sinks"])
    wrong = differing(page, given, *first)
    for number, setting in enumerate(SETTINGS):
        choose(page, *setting, by_keys=number % 2 == 1)
        wrong += [(setting, part) for part in differing(page, given, *setting)]
    assert wrong == []
    assert errors + look.list_overflowing(page) == []
    page.close()


def test_fewer_heads_take_the_last_head(look, browser, home, given):
    page = browser.new_page()
    look.open_settled(page, home + PAGE)
    choose(page, "slope", 16, 16, 4, 1)
    page.locator("pe-bias").get_by_label("Heads", exact=True).fill("4")
    assert differing(page, given, "slope", 4, 4, 4, 1) == []
    page.close()


@pytest.mark.parametrize("name", some_of(PLANTED, "window off by one", "cells alone"))
def test_a_script_that_drifts_is_noticed(look, browser, home, given, name):
    file, stands, planted = PLANTED[name]
    text = (SCRIPTS / file).read_text(encoding="utf-8")
    assert text.count(stands) == 1
    page = browser.new_page()
    page.route(
        f"**/explorers/{file}",
        lambda route: route.fulfill(body=text.replace(stands, planted), content_type="text/javascript"),
    )
    look.open_settled(page, home + PAGE)
    wrong = set()
    for setting in SETTINGS:
        choose(page, *setting)
        wrong |= set(differing(page, given, *setting))
    page.close()
    assert wrong == {name.split()[0]} if name.endswith("alone") else wrong


def test_the_page_holds_what_python_gives(site, given):
    text = page_of(site, PAGE).read_text(encoding="utf-8").partition('<pe-bias data-given="')[2]
    assert json.loads(text.partition('"')[0].replace("&quot;", '"')) == given
