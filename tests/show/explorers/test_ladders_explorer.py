"""The explorer of ladders without a browser: its frequencies and its verdicts beside Python's."""

import random

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.family.context_extension import first_new, in_new_angles
from pe_book.family.context_extension.interpolation import turns
from pe_book.show.family.scaled_ladders import wavelengths
from tests.show.scripts import asked, script

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


def test_the_scripts_compute_as_python_does(given):
    cases = settings(60, 7)
    found = asked(f"cases.map({FOUND})", f"{MATHS}\n{ELEMENT}", cases=cases, given=given)
    for each, answer in zip(cases, found, strict=True):
        trained, length = each["fields"]["trained"], each["fields"]["asked"]
        assert answer["rows"].keys() == given["ways"].keys()
        for way, row in answer["rows"].items():
            omega, scaled = python_of(way, each)
            np.testing.assert_allclose(row["scaled"], scaled, rtol=1e-12, err_msg=way)
            gone = turns(omega, trained) >= 1
            fates = np.where(gone, "round", "old").astype(object)
            fates[in_new_angles(omega, scaled, trained, length)] = "new"
            assert row["fates"] == fates.tolist(), way
            reach = None if gone.all() else first_new(omega, scaled, trained)  # JSON has no Infinity
            assert row["reach"] == (reach and pytest.approx(reach, rel=1e-12)), way
