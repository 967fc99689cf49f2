"""What decides the claims about the formula and its printed tables: C038 to C055."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import Change, Decided, equal, given
from pe_book.evidence.claims.programs import entry_by_entry, list_of_pairs, slices
from pe_book.evidence.outcome import PASSED, fails_with, outcome
from pe_book.evidence.verdict import Verdict
from pe_book.inputs.checking import Ladder, Layout
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths

Array = NDArray[np.float64]
END = 2 * np.pi * 10000  # where the wavelengths of the paper end, in tokens
CIRCULATED = np.array([0.841, 0.540, 0.213, 0.977, 0.046, 0.999])  # a row that goes around for position 1
PRINTED = np.array(
    [
        [0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.09983342, 0.99500417],
        [0.90929743, -0.41614684, 0.19866933, 0.98006658],
        [0.14112001, -0.9899925, 0.29552021, 0.95533649],
    ]
)  # a program's table of four positions, width 4, base 100


def _as_printed(*, base: float = 10000.0) -> Verdict:
    """Every entry beside the formula, written out with a loop."""
    rows = [encode(p, 8, base=base) for p in (1, 7, 49)]
    return Verdict(equal(rows, [list_of_pairs(p, 8) for p in (1, 7, 49)]))


def _cosine_first(*, layout: Layout = "interleaved") -> Verdict:
    return Verdict(encode(0, 4, layout=layout).tolist() == [1, 0, 1, 0])


def _sine_first(*, layout: Layout = "interleaved") -> Verdict:
    table = encode(range(9), 4)
    swapped = table[:, [1, 0, 3, 2]]
    hidden = equal(swapped @ swapped.T, table @ table.T)
    return Verdict(hidden and encode(0, 4, layout=layout).tolist() == [0, 1, 0, 1])


def _last_pair(*, d_model: int = 512) -> Verdict:
    row, pairs = encode(1, d_model), frequencies(d_model)
    last, half, too_many = pairs.size - 1, d_model // 4, 256 + 1
    ends = equal(row[-2:], [math.sin(pairs[-1]), math.cos(pairs[-1])])
    middle = equal(row[256], math.sin(pairs[half]))
    found = {"last": last, "sine": 2 * last, "cosine": 2 * last + 1, "half": half}
    more = {"too_many": too_many, "too_wide": 2 * too_many}
    return Verdict(pairs.size == 256 and ends and middle, found | more)


def _name(*, base: float = 10000.0) -> Verdict:
    row = encode(1, 512, base=base)[[0, 1, 256]]
    found = dict(zip(("first", "second", "middle"), map(float, row), strict=True))
    rounded = [f"{value:.2f}" for value in row] == ["0.84", "0.54", "0.01"]
    return Verdict(rounded and equal(row[2], math.sin(base**-0.5)), found)


def _exactly_one() -> Verdict:
    return Verdict(encode(1, 512)[511] == 1.0, {"missing": float(1 - encode(1, 512)[511])})


def _one_in_float32(*, base: float = 10000.0) -> Verdict:
    last = encode(1, 512, base=base)[511]
    quarter = math.ceil(math.pi / 2 / frequencies(512, base=base)[-1])
    before, after = encode([quarter - 1, quarter], 512, base=base)[:, 511]
    falls = before > 0 > after
    return Verdict(np.float32(last) == 1 and falls, {"quarter": quarter})


def _circulates(row: ArrayLike) -> bool:
    """Whether a row is the one that goes around, the sines with their digits cut off or rounded."""
    pairs = zip(CIRCULATED, map(float, np.asarray(row)), strict=True)
    return all(_rounded(shown) in (_rounded(value), _cut_off(value)) for shown, value in pairs)


def _circulated(*, base: float = 10000.0) -> Verdict:
    row = encode(1, 6, base=base)
    return Verdict(_circulates(row), {"column 2": float(row[2]), "column 4": float(row[4])})


def _bank(*, base: float = 10000.0) -> Verdict:
    """Whether the program returns the formula's row, and the printed one has the exponent i/d."""
    divisors, slip = [float(10000 ** (2 * i / 6)) for i in (1, 2)], math.sqrt(10000)
    right = list_of_pairs(1, 6, base)
    off = np.abs(np.asarray(right) - CIRCULATED)
    found = {"second": divisors[0], "third": divisors[1], "apart": float(off[2]), "slip": slip}
    wrong = _circulates(encode(1, 6, base=slip)) and int(off.argmax()) == 2
    return Verdict(equal(encode(1, 6), right) and wrong, found)


def _rounded(value: float) -> str:
    return f"{value:.3f}"


def _cut_off(value: float) -> str:
    return f"{math.floor(value * 1000) / 1000:.3f}"


SLIP = math.sin(1 / 4.64)


def _as_written(*, write: Callable[[float], str] = _rounded) -> Verdict:
    return Verdict(write(SLIP) == "0.213", {"sine": SLIP, "rounded": write(SLIP)})


def _reaches_the_end(*, d_model: int = 512, ladder: Ladder = "paper") -> Verdict:
    waves = wavelengths(d_model, ladder=ladder)
    found = {"share": 100 * float(waves[-1] / END), "last": float(waves[-1])}
    return Verdict(equal(waves[[0, -1]], [2 * np.pi, END]), found)


def _ends_before(*, narrow: int = 6) -> Verdict:
    shares = [float(wavelengths(d)[-1] / END) for d in (narrow, 128, 512, 4096)]
    reaches = bool(_reaches_the_end(ladder="tensor2tensor"))
    return Verdict(reaches and shares == sorted(shares) and shares[-1] < 1, {"least": 100 * shares[0]})


def _geometric(*, waves: Callable[[int], Array] = wavelengths, narrow: int = 128, wide: int = 512) -> Verdict:
    rungs = [waves(d)[1:] / waves(d)[:-1] for d in (narrow, wide)]
    found = {"narrower": float(rungs[0][0]), "wider": float(rungs[1][0])}
    return Verdict(all(equal(rung, rung[0]) for rung in rungs), found)


def _released_is_printed(
    *, ladder: Ladder = "tensor2tensor", layout: Layout = "halves", words: int = 50, d_model: int = 512
) -> Verdict:
    released, printed = (
        encode(range(words), d_model, ladder=one, layout=order)
        for one, order in ((ladder, layout), ("paper", "interleaved"))
    )
    gram, apart = printed @ printed.T, float(np.abs(released @ released.T - printed @ printed.T).max())
    return Verdict(equal(released @ released.T, gram), {"apart": apart, "own": float(gram[0, 0])})


def _exp_of_the_log(*, dtype: type[np.floating] = np.float64, rows: int = 5000) -> Verdict:
    recipe = np.exp(np.arange(0, 512, 2, dtype=dtype) * dtype(-math.log(10000.0) / 512))
    late = range(rows - rows // 10, rows)
    drifts = float(np.abs(slices(rows, 512, np.float32)[late] - encode(late, 512)).max())
    return Verdict(equal(recipe / frequencies(512), 1), {"drift": drifts})


def _base_100(*, base: float = 100.0) -> Verdict:
    tables = (encode(range(4), 4, base=base), entry_by_entry(4, 4, base))
    as_printed = [np.array_equal(np.round(table, 8), PRINTED) for table in tables]
    return Verdict(all(as_printed), {"entries": PRINTED.size})


def _of_the_paper(*, formula: str = quoted.FORMULA, base_model: int = quoted.BASE_MODEL) -> Verdict:
    """Base and width are read off what is quoted; the package's own are compared with them."""
    base = quoted.base_of(formula)
    stated = list_of_pairs(17, base_model, base=base)
    default = encode(17, 512)
    return Verdict(len(stated) == 512 and equal(stated, default), {"base": base})


def _any_width(*, d_model: int = 7) -> Verdict:
    said = [
        outcome(lambda: len(list_of_pairs(1, d_model)) == d_model),
        outcome(lambda: bool(entry_by_entry(5, d_model)[1:, -1].all())),
        outcome(lambda: slices(5, d_model).shape == (5, d_model)),
    ]
    return Verdict(said == [PASSED] * 3, {"error": said[2].strip("`")})


def _three_ways(*, d_model: int = 7) -> Verdict:
    short, blank = len(list_of_pairs(1, d_model)), bool(entry_by_entry(5, d_model)[:, -1].any())
    refused = fails_with("ValueError", encode, 1, d_model)
    return Verdict(short == d_model - 1 and not blank and bool(refused), {"short": short})


def _arithmetic(d_model: int) -> Array:
    return np.arange(1.0, d_model // 2 + 1)


DECIDED = {
    "C038": Decided(_as_printed),
    "C039": Decided(_cosine_first, instead=_sine_first),
    "C040": Decided(lambda d_model=512: frequencies(d_model).size > 256, instead=_last_pair),
    "C041": Decided(lambda first=0: all(encode(first, d).tolist() == [0, 1] * (d // 2) for d in (2, 6, 512))),
    "C042": Decided(_name),
    "C043": Decided(_exactly_one, _one_in_float32),
    "C044": Decided(lambda position=0: encode(position, 6).tolist() == [0, 1, 0, 1, 0, 1]),
    "C045": Decided(_circulated, instead=_bank),
    "C046": Decided(_as_written, instead=lambda: _rounded(SLIP) == "0.214" and _cut_off(SLIP) == "0.213"),
    "C048": Decided(_reaches_the_end, _ends_before),
    "C049": Decided(_geometric),
    "C050": Decided(_released_is_printed, given(_released_is_printed, ladder="paper")),
    "C051": Decided(_exp_of_the_log),
    "C052": Decided(_base_100),
    "C053": Decided(_of_the_paper),
    "C054": Decided(
        lambda seq_len=50: encode(range(seq_len), 128).shape == slices(seq_len, 128).shape == (50, 128)
    ),
    "C055": Decided(_any_width, instead=_three_ways),
}
FAILS_WITH = {
    "C038": Change("the base is {base:,.0f}", {"base": 10001.0}),
    "C039": Change("all sines stand before all cosines", {"layout": "halves"}),
    "C040": Change("the width is {d_model}", {"d_model": 514}),
    "C041": Change("the first position is {first}", {"first": 1}),
    "C042": Change("the base is {base:,.0f}", {"base": 4000.0}),
    "C043": Change("the base is {base:.0f}", {"base": 100.0}),
    "C044": Change("its position is {position}", {"position": 1}),
    "C045": Change("the base is {base:.0f}", {"base": 100.0}),
    "C046": Change("digits are cut off instead of rounded", {"write": _cut_off}),
    "C048": Change("the ladder is that of the released code", {"ladder": "tensor2tensor"}),
    "C049": Change("the wavelengths are 1, 2, 3, …", {"waves": _arithmetic}),
    "C050": Change("only the columns are in another order", {"ladder": "paper"}),
    "C051": Change("it is computed in float32", {"dtype": np.float32}),
    "C052": Change("the base is {base:,.0f}", {"base": 10000.0}),
    "C053": Change("the formula has 1000 there", {"formula": quoted.FORMULA.replace("10000", "1000")}),
    "C054": Change("there are {seq_len} words", {"seq_len": 49}),
    "C055": Change("the width is {d_model}", {"d_model": 8}),
}
