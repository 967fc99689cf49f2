"""Which codes obey the law of the shift, and the planes of a rotation."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from pe_book.evidence.sinusoidal import shift as verdicts
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.shift import generator
from pe_book.sinusoidal.shift.planes import rotation_planes
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "faster": [
        ("pe_book/sinusoidal/shift/planes.py", "unscaled(values[moving],", "unscaled(1.1 * values[moving],"),
    ],
}

few = examples_drawn(40)


@few
@given(d=st.integers(1, 9), seed=st.integers(0, 999), still=st.integers(0, 3))
@example(d=3, seed=977, still=0)  # its zero comes out at 2.6e-15
@example(d=6, seed=799, still=0)  # one plane is 17000 times slower than another
def test_rotation_planes_take_a_skew_matrix_apart(d: int, seed: int, still: int) -> None:
    a = np.random.default_rng(seed).normal(size=(d, d))
    a = a - a.T
    a[d - min(still, d) :] = 0
    a[:, d - min(still, d) :] = 0
    omega, q = rotation_planes(a)
    normal = np.zeros((d, d))
    for i, w in enumerate(omega):
        normal[2 * i, 2 * i + 1], normal[2 * i + 1, 2 * i] = w, -w
    np.testing.assert_allclose(q.T @ q, np.eye(d), rtol=0, atol=1e-14)
    np.testing.assert_allclose(q.T @ a @ q, normal, rtol=0, atol=1e-14 * (1 + np.abs(a).max()))
    assert len(omega) == (d - min(still, d)) // 2
    assert (omega > 0).all()
    assert (np.diff(omega) <= 0).all()


def test_rotation_planes_find_equal_frequencies_and_the_books_own() -> None:
    omega, q = rotation_planes(np.kron(np.eye(3), [[0, 2], [-2, 0]]))
    np.testing.assert_allclose(omega, [2, 2, 2], rtol=1e-14)
    np.testing.assert_allclose(q.T @ q, np.eye(6), atol=1e-14)
    omega, q = rotation_planes(generator(128))
    np.testing.assert_allclose(omega, frequencies(128), rtol=1e-10)
    np.testing.assert_allclose(q.T @ q, np.eye(128), atol=1e-14)
    assert rotation_planes(np.zeros((3, 3)))[0].size == 0


def test_a_rotation_without_a_sine_in_it_is_a_list_of_pairs() -> None:
    for d in (4, 5, 8):
        turn = np.linalg.qr(np.random.default_rng(d).normal(size=(d, d)))[0]
        if np.linalg.det(turn) < 0:
            turn[:, 0] *= -1
        code = [np.random.default_rng(7).normal(size=d)]
        while len(code) < 60:
            code.append(turn @ code[-1])
        half = np.linalg.solve(turn + np.eye(d), turn - np.eye(d))
        tangents, axes = rotation_planes((half - half.T) / 2)
        omega = 2 * np.arctan(tangents)
        assert len(omega) == d // 2
        assert verdicts.turns_in_planes(np.array(code), axes, omega)
