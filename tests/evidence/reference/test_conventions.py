"""What the page on conventions decides: true of the real thing, false of a planted mistake."""

import numpy as np
import pytest

from pe_book.evidence.reference import conventions as verdicts
from pe_book.show.reference.conventions import listed
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision import first_collision
from pe_book.sinusoidal.precision.recipes import encode_rounded
from pe_book.sinusoidal.readings import STARTS, Reading, readings, table_of


def test_layouts_keep_dot_products_and_ladders_do_not():
    table = encode(range(50), 6)
    assert verdicts.scores_apart(table, encode(range(50), 6, layout="halves")) < 1e-12
    assert verdicts.scores_apart(table, encode(range(50), 6, ladder="tensor2tensor")) > 0.1
    assert verdicts.scores_apart(table, encode(range(50), 6, base=10000.5)) > 1e-12


def test_an_angle_is_off_by_what_its_frequency_and_its_product_lose():
    assert verdicts.angle_error(256, 2, "bfloat16") == 0
    assert verdicts.angle_error(257, 2, "bfloat16") == 1
    errors = [verdicts.angle_error(p, 512, "float32") for p in (1000, 100_000)]
    assert errors[1] > 10 * errors[0] > 0
    single = np.float32(100_000) * frequencies(512).astype("float32")
    assert errors[1] == np.abs(single.astype("float64") - 100_000 * frequencies(512)).max()


@pytest.mark.parametrize(("dtype", "d_model"), [("bfloat16", 6), ("bfloat16", 64), ("float16", 64)])
def test_the_marks_tell_where_a_table_was_rounded(dtype, d_model):
    assert verdicts.marks_tell(verdicts.marks(dtype, d_model=d_model))


@pytest.mark.parametrize(
    ("stage", "seen_as"),
    [
        ("table", "angles"),
        ("positions", "angles"),
        ("frequencies", "angles"),
        *(("angles", other) for other in ("positions", "table", "frequencies")),
    ],
)
def test_a_rounding_at_another_stage_is_noticed(stage, seen_as):
    marks = verdicts.marks("bfloat16", d_model=64)
    assert not verdicts.marks_tell({**marks, stage: marks[seen_as]})


def test_positions_leave_the_rows_exact_that_the_format_can_count():
    for dtype in ("bfloat16", "float16"):
        seen = verdicts.marks(dtype, d_model=6, n=3000)["positions"]
        assert seen.exact_rows == first_collision(dtype)[1]
        assert seen.first_repeat == first_collision(dtype)[0]


def test_a_model_cast_as_a_whole_shows_the_marks_of_positions_and_of_frequencies():
    both = encode_rounded(range(600), 64, rounded=("positions", "frequencies"), dtype="bfloat16")
    seen, alone = verdicts.mark(both, encode(range(600), 64)), verdicts.marks("bfloat16", n=600)
    assert seen.exact_rows == alone["frequencies"].exact_rows == 1
    assert seen.first_repeat == alone["positions"].first_repeat == 256
    assert seen.fastest_off == 257  # its frequency is held, its position is not


def test_a_table_that_starts_at_two_is_read():
    fairseq = Reading(2, False, "halves", "tensor2tensor")
    assert readings(table_of(2, 8, fairseq).round(4)) == [fairseq]
    assert readings(encode(range(3, 6), 8).round(4)) == []
    assert max(STARTS) == 2


def test_numbers_are_listed_with_one_format():
    assert listed(encode(1, 4), ".3f") == "0.841, 0.540, 0.010, 1.000"
