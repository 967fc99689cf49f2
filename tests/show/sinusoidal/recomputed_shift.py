"""The figures and tables of the chapter on the shift theorem by another path."""

import math
import statistics
from functools import cache

import numpy as np

from pe_book.evidence.sinusoidal.shift import HOPS
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift, gradient_descent, shift_errors, shift_residual

T10, DECADES = shift_matrix(10, 6), 10.0 ** (1 - np.arange(4))
NOW, LATER = (np.sin((np.arange(1000) + k) / 10) for k in (0, 10))
STUDENTS_LINE = statistics.linear_regression(NOW, LATER)


def turned(pair):
    return f"pair {pair}: {np.degrees(10 * frequencies(6)[pair]):.1f}°"


# what a fit to so many rows makes of T_10, and by how much it errs
FITS = {n: np.round(fit_shift(encode(range(n), 6), encode(range(10, n + 10), 6)), 6) + 0.0 for n in (3, 4, 5)}
ERRORS = {n: np.round(shift_errors(fit, range(101), 10), 4) for n, fit in FITS.items()}

FITTED = (2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64, 96, 128)
NOISE = np.random.default_rng(2017).normal(size=(138, 16))
MISSED, HEADLESS = (
    np.round([shift_residual(noise[: n + 10], 10) for n in FITTED], 4)
    for noise in (NOISE, NOISE * (np.arange(138) > 0)[:, np.newaxis])
)


@cache
def trained(name):
    if name == "closed form":
        return shift_matrix(10, 128)
    steps = {"10⁴ steps": 10**4, "10⁶ steps": 10**6}.get(name, math.inf)
    noise = np.random.default_rng(1).normal(size=(128, 128)) / np.sqrt(128)
    start = noise if name == "limit, from noise" else None
    return gradient_descent(encode(range(64), 128), encode(range(10, 74), 128), steps, start=start)


def error_of(name):
    return lambda r, p: np.round(shift_errors(trained(name), [r["position p (tokens)"]], 10)[0], 4)


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
    return lambda r, p: round(getattr(hand(r, p, j // 2), "real" if j % 2 else "imag"), 5)


RECOMPUTED = {
    "fig:shift:student": {
        "position p (tokens)": range(0, 1000, 4),
        "sine at p": NOW[::4],
        "sine at p + 10": LATER[::4],
        "best line": STUDENTS_LINE.intercept + STUDENTS_LINE.slope * NOW[::4],
        "predicted from both": LATER[::4],
        "facts": {
            "explained": lambda f, p: statistics.correlation(f["sine at p"], f["sine at p + 10"]) ** 2,
            "count": 250,
        },
    },
    "fig:shift:clock": {
        "position": range(12),
        "angle (radians)": lambda r, p: r["position"] * math.pi / 6,
        "position after": np.roll(range(12), -2),
        "angle after (radians)": lambda r, p: (r["position"] + 2) * math.pi / 6,
        "facts": {"last": 11, "step": 30, "turned": 60, "moves": "1 to 3, 5 to 7, 8 to 10"},
    },
    "fig:shift:layouts": {
        "row": range(8),
        "column": range(8),
        "interleaved": shift_matrix(10, 8),
        "halves": shift_matrix(10, 8, layout="halves"),
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
        "in degrees": np.degrees(DECADES),
        r"$\cos k\omega_i$": np.cos(DECADES),
        r"$\sin k\omega_i$": np.sin(DECADES),
    },
    "fig:shift:dials": {
        "rows": 3 * 50 + 6 * 6,
        "pair": range(3),
        "position (tokens)": range(50),
        "angle (radians)": lambda r, p: r["position (tokens)"] * frequencies(6)[r["pair"]],
        "row": range(6),
        "column": range(6),
        "entry": T10,
        "facts": {
            **{f"pair_{i}": turned(i) for i in range(3)},
            "last": 49,
            "turns": ", ".join(turned(i) for i in range(3)),
            "filled": 12,
        },
        "given": {"width": 6, "base": 10000, "position": 10, "k": 10, "then": 5, "most": 20},
    },
    "fig:shift:fitted": {
        "rows": 6 * 6 + 101,
        "row": range(6),
        "column": range(6),
        "closed form": T10,
        **{f"fit to {n} rows": fit for n, fit in FITS.items()},
        "position p (tokens)": range(101),
        **{f"error, {n} rows": errors for n, errors in ERRORS.items()},
        "facts": {"filled": 12, "first": "5 with 3 rows, 18 with 4 rows, 77 with 5 rows"},
        "given": {
            "width": 6,
            "base": 10000,
            "k": 10,
            "last": 100,
            "fits": {str(n): fit.tolist() for n, fit in FITS.items()},
        },
    },
    "fig:shift:residuals": {
        "rows fitted": FITTED,
        "noise": MISSED,
        "noise, row 0 zero": HEADLESS,
        "sinusoid": 0,
        "facts": {
            "start": 0,
            "least": HEADLESS.min(),
            "ends": f"noise {MISSED[-1]:.3f}, noise, row 0 zero {HEADLESS[-1]:.3f}, sinusoid 0.000",
        },
    },
    "fig:shift:beyond": {
        "position p (tokens)": range(160),
        **{name: error_of(name) for name in MATRICES},
        "facts": {
            "inside": errors_told(lambda rows, name: max(r[name] for r in rows[:64]), 4),
            "just": errors_told(lambda rows, name: rows[70][name], 4),
            "ends": errors_told(lambda rows, name: rows[159][name], 2),
        },
    },
    "fig:shift:stripe": {
        "query": range(24),
        "key": range(24),
        "score, of the best": lambda r, p: round(
            np.cos((r["key"] + 3 - r["query"]) * frequencies(512)[:32]).mean(), 4
        ),
        "facts": {"count": 24, "bright": 21, "diagonals": "3"},
    },
    "fig:shift:hidden": {
        "position (tokens)": range(60),
        "first number": lambda r, p: round(
            np.linalg.matrix_power(p["turn"], r["position (tokens)"])[0, 0], 5
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
