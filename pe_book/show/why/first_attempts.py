"""Figures and tables of the chapter on first attempts: counting, normalising, requirements."""

from typing import Any

import numpy as np

from pe_book.evidence.why.training import loss_after, training_codes, updates_to_a_thousandth
from pe_book.show.diagram import Arcs, Boxes, Turns, Words
from pe_book.show.figure import Figure
from pe_book.show.frame import Frame
from pe_book.show.panel import Panel
from pe_book.show.plots import Guide, Line, Points
from pe_book.show.table import Column, Table
from pe_book.why.counting import layer_norm, shear
from pe_book.why.first_attempts import append, count
from pe_book.why.requirements import ATTEMPTS, ROUNDING, failures, measure_all

LION = ("Nitish", "killed", "the", "lion")
COLOURS = ("blue", "red", "green", "purple")
NORMALISED = {name: code for name, code in ATTEMPTS.items() if "pos" in name}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def two_designs(d_model: int = 512) -> Figure:
    """Four words with their counts, once appended and once added; two dimensions and the last are drawn."""
    rows: list[tuple[Any, ...]] = []
    for word, number in zip(LION, count(len(LION)).astype(int), strict=True):
        for design, part, plus in (("appended", "word", ""), ("added", "both", f"+{number}")):
            for column, dimension in enumerate((0, 1, None, d_model - 1)):
                text = "…" if dimension is None else "x" + str(dimension).translate(SUBSCRIPTS) + plus
                rows.append((design, word, column, dimension, part, text))
        rows.append(("appended", word, column + 1, d_model, "count", str(number)))
    frame = Frame.of_rows(("design", "word", "drawn at", "dimension", "part", "holds"), rows, words=len(LION))

    def panel(design: str, parts: dict[str, str], title: str) -> Panel:
        boxes = [
            Boxes("{holds}", "drawn at", "word", (0.92, 0.76), {"design": design, "part": part}, colour)
            for part, colour in parts.items()
        ]
        first = {"design": design, "drawn at": 0}
        words = Words("{word}", "drawn at", "word", first, shift=(-0.6, 0), align="right")
        return Panel(*boxes, words, title=title, bare=True, height=170, xlim=(-1.6, 4.6))

    return Figure(
        frame,
        panel("appended", {"word": "blue", "count": "orange"}, "appended: {appended} numbers"),
        panel("added", {"both": "purple"}, "added: still {added} numbers"),
        facts=lambda f: {
            design: int(np.nanmax(f.where({"design": design})["dimension"])) + 1 for design in ("appended", "added")
        },
        alt="Each of {words} words as a row of boxes. Appended, its count is one more box, and the row has "
        "{appended} numbers; added, the count stands in each of the {added} boxes.",
    )  # fmt: skip


def in_layer_norm(d_model: int = 512, longest: int = 100_000) -> Figure:
    """What a layer norm leaves of an appended count, and of the word beside it."""
    word = np.random.default_rng(0).standard_normal(d_model)
    counts = np.unique(np.geomspace(1, longest, 60).round())
    normed = layer_norm(append(np.tile(word, (len(counts), 1)), counts))
    columns = {"count": counts.astype(int), "count after layer norm": normed[:, -1],
               "spread of the word's numbers": normed[:, :-1].std(axis=1)}  # fmt: skip
    x, place, spread = columns
    return Figure(
        Frame(columns, d_model=d_model, longest=longest),
        Panel(
            Line(x, place, label="the count", colour="orange"),
            Line(x, spread, label="spread of the word's numbers"),
            Guide(y="bound", label="the bound", dash="dotted"),
            x="count of the word", y="after layer norm", log="xy", xticks=(1, 100, 10_000), height=230,
        ),
        facts=lambda f: {
            "bound": f.settings["d_model"] ** 0.5, "first": f[place][0], "last": f[place][-1],
            "whole": f[spread][0], "left": f[spread][-1],
        },
        alt="After layer norm the appended count grows from {first:.1f} at the first word to {last:.2f} at "
        "word {longest:,}, close to the bound {bound:.2f}, while the spread of the word's own numbers falls "
        "from {whole:.2f} to {left:.1e}.",
    )  # fmt: skip


def training() -> Figure:
    """Gradient descent at its best fixed step, for features that differ in scale alone."""
    codes = training_codes()
    needed = [updates_to_a_thousandth(code) for code in codes.values()]
    made = np.unique([0, *np.geomspace(1, 10**6, 120).astype(int), *needed])
    rows = [
        (len(code), name.partition(", ")[2], updates, updates + 1, loss)
        for name, code in codes.items()
        for updates, loss in zip(made, loss_after(made, code).round(6), strict=True)
    ]
    frame = Frame.of_rows(("words", "code", "updates made", "next update", "loss"), rows,
                          few=4, many=100, scaled="pos / 512", left=0.001)  # fmt: skip

    def line(words: int, code: str, label: str, colour: str) -> Line:
        return Line("next update", "loss", {"words": words, "code": code}, label, colour)

    def panel(title: str, *lines: Line) -> Panel:
        return Panel(
            *lines, title=title, y="loss before it, as part of the first", log="x", yticks=(0, 0.5, 1)
        )

    def facts(frame: Frame) -> dict[str, Any]:
        reached: dict[str, Any] = {}
        for row in frame.rows():  # in order of the updates
            if row["loss"] <= frame.settings["left"]:
                reached.setdefault(f"{row['words']} words, {row['code']}", row["updates made"])
        return {"needed": "; ".join(f"{name}: {updates:,}" for name, updates in reached.items())}

    return Figure(
        frame,
        panel("{few} words", line(4, "counted", "counted", "blue"), line(4, "pos / 512", "{scaled}", "purple")),
        panel("{many} words", line(100, "counted", "counted", "red"),
              line(100, "standardised", "standardised", "green")),
        facts=facts,
        alt="The loss against the number of updates: curves that fall from one to nearly nothing at very "
        "different times; updates after which at most {left} of it remains: {needed}.",
    )  # fmt: skip


def normalisation_table() -> Table:
    """The four formulas, worked for the second word of two, four and forty words."""
    second = {n: [code(n)[1] for code in NORMALISED.values()] for n in (2, 4, 40)}
    columns = (Column(str(n), values, "{:.4g}") for n, values in second.items())
    return Table(Column("second word of", [_formula(name) for name in NORMALISED]), *columns)


def _formula(name: str) -> str:
    """The name of a normalisation as maths."""
    return "$" + name.replace("len", r"\text{len}").replace("−", "-").replace(" ", "") + "$"


def four_rulers() -> Figure:
    """A sentence of two words and one of four under the four normalisations; the second word is marked."""
    rows = [
        (name, f"{n} words", position, value)
        for name, code in NORMALISED.items()
        for n in (2, 4)
        for position, value in enumerate(code(n).round(6))
    ]
    names = {f"name{number}": name for number, name in enumerate(NORMALISED)}

    def facts(frame: Frame) -> dict[str, Any]:
        second = [frame.where({"formula": name, "position": 1})["value"] for name in NORMALISED]
        listed = zip(NORMALISED, second, strict=True)
        return {"second": "; ".join(f"{name}: {short:.3g} and {long:.3g}" for name, (short, long) in listed)}

    return Figure(
        Frame.of_rows(("formula", "sentence", "position", "value"), rows, **names),
        *(
            Panel(
                Points("value", "sentence", {"formula": name}),
                Points("value", "sentence", {"formula": name, "position": 1}, text="{value:.3g}",
                       colour="orange", size=8),
                title=f"{{{field}}}", x="", y="", xticks=(0, 1), xlim=(-0.08, 1.08), ylim=(-0.6, 1.5),
                width=148, height=120,
            )
            for field, name in names.items()
        ),
        facts=facts,
        alt="The second word's number in a sentence of two words and in one of four, by formula: {second}.",
    )  # fmt: skip


def shear_and_turn(k: int = 3) -> Figure:
    """The shift of a count and the shift of a (sin, cos) pair, and what each does to a circle."""
    turn = np.array([[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])
    angles, positions = np.linspace(0, 2 * np.pi, 73), np.arange(k + 2)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    points = {
        "count": np.stack([positions, np.ones(k + 2)]),
        "pair": np.stack([np.sin(positions), np.cos(positions)]),
    }
    rows: list[tuple[Any, ...]] = []
    for (code, before), matrix in zip(points.items(), (shear(k), turn), strict=True):
        rim = zip(angles, circle.T.round(6), (matrix @ circle).T.round(6), strict=True)
        rows += [(code, angle, None, None, *xy, *moved) for angle, xy, moved in rim]
        words = zip(positions, before.T.round(6), (matrix @ before).T.round(6), strict=True)
        rows += [(code, None, p, p + k if p == 1 else None, *xy, *moved) for p, xy, moved in words]
    header = ("code", "angle (radians)", "position", "moved to", "x before", "y before", "x after", "y after")

    def panel(code: str, title: str, jump: Any, **axes: Any) -> Panel:
        rim, words = ({"code": code, column: ...} for column in ("angle (radians)", "position"))
        return Panel(
            Line("x before", "y before", rim, colour="muted", dash="dotted"),
            Line("x after", "y after", rim, colour="orange"),
            Points("x before", "y before", words, text="{position}"), jump,
            title=title, yticks=(-1, 0, 1), equal=True, **axes,
        )  # fmt: skip

    def facts(frame: Frame) -> dict[str, Any]:
        circle = frame.where({"code": "count", "angle (radians)": ...})
        before, after = (np.stack([circle[f"x {when}"], circle[f"y {when}"]]) for when in ("before", "after"))
        return dict(zip(("long", "short"), np.linalg.svd(after @ np.linalg.pinv(before))[1], strict=True))

    moved = ({"code": code, "moved to": ...} for code in points)
    return Figure(
        Frame.of_rows(header, rows, k=k, target=k + 1),
        panel("count", "counts: {k} on is a shear", height=190, x="count", y="constant",
              jump=Arcs("position", "moved to", "y before", 0.9, next(moved), "orange")),
        panel("pair", "(sin, cos): {k} on is a turn", height=250, x="sin", y="cos", xticks=(-1, 0, 1),
              jump=Turns("position", "moved to", next(moved), "orange", 0.75)),
        facts=facts,
        alt="Moving on by {k} sends the point of the second word to that of word {target} in both panels: for "
        "counts by a shear that makes the circle an ellipse with half-axes {long:.3f} and {short:.3f}, for a "
        "sine and cosine by a turn that leaves the circle as it is.",
    )  # fmt: skip


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
HEADERS = (
    "$p+1$", r"$\frac{p}{512}$", r"$\frac{p}{n}$", r"$\frac{p+1}{n}$", r"$\frac{p}{n-1}$", r"$\sin p$",
    "pairs", "2017",
)  # fmt: skip


def requirements_table(seq_len: int = 512) -> Table:
    """Attempts by requirements; every cell is measured, and what fails is marked."""
    columns = [
        Column(
            header, [_cell(getattr(found, field), field in failures(found)) for field in QUESTIONS], align="r"
        )
        for header, found in zip(HEADERS, measure_all(seq_len).values(), strict=True)
    ]
    return Table(Column("", list(QUESTIONS.values())), *columns)


def _cell(value: float | bool, fails: bool) -> str:
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif value < ROUNDING:
        text = "0"
    elif value < 0.01:
        text = f"{value:.1e}".replace("e-0", "e−") if value < 1e-4 else f"{value:.4f}"
    else:
        whole = value > 100 or abs(value - round(value)) < ROUNDING * value
        text = f"{value:,.0f}" if whole else f"{value:.2f}"
    return f"✗\u202f{text}" if fails else text
