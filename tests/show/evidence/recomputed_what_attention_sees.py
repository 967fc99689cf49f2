"""What trained heads look at by another path: their attention in numpy, from the definitions."""

from functools import cache

import numpy as np
import torch

import pe_book as pe
from pe_book.evidence.length_generalisation import heads, miniature
from pe_book.evidence.length_generalisation.decoder import Decoder
from pe_book.evidence.length_generalisation.tasks import TASKS

N, NEAR, BACK = 32, 16, 5
MAPPED = ("none", "sinusoidal", "learned", "T5", "ALiBi", "rotary")
MEASURED = ("sinusoidal", "learned", "Shaw", "T5", "rotary", "ALiBi", "none")
DRAWN = ("sinusoidal", "learned", "rotary", "T5")
ENDS = {"inside": 1, "beyond": 2}


@cache
def decoder(name, trained):
    if trained:
        return miniature.decoder(name)
    torch.manual_seed(0)
    return Decoder(name, TASKS["back"].vocabulary, miniature.run_of(name).shape)


def plain(parameter):
    return parameter.detach().double().numpy()


@cache
def attention(name, times=1, trained=True):
    """Weights of one head for every text, shape (texts, n, n), by definitions of the package in float64."""
    made, words = decoder(name, trained), heads.texts(times * N).numpy()
    block, n, d = made.blocks[0], times * N, miniature.WIDTH
    x = plain(made.words.weight)[words] * np.sqrt(d)
    if name == "sinusoidal":
        x = x + pe.encode(range(n), d)
    if name == "learned":
        x = x + plain(made.positions.encoding.weight)[np.minimum(range(n), N - 1)]
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    x = x * plain(block.before.weight) + plain(block.before.bias)
    q, k, _ = np.split(x @ plain(block.inward.weight).T, 3, axis=-1)
    if name == "rotary":
        q, k = (pe.rotate(part, range(n), layout="halves") for part in (q, k))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(d)
    back = np.arange(n)[:, None] - np.arange(n)
    if name == "ALiBi":
        scores = scores - pe.alibi_slopes(1)[0] * back
    if name == "T5":
        row = pe.t5_bucket(-back, bidirectional=False, max_distance=N)
        scores = scores + plain(made.positions.score_bias.weight)[row, 0]
    if name == "Shaw":
        vectors = plain(made.positions.vectors[0].key_vectors)
        scores = scores + np.einsum("bid,ijd->bij", q, vectors[np.clip(-back, -16, 16) + 16]) / np.sqrt(d)
    scores = np.where(back < 0, -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


@cache
def mean(name, times=1, trained=True):
    return attention(name, times, trained).mean(axis=0)


def near(name, times):
    """Mean logarithms of the last sixteen queries at offsets 1 to 16, less the mean of each query."""
    with np.errstate(divide="ignore"):
        logs = np.log(attention(name, times)).mean(axis=0)
    rows = np.array(
        [[logs[i, i - o] for o in range(1, NEAR + 1)] for i in range(times * N - NEAR, times * N)]
    )
    return rows - rows.mean(axis=1, keepdims=True)


def explained(name, times):
    """R² of a regression on one indicator for each offset."""
    rows = near(name, times)
    due = np.tile(np.eye(NEAR), (NEAR, 1))
    fitted = due @ np.linalg.lstsq(due, rows.ravel(), rcond=None)[0]
    return 1 - ((rows.ravel() - fitted) ** 2).sum() / (rows**2).sum()


def on_target(name, times):
    last = range(times * N - NEAR, times * N)
    return np.mean([mean(name, times)[i, i - BACK] for i in last])


def rounded(shown, exact, digits):
    """What is shown, if it is the exact number to so many digits give or take what float32 loses."""
    return shown if abs(shown - exact) < 0.5 * 10**-digits + 1e-5 else float(exact)


def at(name, when):
    def path(r, p):
        return rounded(r[f"{name}, {when}"], mean(name, 1, when == "after")[r["query"], r["key"]], 3)

    return path


def of_member(of, times):
    return lambda r, p: of(r["member"], times)


def far(r):
    times = {"trained length": 1, "twice": 2}[r["text"]]
    queries = [i for i in range(times * N - NEAR, times * N) if i >= r["words back"]]
    return np.mean([mean("sinusoidal", times)[i, i - r["words back"]] for i in queries])


def score_of(r):
    times = ENDS[r["where"]]
    return near(r["member"], times)[r["query"] - (times * N - NEAR), r["words back"] - 1]


RECOMPUTED = {
    "fig:heads-seen:maps": {
        "rows": N * N,
        "query": range(N),
        "key": range(N),
        **{
            f"{name}, {when}": at(name, when)
            for name in MAPPED
            for when in ("before", "after")
        },
        "facts": {
            "last": "; ".join(f"{name} {np.diag(mean(name), -BACK).mean():.2f}" for name in MAPPED)
        },
    },
    "tab:heads-seen:measured": {
        "member": MEASURED,
        **{
            f"{what} {where}": of_member(of, times)
            for what, of in (("weight", on_target), ("explained", explained))
            for where, times in ENDS.items()
        },
    },
    "fig:heads-seen:offsets": {
        "rows": len(DRAWN) * 2 * (NEAR // 2) * NEAR,
        "member": DRAWN,
        "where": ("inside", "beyond"),
        "query": [*range(N - NEAR, N, 2), *range(2 * N - NEAR, 2 * N, 2)],
        "words back": range(1, NEAR + 1),
        "score, less its mean": lambda r, p: rounded(r["score, less its mean"], score_of(r), 3),
        "facts": {
            "explained": "; ".join(
                f"{name} {explained(name, 1):.2f} and {explained(name, 2):.2f}" for name in DRAWN
            )
        },
    },
    "fig:heads-seen:goes": {
        "rows": 3 * N,
        "text": ("trained length", "twice"),
        "words back": range(2 * N),
        "mean weight": lambda r, p: rounded(r["mean weight"], far(r), 4),
        "facts": {"near": round(far({"text": "trained length", "words back": BACK}), 4),
                  "far": round(far({"text": "twice", "words back": BACK}), 4)},
    },
}  # fmt: skip
