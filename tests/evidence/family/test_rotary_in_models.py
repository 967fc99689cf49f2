"""What the page on what models turn says of a slice and of slow pairs that stand still."""

import numpy as np

import pe_book as pe
from pe_book.family.rotary import proportional_frequencies

PLANTED = {
    "exponent": [
        ("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / (rungs + 1)")
    ],
}


def test_a_slice_has_frequencies_of_its_own_and_other_partners():
    by_hand = [1, 10000 ** (-2 / 4)], [1, 10000 ** (-2 / 8), 0, 0]
    np.testing.assert_allclose(pe.frequencies(4), by_hand[0])
    np.testing.assert_allclose(proportional_frequencies(8, 4), by_hand[1])
    row = np.eye(8)[0]
    in_slice = pe.rotate(row, 1, rotary_dim=4, layout="halves")
    in_head = pe.rotate(row, 1, frequencies=proportional_frequencies(8, 4), layout="halves")
    assert [np.flatnonzero(one).tolist() for one in (in_slice, in_head)] == [[0, 2], [0, 4]]
