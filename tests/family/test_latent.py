"""Holds pe_book.family.rotary.latent to its word: content without position, and a few columns that turn."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pe_book.family.rotary import rotate
from pe_book.family.rotary.latent import decoupled_scores

Array = NDArray[np.float64]


def drawn() -> tuple[Array, Array, Array, Array]:
    """Two heads, three queries, five keys; six columns of content and four that turn."""
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(2, 3, 6)), rng.normal(size=(2, 5, 6)),
        rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 4)),
    )  # fmt: skip


def test_it_is_the_dot_product_of_joined_rows() -> None:
    q, k, q_turned, k_turned = drawn()
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
    given = dict(zip(names, drawn(), strict=True)) | {"queries": [4, 5, 6], "keys": range(5)} | changed
    with pytest.raises(ValueError, match=message):
        decoupled_scores(**given)
