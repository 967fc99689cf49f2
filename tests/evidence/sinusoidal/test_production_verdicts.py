"""Each verdict of the chapter on production holds for what is right and fails for a plausible mistake."""

from typing import Any

import numpy as np
import pytest

from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.production import packed_positions, position_ids

torch = pytest.importorskip("torch")

from pe_book.evidence.sinusoidal import production as verdicts
from pe_book.nn.trial import padded
from pe_book.nn.trial.decoder import Decoder


def test_a_listing_that_runs_or_stops_elsewhere_is_noticed() -> None:
    assert verdicts.listings_stop()
    assert not verdicts.listings_stop({"x = torch.zeros(1)": ("import torch", "NameError")})
    wrong = {"torch.register_buffer": ("import torch", "NameError")}
    assert not verdicts.listings_stop({**verdicts.LISTINGS, **wrong})
    # without its import the line stops too, for another reason
    assert not verdicts.listings_stop(
        {line: ("import math", error) for line, (_, error) in verdicts.LISTINGS.items()}
    )


def test_the_error_of_rows_sees_a_shift_a_sign_and_nan() -> None:
    right = encode(np.arange(9), 8)
    assert verdicts.error_of(right) == 0
    assert verdicts.error_of(torch.from_numpy(right[2:]).float(), start=2) < 1e-7
    for wrong in (right[1:], -right, right[:, ::-1]):
        assert verdicts.error_of(wrong) > 0.5
    right[3, 3] = np.nan
    assert verdicts.error_of(right) == np.inf


def test_padding_moves_a_head_that_adds_columns_and_no_turned_one_that_sees_no_pads() -> None:
    for seed in range(20):
        assert padded.moved_by_padding(seed, position_ids) < 1e-12
        assert padded.moved_by_padding(seed, padded.columns) > 0.01
        assert padded.moved_by_padding(seed, padded.columns, rotary=True) < 1e-12
    words, mask = np.random.default_rng(3).normal(size=(5, 16)), np.array([0, 0, 1, 1, 1])
    alone = padded.one_head(0)(words[2:], mask[2:])
    assert np.abs(padded.one_head(0, hide=False)(words, mask)[2:] - alone).max() > 0.01
    # two clocks in one row are not forgiven
    one = padded.one_head(0, padded.columns, rotary=True)(words, mask)
    two = padded.one_head(0, lambda m: np.array([0, 1, 0, 1, 4]), rotary=True)(words, mask)
    assert np.abs(one[2:] - two[2:]).max() > 0.01


def test_scores_stay_where_a_row_moves_as_a_whole_and_not_with_two_clocks() -> None:
    assert verdicts.scores_stay((2, [0, 1, 2]), (4, [2, 3, 4]))
    for wrong in ((5, [2, 3, 4]), (4, [2, 3, 5]), (4, [0, 1, 2])):
        assert not verdicts.scores_stay((2, [0, 1, 2]), wrong)


def test_by_its_size_a_full_cache_puts_every_new_token_on_one_spot() -> None:
    assert verdicts.stamped_by_size([0, 1, 8, 9, 10, 11], 4) == [0, 1, 6, 6, 6, 6]
    assert verdicts.stamped_by_size([0, 1, 8, 9, 10, 11], 3)[-4:] != [6] * 4
    assert verdicts.stamped_by_size([5, 6, 7], 2, first=0) == [7, 3, 3]


@pytest.mark.parametrize("seed", range(5))
def test_a_packed_row_needs_restart_and_cut_and_a_rotary_one_the_cut_alone(seed: int) -> None:
    restarted = packed_positions([3, 2])

    def moved(positions: Any, cut: bool, rotary: bool = False) -> float:
        return verdicts.moved_by_packing(positions, cut=cut, rotary=rotary, seed=seed)

    assert moved(restarted, True) < 1e-12
    assert min(moved(restarted, False), moved(range(5), True), moved(range(5), False)) > 0.05
    assert max(moved(restarted, True, True), moved(range(5), True, True)) < 1e-12
    assert moved(restarted, False, True) > 0.05
    assert moved([0, 1, 2, 0, 2], True, True) > 1e-3  # a gap is no shift


def test_a_cast_that_rounds_twice_is_counted() -> None:
    true = encode(np.arange(5000), 64)
    twice = torch.from_numpy(true).to(torch.float16)
    assert verdicts.rounded_wrongly(twice, true) > 0
    from pe_book.nn.kernels.float64 import rounded

    for dtype in (torch.float16, torch.bfloat16):
        once = rounded(torch.from_numpy(true), dtype)
        assert verdicts.rounded_wrongly(once, true) == 0
        once[4, 4] = -once[4, 4]
        assert verdicts.rounded_wrongly(once, true) == 1


def test_one_complete_column_is_one_and_the_named_one() -> None:
    right, wrong = {"a": "passes", "b": "passes"}, {"a": "passes", "b": "`False`"}
    assert verdicts.one_test_is_complete({"usual": wrong, "mine": right}, "mine")
    assert not verdicts.one_test_is_complete({"usual": right, "mine": right}, "mine")
    assert not verdicts.one_test_is_complete({"usual": right, "mine": wrong}, "mine")


# The decoder that tests are tested on ---------------------------------------------------------------------


def words(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, 3, 16)), rng.normal(size=(1, 5, 16))


def test_the_decoder_without_a_mistake_says_the_same_however_it_is_called() -> None:
    x, other = words()
    model, alone = Decoder(), Decoder()(x)
    padded = model(np.hstack([np.full((1, 2, 16), 9.0), x]), mask=[[0, 0, 1, 1, 1]])
    np.testing.assert_allclose(padded[:, 2:], alone, atol=1e-12)
    packed = model(np.hstack([x, other]), lengths=[3, 5])
    np.testing.assert_allclose(packed, np.hstack([alone, model(other)]), atol=1e-12)
    cache: dict[str, Any] = {}
    parts = [model(other[:, a:b], cache=cache) for a, b in ((0, 2), (2, 3), (3, 5))]
    np.testing.assert_allclose(np.hstack(parts), model(other), atol=1e-12)
    # a row of the batch hears nothing of the other
    both = np.vstack([other, 2 * other])
    np.testing.assert_allclose(model(both)[:1], model(other), atol=1e-12)


@pytest.mark.parametrize("mistake", verdicts.MISTAKES)
def test_every_mistake_is_one_and_a_blind_test_misses_it(mistake: str) -> None:
    x, _ = words(1)
    right, wrong = (vars(Decoder(**how)) for how in ({}, verdicts.MISTAKES[mistake][1]))

    def made_as(model: Any, how: dict[str, Any]) -> bool:
        return all(getattr(model, part) is how[part] for part in ("positions", "owners"))

    np.testing.assert_allclose(Decoder(**verdicts.MISTAKES[mistake][1])(x), Decoder()(x), atol=1e-12)  # alone
    assert not verdicts.catches(lambda model, x, other: not made_as(model, wrong))  # refuses nothing but this
    assert not verdicts.catches(lambda model, x, other: made_as(model, right) or made_as(model, wrong))
    assert verdicts.catches(lambda model, x, other: made_as(model, right))
