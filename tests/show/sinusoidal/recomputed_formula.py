"""The figures and tables of the chapter on the formula, from the printed formula in fifty digits."""

import functools
import math
import re

import mpmath
from mpmath import mpf

from tests.show.recomputed import COUNT

mpmath.mp.dps = 50


def divisor(pair, width, base=10000):
    return mpf(base) ** (mpf(2 * pair) / width)


def entry(position, column, width, base=10000):
    """One entry, letter by letter: a sine in an even column, a cosine in an odd one."""
    angle = mpf(position) / divisor(column // 2, width, base)
    return mpmath.cos(angle) if column % 2 else mpmath.sin(angle)


def row(position, width):
    return [entry(position, column, width) for column in range(width)]


def released(position, pair, width):
    """The angle in the authors' code, whose last exponent is one."""
    return mpf(position) / mpf(10000) ** (mpf(pair) / (width // 2 - 1))


def decimals(numbers, form="{:.4f}"):
    return ", ".join(form.format(float(x)) for x in numbers)


def in_pairs(width, positions):
    """The boxes of a row: an angle in the middle, its sine and its cosine at its sides."""

    def value(r, p):
        angle = r["position"] / divisor(r["i"], width)
        return {"sine": mpmath.sin(angle), "angle": angle, "cosine": mpmath.cos(angle)}[r["part"]]

    return {
        "rows": 3 * width // 2 * len(positions),
        "position": positions,
        "part": ("sine", "angle", "cosine"),
        "i": range(width // 2),
        "divisor": lambda r, p: divisor(r["i"], width),
        "column": lambda r, p: {"sine": 0, "cosine": 1}[r["part"]] + 2 * r["i"],
        "value": value,
        "box": lambda r, p: f"{r['position']}: {r['part']} {r['i']}",
        "arrow from": lambda r, p: f"{r['position']}: angle {r['i']}",
        "facts": {"entries": "; ".join(f"position {x} has {decimals(row(x, width))}" for x in positions)},
    }


def added(r, p):
    word, place = (0.5, -0.2, 0.1, 0.7, -0.4, 0.3)[r["column"]], entry(1, r["column"], 6)
    return {"Bank": word, "position 1": place, "sum": word + place}[r["part"]]


LADDERS = {
    "paper, width 8": lambda i: mpf(10) ** i,
    "released code, width 8": lambda i: mpf(10000) ** (mpf(i) / 3),
    "paper, width 6": lambda i: mpf(100) ** (mpf(2 * i) / 3),
}


def before(r):
    """The column that an entry of the row in halves comes from: a riffle of two packs of four."""
    return 2 * (r["column"] % 4) + r["column"] // 4 if r["layout"] == "halves" else r["column"]


SUBSCRIPT = "₀₁₂₃"

# one row under every convention and slip of the table: each entry from its own letter-by-letter formula
MISTAKES = {
    "as printed in the paper": lambda c, d: entry(1, c, d),
    "halves": lambda c, d: entry(1, 2 * (c % (d // 2)) + c // (d // 2), d),
    "ladder of the released code": lambda c, d: (mpmath.cos if c % 2 else mpmath.sin)(released(1, c // 2, d)),
    "halves and that ladder": lambda c, d: (mpmath.cos if c >= d // 2 else mpmath.sin)(
        released(1, c % (d // 2), d)
    ),
    "halves, cosines first": lambda c, d: entry(1, 2 * (c % (d // 2)) + 1 - c // (d // 2), d),
    "sine and cosine swapped": lambda c, d: entry(1, c + 1 - 2 * (c % 2), d),
    "positions from $1$": lambda c, d: entry(2, c, d),
    "exponent $i/d$": lambda c, d: entry(1, c, d, base=100),
    "exponent $4i/d$": lambda c, d: entry(1, c, d, base=10**8),
    "cosine with its own exponent, $(2i+1)/d$": lambda c, d: (
        mpmath.cos(mpf(10000) ** (-mpf(c) / d)) if c % 2 else entry(1, c, d)
    ),
    "base $1000$": lambda c, d: entry(1, c, d, base=1000),
    "multiplied, not divided": lambda c, d: (mpmath.cos if c % 2 else mpmath.sin)(divisor(c // 2, d)),
}


def mistakes(width):
    columns = {f"${c}$": lambda r, p, c=c: MISTAKES[r["what was computed"]](c, width) for c in range(6)}
    return {"what was computed": tuple(MISTAKES), **columns}


def changed(largest_position, width):
    """For each convention the largest change of an entry and of a dot product, by loops over floats.

    A dot product of two rows is the sum of cos(k w) over the pairs, k tokens apart: order, parity and start
    do not enter it.
    """
    half = width // 2
    printed = [10000 ** (-2 * i / width) for i in range(half)]
    code = [10000 ** (-i / (half - 1)) for i in range(half)]
    thousand = [1000 ** (-2 * i / width) for i in range(half)]

    def neighbours(rates, start=0):
        return lambda p, c: (math.cos if c % 2 else math.sin)((p + start) * rates[c // 2])

    def halves(rates):
        return lambda p, c: (math.cos if c >= half else math.sin)(p * rates[c % half])

    right = neighbours(printed)
    others = {
        "cosine first: $(\\cos, \\sin)$ pairs": (lambda p, c: right(p, c ^ 1), printed),
        "halves: all sines, then all cosines": (halves(printed), printed),
        "positions start at $1$": (neighbours(printed, 1), printed),
        "the ladder of the released code": (neighbours(code), code),
        "both, as the code was released": (halves(code), code),
        "base $1000$": (neighbours(thousand), thousand),
    }
    places = [(p, c) for p in range(largest_position + 1) for c in range(width)]
    offsets = range(largest_position + 1)
    return {
        name: (
            max(abs(entry_of(*at) - right(*at)) for at in places),
            max(
                abs(sum(math.cos(k * w) - math.cos(k * v) for w, v in zip(rates, printed, strict=True)))
                for k in offsets
            ),
        )
        for name, (entry_of, rates) in others.items()
    }


changes = functools.cache(lambda: changed(49, 512))


def written(value, digits):
    """An entry as LaTeX, from all its digits: beside a whole number stands the distance to it."""
    whole = mpmath.nint(value)
    gap = abs(value - whole)
    if gap == 0 or gap >= mpf(10) ** -digits / 2:
        return f"{int(whole)}" if gap == 0 else f"{float(value):.{digits}f}"
    power = int(mpmath.floor(mpmath.log10(gap)))
    distance = rf"{float(gap / mpf(10) ** power):.2f}\cdot 10^{{{power}}}"
    return f"{int(whole)} - {distance}" if whole else distance


FORMULA = re.compile(r"\$\\(sin|cos)\\left\((\d+) / 10000\^\{(\d+)/(\d+)\}\\right\)\$")
CALCULATION = re.compile(r"\$\\(sin|cos)\((\d+)(?:/([\d.]+))?\)\$")


def of_formula(cell):
    """The value of a cell that prints the formula with its numbers."""
    call, position, above, below = FORMULA.fullmatch(cell).groups()
    return getattr(mpmath, call)(int(position) / mpf(10000) ** (mpf(above) / mpf(below)))


def of_calculation(cell):
    """The value of a cell that prints what is left to compute."""
    call, position, below = CALCULATION.fullmatch(cell).groups()
    return getattr(mpmath, call)(int(position) / mpf(below or 1))


def worked(position):
    def stands(header, worth):
        def path(r, p):
            value = worth(r[header])
            return r[header] if abs(value - entry(position, r["column"], 6)) < 1e-6 else f"is {value}"

        return path

    return {
        "column": range(6),
        "$i$": lambda r, p: math.floor(r["column"] / 2),
        "formula": stands("formula", of_formula),
        "calculation": stands("calculation", of_calculation),
        "result": lambda r, p: f"${written(entry(position, r['column'], 6), 6)}$",
    }


RECOMPUTED = {
    "fig:formula:anatomy": in_pairs(8, (1,)),
    "fig:formula:pairs": {
        "rows": 3 * 25,
        "pair": range(3),
        "position": [x / 4 for x in range(25)],
        "word": lambda r, p: r["position"],
        "angle (radians)": lambda r, p: r["position"] / divisor(r["pair"], 6),
        "sine": lambda r, p: entry(r["position"], 2 * r["pair"], 6),
        "cosine": lambda r, p: entry(r["position"], 2 * r["pair"] + 1, 6),
        "facts": {
            "degrees": decimals((mpmath.degrees(6 / divisor(i, 6)) for i in range(3)), "{:.1f}"),
            "turns": decimals((2 * mpmath.pi * divisor(i, 6) for i in range(3)), "{:,.1f}"),
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
        "rows": 18,
        "part": ("Bank", "position 1", "sum"),
        "column": range(6),
        "function": lambda r, p: ["sine", "cosine"][r["column"] % 2],
        "value": added,
        "facts": {
            "sums": decimals(added({"column": c, "part": "sum"}, {}) for c in range(6)),
        },
    },
    "fig:formula:ladders": {
        "rows": 4 + 4 + 3,
        "ladder": tuple(LADDERS),
        "i": range(4),
        "divisor": lambda r, p: LADDERS[r["ladder"]](r["i"]),
        # the rungs of the code at width 8 that are rungs of the paper at width 6
        "common": lambda r, p: next(
            i for i in range(3) if mpmath.almosteq(LADDERS["paper, width 6"](i), LADDERS[r["ladder"]](r["i"]))
        ),
        "facts": {"code": decimals(map(LADDERS["released code, width 8"], range(4)), "{:.5g}")},
    },
    "fig:formula:layouts": {
        "rows": 16,
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
                f"${{{written(entry(q, r['column'], 512), 4).replace(' - ', '{-}')}}}$"
            )
            for position, word in enumerate(("My", "name", "is", "RK"))
        },
    },
    "tab:formula:small": {
        "position $p$": range(4),
        r"$\sin p$": lambda r, p: f"${written(mpmath.sin(r['position $p$']), 8)}$",
        r"$\cos p$": lambda r, p: f"${written(mpmath.cos(r['position $p$']), 8)}$",
        r"$\sin (p/10)$": lambda r, p: f"${written(mpmath.sin(mpf(r['position $p$']) / 10), 8)}$",
        r"$\cos (p/10)$": lambda r, p: f"${written(mpmath.cos(mpf(r['position $p$']) / 10), 8)}$",
    },
    "tab:formula:conventions": {
        COUNT: lambda p: len(changes()),
        "what others write": lambda r, p: next(n for n in changes() if n == r["what others write"]),
        "largest change of an entry": lambda r, p: changes()[r["what others write"]][0],
        "of a dot product": lambda r, p: (
            changes()[r["what others write"]][1] if changes()[r["what others write"]][1] > 1e-6 else "none"
        ),
    },
    "tab:formula:mistakes": mistakes(8),
    "tab:formula:mistakes6": mistakes(6),
}
