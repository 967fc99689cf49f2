"""What decides the claims about the formula and its printed tables: C038 to C055."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import Change, Decided
from pe_book.evidence.claims.programs import entry_by_entry, list_of_pairs, slices
from pe_book.evidence.outcome import PASSED, outcome
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
    loop = [list_of_pairs(p, 8) for p in (1, 7, 49)]
    return Verdict(float(np.abs(np.array(rows) - loop).max()) < 1e-14)


def _cosine_first(*, layout: Layout = "interleaved") -> Verdict:
    return Verdict(encode(0, 4, layout=layout).tolist() == [1, 0, 1, 0])


def _sine_first(*, layout: Layout = "interleaved") -> Verdict:
    table = encode(range(9), 4)
    swapped = table[:, [1, 0, 3, 2]]
    hidden = float(np.abs(swapped @ swapped.T - table @ table.T).max()) < 1e-13
    return Verdict(hidden and encode(0, 4, layout=layout).tolist() == [0, 1, 0, 1])


def _a_pair_too_many(*, d_model: int = 512) -> Verdict:
    return Verdict(frequencies(d_model).size > 256)


def _last_pair(*, d_model: int = 512) -> Verdict:
    row, pairs = encode(1, d_model), frequencies(d_model)
    ends = math.isclose(row[-1], math.cos(pairs[-1]), rel_tol=1e-15)
    middle = math.isclose(row[256], math.sin(pairs[128]), rel_tol=1e-14)
    return Verdict(pairs.size == 256 and ends and middle, {"last": pairs.size - 1})


def _zero(*, first: int = 0) -> Verdict:
    widths = (2, 6, 512)
    return Verdict(all(encode(first, d).tolist() == [0.0, 1.0] * (d // 2) for d in widths))


def _name(*, base: float = 10000.0) -> Verdict:
    row = encode(1, 512, base=base)[[0, 1, 256]]
    found = dict(zip(("first", "second", "middle"), map(float, row), strict=True))
    return Verdict([f"{value:.2f}" for value in row] == ["0.84", "0.54", "0.01"], found)


def _exactly_one() -> Verdict:
    return Verdict(encode(1, 512)[511] == 1.0, {"missing": float(1 - encode(1, 512)[511])})


def _one_in_float32(*, base: float = 10000.0) -> Verdict:
    last = encode(1, 512, base=base)[511]
    quarter = math.ceil(math.pi / 2 / frequencies(512, base=base)[-1])
    before, after = encode([quarter - 1, quarter], 512, base=base)[:, 511]
    falls = before > 0 > after
    return Verdict(np.float32(last) == 1 and falls, {"quarter": quarter})


def _river(*, position: int = 0) -> Verdict:
    return Verdict(encode(position, 6).tolist() == [0, 1, 0, 1, 0, 1])


def _near(row: ArrayLike) -> bool:
    return bool(np.allclose(row, CIRCULATED, atol=1e-3, rtol=0))


def _circulated(*, base: float = 10000.0) -> Verdict:
    row = encode(1, 6, base=base)
    return Verdict(_near(row), {"column 2": float(row[2]), "column 4": float(row[4])})


def _bank() -> Verdict:
    divisors = [float(10000 ** (2 * i / 6)) for i in (1, 2)]
    right = np.allclose(encode(1, 6), list_of_pairs(1, 6), atol=1e-15, rtol=0)
    slip = _near(encode(1, 6, base=10000**0.5))  # the exponent i/d
    return Verdict(right and slip, {"second": divisors[0], "third": divisors[1]})


def _rounded(value: float) -> str:
    return f"{value:.3f}"


def _cut_off(value: float) -> str:
    return f"{math.floor(value * 1000) / 1000:.3f}"


SLIP = math.sin(1 / 4.64)


def _as_written(*, write: Callable[[float], str] = _rounded) -> Verdict:
    return Verdict(write(SLIP) == "0.213", {"sine": SLIP})


def _written_right() -> Verdict:
    return Verdict(_rounded(SLIP) == "0.214" and _cut_off(SLIP) == "0.213")


def _table_is_the_row(*, base: float = 10000.0) -> Verdict:
    return Verdict(_near(list_of_pairs(1, 6, base)))


def _program_is_the_row(*, base: float = 10000.0) -> Verdict:
    row = list_of_pairs(1, 6, base)
    apart = float(np.abs(row - CIRCULATED).max())
    return Verdict(bool(np.allclose(row, encode(1, 6), atol=1e-15)), {"apart": apart})


def _reaches_the_end(*, ladder: Ladder = "paper") -> Verdict:
    waves = wavelengths(512, ladder=ladder)
    share = float(waves[-1] / END)
    begins = math.isclose(waves[0], 2 * np.pi)
    return Verdict(begins and math.isclose(share, 1), {"share": 100 * share, "last": float(waves[-1])})


def _ends_before() -> Verdict:
    shares = [float(wavelengths(d)[-1] / END) for d in (6, 128, 512, 4096)]
    reaches = bool(_reaches_the_end(ladder="tensor2tensor"))
    return Verdict(reaches and shares == sorted(shares) and shares[-1] < 1, {"narrow": 100 * shares[0]})


def _geometric(*, waves: Callable[[int], Array] = wavelengths) -> Verdict:
    rungs = [waves(d)[1:] / waves(d)[:-1] for d in (128, 512)]
    found = {"narrower": float(rungs[0][0]), "wider": float(rungs[1][0])}
    return Verdict(max(float(np.ptp(rung)) for rung in rungs) < 1e-12, found)


def _gram(ladder: Ladder, layout: Layout) -> Array:
    rows = encode(range(50), 512, ladder=ladder, layout=layout)
    return rows @ rows.T


def _released_is_printed(*, ladder: Ladder = "tensor2tensor") -> Verdict:
    apart = float(np.abs(_gram(ladder, "halves") - _gram("paper", "interleaved")).max())
    return Verdict(apart < 1e-10, {"apart": apart})


def _order_changes_nothing() -> Verdict:
    return _released_is_printed(ladder="paper")


def _exp_of_the_log(*, dtype: type[np.floating] = np.float64) -> Verdict:
    recipe = np.exp(np.arange(0, 512, 2, dtype=dtype) * dtype(-math.log(10000.0) / 512))
    drifts = float(np.abs(slices(5000, 512, np.float32)[-500:] - encode(range(4500, 5000), 512)).max())
    return Verdict(bool(np.allclose(recipe, frequencies(512), rtol=1e-14, atol=0)), {"drift": drifts})


def _base_100(*, base: float = 100.0) -> Verdict:
    tables = (encode(range(4), 4, base=base), entry_by_entry(4, 4, base))
    return Verdict(all(float(np.abs(table - PRINTED).max()) < 1e-8 for table in tables))


def _of_the_paper(*, words: str = quoted.WAVELENGTHS, base_model: int = quoted.BASE_MODEL) -> Verdict:
    """Base and width are read off the quoted sentences; the package's own are compared with them."""
    first, last = quoted.ends_of(words)
    stated = list_of_pairs(17, base_model, base=last / first)
    default = encode(17, 512)
    return Verdict(
        len(stated) == 512 and bool(np.allclose(stated, default, atol=1e-13)), {"base": last / first}
    )


def _shapes(*, seq_len: int = 50) -> Verdict:
    return Verdict(encode(range(seq_len), 128).shape == slices(seq_len, 128).shape == (50, 128))


def _any_width(*, d_model: int = 7) -> Verdict:
    said = [
        outcome(lambda: len(list_of_pairs(1, d_model)) == d_model),
        outcome(lambda: bool(entry_by_entry(5, d_model)[1:, -1].all())),
        outcome(lambda: slices(5, d_model).shape == (5, d_model)),
    ]
    return Verdict(said == [PASSED] * 3, {"error": said[2].strip("`")})


def _three_ways() -> Verdict:
    short, blank = len(list_of_pairs(1, 7)), bool(entry_by_entry(5, 7)[:, 6].any())
    refused = outcome(encode, 1, 7) == "`ValueError`"
    return Verdict(short == 6 and not blank and refused, {"short": short})


def _arithmetic(d_model: int) -> Array:
    return np.arange(1.0, d_model // 2 + 1)


DECIDED = {
    "C038": Decided(_as_printed, fails_with=Change("the base is 100", {"base": 100.0})),
    "C039": Decided(
        _cosine_first,
        instead=_sine_first,
        fails_with=Change("all sines stand before all cosines", {"layout": "halves"}),
    ),
    "C040": Decided(
        _a_pair_too_many, instead=_last_pair, fails_with=Change("the width is 514", {"d_model": 514})
    ),
    "C041": Decided(_zero, fails_with=Change("the first position is 1", {"first": 1})),
    "C042": Decided(_name, fails_with=Change("the base is 1000", {"base": 1000.0})),
    "C043": Decided(_exactly_one, _one_in_float32, fails_with=Change("the base is 100", {"base": 100.0})),
    "C044": Decided(_river, fails_with=Change("its position is 1", {"position": 1})),
    "C045": Decided(_circulated, instead=_bank, fails_with=Change("the base is 100", {"base": 100.0})),
    "C046": Decided(
        _as_written,
        instead=_written_right,
        fails_with=Change("digits are cut off instead of rounded", {"write": _cut_off}),
    ),
    "C047": Decided(
        _table_is_the_row,
        instead=_program_is_the_row,
        fails_with=Change("the program divides by powers of 100", {"base": 100.0}),
    ),
    "C048": Decided(
        _reaches_the_end,
        _ends_before,
        fails_with=Change("the ladder is that of the released code", {"ladder": "tensor2tensor"}),
    ),
    "C049": Decided(_geometric, fails_with=Change("the wavelengths are 1, 2, 3, …", {"waves": _arithmetic})),
    "C050": Decided(
        _released_is_printed,
        _order_changes_nothing,
        fails_with=Change("only the columns are in another order", {"ladder": "paper"}),
    ),
    "C051": Decided(_exp_of_the_log, fails_with=Change("it is computed in float32", {"dtype": np.float32})),
    "C052": Decided(_base_100, fails_with=Change("the base is 10,000", {"base": 10000.0})),
    "C053": Decided(
        _of_the_paper,
        fails_with=Change("the paper says 1000 · 2π", {"words": quoted.WAVELENGTHS.replace("10000", "1000")}),
    ),
    "C054": Decided(_shapes, fails_with=Change("there are 49 words", {"seq_len": 49})),
    "C055": Decided(_any_width, instead=_three_ways, fails_with=Change("the width is 8", {"d_model": 8})),
}
