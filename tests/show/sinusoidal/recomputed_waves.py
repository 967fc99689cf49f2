"""The figures and tables of the chapter on waves, by another path: the printed formula, loops, fractions."""

import functools
import math
from itertools import count

import mpmath
import numpy as np
import torch
from mpmath import mpf

from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.waves import column_range, turning_pairs
from pe_book.sinusoidal.waves.aliasing import multiplied

mpmath.mp.dps = 30
TURN = 2 * mpmath.pi


@functools.cache
def rate(pair, width, base=10000):
    """Radians a token, as printed."""
    return mpf(base) ** (-mpf(2 * pair) / width)


def entry(position, column, width):
    angle = mpf(position) * rate(column // 2, width)
    return mpmath.cos(angle) if column % 2 else mpmath.sin(angle)


def listed(numbers, form):
    return ", ".join(form.format(float(x)) for x in numbers)


@functools.cache
def reach(n, width):
    """How far each column moves within n tokens."""
    return column_range(n, width).tolist()


def distance(k, width):
    return offset_distance(k, width)


@functools.cache
def all_distances(n, width):
    """The distances at the offsets 1, …, n."""
    return torch.tensor(offset_distance(np.arange(1, n + 1), width))


def is_record(k, width):
    """Whether k tokens bring two positions closer together than every smaller offset."""
    smaller = all_distances(100_000, width)[: k - 1]
    return not len(smaller) or bool(all_distances(100_000, width)[k - 1] < smaller.min())


def records(n, width):
    lowest = torch.cummin(all_distances(n, width), dim=0).values
    return 1 + int((lowest[1:] < lowest[:-1]).sum())


def wrong_distance(k, width):
    """The same where the position is multiplied by the divisor."""
    return np.linalg.norm(multiplied(k, width) - multiplied(0, width))


def turned(r):
    """The whole turns of a hand of width 8 at position 759, counted one by one."""
    angle = 759 / mpf(10) ** r["pair"]
    return next(turns for turns in count() if (turns + 1) * TURN > angle)


LENGTHS = (20, 50, 512, 5000)
WIDTHS = (2, 4, 6, 8, 16, 128, 512)
ANGLE = "angle (radians)"
FREQUENCY, WAVELENGTH = "frequency (radians a token)", "wavelength (tokens)"
OFFSET, SMALLEST = "largest offset (tokens)", "smallest distance"
SENTENCE = ("River", "bank", "killed", "the", "lion")


def of_ladder(r):
    return 1 / mpf(float(frequencies(r["width"], ladder=r["ladder"])[r["pair i"]]))


RECOMPUTED = {
    "fig:waves:sine-cosine": {
        "rows": 193 + 7,
        "angle x (radians)": [*np.linspace(0, 4 * np.pi, 193), *range(1, 7)],
        "sin x": lambda r, p: mpmath.sin(r["angle x (radians)"]),
        "cos x": lambda r, p: mpmath.sin(r["angle x (radians)"] + mpmath.pi / 2),
        "step": range(7),
        "facts": {"sine": 0, "cosine": 1, "top": 1, "low": -1},
    },
    "fig:waves:words": {
        "rows": 121 + 5,
        "position": np.arange(121) / 30,
        "sine of the position": lambda r, p: mpmath.sin(r["position"]),
        "word": lambda r, p: SENTENCE[int(r["position"])],
        "facts": {
            "listed": ", ".join(f"{word} {float(mpmath.sin(x)):.3f}" for x, word in enumerate(SENTENCE))
        },
    },
    "fig:waves:dials": {
        "rows": 4 * 20,
        "pair": range(4),
        "position": range(20),
        ANGLE: lambda r, p: r["position"] * mpf(10) ** -r["pair"],
        "facts": {
            **{f"rate {i}": 10.0**-i for i in range(4)},
            "swept": listed((19 * mpf(10) ** -i for i in range(4)), "{:.3f}"),
        },
    },
    "fig:waves:odometer": {
        "rows": 4,
        "pair": (3, 2, 1, 0),
        "odometer digit": lambda r, p: int(f"{759:04d}"[3 - r["pair"]]),
        ANGLE: lambda r, p: 759 / mpf(10) ** r["pair"],
        "whole turns": lambda r, p: turned(r),
        "angle shown (radians)": lambda r, p: 759 / mpf(10) ** r["pair"] - TURN * turned(r),
        "across": 0,
        "up": 1.75,
        "facts": {
            **{f"angle {i}": 759 / 10**i for i in range(4)},
            "digits": "0, 7, 5, 9",
            "turns": "0, 1, 12, 120",
        },
    },
    "tab:waves:odometer": {
        "pair": range(4),
        "wheel": lambda r, p: 759 // 10 ** r["pair"] % 10,
        "angle (rad)": lambda r, p: mpf(759) / 10 ** r["pair"],
        "whole turns, lost": lambda r, p: turned(r),
        "angle shown (rad)": lambda r, p: 759 / mpf(10) ** r["pair"] - TURN * turned(r),
        "position shown": lambda r, p: 759 - turned(r) * TURN * 10 ** r["pair"],
        "modulo (tokens)": lambda r, p: TURN * 10 ** r["pair"],
    },
    "tab:waves:ends": {
        "width $d$": (4, 6, 8, 128, 512),
        "first, in tokens": lambda r, p: TURN,
        "ratio": lambda r, p: mpmath.root(mpf(10) ** 8, r["width $d$"]),
        "last, in tokens": lambda r, p: TURN * 10000 / mpmath.root(mpf(10) ** 8, r["width $d$"]),
        r"share of $10000\cdot 2\pi$": lambda r, p: 1 / mpmath.root(mpf(10) ** 8, r["width $d$"]),
    },
    "fig:waves:ladder": {
        "rows": 256 + 4 + 4,
        "width": (512, 8),
        "ladder": ("paper", "tensor2tensor"),
        "pair i": range(256),
        FREQUENCY: lambda r, p: 1 / of_ladder(r),
        WAVELENGTH: lambda r, p: TURN * of_ladder(r),
        "facts": {
            "first": 1,
            "last": float(rate(255, 512)),
            "paper": 2000 * math.pi,
            "code": 20000 * math.pi,
        },
    },
    "fig:waves:bits": {
        "rows": 3 * 129,
        "number": range(3),
        "position": np.arange(129) / 8,
        "bit": lambda r, p: int(f"{int(r['position']):05b}"[-1 - r["number"]]),
        "sine": lambda r, p: mpmath.sin(r["position"] / mpf(10) ** r["number"]),
        "facts": {
            "changes": "16, 8, 4",
            "ranges": listed(
                (
                    max(math.sin(x / 10**j) for x in range(17)) - min(math.sin(x / 10**j) for x in range(17))
                    for j in range(3)
                ),
                "{:.2f}",
            ),
        },
    },
    "fig:waves:heatmap": {
        "rows": 50 * 128,
        "position": range(50),
        "column": range(128),
        "entry": lambda r, p: entry(r["position"], r["column"], 128),
        "facts": {
            "low": lambda f, p: encode(range(50), 128).min(),
            "top": 1,
            "first": lambda f, p: reach(50, 128)[0],
            "sine": lambda f, p: round(reach(50, 128)[126], 6),
            "cosine": lambda f, p: round(reach(50, 128)[127], 6),
        },
        "given": {
            "n": 50,
            "width": 128,
            "base": 10000,
            "bases": [100, 1000, 10000, 500000],
            "longest": 100,
            "widest": 128,
            "quiet": 0.1,
        },
    },
    "fig:waves:ranges": {
        "rows": 4 * 512,
        "function": ("sine", "cosine"),
        "tokens n": LENGTHS,
        "pair i": range(256),
        "range": lambda r, p: reach(r["tokens n"], 512)[2 * r["pair i"] + (r["function"] == "cosine")],
        "facts": {
            **{f"n {n}": n for n in LENGTHS},
            "last": lambda f, p: listed((reach(n, 512)[510] for n in LENGTHS), "{:.4f}"),
            "counts": lambda f, p: ", ".join(str(sum(x < 0.1 for x in reach(n, 512))) for n in LENGTHS),
        },
    },
    "tab:waves:columns": {
        "tokens $n$": LENGTHS,
        "quiet columns": lambda r, p: sum(x < 0.1 for x in reach(r["tokens $n$"], 512)),
        "of these sines": lambda r, p: sum(x < 0.1 for x in reach(r["tokens $n$"], 512)[0::2]),
        "cosines": lambda r, p: sum(x < 0.1 for x in reach(r["tokens $n$"], 512)[1::2]),
        "pairs that complete a turn": lambda r, p: turning_pairs(r["tokens $n$"], 512),
    },
    "fig:waves:confused": {
        "rows": 241,
        "position": np.arange(241) / 4,
        "sine": lambda r, p: entry(r["position"], 100, 512),
        "cosine": lambda r, p: entry(r["position"], 101, 512),
        "asked": (22, 35),
        "facts": {
            "sine": " and ".join(f"{float(entry(x, 100, 512)):.3f}" for x in (22, 35)),
            "cosine": " and ".join(f"{float(entry(x, 101, 512)):.3f}" for x in (22, 35)),
        },
    },
    "fig:waves:margins": {
        "rows": lambda p: sum(1 + records(100_000, d) for d in WIDTHS),
        "width": WIDTHS,
        OFFSET: lambda r, p: r[OFFSET] if r["end"] is None and is_record(r[OFFSET], r["width"]) else 100_000,
        SMALLEST: lambda r, p: (
            all_distances(100_000, r["width"]).min() if r["end"] else distance(r[OFFSET], r["width"])
        ),
        "end": lambda r, p: r["width"],
        "facts": {"ends": lambda f, p: listed((all_distances(100_000, d).min() for d in WIDTHS), "{:.2g}")},
    },
    "tab:waves:margin": {
        "width $d$": (2, 4, 6, 8, 16, 32, 64, 128, 512),
        "distance of neighbours": lambda r, p: distance(1, r["width $d$"]),
        "smallest distance": lambda r, p: distance(r["met at offset"], r["width $d$"]),
        "met at offset": lambda r, p: 1 + int(all_distances(100_000, r["width $d$"]).argmin()),
        "share of the length": lambda r, p: (
            100 * distance(r["met at offset"], r["width $d$"]) / mpmath.sqrt(mpf(r["width $d$"]) / 2)
        ),
    },
    "fig:waves:multiplied": {
        "rows": 101,
        "offset (tokens)": range(101),
        "divided, as printed": lambda r, p: distance(r["offset (tokens)"], 512),
        "multiplied": lambda r, p: wrong_distance(r["offset (tokens)"], 512),
        "facts": {
            "near": lambda f, p: distance(1, 512),
            "far": lambda f, p: distance(100, 512),
            "strange": lambda f, p: wrong_distance(1, 512),
            "least": lambda f, p: min(wrong_distance(k, 512) for k in range(1, 101)),
            "most": lambda f, p: max(wrong_distance(k, 512) for k in range(1, 101)),
        },
    },
}
