"""Judge and verdicts of the page on computing the table: true of the real thing, false of a mistake."""

import ast
import itertools
from pathlib import Path

import mpmath
import numpy as np
import pytest

from pe_book.evidence.sinusoidal import computing as verdicts
from pe_book.evidence.sinusoidal import recurrence
from pe_book.evidence.sinusoidal.recurrence import nearest, stepped
from pe_book.numerics.certified import undecided
from pe_book.numerics.exact import exact_entry
from pe_book.numerics.phases import SINE_COSINE_BOUND, phase_steps, sine_cosine
from pe_book.sinusoidal.computing import ERROR_BOUND, table
from pe_book.sinusoidal.formula import frequencies

# The judge ------------------------------------------------------------------------------------------------


def test_the_judge_leans_on_nothing_that_the_table_leans_on() -> None:
    tree = ast.parse(Path(recurrence.__file__).read_text(encoding="utf-8"))
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    assert imported == {"collections.abc", "decimal", "numpy", "numpy.typing"}


@pytest.mark.parametrize("start", [0, 7, -900, 2**24 - 3, 2**53 - 5, 5 - 2**53])
@pytest.mark.parametrize(("d_model", "base"), [(6, 10000.0), (8, 1.5), (4, 500000.0)])
def test_the_judge_agrees_with_multiple_precision_wherever_it_starts(
    start: int, d_model: int, base: float
) -> None:
    found = stepped(4, d_model, base=base, start=start)
    with mpmath.mp.workprec(300):
        for row in range(4):
            for column in range(d_model):
                omega = mpmath.mpf(base) ** (-mpmath.mpf(2 * (column // 2)) / d_model)
                right = exact_entry(start + row, omega, cosine=bool(column % 2), bits=300)
                assert abs(mpmath.ldexp(right, 62) - int(found[row, column])) <= 1


def test_the_judge_says_where_it_cannot_judge() -> None:
    with pytest.raises(ArithmeticError, match="220 digits do not decide"):
        stepped(20, 2, start=-10)  # by way of 0, whose sine is nearly and not exactly 0
    with pytest.raises(ArithmeticError, match="62 digits do not decide"):
        nearest(np.array([3]), "float32")


# The ledger -----------------------------------------------------------------------------------------------


def test_underflow_stays_within_the_bound() -> None:
    """An error relative to the result is not all: products of tiny angles fall below the normal numbers."""
    for base in (1e250, 1e300):
        steps = phase_steps(8, base)
        found = sine_cosine(np.array([0, 1, 3, 2**53]), *steps)
        assert base**-0.75 * base**-0.75 < np.finfo(float).tiny  # it does underflow
        for values, function in zip(found, (mpmath.sin, mpmath.cos), strict=True):
            for (row, p), pair in itertools.product(enumerate((0, 1, 3, 2**53)), range(4)):
                with mpmath.mp.workprec(1200):
                    right = function(p * mpmath.mpf(base) ** (-mpmath.mpf(pair) / 4))
                    assert abs(mpmath.mpf(float(values[row, pair])) - right) < SINE_COSINE_BOUND


# The record -----------------------------------------------------------------------------------------------


def test_the_repeated_call_is_the_fastest() -> None:
    """The mistake: "faster than anything", of a way that another library beats."""
    found = verdicts.record()
    assert verdicts.nothing_faster(found, "this book", 65536)
    assert not verdicts.nothing_faster(found, "torch, float32", 65536)
    assert verdicts.times_as_long(found, "this book, cold", "numpy, float32", 65536) < 1


def test_several_ways_are_slower_and_wrong() -> None:
    found = verdicts.record()
    assert verdicts.slower_and_wrong(found, "this book", 65536)
    assert not verdicts.slower_and_wrong(found, "double loop", 65536)
    right = {key: row | {"misrounded": row["misrounded"] and 0} for key, row in found.items()}
    assert not verdicts.slower_and_wrong(right, "this book", 65536)


# Error against length, and what is left open ---------------------------------------------------------------


def test_the_error_of_stepping_is_proportional_and_that_of_walking_at_random_is_not() -> None:
    steps = np.arange(1, 4097, dtype=float)[:, None]
    assert verdicts.grows_in_proportion(steps)
    for wrong in (np.sqrt(steps), steps**2, np.ones_like(steps)):
        assert not verdicts.grows_in_proportion(wrong)


def test_only_the_listed_entries_are_near_a_boundary() -> None:
    products = table(4096, 512, dtype="float64")
    places = np.transpose(undecided(products, ERROR_BOUND, "float32"))
    listed = places[places[:, 0] > 0]
    assert len(listed) > 0
    a_row_on, a_column_on = np.add(listed, [1, 0]), np.add(listed, [0, 1])
    assert verdicts.others_are_far(products, listed, distance=20)
    assert not verdicts.others_are_far(products, listed[1:], distance=20)
    assert not verdicts.others_are_far(products, a_column_on, distance=20)
    assert not verdicts.others_are_far(products, listed, distance=2000)
    assert verdicts.cosines_of_one_angle(listed, frequencies(512))
    for wrong in (a_column_on, a_row_on, np.vstack([listed, [5, 1]])):
        assert not verdicts.cosines_of_one_angle(wrong, frequencies(512))
