"""Figures and tables of the chapter on first attempts: counting, normalising, requirements."""

from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from pe_book.evidence.why.training import loss_after, training_codes, updates_to_a_thousandth
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.why.counting import shear
from pe_book.why.first_attempts import append, count
from pe_book.why.norms import layer_norm
from pe_book.why.requirements import ATTEMPTS, ROUNDING, failures, measure_all

LION = ("Nitish", "killed", "the", "lion")


def two_designs(d_model: int = 512) -> Figure:
    """Four words with their counts, appended on the left and added on the right."""
    fig, axes = canvas(2.6, columns=2)
    boxes = 5  # drawn for d_model
    for ax, title in zip(axes, (f"appended: {d_model + 1} numbers", f"added: still {d_model}"), strict=True):
        ax.set(title=title, xlim=(-2.3, boxes + 1.6), ylim=(len(LION) - 0.4, -0.7))
        ax.axis("off")
    for row, (word, number) in enumerate(zip(LION, count(len(LION)), strict=True)):
        for ax, design in zip(axes, ("append", "add"), strict=True):
            ax.text(-0.3, row, word, ha="right", va="center")
            for box in range(boxes):
                here: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9.5}
                ax.add_patch(_box(box, row, PALETTE.blue))
                if box == boxes - 2:
                    ax.text(box + 0.45, row, "…", color=PALETTE.ink, **here)
                elif design == "add":
                    ax.text(box + 0.45, row, f"+{number:.0f}", color=PALETTE.ink, **here)
            if design == "append":
                ax.add_patch(_box(boxes + 0.15, row, PALETTE.orange))
                ax.text(boxes + 0.6, row, f"{number:.0f}", color=PALETTE.ink, ha="center", va="center")
    numbers = ", ".join(f"{n:.0f}" for n in count(len(LION)))
    return Figure.of(
        fig,
        alt=f"The words {' '.join(LION)} have the counts {numbers}: appended, the count is one more box and "
        f"each word has {d_model + 1} numbers; added, it goes into each of the {d_model} boxes.",
        columns=("word", "count", "width appended", "width added"),
        rows=[(word, int(n), d_model + 1, d_model) for word, n in zip(LION, count(len(LION)), strict=True)],
    )


def _box(left: float, row: int, colour: str) -> Any:
    return Rectangle((left, row - 0.36), 0.9, 0.72, facecolor=colour, alpha=0.28, edgecolor=colour)


def in_layer_norm(d_model: int = 512, longest: int = 100_000) -> Figure:
    """What a layer norm leaves of an appended count, and of the word beside it."""
    word = np.random.default_rng(0).standard_normal(d_model)
    counts = np.unique(np.geomspace(1, longest, 60).round())
    normed = layer_norm(append(np.tile(word, (len(counts), 1)), counts))
    place, spread = normed[:, -1], normed[:, :-1].std(axis=1)
    fig, ax = canvas(2.9)
    ax.loglog(counts, place, color=PALETTE.orange)
    ax.loglog(counts, spread, color=PALETTE.blue)
    ax.axhline(np.sqrt(d_model), color=PALETTE.muted, linestyle=":")
    ax.set(xlabel="count of the word", ylabel="after layer norm")
    ax.text(counts[-1], place[-1] * 0.45, "the count", color=PALETTE.orange, ha="right", va="top")
    ax.text(counts[-1], 0.12, f"the word's {d_model} numbers (spread)", color=PALETTE.blue, ha="right")
    return Figure.of(
        fig,
        alt=f"After layer norm the appended count grows from {place[0]:.1f} at word 1 to {place[-1]:.2f} at "
        f"word {longest:,}, while the spread of the word's own numbers falls from {spread[0]:.2f} to "
        f"{spread[-1]:.1e}.",
        columns=("count", "count after layer norm", "spread of the word's numbers"),
        rows=list(zip(counts.astype(int), place, spread, strict=True)),
    )


def training() -> Figure:
    """Gradient descent at its best fixed step, for features that differ in scale alone."""
    updates = np.unique([0, *np.geomspace(1, 10**6, 200).astype(int)])
    fig, ax = canvas(3.0)
    colours = (PALETTE.blue, PALETTE.red, PALETTE.green, PALETTE.purple)
    losses = {name: loss_after(updates, code) for name, code in training_codes().items()}
    for (name, loss), colour in zip(losses.items(), colours, strict=True):
        ax.plot(updates, loss, color=colour, label=name)
    ax.set_xscale("symlog", linthresh=1, linscale=0.4)  # so that 0 has a place
    ax.set(xlabel="updates", xlim=(0, 10**6), ylabel="loss, as part of the first", ylim=(-0.06, 1.05))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    needed = "; ".join(f"{n}: {updates_to_a_thousandth(c):,}" for n, c in training_codes().items())
    return Figure.of(
        fig,
        alt=f"Loss against updates, four curves that fall at very different times; updates needed until a "
        f"thousandth is left: {needed}.",
        columns=("updates", *losses),
        rows=[(int(n), *(loss[i] for loss in losses.values())) for i, n in enumerate(updates)],
    )


def _name(attempt: str) -> str:
    """An attempt as a formula where it has one."""
    formula = {
        "pos / 512": r"$pos/512$",
        "pos / len": r"$pos/\text{len}$",
        "(pos + 1) / len": r"$(pos+1)/\text{len}$",
        "pos / (len − 1)": r"$pos/(\text{len}-1)$",
    }
    return formula.get(attempt, attempt)


def normalisation_table() -> Table:
    """The four formulas, worked for the second word of two, four and forty words."""
    codes = {name: code for name, code in ATTEMPTS.items() if "pos" in name}
    lengths = (2, 4, 40)
    rows = [(_name(name), *(f"{code(n)[1]:.4g}" for n in lengths)) for name, code in codes.items()]
    return Table(("second word of", *(str(n) for n in lengths)), rows, align="lrrr")


def four_rulers() -> Figure:
    """A sentence of two words and one of four under the four normalisations; the second word is marked."""
    sentences = (("Thank you", 2), (" ".join(LION), 4))
    codes = {name: code for name, code in ATTEMPTS.items() if "pos" in name}
    fig, ax = canvas(3.4)
    rows, second = [], []
    for i, (name, code) in enumerate(codes.items()):
        for j, (sentence, n) in enumerate(sentences):
            y = -(i + 0.34 * j)
            values = code(n)
            ax.plot([0, 1], [y, y], color=PALETTE.grid, linewidth=1, zorder=0)
            ax.plot(values, [y] * n, "o", color=PALETTE.blue)
            ax.plot(values[1], y, "o", color=PALETTE.orange, markersize=9)
            ax.text(1.04, y, f"{n} words: {values[1]:.3g}", va="center", fontsize=9.5)
            rows += [(name, sentence, pos, float(value)) for pos, value in enumerate(values)]
        ax.text(-0.04, -(i + 0.17), name.replace("pos", "$pos$"), ha="right", va="center")
        second.append(f"{name}: {code(2)[1]:.3g} and {code(4)[1]:.3g}")
    ax.set(xlim=(-0.32, 1.3), ylim=(-3.75, 0.4), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[])
    ax.spines["left"].set_visible(False)
    ax.spines["bottom"].set_bounds(0, 1)
    return Figure.of(
        fig,
        alt=f"The second word's number in a sentence of 2 words and in one of 4, by formula: "
        f"{'; '.join(second)}.",
        columns=("formula", "sentence", "position", "value"),
        rows=rows,
    )


def shear_and_turn(k: int = 3) -> Figure:
    """The shift of a count and the shift of a (sin, cos) pair, and what each does to a circle."""
    turn = np.array([[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])
    fig, axes = canvas(3.1, columns=2, width_ratios=(1.7, 1))
    around = np.linspace(0, 2 * np.pi, 200)
    circle = np.stack([np.cos(around), np.sin(around)])
    positions = np.arange(5)
    points = {
        "shear": np.stack([positions, np.ones(5)]).astype(float),
        "turn": np.stack([np.sin(positions), np.cos(positions)]),
    }
    rows = []
    for ax, (name, before), matrix in zip(axes, points.items(), (shear(k), turn), strict=True):
        after = matrix @ before
        ax.plot(*circle, color=PALETTE.muted, linestyle=":")
        ax.plot(*(matrix @ circle), color=PALETTE.orange, linewidth=1.2)
        ax.plot(*before, "o", color=PALETTE.blue)
        for p in positions:
            outward = np.array([0, 0.28]) if name == "shear" else 0.2 * before[:, p]
            ax.text(*(before[:, p] + outward), str(p), ha="center", va="center", color=PALETTE.blue)
            rows.append((name, int(p), *before[:, p], *after[:, p]))
        arrow = {"arrowstyle": "->", "color": PALETTE.orange, "linewidth": 1.8, "shrinkA": 4, "shrinkB": 4}
        bend = {"connectionstyle": "arc3,rad=0.35" if name == "shear" else "arc3,rad=-0.2"}
        ax.annotate("", xy=after[:, 1], xytext=before[:, 1], arrowprops=arrow | bend)
        ax.set_aspect("equal")
        ax.axis("off")
    for ax, across, up, right, top in zip(
        axes, ("count", "sin"), ("constant", "cos"), (5.1, 0.95), (1.28, 0.55), strict=True
    ):
        ax.plot([-max(1, right - 2), right], [0, 0], color=PALETTE.grid, linewidth=1, zorder=0)
        ax.plot([0, 0], [-1, 1], color=PALETTE.grid, linewidth=1, zorder=0)
        ax.text(right, -0.08, across, ha="right", va="top", fontsize=9.5, color=PALETTE.muted)
        ax.text(-0.3 * top, top, up, ha="right", va="center", fontsize=9.5, color=PALETTE.muted)
    axes[0].set(xlim=(-3.4, 5.2), ylim=(-2.4, 2.6))
    axes[0].text(0.9, 2.1, f"counts: +{k} is a shear", ha="center", fontsize=11)
    axes[1].set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.8))
    axes[1].text(0, 1.5, f"(sin, cos): +{k} is a turn", ha="center", fontsize=11)
    large, small = np.linalg.svd(shear(k), compute_uv=False)
    return Figure.of(
        fig,
        alt=f"Moving on by {k} sends the point of word 1 to that of word {k + 1} in both pictures: for "
        f"counts by a shear that makes the circle an ellipse with half-axes {large:.3f} and {small:.3f}, "
        f"for a sine and cosine by a turn that leaves the circle as it is.",
        columns=("map", "position", "x before", "y before", "x after", "y after"),
        rows=rows,
    )


QUESTIONS = {
    "distinct": "different",
    "distinct_bfloat16": "different, bfloat16",
    "margin": "different, margin",
    "second_word": "the same",
    "largest": "small",
    "step_ratio": "even",
    "shift_residual": "one map",
    "goes_on": "open",
}
COLUMNS = (
    "$p+1$",
    r"$\frac{p}{512}$",
    r"$\frac{p}{n}$",
    r"$\frac{p+1}{n}$",
    r"$\frac{p}{n-1}$",
    r"$\sin p$",
    "pairs",
    "2017",
)


def requirements_table(seq_len: int = 512) -> Table:
    """Attempts by requirements; every cell is measured, and what fails is marked."""
    results = measure_all(seq_len)
    rows = []
    for field, question in QUESTIONS.items():
        cells = [_cell(getattr(m, field), field in failures(m)) for m in results.values()]
        rows.append((question, *cells))
    return Table(("", *COLUMNS), rows, align="l" + "r" * len(results))


def _cell(value: float | bool, fails: bool) -> str:
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif value < ROUNDING:
        text = "0"
    elif value < 0.01:
        digits, exponent = f"{value:.1e}".split("e")
        text = f"{digits}e−{-int(exponent)}" if value < 1e-4 else f"{value:.4f}"
    else:
        whole = value > 100 or abs(value - round(value)) < ROUNDING * value
        text = f"{value:,.0f}" if whole else f"{value:.2f}"
    return f"✗\u202f{text}" if fails else text


def scientific(x: float, digits: int = 1) -> str:
    r"""A number in scientific notation, as maths.

    >>> print(scientific(0.000123))
    1.2 \cdot 10^{-4}
    """
    mantissa, exponent = f"{x:.{digits}e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
