"""What decides the claims about the shift: C069 to C083, and C122."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import Change, Decided
from pe_book.evidence.sinusoidal.distance import points_back, sees_the_offset_alone
from pe_book.evidence.sinusoidal.shift import HOPS, every_jump_lands
from pe_book.evidence.verdict import Verdict
from pe_book.inputs.checking import Layout
from pe_book.sinusoidal.distance.blending import blend, blend_pairs
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift, shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift, relative_residual, shift_residual
from pe_book.why.counting import shear

Array = NDArray[np.float64]
Matrix = Callable[[int, int], Array]


def _table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


def _one_matrix(*, matrix: Matrix = shift_matrix) -> Verdict:
    errors = [
        float(np.abs(_table(0, 100, d) @ matrix(k, d).T - _table(k, 100, d)).max())
        for d in (2, 6, 128)
        for k in (5, 7, 10)
    ]
    turn = shift_matrix(7, 128)
    orthogonal = float(np.abs(turn.T @ turn - np.eye(128)).max()) < 1e-13
    return Verdict(max(errors) < 1e-12 and orthogonal, {"matrices": len(errors)})


def _five_and_five(*, step: int = 5) -> Verdict:
    five = shift_matrix(step, 6)
    twice = np.abs(five @ five - shift_matrix(10, 6)).max() < 1e-14
    lands = np.abs(five @ (five @ encode(10, 6)) - encode(20, 6)).max() < 1e-13
    return Verdict(bool(twice and lands))


def _every_jump(*, matrix: Matrix = shift_matrix) -> Verdict:
    return every_jump_lands(lambda k: matrix(k, 128), HOPS)


def _ahead(k: int, d_model: int) -> Array:
    return shift_matrix(k + 1, d_model)


def _transposed(k: int, d_model: int) -> Array:
    return shift_matrix(k, d_model).T


def _block(*, matrix: Matrix = shift_matrix) -> Verdict:
    omega = frequencies(6)[1]
    turned = [[np.cos(3 * omega), np.sin(3 * omega)], [-np.sin(3 * omega), np.cos(3 * omega)]]
    found = matrix(3, 6)
    rows = np.abs(_table(20, 5, 6) @ found.T - _table(23, 5, 6)).max() < 1e-13
    return Verdict(bool(rows) and bool(np.abs(found[2:4, 2:4] - turned).max() < 1e-15))


def _only_on_the_offset(*, layout: Layout = "interleaved") -> Verdict:
    found = shift_matrix(10, 12, layout=layout)
    outside = ~np.kron(np.eye(6), np.ones((2, 2))).astype(bool)
    fitted = [fit_shift(_table(start, 400, 8), _table(start + 10, 400, 8)) for start in (0, 500)]
    same = np.abs(fitted[0] - fitted[1]).max() < 1e-6
    return Verdict(bool(same) and not found[outside].any())


def _without_frequency(*, d_model: int = 8) -> Verdict:
    plain = np.kron(np.eye(d_model // 2), shift_matrix(10, 2))
    error = np.abs(plain @ encode(3, d_model) - encode(13, d_model)).reshape(-1, 2).max(axis=1)
    return Verdict(float(error.max()) < 1e-12, {"off": float(error.max())})


def _first_pair_only() -> Verdict:
    plain = np.kron(np.eye(4), shift_matrix(10, 2))
    error = np.abs(plain @ encode(3, 8) - encode(13, 8)).reshape(4, 2).max(axis=1)
    return Verdict(bool(error[0] < 1e-13 and error[1:].min() > 0.5))


def _fitted_is_the_shift(*, rows: int = 50, d_model: int = 128) -> Verdict:
    found = fit_shift(_table(0, rows, d_model), _table(10, rows, d_model))
    away = float(np.linalg.norm(found - shift_matrix(10, d_model)))
    exact = max(d_model - rows, 0) ** 0.5  # what rows that do not depend on each other leave free
    return Verdict(away < 1e-6, {"away": away, "exact": exact, "size": float(d_model**0.5)})


def _closed_form() -> Verdict:
    x, y = _table(0, 50, 128), _table(10, 50, 128)
    fits = relative_residual(fit_shift(x, y), x, y) < 1e-9
    return Verdict(fits and bool(_fitted_is_the_shift(rows=400, d_model=8)) and bool(_one_matrix()))


def _special(*, rows: int = 60) -> Verdict:
    drawn = np.random.default_rng(0).normal(size=(rows, 128))
    return Verdict(shift_residual(drawn, 10) > 0.1)


def _special_when_many(*, rows: int = 510) -> Verdict:
    drawn = shift_residual(np.random.default_rng(0).normal(size=(rows, 128)), 10)
    ours = shift_residual(encode(np.arange(rows), 128), 10)
    return Verdict(ours < 1e-9 and drawn > 0.1, {"drawn": drawn})


def _residual(offsets: Sequence[int], products: bool, d_model: int = 6) -> float:
    p, k = (a.ravel() for a in np.meshgrid(np.arange(50), offsets, indexing="ij"))
    x, y, z = encode(p, d_model), encode(k, d_model), encode(p + k, d_model)
    made = (x[:, :, None] * y[:, None, :]).reshape(len(p), -1) if products else np.hstack([x, y])
    return relative_residual(fit_shift(made, z), made, z)


def _linear_in_both(*, offsets: Sequence[int] = range(50)) -> Verdict:
    found = _residual(offsets, products=False)
    return Verdict(found < 1e-9, {"missed": 100 * found})


def _bilinear() -> Verdict:
    return Verdict(_residual(range(50), products=True) < 1e-9)


def _half_a_pair(*, history: int = 1) -> Verdict:
    omega = 10000.0 ** (-np.arange(8) / 8)
    missed = []
    for wave in (np.sin, np.cos):
        rows = wave(np.outer(np.arange(212), omega))
        now = np.hstack([rows[1 - back : 201 - back] for back in range(history)])
        then = rows[11:211]
        missed.append(relative_residual(fit_shift(now, then), now, then))
    return Verdict(min(missed) > 0.1, {"sines": 100 * missed[0], "cosines": 100 * missed[1]})


def _preserved(matrix: Array) -> bool:
    u, v = np.random.default_rng(4).normal(size=(2, len(matrix)))
    return bool(np.isclose(np.linalg.norm(matrix @ u - matrix @ v), np.linalg.norm(u - v), rtol=1e-12))


def _every_linear_map(*, matrix: Array | None = None) -> Verdict:
    used = shear(10) if matrix is None else matrix
    longest = float(np.linalg.norm(used @ np.array([0, 1])))
    return Verdict(_preserved(used), {"longer": longest})


def _the_shift_does() -> Verdict:
    return Verdict(_preserved(shift_matrix(10, 128)))


def _shown_there(*, words: str = quoted.SECTION) -> Verdict:
    """Whether the paper says more than that it expected so."""
    return Verdict("hypothesized it would allow the model to easily learn" not in words)


def _one_head_could(*, matrix: Matrix = shift_matrix) -> Verdict:
    rows = _table(0, 64, 64)
    scores = rows @ matrix(3, 64) @ rows.T
    asked = np.arange(3, 61)
    return Verdict(bool((scores[asked].argmax(axis=1) == asked - 3).all()))


def _offset_alone(*, rows: Array | None = None) -> Verdict:
    table = _table(0, 500, 512) if rows is None else rows
    products = table @ table.T
    spread = max(float(np.ptp(np.diag(products, k))) for k in (1, 10, 100))
    return Verdict(spread < 1e-10, {"spread": spread})


def _knows_direction(*, turned: bool = False) -> Verdict:
    rows = _table(0, 24, 64)
    scores = rows @ (np.kron(np.eye(32), [[0, 1], [-1, 0]]) if turned else np.eye(64)) @ rows.T
    return Verdict(abs(scores[10, 13] - scores[10, 7]) > 1e-9)


def _knows_distance(*, rows: Array | None = None) -> Verdict:
    table = _table(0, 24, 64) if rows is None else rows
    quarter = np.kron(np.eye(32), [[0, 1], [-1, 0]])
    told = points_back(table @ quarter @ table.T, 64)
    return Verdict(bool(sees_the_offset_alone(table @ table.T)) and bool(told))


def _blended(*, share: float = 0.5) -> Verdict:
    mixed, exact = blend(1, 2, share, 512), encode(1 + share, 512)
    long = [float(np.linalg.norm(blend(1, 2, share, d)) / np.sqrt(d / 2)) for d in (2, 512)]
    apart = float(np.abs(mixed - exact).max())
    return Verdict(apart < 1e-12, {"narrow": long[0], "wide": long[1], "apart": apart})


def _half_a_step() -> Verdict:
    exact = np.abs(shift(encode(1, 512), 0.5) - encode(1.5, 512)).max() < 1e-13
    quarter = 1 + 0.25 + float(blend_pairs(1, 0.25, 512).turn[0])
    return Verdict(bool(exact), {"quarter": quarter})


def _word_for_word(*, said: Sequence[str] = quoted.QUOTED_ELSEWHERE) -> Verdict:
    cut = all(words in quoted.SECTION for words in quoted.LEFT_OUT)
    return Verdict(cut and all(words in quoted.SECTION for words in said), {"passages": len(said)})


AHEAD = Change("the matrix is that of the next offset", {"matrix": _ahead})
TRANSPOSED = Change("the matrix is transposed", {"matrix": _transposed})

DECIDED = {
    "C069": Decided(_one_matrix, fails_with=TRANSPOSED),
    "C070": Decided(_five_and_five, fails_with=Change("the step is 4", {"step": 4})),
    "C071": Decided(_every_jump, fails_with=AHEAD),
    "C072": Decided(_block, fails_with=TRANSPOSED),
    "C073": Decided(
        _only_on_the_offset,
        fails_with=Change("all sines stand before all cosines", {"layout": "halves"}),
    ),
    "C074": Decided(
        _without_frequency, _first_pair_only, fails_with=Change("there is one pair", {"d_model": 2})
    ),
    "C075": Decided(
        _fitted_is_the_shift,
        instead=_closed_form,
        fails_with=Change("400 rows of width 8 are fitted", {"rows": 400, "d_model": 8}),
    ),
    "C076": Decided(_special, _special_when_many, fails_with=Change("there are 510 rows", {"rows": 510})),
    "C077": Decided(
        _linear_in_both, instead=_bilinear, fails_with=Change("the offset is 7 alone", {"offsets": (7,)})
    ),
    "C078": Decided(
        _half_a_pair, fails_with=Change("two codes in a row are given instead of one", {"history": 2})
    ),
    "C079": Decided(
        _every_linear_map,
        instead=_the_shift_does,
        fails_with=Change("the linear map is a turn", {"matrix": shift_matrix(10, 2)}),
    ),
    "C080": Decided(
        _shown_there,
        instead=_one_head_could,
        fails_with=Change(
            "the paper says *showed*",
            {"words": quoted.SECTION.replace("hypothesized it would", "showed it to")},
        ),
    ),
    "C122": Decided(
        _offset_alone,
        fails_with=Change(
            "the rows are drawn at random", {"rows": np.random.default_rng(0).normal(size=(500, 512))}
        ),
    ),
    "C081": Decided(
        _knows_direction,
        _knows_distance,
        fails_with=Change("keys are turned by a quarter", {"turned": True}),
    ),
    "C082": Decided(_blended, instead=_half_a_step, fails_with=Change("nothing is mixed in", {"share": 0.0})),
    "C083": Decided(
        _word_for_word,
        fails_with=Change("one word is another", {"said": ("we proved it would allow the model",)}),
    ),
}
