"""The explorer of ladders without a browser: its frequencies and its verdicts beside Python's."""

import random

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.family.context_extension import first_new, in_new_angles
from pe_book.family.context_extension.interpolation import turns
from pe_book.show.family.scaled_ladders import wavelengths
from tests.show.scripts import asked, script, with_planted

MATHS = script("ladders-maths.js")
ELEMENT = f"const customElements = {{ define() {{}} }}\n{script('ladders.js')}"
METHODS = {
    "linear": {"method": "linear"}, "ntk": {"method": "ntk"}, "dynamic": {"method": "dynamic"},
    "yarn": {"method": "yarn"}, "library": {"method": "yarn", "ramp": "library"},
    "llama3": {"method": "llama3"},
}  # fmt: skip
FOUND = (
    "({ fields, method, options }) => Ladders.prototype.found.call({ given }, { fields, method, options })"
)


@pytest.fixture(scope="module")
def given():
    return wavelengths(128, 4096, 8).given


def settings(count, seed):
    """Heads, lengths and factors that nobody chose, and the options of a config with each."""
    dice = random.Random(seed)
    found = []
    for number in range(count):
        trained = dice.choice([16, 1000, 2048, 8191, 32768, 1_010_000])
        fields = {
            "width": dice.choice([4, 6, 24, 64, 96, 128, 256]),
            "base": dice.choice([2, 1000, 10000.0, 150000, 5e5, 1e7, 9.9e11]),
            "trained": trained,
            "asked": int(trained * dice.choice([0.5, 1, 1.7, 8, 64])),
        }
        if number % 3:
            fields["factor"] = dice.choice([1, 1.5, 4, 8.25, 40])
        slow = dice.choice([0.25, 1, 2])
        yarn = {
            "beta_fast": slow + dice.choice([0.5, 31, 60]),
            "beta_slow": slow,
            "truncate": number % 2 == 0,
        }
        llama = {"low_freq_factor": slow, "high_freq_factor": slow * dice.choice([1.5, 4, 16])}
        method = dice.choice(["library", "llama3"])
        found.append({"fields": fields, "method": method, "options": yarn if method == "library" else llama})
    return found


def python_of(way, each):
    """Frequencies of one of the ways, from the package."""
    fields = each["fields"]
    omega = pe.frequencies(fields["width"], base=fields["base"])
    if way == "none":
        return omega, omega
    options = dict(METHODS[each["method"] if way == "config" else way])
    if options["method"] not in ("linear", "ntk"):
        options["original_len"] = fields["trained"]
    if way == "dynamic":
        options["length"] = fields["asked"]
    if way == "config":
        options |= each["options"]
    factor = fields.get("factor", max(1, fields["asked"] / fields["trained"]))
    return omega, pe.scale_frequencies(omega, factor=factor, **options)[0]


def drifted(given, text=MATHS, element=ELEMENT, count=60):
    """What the explorer has another way than Python."""
    cases = settings(count, 7)
    found = asked(f"cases.map({FOUND})", f"{text}\n{element}", cases=cases, given=given)
    wrong = set()
    for each, answer in zip(cases, found, strict=True):
        trained, length = each["fields"]["trained"], each["fields"]["asked"]
        assert answer["rows"].keys() == given["ways"].keys()
        for way, row in answer["rows"].items():
            omega, scaled = python_of(way, each)
            if not np.allclose(row["scaled"], scaled, rtol=1e-12, atol=0):
                wrong.add(f"{way} frequencies")
            gone = turns(omega, trained) >= 1
            fates = np.where(gone, "round", "old").astype(object)
            fates[in_new_angles(omega, scaled, trained, length)] = "new"
            if row["fates"] != fates.tolist():
                wrong.add("fates")
            reach = None if gone.all() else first_new(omega, scaled, trained)  # JSON has no Infinity
            if row["reach"] is None or reach is None:
                wrong |= set() if row["reach"] is reach else {"reach"}
            elif not np.isclose(row["reach"], reach, rtol=1e-12):
                wrong.add("reach")
    return wrong


def test_the_scripts_compute_as_python_does(given):
    assert drifted(given) == set()


PLANTED = [
    ("(-2 * i) / width", "(-2 * i) / (width - 2)"),
    ("(rate * length) / (2 * Math.PI)", "(rate * length) / Math.PI"),
    ("(-i / (omega.length - 1))", "(-i / omega.length)"),
    ("(counts[i] - slow) / (fast - slow)", "(counts[i] - slow) / fast"),
    ("if (truncate)", "if (!truncate)"),
    ("(factor * asked) / trained - (factor - 1)", "(factor * asked) / trained"),
    ("beta_fast = 32", "beta_fast = 16"),
    ("(trained * omega[i]) / scaled[i]", "(trained * scaled[i]) / omega[i]"),
    ("count < 1 ?", "count < 2 ?"),
]


@pytest.mark.parametrize(("stands", "planted"), PLANTED)
def test_another_formula_is_noticed(given, stands, planted):
    assert drifted(given, with_planted(MATHS, stands, planted))


@pytest.mark.parametrize(
    ("stands", "planted"),
    [("asked > end * (1 + 1e-9)", "asked > end"), ("Math.min(...ends)", "Math.max(...ends)")],
)
def test_another_verdict_is_noticed(given, stands, planted):
    assert drifted(given, element=with_planted(ELEMENT, stands, planted))
