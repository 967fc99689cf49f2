"""The chapter on longer texts by another path: what its small trainings give, read as each cell says."""

import numpy as np

from pe_book.evidence.length_generalisation import miniature

MEMBERS = ("none", "sinusoidal", "learned", "Shaw", "T5", "ALiBi", "KERPLE", "rotary")
FIRST = ("learned", "sinusoidal", "T5", "rotary", "none")
WAYS = {
    "sinusoidal": ("sinusoidal", "as trained"),
    "read from position 32 on": ("sinusoidal", "moved"),
    "read in a window": ("sinusoidal", "window"),
    "trained at drawn starts": ("sinusoidal, shifted", "as trained"),
    "both": ("sinusoidal, shifted", "window"),
    "rotary": ("rotary", "as trained"),
    "rotary, window": ("rotary", "window"),
}
DRAWN = {"sinusoidal": 3, "rotary": 1, "T5": 3}  # seeds
LINES = [(name, seed) for name, seeds in DRAWN.items() for seed in range(seeds)]


def along(name, seed=0):
    return np.round(miniature.by_place(name, 4, seed=seed), 3)


def cell(task):
    def path(r, p, times):
        found = f"{miniature.at_end(r['encoding'], times, task=task):.2f}"
        return found if miniature.right(r["encoding"], task=task) >= 0.95 else f"({found})"

    return {f"{times} ×": lambda r, p, times=times: path(r, p, times) for times in (1, 2, 4, 8)}


def cause(times):
    def path(r, p):
        name, way = WAYS[r["decoder"]]
        return miniature.at_end(name, times, way)

    return path


RECOMPUTED = {
    "fig:lengths:small": {
        "rows": 12,
        "position": (np.arange(12) * 128 / 12 + 128 / 24).round(2),
        **{
            f"{name}, seed {seed}": lambda r, p, of=(name, seed): along(*of)[int(12 * r["position"] / 128)]
            for name, seed in LINES
        },
        "facts": {"last": lambda f, p: "; ".join(f"{name} {along(name)[-1]:.2f}" for name in DRAWN)},
    },
    "tab:lengths:members": {"encoding": MEMBERS, **cell("back")},
    "tab:lengths:causes": {"decoder": list(WAYS), **{f"{times} ×": cause(times) for times in (1, 2, 8)}},
    "tab:lengths:first": {"encoding": FIRST, **cell("first")},
}
