"""Holds pe_book.family.rotary to its word: which columns turn, in which direction, by how much."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pe_book as pe
from pe_book.family.rotary import proportional_frequencies, rotate, rotate_back
from pe_book.family.rotary.latent import decoupled_scores
from tests.seeds import CONVENTIONS, examples_drawn

PLANTED = {
    "sign": [
        ("pe_book/family/rotary/__init__.py", "a * sin + b * cos, layout)", "a * sin - b * cos, layout)")
    ],
}

Array = NDArray[np.float64]
few = examples_drawn(60)
WIDTHS = st.sampled_from([2, 4, 6, 8, 64])
POSITIONS = st.floats(-1000, 1000) | st.integers(-5000, 5000)
SLICES = st.fixed_dictionaries(
    {"rotary_dim": st.sampled_from([None, 2, 4]), "side": st.sampled_from(["first", "last"])}
)


def drawn(d: int, *shape: int) -> Array:
    return np.random.default_rng(d).normal(size=(*shape, d))


def score(q: Array, k: Array, m: float, n: float, **conventions: Any) -> float:
    return float(rotate(q, m, **conventions) @ rotate(k, n, **conventions))


# Exact small tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({}, [-2, 1, -4, 3]),
        ({"layout": "halves"}, [-3, -4, 1, 2]),
        ({"rotary_dim": 2}, [-2, 1, 3, 4]),
        ({"rotary_dim": 2, "side": "last"}, [1, 2, -4, 3]),
        ({"rotary_dim": 2, "layout": "halves"}, [-2, 1, 3, 4]),
    ],
)
def test_a_quarter_turn_of_every_pair_says_who_pairs_with_whom(chosen: Any, wanted: list[float]) -> None:
    pairs = chosen.get("rotary_dim", 4) // 2
    found = rotate([1, 2, 3, 4], 1, frequencies=[np.pi / 2] * pairs, **chosen)
    np.testing.assert_allclose(found, wanted, atol=1e-15)


def test_the_width_in_the_exponent_is_that_of_the_slice() -> None:
    x = drawn(8)
    np.testing.assert_array_equal(rotate(x, 3, rotary_dim=4)[:4], rotate(x[:4], 3))


def test_proportional_frequencies_keep_the_rungs_of_the_head() -> None:
    omega = proportional_frequencies(8, 4)
    turned = rotate(np.arange(8.0), 5, layout="halves", frequencies=omega)
    assert (turned[[2, 3, 6, 7]] == [2, 3, 6, 7]).all()  # the partners of columns 2 and 3 are 6 and 7
    assert (turned[[0, 1, 4, 5]] != [0, 1, 4, 5]).all()


def test_one_position_for_all_heads_and_one_for_each_row() -> None:
    x = drawn(4, 2, 3)  # two heads, three tokens
    found = rotate(x, [5, 6, 7])
    for head in range(2):
        for row, position in enumerate([5, 6, 7]):
            np.testing.assert_array_equal(found[head, row], rotate(x[head, row], position))


# Properties -----------------------------------------------------------------------------------------------


@few
@given(d=WIDTHS, m=POSITIONS, n=POSITIONS, by=POSITIONS, conventions=CONVENTIONS)
def test_scores_know_the_difference_only(d: int, m: float, n: float, by: float, conventions: Any) -> None:
    q, k = drawn(d, 2)
    here, there = score(q, k, m, n, **conventions), score(q, k, m + by, n + by, **conventions)
    room = 1e-15 * d * (10 + abs(m) + abs(n) + abs(by))  # a sum of positions is rounded
    assert abs(here - there) <= room * np.abs(q).max() * np.abs(k).max()
    alone = float(q @ rotate(k, n - m, **conventions))
    assert abs(here - alone) <= room * np.abs(q).max() * np.abs(k).max()


@few
@given(d=WIDTHS, m=POSITIONS, conventions=CONVENTIONS)
def test_rotating_is_shifting_the_other_way(d: int, m: float, conventions: Any) -> None:
    x = drawn(d, 3)
    np.testing.assert_allclose(
        rotate(x, m, **conventions), pe.shift(x, -m, **conventions), rtol=0, atol=1e-14
    )


@few
@given(d=st.sampled_from([4, 8, 64]), m=POSITIONS, conventions=CONVENTIONS, chosen=SLICES)
def test_lengths_stay_and_the_way_back_is_the_inverse(
    d: int, m: float, conventions: Any, chosen: Any
) -> None:
    x = drawn(d, 3)
    turned = rotate(x, m, **conventions, **chosen)
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1), rtol=1e-14)
    np.testing.assert_allclose(rotate_back(turned, m, **conventions, **chosen), x, rtol=0, atol=1e-14)


@few
@given(d=WIDTHS, m=POSITIONS, conventions=CONVENTIONS)
def test_given_frequencies_are_those_of_base_and_ladder(d: int, m: float, conventions: Any) -> None:
    x, layout = drawn(d, 3), conventions["layout"]
    omega = pe.frequencies(d, base=conventions["base"], ladder=conventions["ladder"])
    found = rotate(x, m, layout=layout, frequencies=omega)
    np.testing.assert_allclose(found, rotate(x, m, **conventions), rtol=0, atol=1e-15 * (10 + abs(m)))


def test_far_positions_are_as_good_as_near_ones() -> None:
    from mpmath import mp, mpf

    with mp.workdps(50):
        angle = mpf(2**53 - 1) / 10  # d = 8: the second pair turns by a tenth of a radian a token
        wanted = [float(mp.cos(angle)), float(mp.sin(angle))]
    np.testing.assert_allclose(rotate([0, 0, 1, 0, 0, 0, 0, 0], 2**53 - 1)[2:4], wanted, rtol=0, atol=2e-15)


# Content without position, and a few columns that turn ----------------------------------------------------


def latent_rows() -> tuple[Array, Array, Array, Array]:
    """Two heads, three queries, five keys; six columns of content and four that turn."""
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(2, 3, 6)), rng.normal(size=(2, 5, 6)),
        rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 4)),
    )  # fmt: skip


def test_latent_scores_are_the_dot_product_of_joined_rows() -> None:
    q, k, q_turned, k_turned = latent_rows()
    found = decoupled_scores(q, k, q_turned, k_turned, [4, 5, 6], range(5))
    for head in range(2):
        for m in range(3):
            for n in range(5):
                query = np.concatenate([q[head, m], rotate(q_turned[head, m], 4 + m)])
                key = np.concatenate([k[head, n], rotate(k_turned[n], n)])
                assert np.isclose(found[head, m, n], query @ key / np.sqrt(10), rtol=1e-13)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"q_content": np.ones((3, 6))}, "q_content must have 3 axes"),
        ({"q_rotary": np.ones((1, 3, 4))}, "q_rotary must have heads and rows of q_content"),
        ({"queries": [1, 2]}, r"queries must have shape \(3,\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(changed: Any, message: str) -> None:
    names = ("q_content", "k_content", "q_rotary", "k_rotary")
    given = dict(zip(names, latent_rows(), strict=True)) | {"queries": [4, 5, 6], "keys": range(5)} | changed
    with pytest.raises(ValueError, match=message):
        decoupled_scores(**given)
