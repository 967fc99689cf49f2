"""Holds the methods of context extension to their word, each against its own formula written another way."""

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

import pe_book as pe
from pe_book.census import census
from pe_book.family.context_extension import ALLOWED, METHODS, NEEDED, Method, scale_frequencies
from pe_book.family.context_extension.divisors import longrope, longrope_temperature
from pe_book.family.context_extension.interpolation import dynamic_factor, interpolated, ntk_aware, turns
from pe_book.family.context_extension.lengths import RULES, length_factor
from pe_book.family.context_extension.ramps import index_of, llama3, temperature, yarn
from tests.seeds import examples_drawn

# what is planted in the package has to move a number of the chapter
PLANTED = {
    "exponent": [
        ("pe_book/family/context_extension/interpolation.py", "np.arange(omega.size) / (omega.size - 1))",
         "np.arange(omega.size) / omega.size)"),
    ],
    "ramp": [
        ("pe_book/family/context_extension/ramps.py", "(turns(omega, length) - slow)",
         "(turns(omega, length) - fast)"),
    ],
    "dynamic": [("pe_book/family/context_extension/interpolation.py", "s * ratio - (s - 1)", "s * ratio")],
    "temperature": [
        ("pe_book/family/context_extension/ramps.py", "0.1 * m * math.log", "0.1 * m * math.log2"),
    ],
    "temperature by length": [
        ("pe_book/family/context_extension/lengths.py", "else 1 + np.floor(", "else np.floor("),
    ],
}  # fmt: skip

few = examples_drawn(60)
WIDTHS = st.sampled_from([4, 8, 64, 128])
BASES = st.sampled_from([10000.0, 150000.0, 500000.0, 1e6])
FACTORS = st.sampled_from([1.0, 1.5, 2.0, 4.0, 8.0, 32.0, 40.0])
LENGTHS = st.sampled_from([512, 2048, 4096, 8192, 32768])

SMALL = np.array([1, 0.1, 0.01, 0.001])  # d = 8, as in the chapter; trained on 100 tokens


# Exact small tables ---------------------------------------------------------------------------------------


def test_every_method_on_the_small_ladder() -> None:
    """By hand: L = 100, s = 4; the first pair makes 16 turns, the second 1.6, the others less than one."""
    third = 4 ** (-1 / 3)
    np.testing.assert_allclose(interpolated(SMALL, 4), SMALL / 4, rtol=1e-15)
    np.testing.assert_allclose(ntk_aware(SMALL, 4), SMALL * [1, third, third**2, third**3], rtol=1e-14)
    r = 100 * 0.1 / math.tau
    kept = (r - 1) / 3  # Llama 3 blends between one turn and four
    np.testing.assert_allclose(
        llama3(SMALL, 4, 100), [1, 0.1 * (kept + (1 - kept) / 4), 0.0025, 0.00025], rtol=1e-14
    )
    kept = np.array([100 / math.tau - 1, r - 1, 0, 0]) / 31  # YaRN between one and thirty-two
    np.testing.assert_allclose(yarn(SMALL, 4, 100), SMALL * (kept + (1 - kept) / 4), rtol=1e-14)


def test_the_temperature_of_a_published_setting() -> None:
    assert temperature(1) == 1
    assert math.isclose(temperature(40, mscale=0.707), 1 + 0.0707 * math.log(40))


# Properties -----------------------------------------------------------------------------------------------


@few
@given(d=WIDTHS, base=BASES, factor=FACTORS)
def test_a_larger_base_is_ntk_aware(d: int, base: float, factor: float) -> None:
    larger = base * factor ** (d / (d - 2))
    found = ntk_aware(pe.frequencies(d, base=base), factor)
    np.testing.assert_allclose(found, pe.frequencies(d, base=larger), rtol=1e-12)


@few
@given(d=st.sampled_from([64, 128]), base=BASES, factor=FACTORS, length=LENGTHS)
def test_both_ramps_are_flat_outside_the_same_ends(d: int, base: float, factor: float, length: int) -> None:
    """Without truncation the ramp of libraries begins and ends at the same number of turns."""
    omega = pe.frequencies(d, base=base)
    r = turns(omega, length)
    papers, libraries = (
        yarn(omega, factor, length),
        yarn(omega, factor, length, ramp="library", truncate=False),
    )
    for found, digits in ((papers, 1e-15), (libraries, 1e-12)):
        np.testing.assert_allclose(found[r >= 32], omega[r >= 32], rtol=digits)
        np.testing.assert_allclose(found[r <= 1], omega[r <= 1] / factor, rtol=digits)
    between = (r > 1.2) & (r < 28)
    if factor > 1 and between.any():  # and in between it is another one
        assert np.abs(papers - libraries)[between].max() > 1e-9


@few
@given(d=WIDTHS, base=BASES, length=LENGTHS, at=st.integers(0, 63))
def test_the_index_of_a_pair_is_where_it_makes_its_turns(d: int, base: float, length: int, at: int) -> None:
    omega = pe.frequencies(d, base=base)
    pair = at % omega.size
    assert math.isclose(index_of(omega, turns(omega, length)[pair], length), pair, abs_tol=1e-6)


@few
@given(d=WIDTHS, factor=FACTORS, length=LENGTHS)
def test_one_entry_does_what_its_method_does(d: int, factor: float, length: int) -> None:
    omega = pe.frequencies(d)
    factors = np.linspace(1, 7, omega.size)
    wanted = {
        "linear": (interpolated(omega, factor), 1.0),
        "ntk": (ntk_aware(omega, factor), 1.0),
        "dynamic": (ntk_aware(omega, dynamic_factor(3 * length, length, factor)), 1.0),
        "yarn": (yarn(omega, factor, length), temperature(factor)),
        "longrope": (longrope(omega, factors), longrope_temperature(factor, length)),
        "llama3": (llama3(omega, factor, length), 1.0),
    }
    assert set(wanted) == set(METHODS) == set(NEEDED) >= set(ALLOWED)
    given_all: Any = {"original_len": length, "length": 3 * length, "factors": factors}
    for method in get_args(Method):
        frequencies, attention_factor = wanted[method]
        options = {key: given_all[key] for key in NEEDED[method]}
        new, found = scale_frequencies(omega, method=method, factor=factor, **options)
        np.testing.assert_array_equal(new, frequencies)
        assert found == attention_factor


def test_the_quotient_of_two_temperatures() -> None:
    options: dict[str, Any] = {"method": "yarn", "factor": 40, "original_len": 4096}
    _, alike = scale_frequencies(pe.frequencies(64), mscale=1.0, mscale_all_dim=1.0, **options)
    assert alike == 1  # DeepSeek-V3: all of it acts on the scores instead
    _, other = scale_frequencies(pe.frequencies(64), mscale=1.0, mscale_all_dim=0.707, **options)
    assert math.isclose(other, temperature(40) / temperature(40, mscale=0.707))


def test_temperatures_by_length_are_those_worked_out_by_hand() -> None:
    for rule, grown in zip(RULES[:3], (3, 4, 3), strict=True):  # position 299 is the word 300
        found = length_factor([299], rule=rule, trained_len=100, strength=0.5)
        np.testing.assert_allclose(found, 1 + math.log(grown) / 2)
    assert length_factor(299, rule="power", trained_len=100, strength=0.5) == 2
    with pytest.raises(ValueError, match="positions must be at least 0, got -1"):
        length_factor([-1, 5], rule="steps from 1", trained_len=100)


HOTTER = {
    "llama4_text": ("steps from 1", 8192), "ministral3": ("steps", 16384), "mistral4": ("steps", 8192),
    "inkling2_text": ("beyond", 128000), "beam": ("power", 2048),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOTTER.keys() & census().types.keys()))
def test_models_multiply_by_what_the_census_saw(name: str) -> None:
    rule, length = HOTTER[name]
    layers = census().of_type(name).parts["text"].layers
    seen = next(one.temperature for one in layers if one.temperature).replace("max", "Max")
    formula = parse_expr(seen, transformations=(*standard_transformations, implicit_multiplication))
    for p in (0, 2047, 8190, 8191, 8192, 100000, 1000000):
        found = length_factor(p, rule=rule, trained_len=length).item()
        assert math.isclose(found, float(formula.subs({"p": p})), rel_tol=1e-9)


# What is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
({"method": "yarn"}, "original_len must be given for method='yarn'"),
({"method": "linear", "beta_fast": 32}, "beta_fast must be left out for method='linear'"),
({"method": "yarn", "original_len": 100, "mscale": 1}, "mscale_all_dim must be given too"),
(
            {"method": "llama3", "original_len": 100, "high_freq_factor": 0.5},
            "high_freq_factor must not be below low_freq_factor, 1, got 0.5",
        ),
({"method": "longrope", "original_len": 100, "factors": [1, 2]}, "factors must have one entry"),
(
            {"method": "yarn", "original_len": 100, "ramp": "library", "frequencies": [1, 0.5, 0.4]},
            "frequencies must fall by one ratio",
        ),
],
)  # fmt: skip
def test_what_cannot_be_scaled_is_refused_by_name(arguments: Any, message: str) -> None:
    given_here = {"frequencies": SMALL, "factor": 4} | arguments
    with pytest.raises(ValueError, match=message):
        scale_frequencies(**given_here)
