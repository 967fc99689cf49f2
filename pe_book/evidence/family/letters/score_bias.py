"""What the letters of the chapter on biases of scores stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.family.score_bias import beside_sink
from pe_book.evidence.letters import Letters, by_hand, real, whole
from pe_book.family.score_bias import alibi_bias
from pe_book.family.score_bias.t5 import t5_bucket


def letters(draw: Generator) -> Letters:
    """A score, and what ALiBi makes of it."""
    i, m, n = whole(draw, 0, 40), real(draw, 0.01, 2.0), whole(draw, 2, 40)
    j, s = whole(draw, 0, i), draw.normal(size=(41, 41))
    return {
        "s": s, "m": m, "i": i, "j": j, "n": n, "r": whole(draw, 1, n),
        "=": s[i, j] + alibi_bias([m], [i], [j]).item(),
    }  # fmt: skip


def half(draw: Generator) -> Letters:
    """The distance at which half a point a token has halved a weight."""
    return {"r": 2 * np.log(2)}


def buckets(draw: Generator) -> Letters:
    """A decoder's buckets, and the first distance in one of them or beyond."""
    b = whole(draw, 2, 32)
    exact = b // 2
    farthest, t = exact + whole(draw, 1, 100), whole(draw, 0, b - exact - 1)
    at = np.arange(2 * farthest)
    bucket = t5_bucket(-at, n_buckets=b, max_distance=farthest, bidirectional=False)
    n = whole(draw, exact, 2 * farthest - 1)
    return {
        "b": b, "E": exact, "W": b - exact, "M": farthest, "n": n, "t": t, "=": int(bucket[n]),
        "first": int(np.flatnonzero(bucket >= exact + t)[0]),
    }  # fmt: skip


def begins(draw: Generator) -> Letters:
    """The first distance in a bucket or beyond."""
    found = buckets(draw)
    return found | {"n": found["first"]}


def four(draw: Generator) -> Letters:
    """A pair of positions in an encoder."""
    i, j = whole(draw, 0, 40), whole(draw, 0, 40)
    return {"E": 8, "W": 8, "i": i, "j": j, "n": i - j}


def sink(draw: Generator) -> Letters:
    """The weight of one of some keys, beside a sink logit."""
    i, s, beta = whole(draw, 0, 12), draw.normal(size=(13, 13)), real(draw, -2.0, 2.0)
    j = whole(draw, 0, i)
    return {"s": s, "i": i, "j": j, r"\beta": beta, "=": float(beside_sink(s[i, : i + 1], beta)[j])}


AT = {
    "ex:score:half": half, "eq:score:bucket": buckets, "thm:score:begins": begins, "ex:score:four": four,
    "eq:score:sink": sink, "ex:score:sink": by_hand,
}  # fmt: skip
