"""Holds pe_book.family.learned, its trainings, and what the chapter says with them, to their word."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.family.learned import ALIGN, BEYOND, lookup, resize
from pe_book.family.learned.counting import bert_tensors, count, gpt2_tensors
from pe_book.family.learned.initialisation import initial
from pe_book.sinusoidal.formula import encode
from tests.seeds import examples_drawn

PLANTED = {
    "between": [
        ("pe_book/family/learned/__init__.py", "(1 - share) * table[below]", "(1 - share / 2) * table[below]")
    ],
}

Array = NDArray[np.float64]
few = examples_drawn(40)
ROWS = st.integers(1, 12)
SQUARES = [[0.0], [1.0], [4.0], [9.0]]


def some(rows: int, width: int = 3, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=(rows, width))


# Exact small tables ---------------------------------------------------------------------------------------


def test_the_four_roads_from_four_rows() -> None:
    past = [2, 3, 4, 5, 9]
    assert lookup(SQUARES, past, beyond="clamp").ravel().tolist() == [4, 9, 9, 9, 9]
    assert lookup(SQUARES, past, beyond="wrap").ravel().tolist() == [4, 9, 0, 1, 1]
    stretched = lookup(SQUARES, past, beyond="interpolate").ravel()
    np.testing.assert_allclose(stretched, [2 / 3, 1, 2, 3, 9], rtol=1e-15)  # place p/3
    with pytest.raises(ValueError, match="below 4, the number of rows, got 9"):
        lookup(SQUARES, past)
    for beyond in BEYOND:
        with pytest.raises(ValueError, match="positions must be whole and at least 0, got -1"):
            lookup(SQUARES, -1, beyond=beyond)


# Properties -----------------------------------------------------------------------------------------------


@few
@given(ROWS, st.sampled_from(BEYOND), st.data())
def test_inside_the_table_all_roads_are_the_table(n: int, beyond: Any, data: Any) -> None:
    positions = data.draw(st.lists(st.integers(0, n - 1), max_size=6))
    table = some(n)
    assert np.array_equal(lookup(table, positions, beyond=beyond), table[np.array(positions, dtype=int)])


@few
@given(ROWS, st.integers(1, 30))
def test_interpolate_is_the_resized_table_and_moves_with_the_longest(n: int, extra: int) -> None:
    table = some(n)
    stretched = lookup(table, [[0, n + extra - 1]], beyond="interpolate")
    assert stretched.shape == (1, 2, 3)
    assert np.array_equal(stretched[0], table[[0, -1]])
    if n > 2:
        first, then = (lookup(table, range(m), beyond="interpolate")[1] for m in (n + extra, n + extra + 1))
        assert np.abs(first - then).max() > 1e-6


# Agreement with others ------------------------------------------------------------------------------------


@pytest.mark.parametrize("align", ALIGN)
@pytest.mark.parametrize(("n", "m"), [(4, 8), (8, 4), (5, 7), (7, 5), (14, 16), (3, 3), (1, 5), (6, 1)])
def test_resize_is_torchs_interpolate(n: int, m: int, align: Any) -> None:
    torch = pytest.importorskip("torch")
    table = some(n, 5)
    columns = torch.from_numpy(table.T[np.newaxis].copy())
    theirs = torch.nn.functional.interpolate(
        columns, size=m, mode="linear", align_corners={"ends": True, "half-pixels": False}[align]
    )
    np.testing.assert_allclose(resize(table, m, align=align), theirs[0].numpy().T, atol=1e-12)


def test_the_counts_are_those_of_modules_with_the_same_parts() -> None:
    torch = pytest.importorskip("torch")

    def layers(inner: int) -> int:
        layer = torch.nn.TransformerEncoderLayer(64, 4, inner, device="meta")
        return 3 * sum(p.numel() for p in layer.parameters())

    little = count(bert_tensors(vocabulary=11, max_len=7, segments=1, d_model=64, d_ff=100, layers=3))
    assert little == layers(100) + (11 + 7 + 1) * 64 + 2 * 64 + 64 * 64 + 64  # and the norm, the pooler
    assert (
        count(gpt2_tensors(vocabulary=11, max_len=7, d_model=64, layers=3)) == layers(256) + (11 + 7 + 2) * 64
    )


def test_first_rows_have_the_spread_and_the_seed_that_are_asked_for() -> None:
    table = initial(400, 50, seed=3)
    assert table.std() == pytest.approx(0.02, rel=0.03)
    assert abs(table.mean()) < 0.001
    assert np.array_equal(table, initial(400, 50, seed=3))
    assert not np.array_equal(table, initial(400, 50, seed=4))
    assert initial(400, 50, std=0.5, seed=3) == pytest.approx(25 * table)


# Training -------------------------------------------------------------------------------------------------

LENGTH, WIDTH, BACK = 16, 32, 2
QUICK: dict[str, Any] = {"steps": 150, "batch": 16, "rate": 0.02}


@pytest.fixture(scope="module")
def trainings() -> dict[str, Any]:
    pytest.importorskip("torch")
    from pe_book.nn.trial import training as lab

    start = initial(2 * LENGTH, WIDTH, std=0.3, seed=1)
    waves = encode(np.arange(2 * LENGTH), WIDTH)
    task = lab.pointer(BACK)
    order = np.random.default_rng(7).permutation(LENGTH)
    moved = np.empty((LENGTH, WIDTH))
    moved[order] = start[:LENGTH]
    run = {
        "learned": lab.train(start[:LENGTH], trainable=True, task=task, **QUICK),
        "sinusoid": lab.train(waves[:LENGTH], trainable=False, task=task, **QUICK),
        "shuffled": lab.train(moved, trainable=True, task=task, order=order, **QUICK),
        "shuffled sinusoid": lab.train(waves[:LENGTH], trainable=False, task=task, order=order, **QUICK),
    }
    return {"lab": lab, "start": start, "waves": waves, "order": order, **run}


def test_inside_a_reader_is_right_and_past_the_end_the_sinusoid_is_poor_and_a_clamped_row_guesses(
    trainings: dict[str, Any],
) -> None:
    lab, waves = trainings["lab"], trainings["waves"]
    clamped = lookup(trainings["learned"].table, range(2 * LENGTH), beyond="clamp")
    sinusoid, learned = (
        lab.right(trainings[run], rows, back=BACK)
        for run, rows in (("sinusoid", waves), ("learned", clamped))
    )
    for share in (sinusoid, learned):
        assert np.isnan(share[:BACK]).all()
        assert np.nanmean(share[:LENGTH]) > 0.95
    guess = 1 / lab.VOCABULARY
    assert 3 * guess < sinusoid[LENGTH:].mean() < 0.8
    assert learned[LENGTH:].mean() < 2 * guess


def test_shuffled_texts_are_no_harder_for_a_learned_table(trainings: dict[str, Any]) -> None:
    learned, shuffled, order = trainings["learned"], trainings["shuffled"], trainings["order"]
    np.testing.assert_allclose(shuffled.losses, learned.losses, atol=1e-10)
    np.testing.assert_allclose(shuffled.table[order], learned.table, atol=1e-10)
    for name, weight in learned.weights.items():
        np.testing.assert_allclose(shuffled.weights[name].numpy(), weight.numpy(), atol=1e-10)
    assert trainings["shuffled sinusoid"].losses[-1] > 20 * trainings["sinusoid"].losses[-1]


def test_training_changes_a_table_only_if_asked_and_repeats_itself(trainings: dict[str, Any]) -> None:
    import torch

    start, lab = trainings["start"], trainings["lab"]
    assert np.array_equal(trainings["sinusoid"].table, trainings["waves"][:LENGTH])
    assert np.abs(trainings["learned"].table - start[:LENGTH]).max() > 0.1
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    short: dict[str, Any] = {"trainable": True, "task": lab.pointer(BACK), "steps": 3, "batch": 4}
    one, two = (lab.train(start[:LENGTH], **short) for _ in range(2))
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
    assert np.array_equal(one.losses, two.losses)
    assert np.array_equal(one.table, two.table)
    assert not np.array_equal(one.losses, lab.train(start[:LENGTH], seed=1, **short).losses)
    onward = lab.train(start[:LENGTH], source=trainings["learned"], **short)
    assert onward.losses[0] != one.losses[0]
    assert not any(weight.requires_grad for weight in trainings["learned"].weights.values())


def test_the_first_loss_is_that_of_attention_written_out() -> None:
    pytest.importorskip("torch")
    from pe_book.nn.trial import training as lab
    from pe_book.why.order_blindness import attention

    start = initial(6, 8, std=0.3, seed=1)
    reader = lab.train(start, trainable=True, task=lab.pointer(1), steps=0)
    w = {name: weight.numpy() for name, weight in reader.weights.items()}
    words, asked = lab.pointer(1)(np.random.default_rng(5), 3, 6, lab.VOCABULARY)
    for text, targets in zip(words, asked, strict=True):
        x = w["words"][text] + start
        named = attention(x @ w["query"], x @ w["key"], x @ w["value"]) @ w["output"]
        assert reader.answers(start, text[np.newaxis])[0].tolist() == named.argmax(axis=1).tolist()
        assert targets[1:].tolist() == text[:-1].tolist()
    scores = reader.scores(start)
    np.testing.assert_allclose(scores, (start @ w["query"]) @ (start @ w["key"]).T, atol=1e-12)


@few
@given(st.integers(1, 5), st.integers(1, 12), st.integers(0, 2**16))
def test_the_tasks_ask_for_what_they_say(reach: int, length: int, seed: int) -> None:
    pytest.importorskip("torch")
    from pe_book.nn.trial import training as lab

    words, asked = lab.neighbours(reach)(np.random.default_rng(seed), 2, length, 16)
    for text, targets in zip(words, asked, strict=True):
        for p, target in enumerate(targets):
            assert target == lab.UNASKED or target in text[max(p - reach, 0) : p + reach + 1]
    words, asked = lab.pointer(reach)(np.random.default_rng(seed), 2, length, 16)
    assert (asked[:, :reach] == lab.UNASKED).all()
    assert np.array_equal(asked[:, reach:], words[:, :-reach])


def test_neighbours_asks_for_both_sides_evenly() -> None:
    pytest.importorskip("torch")
    from pe_book.nn.trial import training as lab

    words, asked = lab.neighbours(2)(np.random.default_rng(0), 400, 9, 10**9)  # hardly any word twice
    places = [int(np.flatnonzero(text == wanted)[0]) for text, wanted in zip(words, asked[:, 4], strict=True)]
    assert np.bincount(places, minlength=9)[2:7].min() > 40
    assert set(places) == {2, 3, 4, 5, 6}
