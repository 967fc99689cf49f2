"""The verdicts of the opening page of Part III hold for what is right and fail for plausible mistakes."""

import numpy as np
import pytest

from pe_book.evidence.family import doors as verdicts
from pe_book.family.doors import attend
from pe_book.family.doors.models import model, models
from pe_book.family.score_bias.t5 import t5_bucket, t5_last_bucket

EQUAL = [[1.0, 0.0]] * 3
WORDS = np.random.default_rng(0).normal(size=(5, 2))


def test_columns_of_their_own_give_the_table_of_the_rotation_for_equal_words_and_no_others() -> None:
    table = verdicts.apart(EQUAL, range(3))
    np.testing.assert_allclose(table, attend(EQUAL, "query and key").weights, atol=1e-15)
    np.testing.assert_allclose(table, verdicts.apart(EQUAL, range(100, 103)), atol=1e-12)
    assert np.abs(table - attend(EQUAL, "input").weights).max() > 0.05
    assert np.abs(table - verdicts.apart(EQUAL, range(3), step=-0.5)).max() > 1e-3
    other = verdicts.apart(WORDS, range(5)) - attend(WORDS, "query and key").weights
    assert np.abs(other).max() > 0.01


def test_a_slope_on_the_key_is_the_slope_on_the_distance_and_its_opposite_is_not() -> None:
    np.testing.assert_allclose(verdicts.by_key(WORDS, range(5)), attend(WORDS, "score").weights, atol=1e-12)
    assert np.abs(verdicts.by_key(WORDS, range(5), slope=-0.5) - attend(WORDS, "score").weights).max() > 0.1


def test_a_record_whose_quotations_say_something_else_is_noticed() -> None:
    assert all(verdicts.method_is_quoted(found) for found in models())
    bert, bloom = model("BERT"), model("BLOOM")
    assert not verdicts.method_is_quoted(bert._replace(method="sinusoid"))
    assert not verdicts.method_is_quoted(bert._replace(evidence=bloom.evidence))
    assert not verdicts.method_is_quoted(bloom._replace(method="an unknown one"))


def test_a_second_sinusoid_is_noticed() -> None:
    listed = list(models())
    assert verdicts.only_the_first_adds_a_sinusoid(listed)
    as_is_said_of_bert = [m._replace(method="sinusoid") if m.name == "BERT" else m for m in listed]
    assert not verdicts.only_the_first_adds_a_sinusoid(as_is_said_of_bert)
    second = listed[0]._replace(name="another")
    assert not verdicts.only_the_first_adds_a_sinusoid([*listed, second])
    assert not verdicts.only_the_first_adds_a_sinusoid(listed[1:])


def test_a_second_model_without_a_table_is_noticed() -> None:
    between = [m for m in models() if 2018 <= m.year <= 2020]
    assert verdicts.all_have_a_table_but("T5", between)
    assert not verdicts.all_have_a_table_but("BERT", between)
    assert not verdicts.all_have_a_table_but("T5", [*between, model("LLaMA")])
    assert not verdicts.all_have_a_table_but("T5", [m for m in between if m.name != "T5"])
    relative = [m._replace(doors=("score",)) if m.name == "DeBERTa" else m for m in between]
    assert not verdicts.all_have_a_table_but("T5", relative)


def test_a_later_model_that_learns_positions_is_noticed() -> None:
    later = [m for m in models() if m.year > 2020]
    assert verdicts.none_learns_positions(later)
    assert not verdicts.none_learns_positions([*later, model("GPT-2")])
    assert not verdicts.none_learns_positions([*later, model("T5")])
    assert not verdicts.none_learns_positions([later[0]._replace(doors=("input",)), *later[1:]])
    assert not verdicts.none_learns_positions([])


# The buckets of T5 ----------------------------------------------------------------------------------------


def test_the_buckets_of_t5_by_hand() -> None:
    # 16 buckets a side: 0 to 7 exact, then 8 + 8 log(n / 8) / log(16), cut
    assert t5_bucket([0, -1, -7, -8, -11, -12, -16, -32, -64, -90, -91, -128, -999]).tolist() == [
        0, 1, 7, 8, 8, 9, 10, 12, 14, 14, 15, 15, 15,
    ]  # fmt: skip
    assert t5_bucket([1, 7, 8, 90, 91]).tolist() == [17, 23, 24, 30, 31]
    # looking back only: 0 to 15 exact, keys ahead share bucket 0
    decoder = t5_bucket([5, 0, -15, -16, -112, -113, -999], bidirectional=False)
    assert decoder.tolist() == [0, 0, 15, 16, 30, 31, 31]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_last_bucket_begins_before_the_distance_that_is_named(bidirectional: bool) -> None:
    begins = t5_last_bucket(bidirectional=bidirectional)
    assert begins == (91 if bidirectional else 113)
    side = t5_bucket(-np.arange(1000), bidirectional=bidirectional)
    assert (np.diff(side) >= 0).all()
    assert side[begins - 1] == side[-1] - 1
    assert len(np.unique(side[begins:])) == 1
    assert len(np.unique(side)) == (16 if bidirectional else 32)
    assert t5_last_bucket(bidirectional=bidirectional, max_distance=1000) > begins


def test_buckets_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="n_buckets"):
        t5_bucket([1], n_buckets=1)
    with pytest.raises(ValueError, match="max_distance"):
        t5_bucket([1], max_distance=8)
    with pytest.raises(ValueError, match="key_minus_query"):
        t5_bucket([0.5])
