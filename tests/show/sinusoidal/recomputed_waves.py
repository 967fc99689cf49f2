"""The figures and tables of the chapter on waves, by another path: definitions, loops, what is printed."""

import functools
import math
from itertools import count

import numpy as np

from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.waves import column_range, turning_pairs
from pe_book.sinusoidal.waves.aliasing import multiplied

TURN = 2 * np.pi


def listed(numbers, form):
    return ", ".join(form.format(float(x)) for x in numbers)


def turned(r):
    """The whole turns of a hand of width 8 at position 759, counted one by one."""
    return next(turns for turns in count() if (turns + 1) * TURN > 759 / 10 ** r["pair"])


def of_ladder(r):
    return frequencies(r["width"], ladder=r["ladder"])[r["pair i"]]


@functools.cache
def all_distances(width):
    """The distances at the offsets 1, …, 100,000."""
    return offset_distance(np.arange(1, 100_001), width)


def is_record(width):
    """At which of these offsets two positions come closer together than at every smaller one."""
    lowest = np.minimum.accumulate(all_distances(width))
    return np.append(True, lowest[1:] < lowest[:-1])


LENGTHS = (20, 50, 512, 5000)
WIDTHS = (2, 4, 6, 8, 16, 128, 512)
ANGLE = "angle (radians)"
FREQUENCY, WAVELENGTH = "frequency (radians a token)", "wavelength (tokens)"
OFFSET, SMALLEST = "largest offset (tokens)", "smallest distance"
SENTENCE = ("River", "bank", "killed", "the", "lion")
REACH = {n: column_range(n, 512) for n in LENGTHS}
STEPS = np.concatenate([np.linspace(0, 4 * np.pi, 193), range(7)])
WALKED = np.concatenate([np.arange(121) / 30, range(5)])
TABLE, SWING = encode(range(50), 128), column_range(50, 128)
QUARTERS = np.arange(241) / 4
CONFUSED = encode(QUARTERS, 512)[:, 100:102].T
DIVIDED = offset_distance(np.arange(101), 512)
WRONG = np.linalg.norm(multiplied(range(101), 512) - multiplied(0, 512), axis=1)

RECOMPUTED = {
    "fig:waves:sine-cosine": {
        "angle x (radians)": STEPS,
        "sin x": np.sin(STEPS),
        "cos x": np.cos(STEPS),
        "step": range(7),
        "facts": {"sine": 0, "cosine": 1, "top": 1, "low": -1},
    },
    "fig:waves:words": {
        "position": WALKED,
        "sine of the position": np.sin(WALKED),
        "word": lambda r, p: SENTENCE[int(r["position"])],
        "facts": {"listed": ", ".join(f"{word} {math.sin(x):.3f}" for x, word in enumerate(SENTENCE))},
    },
    "fig:waves:dials": {
        "pair": range(4),
        "position": range(20),
        ANGLE: lambda r, p: r["position"] / 10 ** r["pair"],
        "facts": {
            **{f"rate {i}": 10.0**-i for i in range(4)},
            "swept": listed((19 / 10**i for i in range(4)), "{:.3f}"),
        },
    },
    "fig:waves:odometer": {
        "pair": (3, 2, 1, 0),
        "odometer digit": lambda r, p: int(f"{759:04d}"[3 - r["pair"]]),
        ANGLE: lambda r, p: 759 / 10 ** r["pair"],
        "whole turns": lambda r, p: turned(r),
        "angle shown (radians)": lambda r, p: 759 / 10 ** r["pair"] - TURN * turned(r),
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
        "angle (rad)": lambda r, p: 759 / 10 ** r["pair"],
        "whole turns, lost": lambda r, p: turned(r),
        "angle shown (rad)": lambda r, p: 759 / 10 ** r["pair"] - TURN * turned(r),
        "position shown": lambda r, p: 759 - turned(r) * TURN * 10 ** r["pair"],
        "modulo (tokens)": lambda r, p: TURN * 10 ** r["pair"],
    },
    "tab:waves:ends": {
        "width $d$": (4, 6, 8, 128, 512),
        "first, in tokens": lambda r, p: TURN,
        "ratio": lambda r, p: 10 ** (8 / r["width $d$"]),
        "last, in tokens": lambda r, p: TURN * 10000 / 10 ** (8 / r["width $d$"]),
        r"share of $10000\cdot 2\pi$": lambda r, p: 1 / 10 ** (8 / r["width $d$"]),
    },
    "fig:waves:ladder": {
        "rows": 256 + 4 + 4,
        "width": (512, 8),
        "ladder": ("paper", "tensor2tensor"),
        "pair i": range(256),
        FREQUENCY: lambda r, p: of_ladder(r),
        WAVELENGTH: lambda r, p: TURN / of_ladder(r),
        "facts": {
            "first": 1,
            "last": 10000 ** (-510 / 512),
            "paper": 2000 * math.pi,
            "code": 20000 * math.pi,
        },
    },
    "fig:waves:bits": {
        "rows": 16 * (4 + 8),
        "position": range(16),
        "number of the bit": range(4),
        "bit": lambda r, p: int(f"{int(r['position']):04b}"[-1 - int(r["number of the bit"])]),
        "column": range(8),
        "entry": lambda r, p: (np.sin, np.cos)[int(r["column"]) % 2](
            r["position"] / 10 ** (r["column"] // 2)
        ),
        "facts": {
            "changes": "15, 7, 3, 1",
            "ranges": listed((np.ptp(np.sin(np.arange(16) / 10**j)) for j in range(4)), "{:.2f}"),
        },
    },
    "fig:waves:heatmap": {
        "position": range(50),
        "column": range(128),
        "entry": TABLE,
        "facts": {
            "low": TABLE.min(),
            "top": 1,
            "first": SWING[0],
            "sine": round(SWING[126], 6),
            "cosine": round(SWING[127], 6),
        },
        "given": {
            "n": 50,
            "width": 128,
            "base": 10000,
            "bases": [100, 1000, 10000, 500000],
            "longest": 200,
            "widest": 256,
            "quiet": 0.1,
        },
    },
    "fig:waves:ranges": {
        "function": ("sine", "cosine"),
        "tokens n": LENGTHS,
        "pair i": range(256),
        "range": np.array([reach.reshape(-1, 2).T for reach in REACH.values()]),
        "facts": {
            **{f"n {n}": n for n in LENGTHS},
            "last": listed((reach[510] for reach in REACH.values()), "{:.4f}"),
            "counts": listed(((reach < 0.1).sum() for reach in REACH.values()), "{:.0f}"),
        },
    },
    "tab:waves:columns": {
        "tokens $n$": LENGTHS,
        "quiet columns": lambda r, p: (REACH[r["tokens $n$"]] < 0.1).sum(),
        "of these sines": lambda r, p: (REACH[r["tokens $n$"]][0::2] < 0.1).sum(),
        "cosines": lambda r, p: (REACH[r["tokens $n$"]][1::2] < 0.1).sum(),
        "pairs that complete a turn": lambda r, p: turning_pairs(r["tokens $n$"], 512),
    },
    "fig:waves:confused": {
        "position": QUARTERS,
        "sine": CONFUSED[0],
        "cosine": CONFUSED[1],
        "asked": (22, 35),
        "facts": {
            wave: f"{entries[88]:.3f} and {entries[140]:.3f}"
            for wave, entries in zip(("sine", "cosine"), CONFUSED, strict=True)
        },
    },
    "fig:waves:margins": {
        "rows": lambda p: sum(1 + is_record(d).sum() for d in WIDTHS),
        "width": WIDTHS,
        OFFSET: lambda r, p: (
            r[OFFSET] if r["end"] is None and is_record(r["width"])[r[OFFSET] - 1] else 100_000
        ),
        SMALLEST: lambda r, p: all_distances(r["width"])[: r[OFFSET]].min(),
        "end": lambda r, p: r["width"],
        "facts": {"ends": lambda f, p: listed((all_distances(d).min() for d in WIDTHS), "{:.2g}")},
    },
    "tab:waves:margin": {
        "width $d$": (2, 4, 6, 8, 16, 32, 64, 128, 512),
        "distance of neighbours": lambda r, p: offset_distance(1, r["width $d$"]),
        "smallest distance": lambda r, p: all_distances(r["width $d$"]).min(),
        "met at offset": lambda r, p: 1 + all_distances(r["width $d$"]).argmin(),
        "share of the length": lambda r, p: (
            100 * all_distances(r["width $d$"]).min() / math.sqrt(r["width $d$"] / 2)
        ),
    },
    "fig:waves:multiplied": {
        "offset (tokens)": range(101),
        "divided, as printed": DIVIDED,
        "multiplied": WRONG,
        "facts": {
            "near": DIVIDED[1],
            "far": DIVIDED[100],
            "strange": WRONG[1],
            "least": WRONG[1:].min(),
            "most": WRONG.max(),
        },
    },
}
