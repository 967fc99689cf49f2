"""The figures and tables of the chapter on the shift theorem by another path."""

import math
import statistics
from functools import cache

import mpmath
import numpy as np

from pe_book.evidence.sinusoidal.shift import HOPS
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift, gradient_descent, shift_errors, shift_residual


def rate(i, d):
    return mpmath.mpf(10000) ** (mpmath.mpf(-2 * i) / d)


def entry(r, c, k, d, layout="interleaved"):
    return shift_matrix(k, d, layout=layout)[r, c]


def agreed(cell, right, digits):
    """The cell, if it is the right value rounded to so many digits; which way a half falls is open."""
    return cell if abs(cell - right) <= 0.5005 * 10.0**-digits else right


# One column or two ------------------------------------------------------------------------------------------


@cache
def students_line():
    here, there = ([math.sin((p + k) / 10) for p in range(1000)] for k in (0, 10))
    return statistics.linear_regression(here, there)


# The hand ---------------------------------------------------------------------------------------------------


def turned(pair):
    return f"pair {pair}: {float(mpmath.degrees(10 * rate(pair, 6))):.1f}°"


# What a fit finds -------------------------------------------------------------------------------------------


@cache
def on_the_span(n, d=6):
    """What a fit to n rows makes of T_10."""
    return fit_shift(encode(range(n), d), encode(range(10, n + 10), d))


def fit_of(n):
    return lambda r, p: agreed(r[f"fit to {n} rows"], float(on_the_span(n)[r["row"], r["column"]]), 6)


def fit_misses(n):
    def error(r, p):
        # the matrix is rounded to six digits before it errs
        return agreed(
            r[f"error, {n} rows"], float(shift_errors(on_the_span(n), [r["position p (tokens)"]], 10)[0]), 4
        )

    return error


def shipped_fits():
    return {
        str(n): [[round(float(x), 6) + 0.0 for x in on_the_span(n)[r]] for r in range(6)] for n in (3, 4, 5)
    }


@cache
def missed(n, headless):
    """What the best matrix misses of n rows of noise that are moved by ten, 16 columns."""
    noise = np.random.default_rng(2017).normal(size=(138, 16))
    if headless:
        noise[0] = 0
    return shift_residual(noise[: n + 10], 10)


@cache
def trained(name):
    if name == "closed form":
        return shift_matrix(10, 128)
    steps = {"10⁴ steps": 10**4, "10⁶ steps": 10**6}.get(name, math.inf)
    noise = np.random.default_rng(1).normal(size=(128, 128)) / np.sqrt(128)
    start = noise if name == "limit, from noise" else None
    return gradient_descent(encode(range(64), 128), encode(range(10, 74), 128), steps, start=start)


def error_of(name):
    def error(r, p):
        off = shift_errors(trained(name), [r["position p (tokens)"]], 10)[0]
        return agreed(r[name], 0.0 if name == "closed form" else float(off), 4)

    return error


MATRICES = ("closed form", "10⁴ steps", "10⁶ steps", "limit", "limit, from noise")


def errors_told(pick, digits):
    def told(f, p):
        return ", ".join(f"{name} {pick(list(f.rows()), name):.{digits}f}" for name in MATRICES)

    return told


# A code that nobody designed --------------------------------------------------------------------------------


def hand(r, p, plane):
    """Where the hand of a plane stands: it starts as the axes say and turns by an eigenvalue of the map."""
    turns = sorted(set(np.abs(np.angle(np.linalg.eigvals(p["turn"]))).round(9)), reverse=True)
    start = complex(p["axes"][0, 2 * plane + 1], p["axes"][0, 2 * plane])
    return start * np.exp(1j * turns[plane] * r["position (tokens)"])


def axis(j):
    return lambda r, p: agreed(r[f"axis {j}"], getattr(hand(r, p, j // 2), "real" if j % 2 else "imag"), 5)


RECOMPUTED = {
    "fig:shift:student": {
        "rows": 250,
        "position p (tokens)": range(0, 1000, 4),
        "sine at p": lambda r, p: mpmath.sin(mpmath.mpf(r["position p (tokens)"]) / 10),
        "sine at p + 10": lambda r, p: mpmath.sin(mpmath.mpf(r["position p (tokens)"] + 10) / 10),
        "best line": lambda r, p: students_line().intercept + students_line().slope * r["sine at p"],
        "predicted from both": lambda r, p: mpmath.sin(mpmath.mpf(r["position p (tokens)"] + 10) / 10),
        "facts": {
            "explained": lambda f, p: statistics.correlation(f["sine at p"], f["sine at p + 10"]) ** 2,
            "count": 250,
        },
    },
    "fig:shift:clock": {
        "rows": 12,
        "position": range(12),
        "angle (radians)": lambda r, p: r["position"] * mpmath.pi / 6,
        "position after": [*range(2, 12), 0, 1],
        "angle after (radians)": lambda r, p: (r["position"] + 2) * mpmath.pi / 6,
        "facts": {"last": 11, "step": 30, "turned": 60, "moves": "1 to 3, 5 to 7, 8 to 10"},
    },
    "fig:shift:layouts": {
        "rows": 64,
        "row": range(8),
        "column": range(8),
        "interleaved": lambda r, p: entry(r["row"], r["column"], 10, 8),
        "halves": lambda r, p: entry(r["row"], r["column"], 10, 8, "halves"),
        "facts": {"pairs": 4, "filled": 16},
    },
    "fig:shift:hops": {
        "rows": 26,
        "matrix": ("T₁₀", "T₇", "T₅"),
        "position": (10, 3, 4, 5, 1, 21, 2, 15),
        "position after": lambda r, p: r["position"] + {"T₁₀": 10, "T₇": 7, "T₅": 5}[r["matrix"]],
        "place": (3, 4, 10, 13, 14, 20, 1, 5, 8, 12, 21, 28, 2, 7, 15),
        "height": 0,
        "facts": {
            "T₁₀": "10 to 20, 3 to 13, 4 to 14",
            "T₇": "5 to 12, 1 to 8, 21 to 28",
            "T₅": "2 to 7, 15 to 20, 10 to 15",
        },
    },
    "tab:shift:hops": {
        "matrix": [f"$T_{{{k}}}$" for k, _ in HOPS],
        "first": ("10 → 20", "5 → 12", "2 → 7"),
        "second": ("3 → 13", "1 → 8", "15 → 20"),
        "third": ("4 → 14", "21 → 28", "10 → 15"),
        "largest error of an entry": "below 1e-12",
    },
    "tab:shift:angles": {
        "$i$": range(4),
        r"$\omega_i$": (1, 0.1, 0.01, 0.001),
        r"$k\omega_i$": (10, 1, 0.1, 0.01),
        "in degrees": lambda r, p: mpmath.degrees(mpmath.mpf(10) ** (1 - r["$i$"])),
        r"$\cos k\omega_i$": lambda r, p: mpmath.cos(mpmath.mpf(10) ** (1 - r["$i$"])),
        r"$\sin k\omega_i$": lambda r, p: mpmath.sin(mpmath.mpf(10) ** (1 - r["$i$"])),
    },
    "fig:shift:dials": {
        "rows": 3 * 50 + 6 * 6,
        "pair": range(3),
        "position (tokens)": range(50),
        "angle (radians)": lambda r, p: r["position (tokens)"] * rate(r["pair"], 6),
        "row": range(6),
        "column": range(6),
        "entry": lambda r, p: entry(r["row"], r["column"], 10, 6),
        "facts": {
            **{f"pair_{i}": turned(i) for i in range(3)},
            "last": 49,
            "turns": ", ".join(turned(i) for i in range(3)),
            "filled": 12,
        },
        "given": {"width": 6, "base": 10000, "position": 10, "k": 10, "most": 20},
    },
    "fig:shift:fitted": {
        "rows": 6 * 6 + 101,
        "row": range(6),
        "column": range(6),
        "closed form": lambda r, p: entry(r["row"], r["column"], 10, 6),
        **{f"fit to {n} rows": fit_of(n) for n in (3, 4, 5)},
        "position p (tokens)": range(101),
        **{f"error, {n} rows": fit_misses(n) for n in (3, 4, 5)},
        "facts": {"filled": 12, "first": "5 with 3 rows, 18 with 4 rows, 77 with 5 rows"},
        "given": {"width": 6, "base": 10000, "k": 10, "last": 100, "fits": shipped_fits()},
    },
    "fig:shift:residuals": {
        "rows": 18,
        "rows fitted": (2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64, 96, 128),
        "noise": lambda r, p: agreed(r["noise"], missed(r["rows fitted"], False), 4),
        "noise, row 0 zero": lambda r, p: agreed(r["noise, row 0 zero"], missed(r["rows fitted"], True), 4),
        "sinusoid": 0,
        "facts": {
            "start": 0,
            "least": lambda f, p: agreed(
                min(f["noise, row 0 zero"]), min(missed(n, True) for n in f.columns["rows fitted"]), 4
            ),
            "ends": lambda f, p: (
                f"noise {missed(128, False):.3f}, noise, row 0 zero {missed(128, True):.3f}, sinusoid 0.000"
            ),
        },
    },
    "fig:shift:beyond": {
        "rows": 160,
        "position p (tokens)": range(160),
        **{name: error_of(name) for name in MATRICES},
        "facts": {
            "inside": errors_told(lambda rows, name: max(r[name] for r in rows[:64]), 4),
            "just": errors_told(lambda rows, name: rows[70][name], 4),
            "ends": errors_told(lambda rows, name: rows[159][name], 2),
        },
    },
    "fig:shift:stripe": {
        "rows": 24 * 24,
        "query": range(24),
        "key": range(24),
        "score, of the best": lambda r, p: agreed(
            r["score, of the best"],
            sum(math.cos((r["key"] + 3 - r["query"]) * rate(i, 512)) for i in range(32)) / 32,
            4,
        ),
        "facts": {"count": 24, "bright": 21, "diagonals": "3"},
    },
    "fig:shift:hidden": {
        "rows": 60,
        "position (tokens)": range(60),
        "first number": lambda r, p: agreed(
            r["first number"], np.linalg.matrix_power(p["turn"], r["position (tokens)"])[0, 0], 5
        ),
        **{f"axis {j}": axis(j) for j in range(4)},
        "facts": {
            "count": 60,
            "radii": lambda f, p: " and ".join(
                f"{math.hypot(*p['axes'][0, 2 * i : 2 * i + 2]):.3f}" for i in (0, 1)
            ),
        },
    },
}
