"""The figures and tables of the chapter on the formula by another path: definitions, and what is printed."""

import math
from itertools import product

import numpy as np

from pe_book.evidence.sinusoidal.formula import changes_by_convention
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.readings import variants
from pe_book.sinusoidal.waves.aliasing import multiplied


def decimals(numbers, form="{:.4f}"):
    return ", ".join(form.format(float(x)) for x in numbers)


ROW, RATES = encode(1, 8), frequencies(8)


WORD = np.array((0.5, -0.2, 0.1, 0.7, -0.4, 0.3))
BANK = np.column_stack([WORD, encode(1, 6), WORD + encode(1, 6)])
LADDERS = {
    "paper, width 8": 1 / frequencies(8),
    "released code, width 8": 1 / frequencies(8, ladder="tensor2tensor"),
    "paper, width 6": 1 / frequencies(6),
}


def before(r):
    """The column that an entry of the row in halves comes from: a riffle of two packs of four."""
    return 2 * (r["column"] % 4) + r["column"] // 4 if r["layout"] == "halves" else r["column"]


SUBSCRIPT = "₀₁₂₃"


def mistakes(width):
    """One row under every convention and slip of the table, by another code than the table's."""
    named = {name.removeprefix("slip: "): row for name, row in variants(1, width).items()}
    rows = {
        "as printed in the paper": named["this book, the paper"],
        "halves": named["halves"],
        "ladder of the released code": named["tensor2tensor ladder"],
        "halves and that ladder": named["both, as in tensor2tensor"],
        "halves, cosines first": named["halves, cosines first"],
        "sine and cosine swapped": named["cosine first"],
        "positions from $1$": named["positions from 1"],
        "exponent $i/d$": named["exponent $i/d$"],
        "exponent $4i/d$": named["exponent $4i/d$"],
        "cosine with its own exponent, $(2i+1)/d$": [
            math.cos(10000 ** (-c / width)) if c % 2 else named["halves"][c // 2] for c in range(width)
        ],
        "base $1000$": encode(1, width, base=1000),
        "multiplied, not divided": multiplied(1, width),
    }
    return {"what was computed": list(rows)} | {
        f"${c}$": np.array([row[c] for row in rows.values()]) for c in range(6)
    }


CHANGES = changes_by_convention(50, 512)


def written(value, digits):
    """An entry as LaTeX: beside a whole number stands the distance to it."""
    gap = abs(value - round(value))
    if gap == 0 or gap >= 10**-digits / 2:
        return f"{value:.{0 if gap == 0 else digits}f}"
    digits, power = f"{gap:.2e}".split("e")
    distance = rf"{digits}\cdot 10^{{{int(power)}}}"
    return f"{round(value)} - {distance}" if round(value) else distance


def worked(position):
    """The number of the pair, what is left to compute, and the entry, column by column."""

    def calculation(r, p):
        divisor = 10000 ** (r["column"] // 2 / 3)
        angle = f"{position}/{divisor:.6g}" if position and divisor > 1 else f"{position}"
        return rf"$\{('sin', 'cos')[r['column'] % 2]}({angle})$"

    return {
        "column": range(6),
        "$i$": lambda r, p: r["column"] // 2,
        "calculation": calculation,
        "result": lambda r, p: f"${written(encode(position, 6)[r['column']], 6)}$",
    }


RECOMPUTED = {
    "fig:formula:anatomy": {
        "position": (1,),
        "part": ("sine", "angle", "cosine"),
        "i": range(4),
        "divisor": lambda r, p: 1 / RATES[r["i"]],
        "column": lambda r, p: {"sine": 0, "cosine": 1}[r["part"]] + 2 * r["i"],
        "value": lambda r, p: RATES[r["i"]] if r["part"] == "angle" else ROW[r["column"]],
        "box": lambda r, p: f"1: {r['part']} {r['i']}",
        "arrow from": lambda r, p: f"1: angle {r['i']}",
        "facts": {"entries": f"position 1 has {decimals(ROW)}"},
    },
    "fig:formula:pairs": {
        "pair": range(3),
        "position": [x / 4 for x in range(25)],
        "word": lambda r, p: r["position"],
        "angle (radians)": lambda r, p: r["position"] * frequencies(6)[r["pair"]],
        "sine": lambda r, p: encode(r["position"], 6)[2 * r["pair"]],
        "cosine": lambda r, p: encode(r["position"], 6)[2 * r["pair"] + 1],
        "facts": {
            "degrees": decimals(np.degrees(6 * frequencies(6)), "{:.1f}"),
            "turns": decimals(wavelengths(6), "{:,.1f}"),
        },
        "given": {
            "width": 6,
            "base": 10000,
            "bases": [100, 1000, 10000, 500000],
            "word": 1,
            "last": 60,
            "asked": 6,
            "samples": 4,
        },
    },
    "fig:formula:addition": {
        "part": ("Bank", "position 1", "sum"),
        "column": range(6),
        "function": lambda r, p: ["sine", "cosine"][r["column"] % 2],
        "value": BANK,
        "facts": {"sums": decimals(BANK[:, 2])},
    },
    "fig:formula:ladders": {
        "rows": 4 + 4 + 3,
        "ladder": tuple(LADDERS),
        "i": range(4),
        "divisor": lambda r, p: LADDERS[r["ladder"]][r["i"]],
        # the rungs of the code at width 8 that are rungs of the paper at width 6
        "common": lambda r, p: next(
            i for i in range(3) if math.isclose(LADDERS["paper, width 6"][i], LADDERS[r["ladder"]][r["i"]])
        ),
        "facts": {"code": decimals(LADDERS["released code, width 8"], "{:.5g}")},
    },
    "fig:formula:layouts": {
        "layout": ("interleaved", "halves"),
        "column": range(8),
        "function": lambda r, p: "cosine" if before(r) % 2 else "sine",
        "entry": lambda r, p: f"{'cos' if before(r) % 2 else 'sin'} ω{SUBSCRIPT[before(r) // 2]}p",
        "box": lambda r, p: f"{'from' if r['layout'] == 'interleaved' else 'to'} {r['column']}",
        "origin": lambda r, p: f"from {before(r)}",
        "facts": {"order": "0, 2, 4, 6, 1, 3, 5, 7"},
    },
    "tab:formula:river": worked(0),
    "tab:formula:bank": worked(1),
    "tab:formula:rk": {
        "column": (0, 1, 2, 3, 256, 257, 510, 511),
        "$i$": lambda r, p: (r["column"] - r["column"] % 2) / 2,
        **{
            f"*{word}*, {position}": lambda r, p, q=position: (
                f"${{{written(encode(q, 512)[r['column']], 4).replace(' - ', '{-}')}}}$"
            )
            for position, word in enumerate(("My", "name", "is", "RK"))
        },
    },
    "tab:formula:small": {
        "position $p$": range(4),
        **{
            rf"$\{call} {angle}$": lambda r, p, c=c: (
                f"${written(encode(r['position $p$'], 4, base=100)[c], 8)}$"
            )
            for c, (angle, call) in enumerate(product(("p", "(p/10)"), ("sin", "cos")))
        },
    },
    "tab:formula:conventions": {
        "what others write": list(CHANGES),
        "largest change of an entry": np.array([entry for entry, _ in CHANGES.values()]),
        "of a dot product": lambda r, p: (
            CHANGES[r["what others write"]][1] if CHANGES[r["what others write"]][1] > 1e-6 else "none"
        ),
    },
    "tab:formula:mistakes": mistakes(8),
    "tab:formula:mistakes6": mistakes(6),
}
