"""The chapter on longer texts by another path: what decoders name is compared with the texts themselves."""

from functools import cache

import numpy as np
import torch

from pe_book.evidence.length_generalisation import miniature
from pe_book.evidence.length_generalisation.tasks import TASKS

N, BACK = 32, 5
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


@cache
def answers(name, times, way="as trained", seed=0, task="back"):
    """Whether each answer is right, by text and place, nan where nothing is asked."""
    length = times * N
    words, _ = TASKS[task].draw(np.random.default_rng([2**31, times]), max(4, 4096 // length), length)
    made = miniature.decoder(name, seed, task)
    made.positions.way = way
    with torch.no_grad():
        named = made(torch.from_numpy(words)).argmax(-1).numpy()
    made.positions.way = "as trained"
    right = np.full(words.shape, np.nan)
    if task == "back":
        right[:, BACK:] = named[:, BACK:] == words[:, :-BACK]
    else:
        right[:, 1:] = named[:, 1:] == words[:, :1]
    return right


def share(name, times, way="as trained", task="back"):
    """Of all places that are asked."""
    return np.nanmean(answers(name, times, way, task=task))


def stretches(right):
    edges = np.linspace(0, right.shape[1], 13).round().astype(int)
    parts = np.split(right, edges[1:-1], axis=1)
    return np.array([np.nan if np.isnan(part).all() else np.nanmean(part) for part in parts])


def last(name, times, way="as trained", task="back"):
    """Of the last quarter of the places."""
    return np.nanmean(stretches(answers(name, times, way, task=task))[9:])


def cell(task):
    def path(r, p, times):
        found = f"{last(r['encoding'], times, task=task):.2f}"
        return found if share(r["encoding"], 1, task=task) >= 0.95 else f"({found})"

    return {f"{times} ×": lambda r, p, times=times: path(r, p, times) for times in (1, 2, 4, 8)}


RECOMPUTED = {
    "fig:lengths:small": {
        "position": (np.arange(12) * 4 * N / 12 + 4 * N / 24).round(2),
        **{
            f"{name}, seed {seed}": stretches(answers(name, 4, seed=seed)).round(3) for name, seed in LINES
        },
        "facts": {
            "last": "; ".join(f"{name} {stretches(answers(name, 4))[-1]:.2f}" for name in DRAWN)
        },
    },
    "tab:lengths:members": {"encoding": MEMBERS, **cell("back")},
    "tab:lengths:causes": {
        "decoder": WAYS,
        **{
            f"{times} ×": lambda r, p, times=times: last(WAYS[r["decoder"]][0], times, WAYS[r["decoder"]][1])
            for times in (1, 2, 8)
        },
    },
    "tab:lengths:first": {"encoding": FIRST, **cell("first")},
}  # fmt: skip
