"""The explorer of ladders in Chromium: every number and mark against Python, typed or pasted."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import pe_book as pe
from tests.site.page.explorers.conftest import some_of

REPO = Path(__file__).resolve().parents[4]
PAGE = "family/context-extension.html"
SCRIPTS = REPO / "docs" / "_static" / "explorers"
CONFIGS = REPO / "pe_book" / "evidence" / "family" / "configs"
STATE = """() => {
    const live = document.querySelector("pe-ladders .live")
    const all = (selector) => [...live.querySelectorAll(selector)]
    const points = (e) =>
        [...e.getAttribute("d").matchAll(/([0-9.]+) ([0-9.]+)/g)].map((at) => [+at[1], +at[2]])
    const shown = all("option").filter((e) => !e.hidden)
    const [slider, paths] = [live.querySelector("[type=range]"), {}]
    for (const e of all("svg path:not(.axis, .chosen, .arc)")) paths[e.getAttribute("class")] = points(e)
    return {
        fields: all("[type=number]").map((e) => e.value || e.placeholder).map(Number),
        times: [slider.ariaValueText, slider.nextSibling.textContent],
        rows: shown.map((e) => e.textContent),
        said: live.querySelector(".said").textContent,
        lines: all("svg text").map((e) => e.textContent).filter((text) => /^(trained|asked) /.test(text)),
        paths,
    }
}"""
NOTE = "() => document.querySelector('pe-ladders details [role=status]').textContent"
WAYS = {
    "As trained": {}, "Interpolated": {"method": "linear"}, "NTK-aware": {"method": "ntk"},
    "Dynamic, at the asked length": {"method": "dynamic"}, "YaRN, ramp of the paper": {"method": "yarn"},
    "YaRN, ramp of libraries": {"method": "yarn", "ramp": "library"}, "Llama 3.1": {"method": "llama3"},
}  # fmt: skip
COLOURS = """() => ["round", "old", "new", "trained"].map((name) =>
    getComputedStyle(document.querySelector(`.live path.${name}`)).stroke)"""


@pytest.fixture(scope="module")
def verdicts():
    if str(REPO) not in sys.path:
        sys.path.insert(0, str(REPO))
    from pe_book.evidence.family import context_extension

    return context_extension


@pytest.fixture
def page(look, browser, home):
    page = browser.new_page(viewport={"width": 390, "height": 900})
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + PAGE)
    yield page
    assert errors + look.list_overflowing(page) == []
    page.close()


def expected(verdicts, chosen, width, base, trained, asked, factor=None, **config):
    """All that the explorer shows, from Python; `config` is a label and the frequencies that go with it."""
    omega = pe.frequencies(width, base=base)
    s = factor or max(1, asked / trained)
    rows, scaled = [], {}
    for name, options in WAYS.items():
        own = dict(options)
        if own and own["method"] not in ("linear", "ntk"):
            own["original_len"] = trained
        if own.get("method") == "dynamic":
            own["length"] = asked
        scaled[name] = pe.scale_frequencies(omega, factor=s, **own)[0] if own else omega
    scaled |= config
    gone = omega * trained / (2 * np.pi) >= 1
    for name, new in scaled.items():
        reach = "∞" if gone.all() else f"{verdicts.first_new(omega, new, trained):,.0f}"
        rows.append((name, str(len(verdicts.in_new_angles(omega, new, trained, asked))), reach))
    new = verdicts.in_new_angles(omega, scaled[chosen], trained, asked)
    reach = next(reach for name, _, reach in rows if name == chosen)
    said = f"{gone.sum()} of {omega.size} pairs have gone round in {trained:,} tokens; "
    said += f"{len(new)} meet new angles in {asked:,}" + (f", the first beyond {reach}" if len(new) else "")

    most = max(np.log10(asked), *(np.log10(2 * np.pi / ladder.min()) for ladder in scaled.values()))

    def down(tokens):
        return 144 - 134 * np.maximum(np.log10(tokens) - 0.5, 0) / (most - 0.5)

    def places(ladder, which=slice(None)):
        across = 32 + 272 * (np.arange(omega.size) + 0.5) / omega.size
        return np.column_stack([across, down(2 * np.pi / ladder)])[which].tolist()

    is_new = np.isin(np.arange(omega.size), new)
    times = f"{float(f'{asked / trained:.3g}'):g} times"
    free = asked > trained and not len(new)
    answer = " Answered: this one does." if free else ""
    return {
        "fields": [width, base, trained, asked, float(f"{s:.6g}")],
        "times": [times, times],
        "rows": [f"{name}: {pairs} beyond {reach}" for name, pairs, reach in rows],
        "said": f"{said}.{answer}",
        "lines": [f"trained {trained:,}", f"asked {asked:,}"],
        "paths": {
            "trained": [[32, down(trained)]],
            "asked": [[32, down(asked)]],
            "before": places(omega),
            "round": places(scaled[chosen], gone),
            "old": places(scaled[chosen], ~gone & ~is_new),
            "new": places(scaled[chosen], is_new),
        },
    }


def differing(page, right):
    """What the page shows that is not Python's."""
    state = page.evaluate(STATE)
    paths = state.pop("paths")
    wrong = {name for name in state if state[name] != right[name]}
    assert state.keys() == right.keys() - {"paths"}
    assert paths.keys() == right["paths"].keys()
    for name, points in right["paths"].items():
        if np.shape(paths[name]) != np.shape(points) or not np.allclose(
            paths[name], points, rtol=0, atol=0.0051
        ):
            wrong.add(name)
    return wrong


def typed(page, **fields):
    opened(page, "Another head")
    for label, value in fields.items():
        page.get_by_role("spinbutton", name=label.replace("_", " "), exact=True).fill(str(value))


def opened(page, name):
    fold = page.locator("pe-ladders details").filter(has_text=name)
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()


def pasted(page, text):
    opened(page, "Read a config.json")
    page.get_by_role("textbox", name="Text of a config.json").fill(text)
    page.get_by_role("button", name="Read it").click()
    return page.evaluate(NOTE)


def chosen(page, name):
    value = page.locator("pe-ladders option").evaluate_all(
        "(all, name) => all.find((one) => one.textContent.startsWith(`${name}: `)).value", name
    )
    page.get_by_label("Method", exact=True).select_option(value)


FIRST = {"width": 128, "base": 10000, "trained": 4096, "asked": 32768}
HEADS = [
    {"width": 64, "base": 500000, "trained": 8192, "asked": 131072, "factor": 8},
    {"width": 8, "base": 10000, "trained": 100, "asked": 400},
    {"width": 96, "base": 10000, "trained": 4096, "asked": 2048, "factor": 2.5},
    {"width": 24, "base": 20, "trained": 1_010_000, "asked": 4_040_000},
    {"width": 256, "base": 1e12, "trained": 2, "asked": 130, "factor": 40},
]
NAMES = {
    "width": "Columns_that_turn", "base": "Base", "trained": "Trained_length", "asked": "Asked_length",
    "factor": "Factor",
}  # fmt: skip


def test_what_is_shown_is_what_python_computes(page, verdicts):
    assert differing(page, expected(verdicts, "As trained", **FIRST)) == set()
    for head in HEADS:
        typed(
            page, **{NAMES[key]: value for key, value in {**head, "factor": head.get("factor", "")}.items()}
        )
        for name in WAYS:
            chosen(page, name)
            assert differing(page, expected(verdicts, name, **head)) == set(), (name, head)


def test_the_slider_sets_the_asked_length(page, verdicts):
    chosen(page, "NTK-aware")
    page.get_by_role("slider", name="Asked / trained").focus()
    for key, times in (("ArrowRight", 9), ("End", 64), ("ArrowLeft", 63), ("Home", 1)):
        page.keyboard.press(key)
        assert differing(page, expected(verdicts, "NTK-aware", **{**FIRST, "asked": 4096 * times})) == set()
    page.get_by_label("Method", exact=True).focus()
    page.keyboard.press("ArrowDown")
    name = "Dynamic, at the asked length"
    assert differing(page, expected(verdicts, name, **{**FIRST, "asked": 4096})) == set()


READINGS = {
    "llama-3.1-8b": ("Config: llama3", [128, 500000, 8192, 131072, 8], "Taken."),
    "gpt-oss-20b": ("Config: yarn", [64, 150000, 4096, 131072, 32], "not read: initial_context_length"),
    "vicuna-7b-16k": ("Config: linear", [128, 10000, 4096, 16384, 4], "= 4096 is taken for the trained"),
    "internlm2.5-7b": ("Config: dynamic", [128, 1e6, 32768, 65536, 2], "max_position_embeddings = 32768"),
    "phi-2": ("Config: default", [32, 10000, 2048, 2048, None], "Taken."),
}  # fmt: skip


def test_a_pasted_config_is_shown_as_python_reads_it(page, verdicts):
    for name, (label, numbers, note) in READINGS.items():
        config = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))["config"]
        assert note in pasted(page, json.dumps(config, indent=2))
        head = dict(zip(("width", "base", "trained", "asked", "factor"), numbers, strict=True))
        for asked in (head["asked"], 3 * head["asked"]):
            typed(page, Asked_length=asked)
            read = pe.rotary_from_config(config, length=asked)[-1].frequencies
            assert (
                differing(page, expected(verdicts, label, **{**head, "asked": asked}, **{label: read}))
                == set()
            )
    chosen(page, "Interpolated")
    right = expected(verdicts, "Interpolated", **{**head, "asked": asked}, **{label: read})
    assert differing(page, right) == set()


WRONG = [
    ("{", "JSON"),
    ("[1]", "A config must be a JSON object, got [1]."),
    (
        '{"model_type": "llama", "head_dim": 7}',
        "1 of 7 columns must be an even number from 4 to 4096, got 7.",
    ),
    ('{"head_dim": 64, "rope_theta": 10000}', "model_type must be known here, or a guess such as llama"),
    ('{"model_type": "newmodel", "head_dim": 64}', 'such as llama, got "newmodel".'),
    (
        '{"model_type": "llama", "head_dim": 64, "rope_scaling": {"rope_type": "new", "factor": 2}}',
        'rope_scaling.rope_type must be one of default, mrope, linear, dynamic, yarn, llama3, got "new".',
    ),
    (
        '{"model_type": "llama", "head_dim": 64, "rope_scaling": {"type": "linear", "factor": {"of": 2}}}',
        'rope_scaling.factor must be a number from 1 to 10000, got {"of":2}.',
    ),
]  # fmt: skip


def test_what_cannot_be_read_is_said_and_the_picture_stays(page, verdicts):
    for text, says in WRONG:
        note = pasted(page, text)
        assert note.startswith("Nothing is taken. ")
        assert says in note
        assert differing(page, expected(verdicts, "As trained", **FIRST)) == set()
    page.get_by_role("textbox", name="Text of a config.json").fill("{}")
    assert page.evaluate(NOTE) == ""


def test_what_cannot_be_computed_is_said_and_the_picture_stays(page):
    before = page.evaluate(STATE)
    opened(page, "Another head")
    for label, value, says in (
        ("Columns that turn", "127", "an even number from 4 to 4096, got 127."),
        ("Columns that turn", "", "an even number from 4 to 4096, got nothing."),
        ("Base", "1", "a number from 1.01 to 1000000000000000, got 1."),
        ("Trained length", "0", "a whole number from 1 to 1000000000, got 0."),
        ("Asked length", "-5", "a whole number from 1 to 1000000000, got -5."),
        ("Factor", "0.5", "a number from 1 to 10000, got 0.5."),
    ):
        field = page.get_by_role("spinbutton", name=label, exact=True)
        stood = field.input_value()
        field.fill(value)
        state = page.evaluate(STATE)
        assert state["said"] == f"{label} must be {says}"
        assert (state["rows"], state["paths"]) == (before["rows"], before["paths"])
        field.fill(stood)
        assert page.evaluate(STATE) == before


LOOK = """() => {
    const live = document.querySelector("pe-ladders .live")
    const numbers = (text) => text.match(/-?[0-9.]+/g).map(Number)
    const hand = live.querySelector(".asked-hand")
    return {
        told: live.querySelector(".told").textContent,
        arc: numbers(live.querySelector(".arc").getAttribute("d")).slice(-2),
        hand: ["x2", "y2"].map((name) => Number(hand.getAttribute(name))),
        chosen: numbers(live.querySelector(".chosen").getAttribute("d"))[0],
    }
}"""


def looked_at(i, method):
    """What the explorer says of a pair of the first head, from Python."""

    def short(x):
        return f"{float(f'{x:.3g}'):g}" if x < 10 else f"{x:,.0f}"

    omega = pe.frequencies(128)
    now = pe.scale_frequencies(omega, method=method, factor=8)[0] if method else omega
    met, stands = 4096 * omega[i] / (2 * np.pi), 32768 * now[i] / (2 * np.pi)
    waves = [short(2 * np.pi / ladder[i]) for ladder in (omega, now)]
    told = f"Pair {i}: one turn in {waves[0]} tokens as trained, in {waves[1]} now. "
    told += f"Training took it {short(met)} times round, 32,768 tokens take it {short(stands)} times."
    points = [[np.cos(2 * np.pi * x), -np.sin(2 * np.pi * x)] for x in (min(met, 1), stands)]
    return told, *points, 32 + 272 * (i + 0.5) / 64


@pytest.mark.parametrize(
    ("name", "method"), [("As trained", None), ("NTK-aware", "ntk"), ("Interpolated", "linear")]
)
def test_a_pair_is_looked_at_with_its_dial(page, name, method):
    chosen(page, name)
    slider = page.get_by_role("slider", name="Look at pair")
    for i in (0, 45, 46, 63):
        slider.fill(str(i))
        state, (told, arc, hand, at) = page.evaluate(LOOK), looked_at(i, method)
        assert state["told"] == told
        np.testing.assert_allclose(state["arc"], arc, atol=1e-4)
        np.testing.assert_allclose(state["hand"], hand, atol=1e-4)
        np.testing.assert_allclose(state["chosen"], at, atol=0.006)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(LOOK)["told"] == looked_at(62, method)[0]


def test_a_pair_is_chosen_by_a_tap_on_the_curve(page):
    picture = page.locator("pe-ladders .live svg:not(.dial)")
    box = picture.bounding_box()
    picture.click(position={"x": box["width"] * looked_at(50, None)[3] / 312, "y": box["height"] / 2})
    assert page.evaluate(LOOK)["told"] == looked_at(50, None)[0]


def test_nothing_is_read_from_nothing(page):
    opened(page, "Read a config.json")
    button = page.get_by_role("button", name="Read it")
    assert button.is_disabled()
    page.get_by_role("textbox", name="Text of a config.json").fill("{}")
    assert button.is_enabled()
    page.get_by_role("textbox", name="Text of a config.json").fill(" ")
    assert button.is_disabled()


def test_what_a_control_changes_stands_on_its_screen(look, browser, home):
    page = browser.new_page(viewport={"width": 360, "height": 640})
    look.open_settled(page, home + PAGE)
    tall = page.evaluate("""() => {
        const live = document.querySelector("pe-ladders .live")
        const at = (selector) => live.querySelector(selector).getBoundingClientRect()
        const tall = []
        for (const fold of live.querySelectorAll("details")) {
            fold.open = true
            tall.push(at("svg:not(.dial)").bottom - fold.getBoundingClientRect().top)
        }
        return [...tall, live.querySelectorAll("details[open]").length]
    }""")
    page.close()
    assert max(tall[:-1]) <= 1.05 * 640, tall
    assert tall[-1] == 1  # one fold closes the other


PLANTED = {
    "marks alone": ("const marks = places(scaled)", "const marks = places(omega)"),
    "line alone": ('places(omega).join("L")', 'places(scaled).join("L")'),
    "sentence alone": ("of ${omega.length} pairs", "of ${omega.length + 1} pairs"),
    "list alone": ("grouped(row.reach)", "grouped(row.reach + 1)"),
    "answer alone": ("asked > trained && !count", "asked < trained && !count"),
    "guide alone": ("down(Math.log10(tokens))", "down(Math.log10(tokens) + 0.1)"),
    "label alone": ("${name} ${grouped(tokens)}", "${name} ${grouped(asked)}"),
    "slider alone": ("= `${times} times`", "= `${factor} times`"),
    "fates": ('"round" : asked >', '"round" : trained >'),
    "factor": ("fields.factor ?? Math.max", "Math.max"),
}


@pytest.mark.parametrize("name", some_of(PLANTED, "marks alone", "factor"))
def test_a_script_that_drifts_is_noticed(look, browser, home, verdicts, name):
    stands, planted = PLANTED[name]
    text = (SCRIPTS / "ladders.js").read_text(encoding="utf-8")
    assert text.count(stands) == 1
    page = browser.new_page()
    page.route(
        "**/explorers/ladders.js",
        lambda route: route.fulfill(body=text.replace(stands, planted), content_type="text/javascript"),
    )
    look.open_settled(page, home + PAGE)
    typed(page, Factor=6)
    wrong = set()
    for way in ("NTK-aware", "YaRN, ramp of the paper", "Llama 3.1"):
        chosen(page, way)
        wrong |= differing(page, expected(verdicts, way, **FIRST, factor=6))
    typed(page, Factor="")
    chosen(page, "Interpolated")
    wrong |= differing(page, expected(verdicts, "Interpolated", **FIRST))
    page.close()
    assert wrong


def test_colours_are_those_of_the_page(look, browser, home):
    page = browser.new_page(color_scheme="dark")
    look.open_settled(page, home + PAGE)
    dark = page.evaluate(COLOURS)
    page.get_by_role("button", name="Dark colours").click()
    light = page.evaluate(COLOURS)
    assert len(set(light)) == len(set(dark)) == 4
    assert not set(light) & set(dark)
    page.close()
