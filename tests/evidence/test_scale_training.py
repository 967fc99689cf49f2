"""The trained measurement of the factor: it finds what it should, and nothing where there is nothing."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pe_book.evidence import scale_training
from pe_book.evidence.scale_training import place_loss

GUESSING = math.log(5)


@pytest.mark.parametrize("seed", [0, 1])
def test_behind_torch_s_words_the_factor_drowns_the_position(seed):
    assert place_loss(scale=False, word_std=1, seed=seed) < 0.1
    assert place_loss(scale=True, word_std=1, seed=seed) > 0.95 * GUESSING
    # the factor is nothing but louder words
    louder = place_loss(scale=False, word_std=8, seed=seed)
    assert louder > 0.95 * GUESSING


@pytest.mark.parametrize("scale", [False, True])
def test_behind_small_words_it_does_no_harm(scale):
    assert place_loss(scale=scale, word_std=1 / 8) < 0.05


def test_the_same_seed_is_the_same_loss_on_any_number_of_threads():
    before = torch.get_num_threads()
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(place_loss(scale=False, word_std=1, d_model=32))
    torch.set_num_threads(before)
    assert found[0] == found[1]
    assert place_loss(scale=False, word_std=1, d_model=32, seed=1) != found[0]


def test_without_positions_nothing_is_learned(monkeypatch):
    class Nothing(scale_training.SinusoidalEncoding):
        def forward(self, x):
            return x

    monkeypatch.setattr(scale_training, "SinusoidalEncoding", Nothing)
    assert place_loss(scale=False, word_std=1 / 8) > 0.95 * GUESSING


@pytest.mark.parametrize(
    ("wrong", "error"),
    [({"scale": 1}, TypeError), ({"word_std": np.nan}, ValueError), ({"d_model": 7}, ValueError)],
)
def test_wrong_arguments_are_refused(wrong, error):
    with pytest.raises(error, match=next(iter(wrong))):
        place_loss(**{"scale": False, "word_std": 1, **wrong})
