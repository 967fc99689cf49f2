"""The verdicts of the opening page of Part III hold for what is right and fail for plausible mistakes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pe_book.evidence.family import doors as verdicts
from pe_book.family.doors import attend
from pe_book.family.members import members
from pe_book.family.members.places import Handed, Mask

EQUAL = [[1.0, 0.0]] * 3
WORDS = np.random.default_rng(0).normal(size=(5, 2))


def test_columns_of_their_own_give_the_table_of_the_rotation_for_equal_words_and_no_others() -> None:
    table = verdicts.apart(EQUAL, range(3))
    np.testing.assert_allclose(table, attend(EQUAL, "query and key").weights, atol=1e-15)
    other = verdicts.apart(WORDS, range(5)) - attend(WORDS, "query and key").weights
    assert np.abs(other).max() > 0.01


def test_a_slope_on_the_key_is_the_slope_on_the_distance() -> None:
    np.testing.assert_allclose(verdicts.by_key(WORDS, range(5)), attend(WORDS, "score").weights, atol=1e-12)


@pytest.mark.parametrize("planted", ["query and key", "score", "nowhere"])
def test_a_door_that_reaches_the_values_is_noticed(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(contents, *doors, **given):
        return attend(contents, *({*doors, "input"} - {"nowhere"} if planted in doors else doors), **given)

    monkeypatch.setattr(verdicts, "attend", opened)
    assert planted not in verdicts.cannot_count(5)


def test_a_sink_logit_lets_any_door_count_and_without_it_the_theorem_holds() -> None:
    assert verdicts.a_sink_counts()
    shares = [verdicts.kept_beside_a_sink(n) for n in (1, 2, 100)]
    np.testing.assert_allclose(shares, [n * np.e / (n * np.e + 1) for n in (1, 2, 100)], rtol=1e-12)


def test_a_sink_that_takes_a_fixed_share_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(self: Handed, seen: Mask | None = None) -> NDArray[np.float64]:
        return np.asarray(Handed.weights(self, seen) / 2)

    monkeypatch.setattr(verdicts.Drained, "weights", half)
    verdict = verdicts.a_sink_counts()
    assert not verdict
    assert not verdict.evidence["NoPE"]


def test_weights_beside_a_sink_logit_are_a_softmax_with_one_key_more() -> None:
    words = np.random.default_rng(3).normal(0, 0.25, (5, 512))
    seen = np.tri(5, dtype=bool)
    for name in ("NoPE", "ALiBi", "window + first"):
        handed = verdicts.drained(members()[name]).handed(words, range(5))
        scores = np.where(seen, handed.scores(), -np.inf)
        powers = np.exp(np.concatenate([scores, np.zeros((8, 5, 1))], axis=-1))
        due = (powers / powers.sum(axis=-1, keepdims=True))[..., :-1]
        np.testing.assert_allclose(handed.weights(seen), due, atol=1e-12)


# The choice -----------------------------------------------------------------------------------------------

INPUT = ["count", "count over length", "learned table", "sinusoid"]


@pytest.mark.parametrize(
    ("need", "out"),
    [
        ("longer", ["count over length", "learned table"]),
        ("cache", ["count over length"]),
        ("anywhere", [*INPUT, "window + first"]),
        ("many", ["Shaw", "DeBERTa", "T5", "ALiBi", "KERPLE", "window", "window + first"]),
        ("two sides", ["ALiBi", "KERPLE", "window", "NoPE"]),
        ("no mask", ["ALiBi by keys", "NoPE"]),
        ("any distance", ["count", "ALiBi", "ALiBi by keys", "KERPLE", "window", "window + first"]),
    ],
)
def test_a_need_leaves_out_whom_its_property_names(need: str, out: list[str]) -> None:
    assert verdicts.left_out(need) == out
    assert set(verdicts.remaining(need)) == set(members()) - set(out)


def test_needs_together_leave_out_whom_one_of_them_does() -> None:
    assert verdicts.remaining("many", "cache", "longer", "any distance") == ["sinusoid", "rotary", "NoPE"]
    assert verdicts.remaining() == list(members())


# What models do -------------------------------------------------------------------------------------------


def test_models_of_a_long_context_turn_and_one_that_does_not_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = verdicts.long_ones_turn(128_000)
    assert found
    assert found.evidence["models"] == found.evidence["turn"] > 20
    assert verdicts.long_ones_turn(8192)
    assert not verdicts.long_ones_turn(1)  # GPT-2, BLOOM and others are recorded, too
    assert not verdicts.long_ones_turn(10**9)  # nobody

    class Claims:
        WITHOUT_SIZES = frozenset()

        @staticmethod
        def names():
            return ["a table of 200,000 rows"]

        @staticmethod
        def recorded(name):
            return {"config": {"model_type": "gpt2", "n_layer": 2, "n_positions": 200_000}}

    monkeypatch.setattr(verdicts, "configs", Claims)
    assert not verdicts.long_ones_turn(128_000)
