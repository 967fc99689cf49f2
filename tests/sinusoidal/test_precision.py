"""Holds pe_book.sinusoidal.precision, and what the chapter says with it, to their word."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import join
from pe_book.numerics.exact import exact as exact_rows
from pe_book.numerics.rounding import FORMATS, collisions, round_to, spacing
from pe_book.show.sinusoidal import precision as show
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision import error, first_collision
from pe_book.sinusoidal.precision.recipes import encode_rounded, recipe, recipe_frequencies
from tests import exactly
from tests.seeds import examples_drawn

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
    [(411557987, 10000.0), (122925461, 10000.0), (6134899525417045, 10000.0), (2 * 245850922, 4.0)],
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


# The four roundings ---------------------------------------------------------------------------------------


@few
@given(
    position=st.integers(0, 2**20),
    d=st.sampled_from([2, 8, 64]),
    dtype=st.sampled_from(sorted(FORMATS)),
    conventions=CONVENTIONS,
)
def test_each_rounding_is_one_step_of_the_formula(
    position: int, d: int, dtype: str, conventions: dict[str, Any]
) -> None:
    omega = frequencies(d, **{key: conventions[key] for key in ("base", "ladder")})
    with np.errstate(over="ignore", invalid="ignore"):
        angles = {
            "positions": round_to(position, dtype) * omega,
            "frequencies": position * round_to(omega, dtype),
            "angles": round_to(position * omega, dtype),
        }
        for stage, angle in angles.items():
            rows = join(np.sin(angle), np.cos(angle), conventions["layout"])
            found = encode_rounded(position, d, rounded=stage, dtype=dtype, **conventions)
            np.testing.assert_allclose(found, rows, rtol=0, atol=1e-15 * (1 + position))
    exact = encode(position, d, **conventions)
    found = encode_rounded(position, d, rounded="table", dtype=dtype, **conventions)
    assert np.array_equal(found, round_to(exact, dtype))


def test_several_stages_are_rounded_in_order() -> None:
    p = np.arange(1000)
    both = encode_rounded(p, 16, rounded=("angles", "table"), dtype="float16")
    one = encode_rounded(p, 16, rounded="angles", dtype="float16")
    assert np.array_equal(both, round_to(one, "float16"))


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


# Recipes --------------------------------------------------------------------------------------------------


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


# What the page shows ----------------------------------------------------------------------------------------


def test_numbers_are_printed_coarsely() -> None:
    assert show.size(2.9802e-8) == r"${3\cdot10^{-8}}$"
    assert show.size(1.4724) == "1.5"
    assert show.size(9.96e-5) == r"${1\cdot10^{-4}}$"
    assert show.share(0.88615) == "89\u00a0%"
    assert show.share(0.0) == show.share(0.009) == "<\u00a01\u00a0%"
    assert show.share(0.991) == show.share(1.0) == ">\u00a099\u00a0%"


# Far out, and at the ends of the formats ------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53)


def test_what_is_not_rounded_is_exact_far_out() -> None:
    d, dtype = 8, "float32"
    exact = np.array([exactly.row(p, d) for p in FAR])
    found = encode_rounded(FAR, d, rounded="table", dtype=dtype)
    assert np.array_equal(found, round_to(exact, dtype))
    omega = round_to(frequencies(d), dtype).tolist()
    with mpmath.workprec(300):
        angles = [[mpmath.mpf(p) * w for w in omega] for p in FAR]
        of_rounded = [[float(f(a)) for a in row for f in (mpmath.sin, mpmath.cos)] for row in angles]
    found = encode_rounded(FAR, d, rounded="frequencies", dtype=dtype)
    np.testing.assert_allclose(found, of_rounded, rtol=0, atol=1e-15)


def test_a_tensor_knows_its_own_format() -> None:
    torch = pytest.importorskip("torch")
    table = computing.table(20, 8)
    assert error(torch.from_numpy(table)) == error(table)
    assert error(torch.from_numpy(table).half()) == error(table.astype("float16"))
    with pytest.raises(ValueError, match="dtype must be given"):
        error(table.astype("float64"))


def test_a_recipe_that_overflows_its_format_is_refused() -> None:
    with pytest.raises(ValueError, match="base must keep every number of the recipe 'power' within 65504"):
        recipe(range(4), 8, frequencies_by="power", dtype="float16", base=70_000)
    for way in ("power", "exp"):
        with pytest.raises(ValueError, match="d_model must keep every number"):
            recipe_frequencies(65536, frequencies_by=way, dtype="float16")
    assert recipe_frequencies(65504, frequencies_by="power", dtype="float16", base=65504).all()
