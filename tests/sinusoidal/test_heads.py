"""What the side page says of a head that looks k tokens back."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix

Array = NDArray[np.float64]


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


def test_the_sign_of_the_shift_decides_whether_a_head_looks_back_or_ahead() -> None:
    rows, q = table(0, 64, 64), np.arange(3, 61)
    back = rows @ shift_matrix(3, 64) @ rows.T  # entry (q, j) is PE(q)ᵀ T_3 PE(j) = PE(q)·PE(j + 3)
    ahead = rows @ shift_matrix(3, 64).T @ rows.T
    assert (back[q].argmax(axis=1) == q - 3).all()
    assert (ahead[q].argmax(axis=1) == q + 3).all()
    assert np.sort(back[30])[-2:] == pytest.approx([30.9168, 32], abs=1e-3)
