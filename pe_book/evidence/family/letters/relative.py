"""What the letters of the chapter on relative positions stand for."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pe_book.evidence.letters import Letters, by_hand, index, whole, width
from pe_book.family.relative import clipped_offsets, relative_scores, shaw_attention
from pe_book.family.relative.deberta import deberta_offsets, deberta_scores
from pe_book.sinusoidal.formula import encode
from pe_book.why.order_blindness import attention_weights


def letters(draw: Generator) -> Letters:
    """Shaw's scores, weights and outputs."""
    d, n, clip = width(draw), 6, 2
    q, k, v = draw.normal(size=(3, n, d))
    of_keys, of_values = draw.normal(size=(2, 2 * clip + 1, d))
    places = np.arange(n)
    rows = clipped_offsets(places, places, clip=clip)
    added = relative_scores(q, of_keys, places, places) / np.sqrt(d)
    return {
        "d": d, "q": q, "k": k, "v": v, "i": index(draw, n), "j": index(draw, n), "n": index(draw, n),
        "a^K": of_keys[rows], "a^V": of_values[rows], "e": q @ k.T / np.sqrt(d) + added,
        r"\alpha": attention_weights(q, k, bias=added),
        "z": shaw_attention(q, k, v, of_keys, of_values, queries=places, keys=places),
    }  # fmt: skip


def transformer_xl(draw: Generator) -> Letters:
    """The same four terms as two products."""
    d, i, j = width(draw), whole(draw, 0, 8), whole(draw, 0, 8)
    (q, k), (u, w) = draw.normal(size=(2, 9, d)), draw.normal(size=(2, d))
    matrix = draw.normal(size=(d, d))
    distance = matrix @ encode(i - j, d)
    return {
        "q": q, "k": k, "u": u, "w": w, "W": matrix, "i": i, "j": j, "r": lambda k: encode(k, d),
        "=": (q[i] + u) @ k[j] + (q[i] + w) @ distance,
    }  # fmt: skip


def deberta(draw: Generator) -> Letters:
    """DeBERTa's rows and scores."""
    d, s, n = width(draw), whole(draw, 1, 4), 9
    q, k, as_keys, as_queries = (draw.normal(size=(rows, d)) for rows in (n, n, 2 * s, 2 * s))
    i, j, places = whole(draw, 0, n - 1), whole(draw, 0, n - 1), range(n)
    return {
        "d": d, "s": s, "i": i, "j": j, "q": q, "k": k, "K^r": as_keys, "Q^r": as_queries,
        r"\delta": lambda i, j: deberta_offsets([i], [j], span=s),
        "=": deberta_scores(q, k, as_keys, as_queries, places, places, convention="paper")[i, j],
    }  # fmt: skip


def rows(draw: Generator) -> Letters:
    """The row of an offset."""
    s = whole(draw, 1, 4)
    return {
        "s": s, "i": whole(draw, 0, 8), "j": whole(draw, 0, 8),
        r"\delta": lambda i, j: deberta_offsets([i], [j], span=s),
    }  # fmt: skip


def three_words(draw: Generator) -> Letters:
    """The tables of the example."""
    return {
        "K^r": np.array([0, 1, 5, 2]), "Q^r": np.array([3, 0, 1, 4]),
        r"\delta": lambda i, j: deberta_offsets([i], [j], span=2),
    }  # fmt: skip


def moved(a: NDArray[Any]) -> NDArray[Any]:
    """The products of Transformer-XL at their distances."""
    n = len(a)
    return np.insert(a, 0, 0, axis=1).reshape(n + 1, n)[1:]


def shifted(draw: Generator) -> Letters:
    """Three queries."""
    a = draw.normal(size=(3, 3))
    return {"a": a, "=": moved(a)}


def shifted_four(draw: Generator) -> Letters:
    """Four queries."""
    a = draw.normal(size=(4, 4))
    return {"a": a, "=": moved(a)}


AT = {
    "eq:relative:xl": transformer_xl, "eq:relative:delta": rows, "eq:relative:deberta": deberta,
    "ex:relative:deberta": three_words, "eq:relative:shifted": shifted, "eq:relative:shifted4": shifted_four,
    "ex:relative:four": by_hand, "ex:relative:equal": by_hand,
}  # fmt: skip
