"""Figures and tables of the chapter on precision: what rounding does, where, and who met it."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.precision import what_is_left
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision import error
from pe_book.sinusoidal.recipes import STAGES, encode_rounded, recipe
from pe_book.why.rounding import round_to, spacing

Array = NDArray[np.float64]

_COLOURS = {
    "positions": PALETTE.green,
    "frequencies": PALETTE.orange,
    "angles": PALETTE.purple,
    "table": PALETTE.blue,
}
_NAMES = {"positions": "position", "frequencies": "frequency", "angles": "angle", "table": "finished table"}
_DASHES: dict[str, Any] = {
    "positions": "-",
    "frequencies": (0, (5, 2)),
    "angles": (0, (1, 1.3)),
    "table": "-",
}


# The number line --------------------------------------------------------------------------------------------


def number_line(starts: tuple[int, ...], length: int) -> Figure:
    """Pieces of the number line: the whole numbers that bfloat16 has, and those that it moves."""
    fig, axes = canvas(0.95 * len(starts) + 0.3, rows=len(starts))
    rows, told = [], []
    for ax, start in zip(axes, starts, strict=True):
        numbers = np.arange(start, start + length)
        kept = round_to(numbers, "bfloat16")
        stays = kept == numbers
        ax.axhline(0, color=PALETTE.grid, zorder=0)
        ax.scatter(numbers[~stays], np.zeros((~stays).sum()), s=34, facecolor="none", edgecolor=PALETTE.muted)
        ax.scatter(numbers[stays], np.zeros(stays.sum()), s=70, color=PALETTE.blue, zorder=3)
        labelled = numbers[stays] if stays.sum() < 5 else [n for n in numbers[stays] if n % 8 == start % 8]
        for n in labelled:
            ax.text(n, -0.55, f"{n}", ha="center", va="top", color=PALETTE.ink, fontsize=10.5)
        ax.set_xlim(start - 0.8, start + length - 0.2)
        ax.set_ylim(-1.2, 0.6)
        ax.set_axis_off()
        told.append(f"of {start} to {start + length - 1}, {stays.sum()}")
        rows += [(int(n), int(k), "yes" if s else "no") for n, k, s in zip(numbers, kept, stays, strict=True)]
    alt = (
        f"{len(starts)} pieces of the number line, {length} whole numbers each. Filled dots are numbers that "
        f"bfloat16 has: {'; '.join(told)}. The hollow ones are moved to a filled one."
    )
    return Figure.of(fig, alt=alt, columns=("whole number", "in bfloat16", "kept"), rows=rows)


# How the error grows ----------------------------------------------------------------------------------------


def _worst(positions: Array, d_model: int, dtype: str) -> dict[str, float]:
    true = encode(positions, d_model)
    rounded = {s: encode_rounded(positions, d_model, rounded=s, dtype=dtype) for s in STAGES}
    return {stage: float(np.abs(rows - true).max()) for stage, rows in rounded.items()}


def growth(d_model: int, last_power: int, dtype: str = "bfloat16") -> Figure:
    """The worst error in each octave of positions, by place of rounding; and in one octave, by pair."""
    octaves = np.arange(last_power)
    window = [np.unique(np.linspace(2**k, 2 ** (k + 1) - 1, 64).round()) for k in octaves]
    fig, (left, right) = canvas(3.5, columns=2)
    by_octave = [_worst(p, d_model, dtype) for p in window]
    worst = {s: np.array([found[s] for found in by_octave]) for s in STAGES}
    for stage, values in worst.items():
        seen = values > 0  # positions up to 256 are kept
        beneath: dict[str, Any] = {"linewidth": 5, "alpha": 0.45} if stage == "positions" else {"marker": "."}
        style = {"color": _COLOURS[stage], "linestyle": _DASHES[stage], "label": _NAMES[stage]}
        left.loglog(2.0 ** octaves[seen], values[seen], **style, **beneath)
    left.axhline(2, color=PALETTE.muted, linewidth=0.9)
    left.set(xlabel="position", ylabel="worst error of an entry", ylim=(5e-4, 6))
    left.text(1, 2.2, "the largest possible", color=PALETTE.muted, va="bottom", fontsize=9.5)
    left.legend(loc="center right", bbox_to_anchor=(1.02, 0.46), fontsize=9.5)
    octave = 11
    places = np.arange(2**octave, 2 ** (octave + 1))
    rounded = encode_rounded(places, d_model, rounded="angles", dtype=dtype)
    moved = np.abs(rounded - encode(places, d_model)).max(axis=0)
    errors = moved.reshape(-1, 2).max(axis=1)
    bound = np.minimum(spacing(places[-1] * frequencies(d_model), dtype) / 2, 2)
    pair = np.arange(len(errors))
    right.semilogy(pair, bound, color=PALETTE.muted, linewidth=1, label="half a spacing, or 2")
    right.semilogy(pair, errors, color=_COLOURS["angles"], label="measured")
    right.set(xlabel="pair, fast to slow", title=f"angle rounded, positions {places[0]}–{places[-1]}")
    right.legend(loc="lower left", fontsize=9.5)
    lost = int(np.count_nonzero(errors > 1))
    at_16 = {stage: f"{values[4]:.0e}" for stage, values in worst.items()}
    alt = (
        f"Left: the worst error of an entry against the position, both logarithmic, in {dtype}. With the "
        f"finished table rounded it is at most {worst['table'].max():.0e} at every position. With the "
        f"frequency rounded it is {at_16['frequencies']} after position 16, with the angle "
        f"{at_16['angles']}, and both grow with the position up to 2. With the position rounded it is zero "
        f"up to 256, then with the others. Right: the error of each of {len(errors)} pairs with the "
        f"angle rounded: {lost} fast pairs are off by more than 1, the slowest by {errors[-1]:.0e}."
    )
    rows: list[tuple[Any, ...]] = [
        ("octave", int(2**k), *(round(float(worst[s][k]), 4) for s in STAGES)) for k in octaves
    ]
    rows += [("pair", int(i), "", "", round(float(e), 4), "") for i, e in zip(pair, errors, strict=True)]
    columns = ("kind", "first position or pair", *(f"error, {_NAMES[s]} rounded" for s in STAGES))
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def neighbours(start: int, stop: int, d_model: int, dtype: str = "bfloat16") -> Figure:
    """The similarity of each position to the next one, for each of the four places of rounding."""
    fig, axes = canvas(4.2, columns=2, rows=2, sharex=True, sharey=True)
    true = float(encode(0, d_model) @ encode(1, d_model) / (d_model / 2))
    p = np.arange(start, stop)
    similar = {stage: what_is_left(stop + 1, d_model, (stage,), dtype).similar[start:] for stage in STAGES}
    for ax, (stage, values) in zip(axes.ravel(), similar.items(), strict=True):
        ax.axhline(true, color=PALETTE.muted, linewidth=0.9, linestyle=(0, (4, 3)))
        ax.plot(p, values, color=_COLOURS[stage], linewidth=0.8, marker=".", markersize=3)
        ax.set_title(f"{_NAMES[stage]} rounded")
        ax.set_ylim(0.87, 1.01)
    for ax in axes[1]:
        ax.set_xlabel("position p")
    for ax in axes[:, 0]:
        ax.set_ylabel("p with p + 1")
    ranges = "; ".join(f"{_NAMES[s]} {v.min():.2f} to {v.max():.2f}" for s, v in similar.items())
    alt = (
        f"Four panels: the similarity of each position from {start} to {stop - 1} to the next, over its "
        f"largest value, in {dtype}. Without rounding it is {true:.2f} everywhere, drawn dashed. With one "
        f"number rounded it ranges over: {ranges}. With the position rounded it jumps to and fro after 256, "
        f"with the angle rounded it scatters, mostly below, with the frequency or the finished table it is "
        f"a level line."
    )
    rows = [(int(q), *(round(float(similar[s][i]), 4) for s in STAGES)) for i, q in enumerate(p)]
    columns = ("p", *(f"similarity to p + 1, {_NAMES[s]} rounded" for s in STAGES))
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


# Tables -----------------------------------------------------------------------------------------------------


def stages_table(n: int, d_model: int, dtypes: tuple[str, ...] = ("bfloat16", "float16")) -> Table:
    """What is left of n positions when one of the four numbers is rounded."""
    rows = []
    for dtype in dtypes:
        for name, stages in (*((_NAMES[s], (s,)) for s in STAGES), ("all four", STAGES)):
            (first, distinct, _), worst, similar = what_is_left(n, d_model, stages, dtype)
            equal = "none" if first is None else f"{first[0]},\u00a0{first[1]}"
            span = f"{similar.min():.2f}\u00a0to\u00a0{similar.max():.2f}"
            rows.append((dtype, name, f"{distinct:,}", span, size(worst), equal))
    header = ("format", "rounded", "different rows", "neighbours' similarity", "worst error", "first equal")
    return Table(header, rows, align="llrrrr")


def _judged(x: Array, start: int, dtype: str) -> str:
    if not np.isfinite(x).all():
        return "not a number"
    found = error(x, start=start, dtype=dtype)
    return f"{share(found.misrounded / found.entries)}, {size(found.largest)}"


def _windows(n: int, around: tuple[int, ...]) -> list[tuple[str, int, int]]:
    half = 32
    named = [(f"0 to {n - 1:,}", 0, n)]
    return named + [(f"$2^{{{p}}}$", 2**p - half, 2 * half) for p in around]


def recipes_table(n: int, d_model: int, around: tuple[int, ...]) -> Table:
    """Recipes in float32 and float64, over ranges of positions: share of wrong entries, and worst error."""
    ranges = _windows(n, around)
    variants: dict[str, Any] = {
        "float32, $e^{-2i\\ln(10000)/d}$": lambda p: recipe(p, d_model, frequencies_by="exp"),
        "float32, $1/10000^{2i/d}$": lambda p: recipe(p, d_model, frequencies_by="power"),
        "float32, nearest frequencies": lambda p: recipe(p, d_model, frequencies_by="nearest"),
        "float64, then cast": lambda p: _in_float64(p, frequencies(d_model)),
        "float64, then cast, other ladder": lambda p: _in_float64(
            p, frequencies(d_model, ladder="tensor2tensor")
        ),
    }
    rows = []
    for name, make in variants.items():
        cells = [_judged(make(np.arange(at, at + m)), at, "float32") for _, at, m in ranges]
        rows.append((name, *cells))
    return Table(("recipe", *(name for name, _, _ in ranges)), rows, align="l" + "r" * len(ranges))


def _in_float64(positions: Array, omega: Array) -> Array:
    """The formula as it is printed, each operation rounded to float64, and the result to float32."""
    angles = positions[:, np.newaxis] * omega
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return round_to(pairs.reshape(len(positions), -1), "float32")


def halves_table(n: int, d_model: int, around: tuple[int, ...]) -> Table:
    """One number rounded to 16 bits on the way, and the finished table in the same format."""
    ranges = _windows(n, around)
    rows = []
    for dtype in ("bfloat16", "float16"):
        for stage in STAGES:
            rounded = (stage, "table")
            cells = [
                _judged(
                    encode_rounded(np.arange(at, at + m), d_model, rounded=rounded, dtype=dtype), at, dtype
                )
                for _, at, m in ranges
            ]
            rows.append((dtype, _NAMES[stage], *cells))
    return Table(
        ("format", "rounded", *(name for name, _, _ in ranges)), rows, align="ll" + "r" * len(ranges)
    )


_REPORTS = (
    # what was rounded, where, what happened, what became of it
    ("positions", "transformers#28685", "DeepSpeed's `zero.Init` made `arange` a 16-bit one", "closed"),
    ("positions", "diffusers#13920", "autocast rounded the product of positions from 65,536 on", "#13922"),
    ("positions", "DiffSynth-Studio#1025", "the timestep of a diffusion model, 998.39, became 1000", "#1025"),
    ("positions", "transformers#48428", "a float32 matrix product ran in TF32", "#48450, open"),
    ("frequencies", "sglang-jax#1472", "frequencies cast to the model's format before the product", "#1473"),
    ("frequencies", "modalities#462", "the same, in training", "#462"),
    ("frequencies", "transformers#29496", "a cache rebuilt past its end from cast frequencies", "closed"),
    ("angles", "stable-audio-3#81", "an engine built for bfloat16 took the angle along", "#81"),
    ("all", "gpt-neox#1003", "sine and cosine computed in the model's format", "#1041"),
    ("all", "transformers#29285", "autocast took the computation to bfloat16", "#29285"),
    ("all", "vllm#1004", "the cache of sines and cosines computed in float16", "#1004"),
    ("all", "vllm#54569", "a sinusoidal encoder computed in float16", "#54620, open"),
    ("all", "fairseq2#65", "position encoders now compute in float32 throughout", "#65"),
)
_OWNERS = {
    "transformers": "huggingface",
    "diffusers": "huggingface",
    "DiffSynth-Studio": "modelscope",
    "sglang-jax": "sgl-project",
    "modalities": "Modalities",
    "stable-audio-3": "Stability-AI",
    "gpt-neox": "EleutherAI",
    "vllm": "vllm-project",
    "fairseq2": "facebookresearch",
}


def reports_table() -> Table:
    """Reports in public libraries, by what they rounded, and the pull request that mended it."""
    rows = []
    for stage, report, what, mended in _REPORTS:
        project, number = report.split("#")
        address = f"https://github.com/{_OWNERS[project]}/{project}/issues/"  # leads on to pull requests
        by = re.fullmatch(r"#(\d+)(.*)", mended)
        if by is not None:
            mended = "this one" if by[1] == number else f"[`#{by[1]}`]({address}{by[1]}){by[2]}"
        rounded = "all of it" if stage == "all" else _NAMES[stage]
        rows.append((rounded, f"[`{project}#{number}`]({address}{number})", what, mended))
    return Table(("rounded", "report", "what happened", "mended by"), rows)


# Numbers as the page prints them: coarse enough to be the same on every machine -----------------------------


def size(x: float) -> str:
    """One significant digit and a power of ten; from 0.1 on, one decimal."""
    if x >= 0.095:
        return f"{x:.1f}"
    return f"${{{power(x)}}}$"


def power(x: float) -> str:
    """One significant digit and a power of ten, as maths."""
    digits, exponent = f"{x:.0e}".split("e")
    return f"{digits}\\cdot10^{{{int(exponent)}}}"


def share(x: float) -> str:
    """Whole per cent; the ends only where they are reached or nearly so."""
    if x < 0.01:
        return "<\u00a01\u00a0%"
    return f"{x:.0%}".replace("%", "\u00a0%") if x < 0.99 else ">\u00a099\u00a0%"
