"""Holds pe_book.sinusoidal.precision, and what the chapter says with it, to their word."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.evidence.sinusoidal.precision import what_is_left
from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import relayout
from pe_book.numerics.exact import exact as exact_rows
from pe_book.numerics.exact import exact_entry
from pe_book.numerics.rounding import FORMATS, collisions, round_to, spacing
from pe_book.show.sinusoidal import precision as show
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision import error, first_collision
from pe_book.sinusoidal.precision.recipes import STAGES, encode_rounded, recipe, recipe_frequencies
from pe_book.sinusoidal.shift import shift
from pe_book.why.order_blindness import self_attention
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

Array = NDArray[np.float64]
few = examples_drawn(25)
CONVENTIONS = st.fixed_dictionaries(
    {
        "base": st.sampled_from([2.5, 10000.0, 500000.0]),
        "layout": st.sampled_from(["interleaved", "halves"]),
        "ladder": st.sampled_from(["paper", "tensor2tensor"]),
    }
)


# Error: exact small tables --------------------------------------------------------------------------------


def test_the_exact_table_has_no_misrounded_entry_and_half_a_unit() -> None:
    for dtype in ("float32", "float16"):
        found = error(computing.table(300, 64, dtype=dtype))
        assert found.misrounded == 0
        assert found.entries == 300 * 64
        assert 0.4 < found.ulps <= 0.5 + 1e-3
    bfloat16 = computing.write(np.empty((300, 64), np.float32), rounding="bfloat16")
    assert error(bfloat16, dtype="bfloat16").misrounded == 0
    assert error(bfloat16).misrounded > 300 * 50  # judged as float32
    unrounded = error(encode(range(1, 300), 64), start=1, dtype="float32")
    assert unrounded.ulps < 1e-3
    assert unrounded.misrounded == unrounded.entries  # near enough, and not numbers of the format


def test_one_entry_moved_by_one_unit_is_one_misrounded_entry() -> None:
    table = computing.table(10, 8)
    table[7, 3] = np.nextafter(table[7, 3], np.float32(2))
    found = error(table)
    assert found.misrounded == 1
    true = float(exact_rows([7], 8)[0][3])
    unit = float(spacing(true, "float32"))
    assert found.ulps == pytest.approx(abs(float(table[7, 3]) - true) / unit, abs=1e-3)
    assert 0.5 < found.ulps <= 1.5
    assert found.largest == pytest.approx(abs(float(table[7, 3]) - true), rel=1e-6)


@few
@given(
    start=st.integers(-(2**24), 2**24),
    d=st.sampled_from([2, 6, 30, 64]),
    conventions=CONVENTIONS,
    dtype=st.sampled_from(["bfloat16", "float16", "float32"]),
    row=st.integers(0, 3),
    column=st.integers(0, 63),
    seed=st.integers(0, 99),
)
def test_errors_agree_with_multiple_precision(
    start: int, d: int, conventions: dict[str, Any], dtype: str, row: int, column: int, seed: int
) -> None:
    exact = exact_rows(range(start, start + 4), d, **conventions)
    noise = np.random.default_rng(seed).normal(size=(4, d))
    values = np.array([[float(v) for v in line] for line in exact])
    table = round_to(values + 2e-4 * noise, dtype)
    column %= d
    table[row, column] = 2.0
    found = error(table, start=start, dtype=dtype, **conventions)
    off = [[abs(mpmath.mpf(float(table[i, j])) - exact[i][j]) for j in range(d)] for i in range(4)]
    units = spacing(values, dtype)
    ulps = max(float(off[i][j]) / units[i, j] for i in range(4) for j in range(d))
    assert found.ulps == pytest.approx(ulps, rel=1e-6, abs=1.1e-3)
    assert found.largest == pytest.approx(float(max(max(line) for line in off)), rel=1e-9, abs=1e-15)
    nearest = np.array([[_nearest(v, dtype) for v in line] for line in exact])
    assert found.misrounded == np.count_nonzero(table != nearest)


def _nearest(value: Any, dtype: str) -> float:
    """By bisection of the format with mpmath: no rounding of our own code is used."""
    if value == 0:
        return 0.0
    bits, least, _ = FORMATS[dtype]
    with mpmath.workprec(300):
        exponent = max(int(mpmath.floor(mpmath.log(abs(value), 2))), least)
        unit = mpmath.mpf(2) ** (exponent - bits + 1)
        return float(mpmath.nint(value / unit) * unit)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize(
    ("position", "base"),
    [(p, 10000.0) for p in (411557987, 245850922, 8958937768937, 122925461, 6134899525417045)]
    + [(2 * p, 4.0) for p in (411557987, 245850922, 8958937768937)],  # pair 1 turns at half the speed
)
def test_an_error_near_a_zero_is_judged_in_multiple_precision(
    position: int, base: float, layout: Layout
) -> None:
    """Numerators of continued fractions of π or of its half: sines and cosines below 1e-8, of tiny unit."""
    precise = exact_rows([position], 4, base=base, layout=layout)[0]
    small = min(range(4), key=lambda column: float(abs(precise[column])))
    unit = float(spacing(float(precise[small]), "float32"))
    assert abs(precise[small]) < 1e-8
    assert unit < computing.ERROR_BOUND * 10
    table = np.array([[float(v) for v in precise]], np.float32)
    assert error(table, start=position, base=base, layout=layout).ulps <= 0.5 + 1e-9
    table[0, small] = np.nextafter(table[0, small], np.float32(1))
    found = error(table, start=position, base=base, layout=layout)
    with mpmath.workprec(200):
        expected = float(abs(mpmath.mpf(float(table[0, small])) - precise[small]) / unit)
    assert found.ulps == pytest.approx(expected, rel=1e-9)
    assert found.misrounded == 1


def test_a_wrong_start_a_wrong_layout_and_a_wrong_ladder_are_seen() -> None:
    table = computing.table(20, 32, start=5)
    assert error(table, start=5).misrounded == 0
    assert error(table, start=6).largest > 0.5
    assert error(table, start=5, layout="halves").largest > 0.5
    assert error(table, start=5, ladder="tensor2tensor").largest > 0.1
    assert error(table, start=5, base=20000.0).largest > 0.1
    halves = relayout(table, source="interleaved", to="halves")
    assert error(halves, start=5, layout="halves").misrounded == 0


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (np.zeros((3, 4)), {}, "dtype must be given"),
        ([[0.0, 1.0]], {}, "dtype must be given"),
        (np.zeros((3, 4), np.float32), {"dtype": "float64"}, "dtype must be"),
        (np.zeros(4, np.float32), {}, "shape"),
        (np.zeros((0, 4), np.float32), {}, "shape"),
        (np.zeros((2, 3), np.float32), {}, "even"),
        (np.full((2, 2), np.nan, np.float32), {}, "finite"),
        (np.zeros((2, 2), np.float32), {"start": 0.5}, "start"),
        (np.zeros((2, 2), np.float32), {"layout": "rows"}, "layout"),
    ],
)
def test_error_refuses(table: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        error(table, **options)


# The four roundings ---------------------------------------------------------------------------------------


def test_each_rounding_by_hand() -> None:
    p, d, dtype = np.array([300.0, 301.0]), 4, "bfloat16"
    omega = np.array([1.0, 0.01])
    rounded_omega = round_to(omega, dtype)
    assert rounded_omega[1] != 0.01
    angles = {
        "positions": np.array([300.0, 300.0])[:, None] * omega,  # 301 lies halfway and goes to the even side
        "frequencies": p[:, None] * rounded_omega,
        "angles": round_to(p[:, None] * omega, dtype),
        "table": p[:, None] * omega,
    }
    for stage, angle in angles.items():
        rows = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(2, 4)
        rows = round_to(rows, dtype) if stage == "table" else rows
        assert np.array_equal(encode_rounded(p, d, rounded=stage, dtype=dtype), rows)


def test_several_stages_are_rounded_in_order() -> None:
    p = np.arange(1000)
    both = encode_rounded(p, 16, rounded=("angles", "table"), dtype="float16")
    one = encode_rounded(p, 16, rounded="angles", dtype="float16")
    assert np.array_equal(both, round_to(one, "float16"))
    assert np.array_equal(both, encode_rounded(p, 16, rounded=["table", "angles"], dtype="float16"))


@few
@given(
    position=st.integers(0, 2**20),
    d=st.sampled_from([2, 8, 64]),
    dtype=st.sampled_from(["bfloat16", "float32"]),
    conventions=CONVENTIONS,
)
def test_the_theorem_on_the_four_roundings(
    position: int, d: int, dtype: str, conventions: dict[str, Any]
) -> None:
    bits, plain = FORMATS[dtype].significant_bits, {k: conventions[k] for k in ("base", "ladder")}
    angle = position * frequencies(d, **plain)
    true = encode(position, d, **conventions)
    slack = 4 * np.finfo(float).eps * (1 + position)

    def worst(stage: str) -> Array:
        rows = encode_rounded(position, d, rounded=stage, dtype=dtype, **conventions)
        off = np.abs(rows - true)
        return np.asarray(relayout(off, source=conventions["layout"], to="halves").reshape(2, -1).max(axis=0))

    assert (worst("table") <= 2.0 ** (-bits - 1)).all()
    assert (worst("frequencies") <= 2.0**-bits * angle + slack).all()
    assert (worst("angles") <= spacing(angle, dtype) / 2 + slack).all()
    if position <= 2**bits:
        assert (worst("positions") == 0).all()
    else:
        octave = int(np.floor(np.log2(position)))
        assert (worst("positions") <= 2.0 ** (octave - bits) * frequencies(d, **plain) + slack).all()


@few
@given(p=st.integers(0, 100_000), k=st.integers(-50, 50))
def test_rounded_frequencies_keep_a_shift_theorem(p: int, k: int) -> None:
    rows = encode_rounded([p, p + k], 32, rounded="frequencies", dtype="bfloat16")
    omega = round_to(frequencies(32), "bfloat16")
    s, c = rows[0, 0::2], rows[0, 1::2]
    moved = np.stack(
        [s * np.cos(k * omega) + c * np.sin(k * omega), c * np.cos(k * omega) - s * np.sin(k * omega)]
    )
    np.testing.assert_allclose(moved.T.ravel(), rows[1], rtol=0, atol=1e-10)


def test_rounded_angles_lose_the_shift_theorem_whatever_the_angle_of_the_shift() -> None:
    rows = encode_rounded(np.arange(3000), 2, rounded="angles", dtype="bfloat16")
    steps = rows[1:, 0] * rows[:-1, 1] - rows[1:, 1] * rows[:-1, 0]  # the sine of the angle of each step
    assert np.ptp(steps) > 1.5
    true = encode(np.arange(3000), 2)
    assert np.ptp(true[1:, 0] * true[:-1, 1] - true[1:, 1] * true[:-1, 0]) < 1e-10
    assert np.abs(shift(true[:-1], 1) - true[1:]).max() < 1e-10


def test_float16_ends_in_numbers_that_are_none() -> None:
    rows = encode_rounded([65504, 70000], 4, rounded="positions", dtype="float16")
    assert np.isfinite(rows[0]).all()
    assert np.isnan(rows[1]).all()
    assert np.isnan(recipe([70000], 4, dtype="float16")).all()
    with pytest.raises(ValueError, match="within"):
        encode_rounded([1e300], 4, rounded=("positions", "table"), dtype="bfloat16")
    far = encode_rounded([70000], 4, rounded="angles", dtype="float16")[0]
    assert np.isnan(far[:2]).all()
    assert np.isfinite(far[2:]).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rounded": "angle", "dtype": "float16"}, "rounded must be"),
        ({"rounded": (), "dtype": "float16"}, "at least one"),
        ({"rounded": "table", "dtype": "float64"}, "dtype must be"),
        ({"rounded": "table", "dtype": "float16", "layout": "rows"}, "layout"),
    ],
)
def test_encode_rounded_refuses(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        encode_rounded([1], 4, **options)
    with pytest.raises(ValueError, match="positions"):
        encode_rounded([np.nan], 4, rounded="table", dtype="float16")


# Collisions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FORMATS)
def test_the_first_collision_is_the_first_that_rounding_makes(dtype: str) -> None:
    kept, lost = first_collision(dtype)
    around = np.arange(kept - 300, lost + 1) if kept > 300 else np.arange(lost + 1)
    found = collisions(round_to(around, dtype))
    assert found.first == (len(around) - 2, len(around) - 1)
    assert around[-1] == lost
    rows = encode_rounded(around, 8, rounded="positions", dtype=dtype)
    assert collisions(rows).first == found.first


def test_equal_tokens_at_merged_positions_stay_equal_without_a_mask_and_part_under_a_causal_one() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 32))
    x[257] = x[256]  # the same token twice
    x += encode_rounded(np.arange(300), 32, rounded="positions", dtype="bfloat16")
    weights = rng.normal(size=(3, 32, 32)) / 32**0.5
    blind, causal = self_attention(x, *weights), self_attention(x, *weights, causal=True)
    np.testing.assert_allclose(blind[256], blind[257], rtol=0, atol=1e-12)
    assert np.abs(causal[256] - causal[257]).max() > 1e-3


def test_rounded_angles_merge_rows_further_out_and_frequencies_at_larger_widths() -> None:
    rows = encode_rounded(np.arange(6500), 64, rounded="angles", dtype="bfloat16")
    alike = np.flatnonzero((rows[1:] == rows[:-1]).all(axis=1))  # few columns: more than 512 would give
    wide = [encode_rounded([p, p + 1], 512, rounded="angles", dtype="bfloat16") for p in alike.tolist()]
    assert [p for p, (a, b) in zip(alike.tolist(), wide, strict=True) if np.array_equal(a, b)][:1] == [6370]
    left = {d: len(np.unique(round_to(frequencies(d), "bfloat16"))) for d in (512, 2048, 2560)}
    assert (left[512], left[2048]) == (256, 1024)
    assert left[2560] < 1280


def test_a_rounding_of_pair_0_is_of_positions() -> None:
    for stage, first_hurt in (("angles", 257), ("positions", 257), ("frequencies", None)):
        rows = encode_rounded(np.arange(300), 2, rounded=stage, dtype="bfloat16")
        hurt = np.flatnonzero((rows != encode(np.arange(300), 2)).any(axis=1))
        assert (hurt[0] if len(hurt) else None) == first_hurt


def test_first_collision_refuses() -> None:
    with pytest.raises(ValueError, match="dtype must be"):
        first_collision("float8")


# Recipes --------------------------------------------------------------------------------------------------


def test_the_recipe_is_what_numpy_computes_in_float16_and_float32_up_to_last_digits() -> None:
    i2 = np.arange(0, 64, 2, dtype=np.float32)
    p = np.arange(100, dtype=np.float32)[:, None]
    ways = {
        "exp": np.exp(i2 * np.float32(-np.log(10000) / 64)),
        "power": 1 / np.float32(10000) ** (i2 / np.float32(64)),
    }
    for way, omega in ways.items():
        native = np.stack([np.sin(p * omega), np.cos(p * omega)], axis=-1).reshape(100, 64)
        ours = recipe(np.arange(100), 64, frequencies_by=way)
        assert np.array_equal(ours.astype(np.float32), ours)
        # a frequency may differ by its last digits, four at most, and the position multiplies that
        assert np.abs(native - ours).max() < 100 * 6 * 2.0**-24
        assert np.mean(native == ours) > 0.3


@pytest.mark.parametrize("way", ["exp", "power"])
def test_the_recipe_is_what_torch_computes_up_to_last_digits(way: str) -> None:
    torch = pytest.importorskip("torch")
    i2, p = torch.arange(0, 512, 2).float(), torch.arange(4096).float()[:, None]
    omega = torch.exp(i2 * (-np.log(10000.0) / 512)) if way == "exp" else 1.0 / 10000.0 ** (i2 / 512)
    native = torch.stack([torch.sin(p * omega), torch.cos(p * omega)], dim=-1).reshape(4096, 512).numpy()
    there, here = error(native), error(recipe(np.arange(4096), 512, frequencies_by=way), dtype="float32")
    assert abs(there.misrounded - here.misrounded) < 0.05 * here.entries
    assert 1 / 3 < there.largest / here.largest < 3


@pytest.mark.parametrize("way", ["exp", "power", "nearest"])
def test_the_recipe_rounds_every_step_to_float32(way: str) -> None:
    """The same steps in numbers of mpmath, each rounded to 24 bits."""
    d = 768
    with mpmath.workprec(200):

        def cut(x: Any) -> Any:
            return mpmath.mpf(float(np.float32(float(x))))

        expected = []
        for i2 in range(0, d, 2):
            if way == "exp":
                omega = cut(mpmath.exp(cut(i2 * cut(-mpmath.log(10000) / d))))
            elif way == "power":
                omega = cut(1 / cut(mpmath.mpf(10000) ** cut(mpmath.mpf(i2) / d)))
            else:
                omega = cut(mpmath.mpf(10000) ** (-mpmath.mpf(i2) / d))
            expected += [float(cut(mpmath.sin(cut(3 * omega)))), float(cut(mpmath.cos(cut(3 * omega))))]
    assert recipe(3, d, frequencies_by=way).tolist() == expected


def test_recipe_refuses() -> None:
    with pytest.raises(ValueError, match="frequencies_by"):
        recipe([1], 4, frequencies_by="table")
    with pytest.raises(ValueError, match="dtype"):
        recipe([1], 4, dtype="float64")
    with pytest.raises(ValueError, match="base"):
        recipe([1], 4, base=1.0)


# Claims of the ledger ---------------------------------------------------------------------------------------


def test_c051_the_two_forms_of_the_frequency_are_equal_in_float64_and_drift_in_float32() -> None:
    assert stands("C051")
    i2 = np.arange(0, 512, 2)
    np.testing.assert_allclose(np.exp(i2 * (-np.log(1e4) / 512)), 1 / 1e4 ** (i2 / 512), rtol=1e-14)
    single = np.exp((i2 * np.float32(-np.log(1e4) / 512)).astype(np.float32))
    assert np.abs(single / frequencies(512) - 1).max() > 4 * 2.0**-24
    found = {}
    for end in (50, 5000, 100_000):
        at = np.arange(max(0, end - 2000), end)
        found[end] = error(recipe(at, 512), start=int(at[0]), dtype="float32").largest
    assert f"{found[50]:.0e}" == "3e-06"
    assert f"{found[5000]:.0e}" == "4e-04"
    assert 4e-3 < found[100_000] < 8e-3


def test_c097_a_cast_of_the_finished_table_is_harmless_and_a_cast_of_positions_is_not() -> None:
    assert stands("C097")
    p = np.arange(5000)
    exact = computing.table(5000, 512, dtype="float64")
    distinct = {}
    for dtype, half_unit in (("bfloat16", 2.0**-9), ("float16", 2.0**-12)):
        table = encode_rounded(p, 512, rounded="table", dtype=dtype)
        assert 0.99 * half_unit < np.abs(table - exact).max() <= half_unit
        assert collisions(table) == (None, 5000, 5000)
        distinct[dtype] = {s: collisions(encode_rounded(p, 64, rounded=s, dtype=dtype)) for s in STAGES}
        assert distinct[dtype]["frequencies"].first is None
        assert collisions(round_to(p, dtype)).distinct == distinct[dtype]["positions"].distinct
    assert distinct["bfloat16"]["positions"] == ((256, 257), 797, 5000)
    assert distinct["float16"]["positions"] == ((2048, 2049), 3299, 5000)
    assert distinct["bfloat16"]["angles"].first is not None  # with 64 dimensions, and not with 512
    assert collisions(encode_rounded(p, 512, rounded="angles", dtype="bfloat16")).first is None
    for stage in ("positions", "frequencies", "angles"):
        assert np.abs(encode_rounded(p, 512, rounded=stage, dtype="bfloat16") - exact).max() > 1.99


def test_float64_then_cast_is_nearly_right_and_float32_is_mostly_wrong() -> None:
    cast = error(encode(np.arange(4096), 512).astype(np.float32))
    assert cast.misrounded < 10
    stepped = error(recipe(np.arange(4096), 512), dtype="float32")
    assert 0.85 < stepped.misrounded / stepped.entries < 0.92
    assert stepped.ulps > 1e6
    assert 1e-4 < stepped.largest < 5e-4
    for stage in ("frequencies", "angles"):  # to blame in equal parts
        alone = error(encode_rounded(np.arange(4096), 512, rounded=stage, dtype="float32"), dtype="float32")
        assert 1e-4 < alone.largest < 1.5e-4
        nearest = encode_rounded(np.arange(4096), 512, rounded=(stage, "table"), dtype="float32")
        assert 0.7 < np.mean(nearest != computing.table(4096, 512)) < 0.72


def test_reports_reproduced() -> None:
    all_four = encode_rounded(np.arange(2048), 32, rounded=STAGES, dtype="float16")
    off = np.abs(all_four - encode(np.arange(2048), 32))[:, 1::2].max()
    assert off == pytest.approx(0.7819, abs=1e-4)  # EleutherAI/gpt-neox#1003
    image = encode_rounded(np.arange(65536, 65536 + 100), 64, rounded="positions", dtype="bfloat16")
    assert collisions(image).distinct == 1  # huggingface/diffusers#13920
    assert spacing(4155, "bfloat16") == 32  # Stability-AI/stable-audio-3#81
    assert round_to(998.3897, "bfloat16") == 1000  # modelscope/DiffSynth-Studio#1025


# What the page shows ----------------------------------------------------------------------------------------


def test_numbers_are_printed_coarsely() -> None:
    assert show.size(2.9802e-8) == r"${3\cdot10^{-8}}$"
    assert show.size(1.4724) == "1.5"
    assert show.size(9.96e-5) == r"${1\cdot10^{-4}}$"
    assert show.share(0.88615) == "89\u00a0%"
    assert show.share(0.0) == show.share(0.009) == "<\u00a01\u00a0%"
    assert show.share(0.991) == show.share(1.0) == ">\u00a099\u00a0%"


def test_the_tables_are_what_error_says() -> None:
    table = show.recipes_table(64, 64, (24,))
    names = [row[0] for row in table.cells]
    found = error(recipe(np.arange(64), 64), dtype="float32")
    assert table.cells[0][2] == show.share(found.misrounded / found.entries)
    assert table.cells[0][3] == show.size(found.largest)
    assert "other ladder" in names[-1]
    halves = show.halves_table(64, 64, (17,)).cells
    assert [row[4] == "" for row in halves if row[0] == "position"] == [False, True]  # not a number
    for stage in STAGES:  # of rounded angles, rows that agree in their first columns can differ later
        for n, d in ((700, 8), (2600, 96)):
            rows = encode_rounded(np.arange(n), d, rounded=stage, dtype="bfloat16")
            assert what_is_left(n, d, (stage,), "bfloat16").found == collisions(rows)
    stages = show.stages_table(300, 8, ("bfloat16",))
    kept = len(np.unique(round_to(np.arange(300), "bfloat16")))
    assert stages.cells[0][2:4] == (str(kept), "256, 257")


def test_the_listing_of_the_page_errs_up_to_four_times_as_much_as_correctly_rounded_steps() -> None:
    """Its exponential is numpy's: 3.9e-4 against 2e-4 over 4096 positions where this was written."""
    i2 = np.arange(0, 512, 2)
    rates = np.exp(i2.astype(np.float32) * np.float32(-np.log(10000.0) / 512))
    for n in (50, 4096):
        position = np.arange(n, dtype=np.float32)[:, None]
        listing = np.stack([np.sin(position * rates), np.cos(position * rates)], axis=-1).reshape(n, 512)
        stepped = error(recipe(np.arange(n), 512), dtype="float32")
        assert 0.5 * stepped.largest < error(listing).largest < 4 * stepped.largest


def test_frequencies_of_a_recipe_are_lucky_where_the_exponent_is_exact() -> None:
    lost = {
        (way, d): np.abs(recipe_frequencies(d, frequencies_by=way) / frequencies(d) - 1).max() * 2**24
        for way in ("exp", "power", "nearest")
        for d in (512, 768)
    }
    assert 8 < lost["exp", 512] < 10
    assert lost["power", 768] > 2 * lost["power", 512]
    assert max(lost["nearest", 512], lost["nearest", 768]) <= 1
    for way in ("exp", "power", "nearest"):  # at position 1 the angle is the frequency
        omega = recipe_frequencies(64, frequencies_by=way)
        assert np.array_equal(recipe(1, 64, frequencies_by=way)[0::2], round_to(np.sin(omega), "float32"))


def test_a_pull_request_mends_what_it_says_it_mends() -> None:
    rows = {row[0].split("`")[1]: row[3] for row in show.reports_table().cells}
    assert rows["vllm#1004"] == "this one"
    assert "vllm#863" not in rows  # asks for more: the rotation itself in float32


def test_every_report_has_an_owner_and_a_link() -> None:
    for report, rounded, _, mended in show.reports_table().cells:
        assert rounded in {"position", "frequency", "angle", "finished table", "all of it"}
        assert "https://github.com/" in report
        assert mended in {"closed", "this one"} or mended.startswith("[`#")


# Far out, and at the ends of the formats ------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53)


def test_what_is_not_rounded_is_exact_far_out() -> None:
    d, dtype = 8, "float32"
    nearest = exact_rows(FAR, d)
    exact = np.array([[float(v) for v in row] for row in nearest])
    found = encode_rounded(FAR, d, rounded="table", dtype=dtype)
    assert np.array_equal(found, round_to(exact, dtype))
    omega = round_to(frequencies(d), dtype)
    with mpmath.workprec(300):
        angles = [[mpmath.mpf(p) * mpmath.mpf(float(w)) for w in omega] for p in FAR]
        of_rounded = [[float(f(a)) for a in row for f in (mpmath.sin, mpmath.cos)] for row in angles]
    found = encode_rounded(FAR, d, rounded="frequencies", dtype=dtype)
    np.testing.assert_allclose(found, of_rounded, rtol=0, atol=1e-15)
    moved = encode_rounded(FAR, d, rounded="positions", dtype=dtype)
    np.testing.assert_allclose(moved, encode(round_to(FAR, dtype), d), rtol=0, atol=1e-15)


def test_a_position_beyond_the_format_is_no_number_whatever_else_is_rounded() -> None:
    for rounded in ("positions", ("positions", "frequencies"), ("positions", "angles"), STAGES):
        rows = encode_rounded([5, 70_000], 4, rounded=rounded, dtype="float16")
        assert np.isfinite(rows[0]).all()
        assert np.isnan(rows[1]).all()
    assert np.isfinite(encode_rounded(70_000, 4, rounded="table", dtype="float16")).all()


@pytest.mark.parametrize("dtype", [np.float32, "f4", np.dtype("float32"), "single"])
def test_a_format_may_be_what_numpy_calls_it(dtype: Any) -> None:
    table = computing.table(20, 8, start=3)
    assert error(table, start=3, dtype=dtype) == error(table, start=3)
    assert np.array_equal(recipe(range(9), 4, dtype=dtype), recipe(range(9), 4))
    assert first_collision(dtype) == first_collision("float32")
    named = encode_rounded(range(9), 4, rounded="table", dtype="float32")
    assert np.array_equal(encode_rounded(range(9), 4, rounded="table", dtype=dtype), named)


def test_a_format_that_is_none_is_named() -> None:
    for call in (
        lambda dtype: error(np.zeros((2, 2), np.float32), dtype=dtype),
        lambda dtype: encode_rounded(1, 2, rounded="table", dtype=dtype),
        lambda dtype: recipe(1, 2, dtype=dtype),
        lambda dtype: recipe_frequencies(2, dtype=dtype),
        first_collision,
    ):
        for bad in ("float64", np.float64, 4, [], "halves"):
            with pytest.raises(ValueError, match="dtype must be 'bfloat16' or 'float16' or 'float32', got"):
                call(bad)


def test_a_tensor_knows_its_own_format() -> None:
    torch = pytest.importorskip("torch")
    table = computing.table(20, 8)
    assert error(torch.from_numpy(table)) == error(table)
    assert error(torch.from_numpy(table).half()) == error(table.astype("float16"))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_tiny_sines_are_judged_without_multiple_precision(
    monkeypatch: pytest.MonkeyPatch, layout: Layout
) -> None:
    settled: list[Any] = []

    def counting(*args: Any, **options: Any) -> Any:
        settled.append(args)
        return exact_entry(*args, **options)

    monkeypatch.setattr("pe_book.sinusoidal.precision.exact_entry", counting)
    rows = encode(range(40), 32, base=1e30, layout=layout)
    found = error(
        rows * (1 + 3e-7), base=1e30, dtype="float32", layout=layout
    )  # every entry off by two to six units
    assert not settled
    assert found.misrounded == np.count_nonzero(round_to(rows, "float32") != rows * (1 + 3e-7))
    assert 4.9 < found.ulps < 5.1


def test_a_table_too_far_off_to_be_counted_in_units_is_refused() -> None:
    table = encode(range(2), 2)
    table[0, 0] = 1.7e308
    with pytest.raises(ValueError, match=r"table is too large, got 1\.7e\+308"):
        error(table, dtype="float32")
    assert error(np.full((1, 2), 1e300), dtype="float32", start=1).largest == 1e300


@pytest.mark.parametrize("rounded", [None, 3, [], "rows", ["table", "rows"], ["table", None]])
def test_stages_that_are_none_are_refused_by_name(rounded: Any) -> None:
    with pytest.raises(ValueError, match="rounded must"):
        encode_rounded(1, 4, rounded=rounded, dtype="float32")


def test_a_recipe_that_overflows_its_format_is_refused() -> None:
    with pytest.raises(ValueError, match="base must keep every number of the recipe 'power' within 65504"):
        recipe(range(4), 8, frequencies_by="power", dtype="float16", base=70_000)
    with pytest.raises(ValueError, match="d_model must keep every number of the recipe 'power' within 65504"):
        recipe_frequencies(65536, frequencies_by="power", dtype="float16")
    with pytest.raises(ValueError, match="d_model must keep every number of the recipe 'exp' within 65504"):
        recipe_frequencies(65536, frequencies_by="exp", dtype="float16")
    for way in ("exp", "nearest"):  # here the base itself is in no number of the format
        assert recipe_frequencies(8, frequencies_by=way, dtype="float16", base=70_000).all()
    assert recipe_frequencies(65504, frequencies_by="power", dtype="float16", base=65504).all()


def test_rows_beyond_memory_are_refused_before_they_are_tried() -> None:
    many = np.zeros(10**6)
    for call in (
        lambda: encode_rounded(many, 2**20, rounded="table", dtype="float32"),
        lambda: recipe(many, 2**20),
    ):
        with pytest.raises(
            ValueError, match=r"result of positions and d_model must be smaller: \(1000000, 1048576\)"
        ):
            call()


# Why an autocast that knows operations takes a product of float32 numbers ---------------------------------


def test_autocast_takes_a_matrix_product_by_its_operation_and_no_elementwise_one() -> None:
    torch = pytest.importorskip("torch")
    for dtype, product in ((torch.float32, torch.bfloat16), (torch.float64, torch.float64)):
        p, omega = torch.arange(300, dtype=dtype), torch.ones(1, dtype=dtype)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert (p[:, None] @ omega[None]).dtype == product
            assert (p[:, None] * omega[None]).dtype == dtype
    with torch.autocast("cpu", dtype=torch.bfloat16):
        merged = torch.arange(300.0)[:, None] @ torch.ones(1, 1)
    assert merged[256] == merged[257]
