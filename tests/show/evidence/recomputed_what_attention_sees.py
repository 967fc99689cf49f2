"""What trained heads look at by another path: tested readings of their weights, cell by cell."""

from functools import cache

import numpy as np

from pe_book.evidence.length_generalisation import heads

N, NEAR, BACK = 32, 16, 5
MAPPED = ("none", "sinusoidal", "learned", "T5", "ALiBi", "rotary")
MEASURED = ("sinusoidal", "learned", "Shaw", "T5", "rotary", "ALiBi", "none")
DRAWN = ("sinusoidal", "learned", "rotary", "T5")
ENDS = {"inside": 1, "beyond": 2}
TEXTS = {"trained length": 1, "twice": 2}
weights = cache(heads.trained_weights)
untrained = cache(heads.untrained_weights)
logs = cache(heads.scores)


def last_queries(times):
    return times * N - NEAR, times * N


def on_target(name, times):
    return heads.on_target(weights(name, times), *last_queries(times))


def explained(name, times):
    return heads.explained(logs(name, times), *last_queries(times))


def of_member(of, times):
    return lambda r, p: of(r["member"], times)


def mapped(name, of):
    return lambda r, p: of(name)[r["query"], r["key"]].round(3)


def far(text, back):
    """The mean weight so many words back, of the last queries."""
    times = TEXTS[text]
    queries = np.array([i for i in range(*last_queries(times)) if i >= back])
    return weights("sinusoidal", times)[queries, queries - back].mean().round(4)


def score_of(r, p):
    times, query = ENDS[r["where"]], r["query"]
    near = [logs(r["member"], times)[query, query - back] for back in range(1, NEAR + 1)]
    return round(near[r["words back"] - 1] - np.mean(near), 3)


def told(of, names):
    return lambda f, p: "; ".join(f"{name} {of(name)}" for name in names)


RECOMPUTED = {
    "fig:heads-seen:maps": {
        "query": range(N),
        "key": range(N),
        **{f"{name}, before": mapped(name, untrained) for name in MAPPED},
        **{f"{name}, after": mapped(name, weights) for name in MAPPED},
        "rows": N * N,
        "facts": {"last": told(lambda name: f"{np.diag(weights(name), -BACK).mean():.2f}", MAPPED)},
    },
    "tab:heads-seen:measured": {
        "member": MEASURED,
        **{f"weight {where}": of_member(on_target, times) for where, times in ENDS.items()},
        **{f"explained {where}": of_member(explained, times) for where, times in ENDS.items()},
    },
    "fig:heads-seen:offsets": {
        "rows": len(DRAWN) * 2 * (NEAR // 2) * NEAR,
        "member": DRAWN,
        "where": list(ENDS),
        "query": [*range(N - NEAR, N, 2), *range(2 * N - NEAR, 2 * N, 2)],
        "words back": range(1, NEAR + 1),
        "score, less its mean": score_of,
        "facts": {
            "explained": told(lambda name: f"{explained(name, 1):.2f} and {explained(name, 2):.2f}", DRAWN)
        },
    },
    "fig:heads-seen:goes": {
        "rows": 3 * N,
        "text": list(TEXTS),
        "words back": range(2 * N),
        "mean weight": lambda r, p: far(r["text"], r["words back"]),
        "facts": {
            "near": lambda f, p: far("trained length", BACK),
            "far": lambda f, p: far("twice", BACK),
        },
    },
}
