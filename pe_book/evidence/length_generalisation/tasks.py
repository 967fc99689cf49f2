"""What the decoders of the study learn: texts drawn from a seed, and what is asked at each place.

A target of :data:`UNASKED` enters neither loss nor accuracy. Texts of any length come from one rule, so that
a longer text asks for nothing but what the short ones did.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_book.nn.trial.training import UNASKED

Words = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int], tuple[Words, Words]]

SYMBOLS = 16
BACK = 5
WORDS, FOLLOWERS, SUBJECT = 32, 3, 6  # of the grammar: its words, those that follow one, those of a text
FOLLOWS, BY_SUBJECT = 0.5, 0.4  # shares of the words that follow, and that come from the subject of the text


@dataclass(frozen=True)
class Task:
    """A rule by which texts are drawn, and how the answers are measured."""

    name: str
    title: str
    vocabulary: int
    draw: Draw
    measure: str
    """``"accuracy"``, or ``"loss"`` in nats where no answer is certain."""
    shortest: float = 1.0
    """Share of the trained length from which texts are trained on; 1 where all have that length."""


def back(rng: np.random.Generator, batch: int, length: int) -> tuple[Words, Words]:
    """Name the word five places back.

    >>> words, asked = back(np.random.default_rng(0), 1, 8)
    >>> bool((asked[0, 5:] == words[0, :3]).all()), set(asked[0, :5].tolist())
    (True, {-100})
    """
    words = rng.integers(SYMBOLS, size=(batch, length))
    asked = np.full_like(words, UNASKED)
    asked[:, BACK:] = words[:, :-BACK]
    return words, asked


def first(rng: np.random.Generator, batch: int, length: int) -> tuple[Words, Words]:
    """Name the first word of the text.

    >>> words, asked = first(np.random.default_rng(0), 1, 4)
    >>> asked[0].tolist() == [-100, *[int(words[0, 0])] * 3]
    True
    """
    words = rng.integers(SYMBOLS, size=(batch, length))
    asked = np.repeat(words[:, :1], length, axis=1)
    asked[:, 0] = UNASKED
    return words, asked


def copy(rng: np.random.Generator, batch: int, length: int) -> tuple[Words, Words]:
    """Say a text again behind a sign: the place to read from moves away as the text grows.

    >>> words, asked = copy(np.random.default_rng(0), 1, 6)
    >>> words[0, 3] == SYMBOLS, asked[0, 3:].tolist() == words[0, :3].tolist()
    (np.True_, True)
    """
    half = length // 2
    said = rng.integers(SYMBOLS, size=(batch, half))
    words = np.concatenate([said, np.full((batch, 1), SYMBOLS), said[:, : length - half - 1]], axis=1)
    asked = np.full_like(words, UNASKED)
    asked[:, half : 2 * half] = said
    return words, asked


FOLLOWING: Words = np.stack(
    [np.random.default_rng(7 + w).permutation(WORDS)[:FOLLOWERS] for w in range(WORDS)]
)
"""The words that may stand two places behind each word, shape (WORDS, FOLLOWERS)."""


def grammar(rng: np.random.Generator, batch: int, length: int) -> tuple[Words, Words]:
    """Name the next word: half follow from the word *two* places before it, others from the subject.

    >>> words, asked = grammar(np.random.default_rng(0), 1, 5)
    >>> (asked[0, :-1] == words[0, 1:]).all()
    np.True_
    """
    text = rng.integers(WORDS, size=(batch, length + 1))  # what is left is drawn from all words
    subjects = np.argsort(rng.random((batch, WORDS)), axis=1)[:, :SUBJECT]
    turn, which = rng.random((batch, length + 1)), rng.integers(FOLLOWERS * SUBJECT, size=(batch, length + 1))
    rows = np.arange(batch)
    for place in range(length + 1):
        of_subject = subjects[rows, which[:, place] % SUBJECT]
        word = np.where(turn[:, place] < FOLLOWS + BY_SUBJECT, of_subject, text[:, place])
        if place > 1:
            follower = FOLLOWING[text[:, place - 2], which[:, place] % FOLLOWERS]
            word = np.where(turn[:, place] < FOLLOWS, follower, word)
        text[:, place] = word
    return text[:, :-1], text[:, 1:]


def reference_losses(texts: int = 64, length: int = 640, seed: int = 1) -> dict[str, float]:
    """What is lost, in nats a word, by who knows the grammar and of a text so much and no more.

    >>> known = reference_losses(texts=4, length=100)
    >>> known["subject"] < known["two back"] < known["nothing"]
    True
    """
    words, asked = grammar(np.random.default_rng(seed), texts, length)
    before = np.concatenate([np.full((texts, 1), -1), words[:, :-1]], axis=1)[:, 1:]
    following = (FOLLOWING[before] == asked[:, 1:, None]).any(-1) * (FOLLOWS / FOLLOWERS)
    rest = (1 - FOLLOWS - BY_SUBJECT) / WORDS
    counts = np.stack([np.bincount(row, minlength=WORDS) for row in asked])
    likely = np.argsort(-counts, axis=1)[:, :SUBJECT]  # of a long text its subject
    of_subject = (likely[:, None, :] == asked[:, 1:, None]).any(-1) * (BY_SUBJECT / SUBJECT)
    return {
        "nothing": float(np.log(WORDS)),
        "two back": float(-np.log(following + rest + BY_SUBJECT / WORDS).mean()),
        "subject": float(-np.log(following + rest + of_subject).mean()),
    }


TASKS = {
    task.name: task
    for task in (
        Task("back", "the word five back", SYMBOLS, back, "accuracy"),
        Task("first", "the first word", SYMBOLS, first, "accuracy"),
        Task("grammar", "the next word", WORDS, grammar, "loss"),
        Task("copy", "the text again", SYMBOLS + 1, copy, "accuracy", shortest=0.5),
        Task("notes", "the next word, 100 words", WORDS, grammar, "loss"),
    )
}
