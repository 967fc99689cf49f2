"""The verdicts and measurements of the chapter on precision, and the mistakes they refuse."""

import numpy as np
import pytest

from pe_book.evidence.sinusoidal import precision as verdicts
from pe_book.numerics.rounding import FORMATS, collisions
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.precision.recipes import STAGES, encode_rounded


@pytest.mark.parametrize("dtype", FORMATS)
def test_powers_of_two_survive_to_the_end_of_the_format_and_not_past_it(dtype: str) -> None:
    found = verdicts.powers_of_two_survive(dtype)
    assert found
    last = int(found.evidence["last"])
    assert last == {"float16": 15, "bfloat16": 127, "float32": 127}[dtype]
    past = verdicts.powers_of_two_survive(dtype, last=last + 1)  # the first that becomes infinite
    assert not past
    assert past.evidence["first lost"] == last + 1


@pytest.mark.parametrize(("dtype", "smallest"), [("float16", -14), ("bfloat16", -126), ("float32", -126)])
def test_the_relative_bound_holds_down_to_the_smallest_normal_number(dtype: str, smallest: int) -> None:
    assert verdicts.relative_bound_holds(dtype, 2.0**smallest)
    assert verdicts.relative_bound_holds(dtype, 1.0)
    assert not verdicts.relative_bound_holds(dtype, 2.0 ** (smallest - 4))


def test_a_rounding_that_moves_one_power_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_up(x: np.ndarray, dtype: str) -> np.ndarray:
        return np.where(x == 2.0**9, np.nextafter(x, np.inf), x)

    monkeypatch.setattr(verdicts, "round_to", one_up)
    assert verdicts.powers_of_two_survive("bfloat16").evidence["first lost"] == 9
    assert not verdicts.powers_of_two_survive("bfloat16")


def test_what_is_left_is_measured_row_by_row() -> None:
    for stage in STAGES:
        left = verdicts.what_is_left(600, 32, (stage,), "bfloat16")
        rows = encode_rounded(np.arange(600), 32, rounded=stage, dtype="bfloat16")
        assert left.found == collisions(rows)
        assert left.worst == pytest.approx(np.abs(rows - encode(np.arange(600), 32)).max(), abs=1e-12)
        for p in (0, 256, 598):
            assert left.similar[p] == pytest.approx(rows[p] @ rows[p + 1] / 16, rel=1e-14)
