"""What decides the claims about the shift: C069 to C083, and C122."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import FITTED, FLOAT32, Change, Decided, equal
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


def _one_matrix(*, matrix: Matrix = shift_matrix, positions: int = 100) -> Verdict:
    lands = [
        equal(_table(0, positions, d) @ matrix(k, d).T, _table(k, positions, d))
        for d in (2, 6, 128)
        for k in (5, 7, 10)
    ]
    turn = shift_matrix(7, 128)
    rotates = equal(turn.T @ turn, np.eye(128)) and np.linalg.det(turn) > 0
    return Verdict(all(lands) and bool(rotates), {"matrices": len(lands)})


def _five_and_five(*, step: int = 5) -> Verdict:
    five = shift_matrix(step, 6)
    lands = equal(five @ encode(10, 6), encode(15, 6)) and equal(five @ encode(15, 6), encode(20, 6))
    return Verdict(lands and equal(five @ five, shift_matrix(10, 6)))


def _every_jump(*, matrix: Matrix = shift_matrix, d_model: int = 128) -> Verdict:
    return every_jump_lands(lambda k: matrix(k, d_model), HOPS)


def _ahead(k: int, d_model: int) -> Array:
    return shift_matrix(k + 1, d_model)


def _transposed(k: int, d_model: int) -> Array:
    return shift_matrix(k, d_model).T


def _block(*, matrix: Matrix = shift_matrix) -> Verdict:
    omega = frequencies(6)[1]
    turned = [[np.cos(3 * omega), np.sin(3 * omega)], [-np.sin(3 * omega), np.cos(3 * omega)]]
    found = matrix(3, 6)
    rows = equal(_table(20, 5, 6) @ found.T, _table(23, 5, 6))
    block = found[2:4, 2:4]
    cosine_first = equal(block[::-1, ::-1], np.transpose(turned))
    return Verdict(rows and equal(block, turned) and cosine_first)


def _only_on_the_offset(*, layout: Layout = "interleaved", later: int = 500) -> Verdict:
    found = shift_matrix(10, 12, layout=layout)
    outside = ~np.kron(np.eye(6), np.ones((2, 2))).astype(bool)
    fitted = [fit_shift(_table(start, 400, 8), _table(start + 10, 400, 8)) for start in (0, later)]
    return Verdict(equal(fitted[0], fitted[1], FLOAT32) and not found[outside].any())


def _without_frequency(*, d_model: int = 8, start: int = 3, end: int = 13) -> Verdict:
    plain = np.kron(np.eye(d_model // 2), shift_matrix(end - start, 2)) @ encode(start, d_model)
    off = float(np.abs(plain - encode(end, d_model)).max())
    return Verdict(equal(plain, encode(end, d_model)), {"off": off})


def _first_pair_only(*, d_model: int = 8) -> Verdict:
    plain, due = np.kron(np.eye(d_model // 2), shift_matrix(10, 2)) @ encode(3, d_model), encode(13, d_model)
    others = np.abs(plain - due)[2:].reshape(-1, 2).max(axis=1)
    return Verdict(equal(plain[:2], due[:2]) and float(others.min()) > 0.5)


def _fitted_is_the_shift(*, rows: int = 50, d_model: int = 128) -> Verdict:
    found, due = fit_shift(_table(0, rows, d_model), _table(10, rows, d_model)), shift_matrix(10, d_model)
    away, size = float(np.linalg.norm(found - due)), float(np.linalg.norm(due))
    exact = max(d_model - rows, 0) ** 0.5  # what rows that do not depend on each other leave free
    return Verdict(equal(found, due, FLOAT32), {"away": away, "exact": exact, "size": size})


def _closed_form() -> Verdict:
    x, y = _table(0, 50, 128), _table(10, 50, 128)
    fits = relative_residual(fit_shift(x, y), x, y) < FITTED
    return Verdict(fits and bool(_fitted_is_the_shift(rows=400, d_model=8)) and bool(_one_matrix()))


def _ours_fit(*, rows: int = 60, d_model: int = 128) -> Verdict:
    return Verdict(shift_residual(encode(np.arange(rows), d_model), 10) < FITTED)


def _special(*, rows: int = 60) -> Verdict:
    """Whether a random table has no such matrix, so that sines and cosines bring it about."""
    drawn = np.random.default_rng(0).normal(size=(rows, 128))
    return Verdict(shift_residual(drawn, 10) > 0.1)


def _special_when_many(*, many: int = 500) -> Verdict:
    rows = encode(np.arange(many + 10), 128)
    tables = [np.random.default_rng(seed).normal(size=rows.shape) for seed in range(20)]
    drawn = float(np.mean([shift_residual(table, 10) for table in tables]))
    sines = shift_residual(rows[:, ::2], 10)
    holds = bool(_ours_fit(rows=many + 10)) and min(drawn, sines) > 0.1
    return Verdict(holds, {"drawn": drawn, "sines": sines})


def _residual(offsets: Sequence[int], products: bool, d_model: int = 6, below: int = 50) -> float:
    p, k = (a.ravel() for a in np.meshgrid(np.arange(below), offsets, indexing="ij"))
    x, y, z = encode(p, d_model), encode(k, d_model), encode(p + k, d_model)
    made = (x[:, :, None] * y[:, None, :]).reshape(len(p), -1) if products else np.hstack([x, y])
    return relative_residual(fit_shift(made, z), made, z)


def _linear_in_both(*, offsets: Sequence[int] | None = None, d_model: int = 6, below: int = 50) -> Verdict:
    found = _residual(offsets or range(below), products=False, d_model=d_model, below=below)
    return Verdict(found < FITTED, {"missed": 100 * found})


def _bilinear(*, d_model: int = 6, below: int = 50) -> Verdict:
    return Verdict(_residual(range(below), products=True, d_model=d_model, below=below) < FITTED)


def _of_one_wave(
    wave: Callable[[Array], Array], positions: int, waves: int, offset: int, history: int = 1
) -> float:
    """What the best matrix misses that takes rows of sines alone, or of cosines alone, on by an offset."""
    omega = 10000.0 ** (-np.arange(waves) / waves)
    rows = wave(np.outer(np.arange(positions + offset + 2), omega))
    now = np.hstack([rows[1 - back : positions + 1 - back] for back in range(history)])
    then = rows[offset + 1 : positions + offset + 1]
    return relative_residual(fit_shift(now, then), now, then)


def _half_a_pair(*, history: int = 1, waves: int = 8, positions: int = 200, offset: int = 10) -> Verdict:
    sines, cosines = (_of_one_wave(wave, positions, waves, offset, history) for wave in (np.sin, np.cos))
    zero = not encode(0, 2 * waves)[::2].any()
    few = equal(_of_one_wave(np.cos, 4, 4, offset), 0, FITTED)
    evidence = {"sines": 100 * sines, "cosines": 100 * cosines, "few": few}
    return Verdict(zero and min(sines, cosines) > 0.1, evidence)


def _preserved(matrix: Array) -> bool:
    u, v = np.random.default_rng(4).normal(size=(2, len(matrix)))
    return equal(np.linalg.norm(matrix @ u - matrix @ v), np.linalg.norm(u - v))


def _every_linear_map(*, matrix: Array | None = None) -> Verdict:
    used = shear(10) if matrix is None else matrix
    longest = float(np.linalg.norm(used @ np.array([0, 1])))
    return Verdict(_preserved(used), {"longer": longest})


def _one_head_could(*, matrix: Matrix = shift_matrix, back: int = 3) -> Verdict:
    rows = _table(0, 64, 64)
    scores = rows @ matrix(back, 64) @ rows.T
    asked = np.arange(back, 64)
    return Verdict(bool((scores[asked].argmax(axis=1) == asked - back).all()))


def _offset_alone(*, rows: Array | None = None, positions: int = 500, d_model: int = 512) -> Verdict:
    table = _table(0, positions, d_model) if rows is None else rows
    return sees_the_offset_alone(table @ table.T)


def _knows_direction(*, turned: bool = False, ahead: int = 3) -> Verdict:
    rows = _table(0, 24, 64)
    scores = rows @ (np.kron(np.eye(32), [[0, 1], [-1, 0]]) if turned else np.eye(64)) @ rows.T
    return Verdict(not equal(scores[10, 10 + ahead], scores[10, 10 - ahead]))


def _knows_distance(*, rows: Array | None = None) -> Verdict:
    table = _table(0, 24, 64) if rows is None else rows
    quarter = np.kron(np.eye(32), [[0, 1], [-1, 0]])
    told = points_back(table @ quarter @ table.T, 64)
    return Verdict(bool(sees_the_offset_alone(table @ table.T)) and bool(told))


def _blended(*, share: float = 0.5, d_model: int = 512) -> Verdict:
    mixed, exact = blend(1, 2, share, d_model), encode(1 + share, d_model)
    long = [float(np.linalg.norm(blend(1, 2, share, d)) / np.sqrt(d / 2)) for d in (2, d_model)]
    apart = float(np.abs(mixed - exact).max())
    return Verdict(equal(mixed, exact), {"narrow": long[0], "wide": long[1], "apart": apart})


def _half_a_step(*, part: float = 0.25) -> Verdict:
    exact = equal(shift(encode(1, 512), 0.5), encode(1.5, 512))
    quarter, due = 1 + part + float(blend_pairs(1, part, 512).turn[0]), 1 + part
    return Verdict(exact and not equal(quarter, due), {"quarter": quarter, "due": due})


def _word_for_word(*, said: Sequence[str] = quoted.QUOTED_ELSEWHERE) -> Verdict:
    cut = all(words in quoted.SECTION for words in quoted.LEFT_OUT)
    return Verdict(cut and all(words in quoted.SECTION for words in said), {"passages": len(said)})


AHEAD = Change("the matrix is that of the next offset", {"matrix": _ahead})
TRANSPOSED = Change("the matrix is transposed", {"matrix": _transposed})

DECIDED = {
    "C069": Decided(_one_matrix),
    "C070": Decided(_five_and_five),
    "C071": Decided(_every_jump),
    "C072": Decided(_block),
    "C073": Decided(_only_on_the_offset),
    "C074": Decided(_without_frequency, _first_pair_only),
    "C075": Decided(_fitted_is_the_shift, instead=_closed_form),
    "C076": Decided(_ours_fit, _special_when_many, because=_special),
    "C077": Decided(_linear_in_both, instead=_bilinear),
    "C078": Decided(_half_a_pair),
    "C079": Decided(_every_linear_map, instead=lambda: _preserved(shift_matrix(10, 128))),
    "C080": Decided(
        lambda words=quoted.SECTION: "hypothesized it would allow the model to easily learn" not in words,
        instead=_one_head_could,
    ),
    "C122": Decided(_offset_alone),
    "C081": Decided(_knows_direction, _knows_distance),
    "C082": Decided(_blended, instead=_half_a_step),
    "C083": Decided(_word_for_word),
}
FAILS_WITH = {
    "C069": TRANSPOSED,
    "C070": Change("the step is {step}", {"step": 4}),
    "C071": AHEAD,
    "C072": TRANSPOSED,
    "C073": Change("all sines stand before all cosines", {"layout": "halves"}),
    "C074": Change("there is one pair", {"d_model": 2}),
    "C075": Change(
        "{rows} rows of width {d_model} are given, from which a linear layer can learn it",
        {"rows": 400, "d_model": 8},
    ),
    "C076": Change("there are {rows} rows", {"rows": 510}),
    "C077": Change("the offset is 7 alone", {"offsets": (7,)}),
    "C078": Change("two codes in a row are given instead of one", {"history": 2}),
    "C079": Change("the linear map is a turn", {"matrix": shift_matrix(10, 2)}),
    "C080": Change(
        "the paper says *showed*", {"words": quoted.SECTION.replace("hypothesized it would", "showed it to")}
    ),
    "C122": Change(
        "the rows are drawn at random", {"rows": np.random.default_rng(0).normal(size=(500, 512))}
    ),
    "C081": Change("keys are turned by a quarter", {"turned": True}),
    "C082": Change("nothing is mixed in", {"share": 0.0}),
    "C083": Change("one word is another", {"said": ("we proved it would allow the model",)}),
}
