"""Holds pe_book.sinusoidal.computing to its word: every entry of the table, rounded once, whatever the call.

The judge is :mod:`pe_book.evidence.sinusoidal.recurrence`, which shares nothing with the code that it judges.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.recurrence import columns, largest_error, misrounded, stepped
from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import relayout
from pe_book.numerics import cache, phases
from pe_book.numerics.blocks import Blocks
from pe_book.numerics.exact import exact
from pe_book.sinusoidal.computing import ERROR_BOUND, rows, table, write
from tests import exactly
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {"series": [("pe_book/numerics/phases.py", "_SINE = [-1 / 6, ", "_SINE = [-1 / 7, ")]}

few = examples_drawn(40)
BASE = 10000.0


@pytest.fixture(scope="module")
def judge() -> NDArray[np.int64]:
    """All entries of 4096 rows of width 512, times 2**62."""
    return stepped(4096, 512)


def misrounded_row(row: NDArray[np.float32], position: int, **options: Any) -> int:
    """Entries of one row that another float32 is nearer to, by mpmath alone."""
    reference = exact([position], len(row), **options)[0]
    wrong = 0
    for found, right in zip(row, reference, strict=True):
        distance = abs(mpmath.mpf(float(found)) - right)
        beside = [float(np.nextafter(found, np.float32(end))) for end in (-2, 2)]
        wrong += any(abs(mpmath.mpf(other) - right) < distance for other in beside)
    return wrong


# Every entry ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounding", ["float32", "float16", "bfloat16"])
def test_all_entries_of_4096_by_512_are_rounded_once(judge: NDArray[np.int64], rounding: str) -> None:
    found = np.empty((4096, 512), "float16" if rounding == "float16" else "float32")
    assert misrounded(write(found, rounding=rounding), judge, rounding) == 0


def test_all_entries_in_float64_are_within_the_bound(judge: NDArray[np.int64]) -> None:
    error = largest_error(table(4096, 512, dtype="float64"), judge)
    assert error <= ERROR_BOUND * 2.0**53 == 5
    # the bound is of the right size: errors above u occur, and the fixture `elsewhere` counts on 2.5 u
    assert 1 < error < 2.5


def test_a_base_whose_sines_are_tiny() -> None:
    fixed = stepped(512, 64, base=1e10)
    cache.clear()
    assert misrounded(table(512, 64, base=1e10), fixed) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("start", [0, 2**20 - 2048, 2**24 - 4096])
def test_every_entry_of_long_tables(start: int) -> None:
    n = 65536 if start == 0 else 4096
    found = table(n, 512, start=start)
    wrong = sum(misrounded(found[:, c], fixed) for c, fixed in enumerate(columns(n, 512, start=start)))
    assert wrong == 0


# The same rows however they are asked for -----------------------------------------------------------------


@few
@given(
    d=st.sampled_from([2, 6, 64, 512]),
    start=st.integers(-300, 900),
    seq_len=st.integers(0, 600),
    dtype=st.sampled_from(["float32", "float16", "float64"]),
    layout=st.sampled_from(["interleaved", "halves"]),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
def test_any_slice_is_the_rows_of_a_bigger_table(
    d: int, start: int, seq_len: int, dtype: str, layout: Layout, ladder: Any
) -> None:
    found = table(seq_len, d, start=start, dtype=dtype, layout=layout, ladder=ladder)
    whole = table(1800, d, start=-300, dtype=dtype, ladder=ladder)
    rows = relayout(whole[start + 300 : start + 300 + seq_len], source="interleaved", to=layout)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, rows)


@few
@given(
    start=st.integers(-(2**53), 2**53) | st.integers(-(2**24), 2**24),
    d=st.sampled_from([2, 6, 64]),
    base=st.sampled_from([1.5, 1e4, 1e8]),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
def test_one_row_anywhere_is_within_the_bound(start: int, d: int, base: float, ladder: Any) -> None:
    row = table(1, d, start=start, base=base, ladder=ladder, dtype="float64")[0]
    reference = exact([start], d, base=base, ladder=ladder)[0]
    assert max(abs(a - b) for a, b in zip(row.tolist(), reference, strict=True)) < ERROR_BOUND
    single = table(1, d, start=start, base=base, ladder=ladder)[0]
    assert misrounded_row(single, start, base=base, ladder=ladder) == 0


def test_what_is_settled_of_one_block_stays_when_another_is_searched() -> None:
    found = []
    for order in ((0, 300, 700), (700, 300, 0)):
        cache.clear()
        for start in order:
            table(200, 64, start=start, base=1e8)
        kept = cache._entries["certificates", 64, 1e8, "paper", "float32", 0][0].certified
        found.append(sorted(zip(*(part.tolist() for part in kept), strict=True)))
    assert found[0] == found[1] != []


# The list of settled entries holds on every machine -------------------------------------------------------


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A machine whose products are rounded otherwise, within the bound; nothing is kept from it.

    At most 2.5 u of this machine (the judge has seen them), and 2.4 u of the other. What is kept was found
    here, and is written over the products of the other.
    """
    plain, rng = Blocks.multiply, np.random.default_rng(3)

    def multiply(self: Blocks, target: Any, chunk: Any, layout: Layout, rounding: str) -> None:
        double = np.empty(target.shape)
        plain(self, double, chunk, layout, "float64")
        target[...] = double + rng.uniform(-2.4, 2.4, double.shape) * 2.0**-53

    monkeypatch.setattr(Blocks, "multiply", multiply)
    cache.clear()
    yield monkeypatch
    cache.clear()


@pytest.mark.parametrize("base", [BASE, 1e8])
def test_other_roundings_within_the_bound_give_the_same_table(base: float, elsewhere: Any) -> None:
    right = stepped(512, 64, base=base)
    table(512, 64, base=base)  # searched here
    assert misrounded(table(512, 64, base=base), right) == 0
    cut = [*range(0, 64), 64, 200, 511, 512]  # single rows, then longer chunks: each takes its own share
    parts = [table(b - a, 64, start=a, base=base) for a, b in itertools.pairwise(cut)]
    assert misrounded(np.concatenate(parts), right) == 0
    elsewhere.setattr("pe_book.numerics.corrected._overwrite", lambda *_: None)
    assert misrounded(table(512, 64, base=base), right) >= 16


def test_the_slack_of_the_bound_pays_for_the_rounded_ends_of_the_window() -> None:
    proved = 2 * np.sqrt(2) * phases.SINE_COSINE_BOUND / 2.0**-53 + 2
    assert 2 * (ERROR_BOUND / 2.0**-53 - proved) > 0.5  # an end below 1 is rounded by up to u/2


# Rows anywhere --------------------------------------------------------------------------------------------


@few
@given(
    positions=st.lists(st.integers(-(2**53), 2**53), max_size=8)
    | st.lists(st.integers(-40, 40), max_size=60),
    d=st.sampled_from([2, 64]),
    dtype=st.sampled_from(["float32", "float16", "float64"]),
    layout=st.sampled_from(["interleaved", "halves"]),
    base=st.sampled_from([1.5, BASE, 1e12]),
)
def test_rows_are_those_of_the_table_wherever_they_are(
    positions: list[int], d: int, dtype: str, layout: Layout, base: float
) -> None:
    found = rows(positions, d, dtype=dtype, layout=layout, base=base)
    assert found.shape == (len(positions), d)
    assert found.dtype == dtype
    for row, position in zip(found, positions, strict=True):
        one = table(1, d, start=position, dtype=dtype, layout=layout, base=base)[0]
        if dtype == "float64":
            np.testing.assert_allclose(row, one, rtol=0, atol=2 * ERROR_BOUND)
        else:
            np.testing.assert_array_equal(row, one)


def test_scattered_rows_are_correctly_rounded(judge: NDArray[np.int64]) -> None:
    cache.clear()
    some = np.random.default_rng(7).permutation(4096)[:1500].reshape(3, 500)
    assert int(some.max() - some.min()) < 8 * some.size  # a table, cut
    assert misrounded(rows(some, 512).reshape(-1, 512), judge[some.ravel()]) == 0
    assert misrounded(rows(some[0], 512), judge[some[0]]) == 0  # each for itself
    short = rows(some[0], 512, rounding="bfloat16")
    assert misrounded(short, judge[some[0]], "bfloat16") == 0


def test_the_widest_table_and_the_base_of_a_googol() -> None:
    wide = table(20, 2**16, start=2**40)
    for pair in (0, 1, 32767):
        sine, _ = exactly.wave(2**40 + 7, pair, 2**16)
        assert wide[7, 2 * pair] == np.float32(float(sine))
    assert misrounded_row(table(1, 64, start=77, base=1e100)[0], 77, base=1e100) == 0


# Where the rows are written -------------------------------------------------------------------------------


VIEWS: dict[str, Callable[[Any], Any]] = {
    "every other row and column": lambda room: room[1:-2:2, 2:130:2],
    "backwards": lambda room: room[-3:0:-2, 3:67],
    "in column order": lambda room: room.reshape(140, -1)[3:67, 2 : (len(room) + 1) // 2].T,
    "a block of rows": lambda room: room.reshape(-1)[5 : 5 + (len(room) - 2) // 2 * 64].reshape(-1, 64),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("n", [5, 700])
def test_out_fills_the_callers_array_and_nothing_around_it(
    view: Callable[[Any], Any], layout: Layout, dtype: str, n: int
) -> None:
    """Looks at the base, and not at what comes back: that a filled copy of the view would pass."""
    room = np.full((2 * n + 3, 140), 7, dtype)
    expected = room.copy()
    view(expected)[...] = table(n, 64, start=30, layout=layout, dtype=dtype)
    out = view(room)
    assert table(n, 64, start=30, layout=layout, dtype=dtype, out=out) is out
    np.testing.assert_array_equal(room, expected)


def test_no_rows() -> None:
    assert table(0, 6).shape == (0, 6)
    out = np.empty((0, 4), np.float16)
    assert write(out, start=2**53) is out


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_threads_share_the_rows_and_change_nothing(layout: Layout) -> None:
    alone = table(9000, 64, start=77, layout=layout)
    cache.clear()
    shared = write(np.empty((9000, 64), np.float32), start=77, layout=layout, threads=3)
    assert np.array_equal(alone, shared)


def test_bfloat16_fits_into_float32_and_float64() -> None:
    short = write(np.empty((40, 6), np.float32), rounding="bfloat16")
    assert np.array_equal(short, write(np.empty((40, 6)), rounding="bfloat16"))
    assert not (short.view(np.uint32) & 0xFFFF).any()


def test_the_precision_of_the_caller_is_neither_used_nor_changed() -> None:
    right = table(64, 16, base=1e8)
    cache.clear()
    with mpmath.mp.workdps(3):
        assert np.array_equal(table(64, 16, base=1e8), right)
        assert mpmath.mp.dps == 3
        value = exact([1], 2, digits=30)[0][0]
    assert abs(value - mpmath.mp.clone().sin(1)) < 1e-15
    with mpmath.mp.workdps(60):
        assert abs(value - mpmath.sin(1)) < mpmath.mpf(10) ** -40


# The compiled path ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_the_compiled_table_is_the_plain_one_bit_for_bit(layout: Layout, judge: NDArray[np.int64]) -> None:
    pytest.importorskip("numba")
    found = write(np.empty((4096, 512), np.float32), layout=layout, compiled=True)
    assert np.array_equal(found, table(4096, 512, layout=layout))
    assert misrounded(relayout(found, source=layout, to="interleaved"), judge) == 0
    for start, n, base in ((2**24 - 99, 200, BASE), (-70, 333, 1e8)):
        found = write(np.empty((n, 64), np.float32), start=start, base=base, layout=layout, compiled=True)
        assert np.array_equal(found, table(n, 64, start=start, base=base, layout=layout))


def test_compiled_formats_and_threads() -> None:
    pytest.importorskip("numba")
    double = write(np.empty((300, 64)), start=2**20, compiled=True)
    assert np.abs(double - table(300, 64, start=2**20, dtype="float64")).max() <= 2 * ERROR_BOUND
    assert np.array_equal(
        write(np.empty((300, 64), np.float16), compiled=True), table(300, 64, dtype="float16")
    )
    shared = write(np.empty((3000, 64), np.float32), compiled=True, threads=2)
    assert np.array_equal(shared, table(3000, 64))


def test_without_numba_the_compiled_path_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "pe_book.numerics.compiled", raising=False)
    with pytest.raises(ModuleNotFoundError, match="numba"):
        write(np.empty((2, 4), np.float32), compiled=True)


# What is refused ------------------------------------------------------------------------------------------


REFUSED: dict[str, Callable[[], Any]] = {
    "start: positions must lie within": lambda: table(2, 4, start=-(2**53) - 1),
    "out must be float32 or float16 or float64 of .*, got a list": lambda: table(2, 4, out=[[0.0]]),
    "out must be float32 of .* got float64 of": lambda: table(2, 4, dtype="f4", out=np.zeros((2, 4))),
    r"of shape \(2, 4\), got float32 of shape \(3, 4\)": lambda: table(2, 4, out=np.zeros((3, 4), "f4")),
    "positions must be whole numbers, got 0.5; pe_book.encode": lambda: rows([0.5, 1], 4),
    "make the array float64": lambda: rows([1], 4, rounding="float64"),
    "out must be writeable, got a read-only array": lambda: write(
        np.frombuffer(bytes(32), "f4").reshape(2, 4)
    ),
    "out must be float32.*>f4": lambda: write(np.zeros((2, 4), ">f4")),
    "the number of columns of out must be even": lambda: write(np.zeros((2, 3), "f4")),
    "got .float16.; for numbers of float16": lambda: write(np.zeros((2, 4), "f4"), rounding="float16"),
    "rounding: float16 cannot hold": lambda: write(np.zeros((2, 4), "f2"), rounding="bfloat16"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_is_refused(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()
