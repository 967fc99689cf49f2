"""Decides what the chapter on relative position says: what follows from a vector on each arrow."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.family.relative import clipped_offsets, relative_scores, shaw_attention
from pe_book.family.relative.deberta import deberta_offsets, deberta_scores
from pe_book.why.order_blindness import attention, attention_weights

Array = NDArray[np.float64]
Offsets = Callable[..., NDArray[np.int64]]


def _drawn(words: int, clip: int, width: int = 4) -> tuple[Array, Array, Array, Array, Array]:
    """Queries, keys and values, and vectors for keys and values."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, words, width))
    a_k, a_v = rng.normal(size=(2, 2 * clip + 1, width))
    return q, k, v, a_k, a_v


def difference_only(
    words: int, clip: int, *, moved: int = 1000, attend: Callable[..., Array] = shaw_attention
) -> Verdict:
    """Whether every output stays, to the last bit, where all positions move on."""
    given = _drawn(words, clip)
    here, there = (
        attend(*given, queries=start + np.arange(words), keys=start + np.arange(words))
        for start in (0, moved)
    )
    return Verdict(
        np.array_equal(here, there), {"moved": moved, "largest change": np.abs(here - there).max()}
    )


def bias_of_each_query(words: int, clip: int, *, scores: Callable[..., Array] = relative_scores) -> Verdict:
    """Whether key vectors are a bias on the scores that at every offset differs from query to query."""
    q, k, v, a_k, _ = _drawn(words, clip)
    places = range(words)
    bias = scores(q, a_k, places, places) / np.sqrt(q.shape[-1])
    wanted = shaw_attention(q, k, v, a_k, queries=places, keys=places)
    off = float(np.abs(attention(q, k, v, bias=bias) - wanted).max())
    at_offsets = (np.sort(np.diagonal(bias, offset)) for offset in range(2 - words, words - 1))
    least = min(float(np.diff(biases).min()) for biases in at_offsets)  # of any two queries
    return Verdict(off < 1e-12 and least > 1e-3, {"largest error": off, "two queries differ by": least})


def corner(few: int, many: int, *, clip: int, offsets: Offsets = clipped_offsets) -> Verdict:
    """Whether the table of a short text stands in the corner of a longer one's, which needs no more rows."""
    short, long = (offsets(range(n), range(n), clip=clip) for n in (few, many))
    kept = np.array_equal(short, long[:few, :few])
    return Verdict(kept and long.max() <= 2 * clip and long.min() >= 0, {"rows": 2 * clip + 1, "kept": kept})


def beginning_kept(
    few: int, many: int, *, clip: int, causal: bool = True, attend: Callable[..., Array] = shaw_attention
) -> Verdict:
    """Whether the first words of a longer text get the outputs that they have where the text ends there."""
    q, k, v, a_k, a_v = _drawn(many, clip)
    short, long = (
        attend(q[:n], k[:n], v[:n], a_k, a_v, queries=range(n), keys=range(n), causal=causal)
        for n in (few, many)
    )
    off = float(np.abs(short - long[:few]).max())
    return Verdict(off < 1e-12, {"largest change": off})


def one_row_beyond(clip: int, most: int, *, offsets: Offsets = clipped_offsets) -> Verdict:
    """Whether nearer offsets have rows of their own, and all keys from the clip on share one on each side."""
    rows = offsets([0], range(-most, most + 1), clip=clip)[0]
    near = rows[most - clip : most + clip + 1]
    own = len(set(near.tolist())) == len(near)
    far = set(rows[: most - clip + 1].tolist()), set(rows[most + clip :].tolist())
    return Verdict(own and len(far[0]) == len(far[1]) == 1, {"rows": len(set(rows.tolist())), "near": own})


def share_of_neighbour(words: int, advantage: float, *, clip: int = 2) -> float:
    """The weight on the word before, of all that stand behind the last one, where it alone is favoured.

    >>> round(share_of_neighbour(3, 0.0), 3)
    0.333
    """
    vectors = np.zeros((2 * clip + 1, 1))
    vectors[clip - 1] = advantage
    one = np.ones((1, 1))
    bias = relative_scores(one, vectors, [words - 1], range(words))
    weights = attention_weights(one, np.zeros((words, 1)), bias=bias)
    return float(weights[0, -2])


def thins_out(lengths: Sequence[int], advantage: float) -> Verdict:
    """Whether the favoured neighbour gets less of every longer text: first above 0.5, at last below 0.1."""
    shares = [share_of_neighbour(words, advantage) for words in lengths]
    falls = bool((np.diff(shares) < 0).all())
    return Verdict(falls and shares[0] > 0.5 and shares[-1] < 0.1, {"first": shares[0], "last": shares[-1]})


def _drawn_for_deberta(words: int, span: int) -> tuple[Array, Array, Array, Array]:
    """Queries, keys and both tables of vectors."""
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, words, 4))
    as_keys, as_queries = rng.normal(size=(2, 2 * span, 4))
    return q, k, as_keys, as_queries


def conventions_differ(words: int) -> Verdict:
    """Whether the rows of δ(i, j) and δ(j, i) give other scores wherever query and key are two words."""
    given, places = _drawn_for_deberta(words, 3), range(words)
    paper = deberta_scores(*given, places, places, convention="paper")
    library = deberta_scores(*given, places, places, convention="library")
    apart = np.abs(paper - library) > 1e-9
    expected = ~np.eye(words, dtype=bool)
    return Verdict(np.array_equal(apart, expected), {"pairs": words**2, "apart": int(apart.sum())})


def mirrored_table(words: int, *, span: int | None = None, whole: bool = False) -> Verdict:
    """Whether the published code is the paper with row r of Qʳ as row 2s - r, and row 0 in its place.

    With a `span` s of as many words, as is taken without one, nothing is clipped. `whole` turns all rows
    round, row r to 2s - 1 - r, as ``[::-1]`` does.
    """
    span = words if span is None else span
    q, k, as_keys, as_queries = _drawn_for_deberta(words, span)
    turned = np.arange(2 * span)[::-1] if whole else -np.arange(2 * span) % (2 * span)
    places = range(words)
    paper = deberta_scores(q, k, as_keys, as_queries, places, places, convention="paper")
    library = deberta_scores(q, k, as_keys, as_queries[turned], places, places, convention="library")
    off = float(np.abs(paper - library).max())
    return Verdict(off < 1e-12, {"largest difference": off})


def far_rows(span: int, *, offsets: Callable[..., NDArray[np.int64]] = deberta_offsets) -> Verdict:
    """Whether s - 1 shares the last row of DeBERTa's table with all beyond it, and 1 - s has one alone."""
    out = range(span - 1, 3 * span)
    above = offsets(out, [0], span=span)[:, 0]  # query minus key from s - 1 on
    below = offsets([0], out, span=span)[0]  # and from 1 - s down
    shared, alone = set(above.tolist()) == {2 * span - 1}, below[0] not in below[1:]
    return Verdict(bool(shared and alone), {"row of s - 1": int(above[0]), "row of 1 - s": int(below[0])})
