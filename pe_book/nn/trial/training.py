"""A task small enough to train while a page is built, and the smallest attention that can learn it.

One layer, one head, no mask, no normalisation: the word and its row are added, attention carries one word to
another place, and a last matrix names it. What is varied is the table of positions alone. Everything is
float64, on one thread, from given seeds, so that every machine finds the same to many digits.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array, whole_number

Array = NDArray[np.float64]
Words = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int, int], tuple[Words, Words]]

VOCABULARY = 16
UNASKED = -100  # a target that does not enter the loss
STEPS, BATCH, RATE = 200, 32, 0.01


def pointer(back: int) -> Draw:
    """The task "name the word `back` places before": random words, and what each place is asked for.

    >>> words, asked = pointer(3)(np.random.default_rng(0), 1, 6, 16)
    >>> bool((asked[0, 3:] == words[0, :3]).all()), asked[0, :3].tolist()
    (True, [-100, -100, -100])
    """
    back = whole_number(back, "back", least=1)

    def draw(rng: np.random.Generator, batch: int, length: int, vocabulary: int) -> tuple[Words, Words]:
        words = rng.integers(vocabulary, size=(batch, length))
        asked = np.full_like(words, UNASKED)
        asked[:, back:] = words[:, :-back]
        return words, asked

    return draw


def neighbours(reach: int) -> Draw:
    """The task "name a word at most `reach` places away": which of them is drawn anew for every place.

    >>> words, asked = neighbours(2)(np.random.default_rng(0), 1, 6, 16)
    >>> bool(asked[0, 2] in words[0, :5])
    True
    """
    reach = whole_number(reach, "reach", least=1)

    def draw(rng: np.random.Generator, batch: int, length: int, vocabulary: int) -> tuple[Words, Words]:
        words = rng.integers(vocabulary, size=(batch, length))
        source = np.arange(length) + rng.integers(-reach, reach + 1, size=(batch, length))
        asked = np.take_along_axis(words, np.clip(source, 0, length - 1), axis=1)
        return words, np.where((source >= 0) & (source < length), asked, UNASKED)

    return draw


@dataclass(frozen=True)
class Reader:
    """A trained attention: its five matrices, its table of positions, and the loss at every step."""

    weights: dict[str, torch.Tensor]
    table: Array
    losses: Array

    def answers(self, rows: ArrayLike, words: ArrayLike) -> Words:
        """The word named at every place of `words`, shape (b, n), where position p has the row `rows[p]`."""
        with torch.no_grad():
            scores = _logits(self.weights, torch.from_numpy(real_array(rows, "rows")), np.asarray(words))
        return np.asarray(scores.argmax(-1).numpy())

    def scores(self, rows: ArrayLike) -> Array:
        """What the positions alone add to the score of query p (row) and key q (column)."""
        table = torch.from_numpy(real_array(rows, "rows"))
        return np.asarray((table @ self.weights["query"] @ (table @ self.weights["key"]).T).numpy())


def train(
    table: ArrayLike,
    *,
    trainable: bool,
    task: Draw,
    order: ArrayLike | None = None,
    source: Reader | None = None,
    steps: int = STEPS,
    batch: int = BATCH,
    rate: float = RATE,
    seed: int = 0,
) -> Reader:
    """Train on texts as long as the table.

    Parameters
    ----------
    table
        Shape (n, d): the rows at the start.
    trainable
        Whether training changes the rows. All other matrices and all texts are the same either way.
    task
        :func:`pointer` or :func:`neighbours`.
    order
        Word p of the text stands at place ``order[p]``; in its own order if not given.
    source
        A reader whose matrices are the start. Random ones if not given.
    steps, batch, rate
        Steps of Adam, texts a step, and the rate, which rises for a tenth of the steps and falls to zero.
    seed
        Of the matrices at the start and of the texts.

    >>> rows = np.random.default_rng(0).normal(size=(8, 32))
    >>> reader = train(rows, trainable=True, task=pointer(1), batch=8, rate=0.02)
    >>> bool(reader.losses[-1] < 0.5 < 2 < reader.losses[0])
    True
    """
    start = real_array(table, "table")  # a copy: training writes into it
    length, width = start.shape
    place = np.arange(length) if order is None else np.asarray(order)
    if sorted(place.tolist()) != list(range(length)):
        raise ValueError(f"order must name each of the {length} places once, got {place.tolist()}")
    rng = np.random.default_rng(seed)
    shapes = {"words": (VOCABULARY, width), "query": (width, width), "key": (width, width)}
    shapes |= {"value": (width, width), "output": (width, VOCABULARY)}
    with one_thread():
        # drawn in either case, so that the texts are the same
        drawn = {
            name: rng.normal(0, 0.7 if name == "words" else width**-0.5, shapes[name]) for name in shapes
        }
        weights = (
            {name: torch.from_numpy(drawn[name]) for name in drawn} if source is None else source.weights
        )
        weights = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        rows = torch.from_numpy(start).requires_grad_(trainable)
        changed = [*weights.values(), *([rows] if trainable else [])]
        adam = torch.optim.Adam(changed)
        losses = []
        for step in range(steps):
            words, asked = task(rng, batch, length, VOCABULARY)
            seen = np.empty_like(words)
            seen[:, place] = words
            # read back in the order of the text, so that a shuffled run adds up the loss in the same order
            named = _logits(weights, rows, seen).index_select(1, torch.from_numpy(place))
            loss = torch.nn.functional.cross_entropy(
                named.flatten(0, 1), torch.from_numpy(asked).flatten(), ignore_index=UNASKED
            )
            adam.param_groups[0]["lr"] = rate * min(1, 10 * (step + 1) / steps) * (1 - step / steps)
            adam.zero_grad()
            # torch leaves this method without types
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            losses.append(loss.item())
    final = {name: weight.detach() for name, weight in weights.items()}
    return Reader(final, rows.detach().numpy(), np.array(losses))


def right(reader: Reader, rows: ArrayLike, *, back: int, texts: int = 200, seed: int = 99) -> Array:
    """Share of texts in which each place names the word `back` places before; NaN where there is none."""
    table = real_array(rows, "rows")
    words = np.random.default_rng(seed).integers(VOCABULARY, size=(texts, len(table)))
    share = np.full(len(table), np.nan)
    with one_thread():
        share[back:] = (reader.answers(table, words)[:, back:] == words[:, :-back]).mean(axis=0)
    return share


def _logits(weights: dict[str, torch.Tensor], rows: torch.Tensor, words: Words) -> torch.Tensor:
    x = torch.nn.functional.embedding(torch.from_numpy(words), weights["words"]) + rows
    scores = (x @ weights["query"]) @ (x @ weights["key"]).transpose(-1, -2) / rows.shape[-1] ** 0.5
    named: torch.Tensor = (scores.softmax(-1) @ (x @ weights["value"])) @ weights["output"]
    return named


@contextmanager
def one_thread() -> Iterator[None]:
    """Several threads would add in another order; the page must not depend on how many there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
