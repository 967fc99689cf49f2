"""The decisions of the chapter on the shift theorem: each is given what it judges, and says why."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import PRESENT, fit_shift, shift_errors

# offsets, and for each of them three jumps: from, to
HOPS = (
    (10, ((10, 20), (3, 13), (4, 14))),
    (7, ((5, 12), (1, 8), (21, 28))),
    (5, ((2, 7), (15, 20), (10, 15))),
)


def every_jump_lands(
    matrix_of: Callable[[int], NDArray[np.float64]], jumps: Sequence[tuple[int, Sequence[tuple[int, int]]]]
) -> Verdict:
    """Whether the one matrix of each offset takes every position to the one it should."""
    worst, count = 0.0, 0
    for k, pairs in jumps:
        matrix = np.asarray(matrix_of(k), dtype=np.float64)
        for source, target in pairs:
            missed = matrix @ encode(source, len(matrix)) - encode(target, len(matrix))
            worst, count = max(worst, float(np.abs(missed).max())), count + 1
    return Verdict(count > 0 and worst < 1e-12, {"largest error": worst, "jumps": count})


def right_on_the_span_only(found: ArrayLike, exact: ArrayLike, seen: ArrayLike) -> Verdict:
    r"""Whether a fitted matrix is the exact one on the span of the rows seen, and zero beside it.

    Then it is :math:`T_k\Pi`, :math:`\sqrt{d - r}` away from :math:`T_k`, r being the rank of the rows seen.
    """
    m, t, rows = (np.asarray(a, dtype=np.float64) for a in (found, exact, seen))
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    rank = int(np.count_nonzero(sizes > PRESENT * sizes[0]))
    projection = directions[:rank].T @ directions[:rank]
    worst = float(np.abs(m - t @ projection).max())
    distance, predicted = float(np.linalg.norm(m - t)), float(np.sqrt(len(t) - rank))
    evidence = {"rank": rank, "distance": distance, "predicted": predicted, "largest error": worst}
    return Verdict(worst < 1e-3 and abs(distance - predicted) < 1e-3, evidence)


def fails_beyond(k: int, d_model: int, counts: Sequence[int], last: int, *, right: float = 1e-6) -> Verdict:
    """Whether each fit to the first rows is right on all of them and off by more than a tenth beyond."""
    inside, beyond = 0.0, np.inf
    for n in counts:
        found = fit_shift(encode(np.arange(n), d_model), encode(np.arange(k, n + k), d_model))
        errors = shift_errors(found, np.arange(last + 1), k)
        inside, beyond = max(inside, float(errors[:n].max())), min(beyond, float(errors[n:].max()))
    return Verdict(inside < right and 0.1 < beyond < np.inf, {"inside": inside, "beyond": beyond})


def is_the_shift(k: int, d_model: int, *, rows: int) -> Verdict:
    """Whether a fit to so many rows is the closed form, entry by entry."""
    found = fit_shift(encode(np.arange(rows), d_model), encode(np.arange(k, rows + k), d_model))
    worst = float(np.abs(found - shift_matrix(k, d_model)).max())
    return Verdict(worst < 1e-6, {"largest error": worst})


def turns_in_planes(rows: ArrayLike, axes: ArrayLike, frequencies: ArrayLike) -> Verdict:
    """Whether a code is a point on a circle in every plane, turning by one frequency a position.

    Columns 2i and 2i+1 of `axes` span plane i, sine axis first; what axes are left must not move.
    """
    turned = np.asarray(rows, dtype=np.float64) @ np.asarray(axes, dtype=np.float64)
    omegas = np.asarray(frequencies, dtype=np.float64)
    moving = 2 * len(omegas)
    hands = turned[:, 1:moving:2] + 1j * turned[:, 0:moving:2]
    expected = hands[0] * np.exp(1j * np.outer(np.arange(len(turned)), omegas))
    still = turned[:, moving:] - turned[0, moving:]
    worst = float(max(np.abs(hands - expected).max(), np.abs(still).max(initial=0)))
    radius = float(np.abs(hands[0]).min())
    return Verdict(worst < 1e-10 < radius, {"largest error": worst, "smallest radius": radius})
