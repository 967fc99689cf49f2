"""What the side page says of a head that looks back."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

Array = NDArray[np.float64]


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


def test_c080_a_score_can_look_three_back_and_the_sign_decides_where() -> None:
    assert stands("C080")
    for d, peak, runner_up in ((8, 4, 3.78369), (64, 32, 30.9168), (512, 256, 249.102)):
        rows = table(0, 64, d)
        back = rows @ shift_matrix(3, d) @ rows.T  # entry (q, j) is PE(q)ᵀ T_3 PE(j) = PE(q)·PE(j + 3)
        forward = rows @ shift_matrix(-3, d) @ rows.T
        q = np.arange(3, 61)
        assert (back[q].argmax(axis=1) == q - 3).all()
        assert (forward[q].argmax(axis=1) == q + 3).all()
        assert np.sort(back[30])[-2:] == pytest.approx([runner_up, peak], abs=1e-3)
    # one head has rank 64 at most: 32 of 256 pairs, and the fastest are enough
    rows, fast, q = table(0, 64, 512), np.eye(64, 512), np.arange(3, 61)
    keys = fast @ shift_matrix(3, 512)
    scores = (rows @ fast.T) @ (rows @ keys.T).T
    assert np.linalg.matrix_rank(fast.T @ keys) == 64 < np.linalg.matrix_rank(shift_matrix(3, 512))
    assert (scores[q].argmax(axis=1) == q - 3).all()
    assert np.sort(scores[30])[-2:] == pytest.approx([25.8192, 32], abs=1e-4)
    slow = np.eye(512)[-64:]
    slow_scores = (rows @ slow.T) @ (rows @ (slow @ shift_matrix(3, 512)).T).T
    assert np.sort(slow_scores[30])[-2] > 31.99  # the slowest would tell nothing apart
    # rows instead of columns, as in the chapter on order: the transpose looks ahead
    assert ((rows @ shift_matrix(3, 512).T @ rows.T)[q].argmax(axis=1) == q + 3).all()
    # existence is not use: any other product of two weight matrices gives another rule
    other = np.random.default_rng(0).normal(size=(64, 64))
    rows = table(0, 64, 64)
    assert (np.argmax(rows @ other @ rows.T, axis=1)[3:] == np.arange(0, 61)).mean() < 0.5
