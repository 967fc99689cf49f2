"""Holds pe_book.numerics.products to its word."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.products import exact_product, sines_and_cosines_of_products
from tests.seeds import examples_drawn

few = examples_drawn(100)


@few
@given(
    a=st.floats(-(2.0**53), 2.0**53).filter(lambda x: x == 0 or abs(x) > 1e-100),
    b=st.floats(-1e200, 1e200).filter(lambda x: x == 0 or abs(x) > 1e-100),
)
def test_high_and_low_are_the_product(a: float, b: float) -> None:
    high, low = exact_product(np.array([a]), np.array([b]))
    assert Fraction(float(high[0])) + Fraction(float(low[0])) == Fraction(a) * Fraction(b)
    assert high[0] == a * b


@few
@given(p=st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6), rate=st.floats(1e-20, 1e250))
def test_sines_of_products_agree_with_multiple_precision(p: float, rate: float) -> None:
    sine, cosine = sines_and_cosines_of_products(np.array([[float(p)]]), np.array([rate, 1.0]))
    assert sine.shape == cosine.shape == (1, 1, 2)
    with mpmath.workprec(1200):
        angle = mpmath.mpf(float(p)) * mpmath.mpf(rate)
        assert abs(mpmath.sin(angle) - float(sine[0, 0, 0])) < 1e-15
        assert abs(mpmath.cos(angle) - float(cosine[0, 0, 0])) < 1e-15


def test_the_shorter_way_for_small_angles_ends_where_it_errs() -> None:
    for angle in (2.0**26 - 1, 2.0**26 + 1, 2.0**40 + 3):
        rate = float(np.nextafter(angle / 3, np.inf))
        with mpmath.workprec(300):
            exact = float(mpmath.sin(mpmath.mpf(3) * mpmath.mpf(rate)))
        found = float(sines_and_cosines_of_products(np.array([3.0]), np.array([rate]))[0][0, 0])
        assert found == pytest.approx(exact, abs=1e-15, rel=0)
