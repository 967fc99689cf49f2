"""Figures and tables of the chapter on numbering words: counting, normalising, requirements."""

from typing import Any

import numpy as np

from pe_book.evidence.why.first_attempts import DEMANDS
from pe_book.show.drawing.diagram import Arcs, Boxes, Turns, Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.why.counting import shear
from pe_book.why.first_attempts import append, count
from pe_book.why.norms import layer_norm
from pe_book.why.requirements import ATTEMPTS, ROUNDING, failures, measure

LION = ("Nitish", "killed", "the", "lion")
NORMALISED = {name: code for name, code in ATTEMPTS.items() if "pos" in name}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def two_designs(d_model: int = 512) -> Figure:
    """Four words with their counts, once appended and once added; two dimensions and the last are drawn."""
    rows: list[tuple[Any, ...]] = []
    for word, number in zip(LION, count(len(LION)).astype(int), strict=True):
        for place, dimension in enumerate((0, 1, None, d_model - 1)):
            name = "…" if dimension is None else "x" + str(dimension).translate(SUBSCRIPTS)
            plus = "" if dimension is None else f"+{number}"
            rows += [("word", word, place, dimension, name), ("both", word, place, dimension, name + plus)]
        rows.append(("count", word, place + 1, d_model, str(number)))

    def boxes(kind: str, colour: str) -> Boxes:
        return Boxes("{holds}", "drawn at", "word", (0.92, 0.76), {"kind": kind}, colour)

    def panel(title: str, *marks: Boxes, right: float) -> Panel:
        names = Words("{word}", "drawn at", "word", {"kind": "word", "drawn at": 0}, (-0.6, 0), align="right")
        return Panel(*marks, names, title=title, bare=True, width=296, height=170, xlim=(-1.4, right))

    header = ("kind", "word", "drawn at", "dimension", "holds")
    return Figure(
        Frame.of_rows(header, rows, d_model=d_model, words=len(LION)),
        panel("appended: {wide} numbers", boxes("word", "blue"), boxes("count", "orange"), right=4.5),
        panel("added: still {d_model} numbers", boxes("both", "purple"), right=3.5),
        facts=lambda f: {"wide": int(np.nanmax(f["dimension"])) + 1},
        alt="Each of {words} words as a row of boxes. Appended, its count is one more box, and the row has "
        "{wide} numbers; added, the count stands in each of the {d_model} boxes.",
    )  # fmt: skip


def in_layer_norm(d_model: int = 512, longest: int = 100_000) -> Figure:
    """What a layer norm leaves of an appended count, and of the word beside it."""
    word = np.random.default_rng(0).standard_normal(d_model)
    counts = np.unique(np.geomspace(1, longest, 60).round().astype(int))
    normed = layer_norm(append(np.tile(word, (len(counts), 1)), counts))
    x, place, spread = "count of the word", "its count", "spread of its other numbers"
    return Figure(
        Frame({x: counts, place: normed[:, -1], spread: normed[:, :-1].std(axis=1)}, d_model=d_model),
        Panel(
            Line(x, place, label=place, colour="orange"), Line(x, spread, label=spread),
            Guide(y="bound", label="bound", dash="dotted"),
            y="after layer norm", log="xy", xticks=(1, 100, 10_000), height=230,
        ),
        facts=lambda f: {
            "bound": f.settings["d_model"] ** 0.5, "longest": int(f[x][-1]), "low": f[place][0],
            "high": f[place][-1], "whole": f[spread][0], "left": f[spread][-1],
        },
        alt="After layer norm the appended count grows from {low:.1f} at the first word to {high:.2f} at "
        "word {longest:,}, beside the bound {bound:.2f}, while the spread of the word's own numbers falls "
        "from {whole:.2f} to {left:.1e}.",
    )  # fmt: skip


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
                title=f"{{{field}}}", x="", y="", xticks=(0, 1), xlim=(-0.08, 1.08), ylim=(-0.7, 1.4),
                width=296, height=124,
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
    circle: list[Any] = [(angle, None, None) for angle in angles]
    words: list[Any] = [(None, p, p + k if p == 1 else None) for p in positions]
    points = {"count": (positions, np.ones(k + 2)), "pair": (np.sin(positions), np.cos(positions))}
    rows = []
    for (code, before), matrix in zip(points.items(), (shear(k), turn), strict=True):
        xy = np.concatenate([[np.cos(angles), np.sin(angles)], before], axis=1)
        both = np.concatenate([xy, matrix @ xy]).T.round(6)
        rows += [(code, *what, *where) for what, where in zip(circle + words, both, strict=True)]
    header = ("code", "angle (radians)", "position", "moved to", "x before", "y before", "x after", "y after")

    def panel(code: str, title: str, jump: Any, **axes: Any) -> Panel:
        rim = {"code": code, "angle (radians)": ...}
        return Panel(
            Line("x after", "y after", rim, colour="orange", width=1.8),
            Line("x before", "y before", rim, colour="ink", dash="dotted", width=1.4),
            Points("x before", "y before", {"code": code, "position": ...}, text="{position}"),
            jump, title=title, yticks=(-1, 0, 1), equal=True, width=296, **axes,
        )  # fmt: skip

    moved = [{"code": code, "moved to": ...} for code in points]
    return Figure(
        Frame.of_rows(header, rows, k=k),
        panel("count", "counts: {k} on is a shear", x="count", y="constant", height=200, xlim=(-3.4, 4.4),
              jump=Arcs("position", "moved to", "y before", 0.9, moved[0], "orange")),
        panel("pair", "(sin, cos): {k} on is a turn", x="sin", y="cos", xticks=(-1, 0, 1), height=250,
              jump=Turns("position", "moved to", moved[1], "orange", 0.75)),
        facts=lambda f: {"reach": f.where({"code": "count", "angle (radians)": ...})["x after"].max()},
        alt="Moving on by {k} places in two panels. For counts it is a shear that makes a circle of radius "
        "one a long ellipse, which reaches {reach:.2f}; for a sine and cosine it is a turn that leaves the "
        "circle as it is.",
    )  # fmt: skip


HEADERS = {
    "$p+1$": "counting", r"$\frac{p}{512}$": "pos / 512", r"$\frac{p}{n-1}$": "pos / (len − 1)",
    r"$\sin p$": "one sine", "pairs": "three harmonic pairs",
}  # fmt: skip


def requirements_table(seq_len: int = 512) -> Table:
    """Attempts by requirements; every cell is measured, and what fails is marked."""
    measured = {header: measure(ATTEMPTS[name], seq_len=seq_len) for header, name in HEADERS.items()}
    columns = [
        Column(
            header, [_cell(getattr(found, field), field in failures(found)) for field in DEMANDS], align="r"
        )
        for header, found in measured.items()
    ]
    return Table(Column("demand", list(DEMANDS.values())), *columns)


def _cell(value: float | bool, fails: bool) -> str:
    text = measured_text(value)
    return f"✗\u202f{text}" if fails else text


def measured_text(value: float | bool) -> str:
    """A measured number as the tables of the chapter write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value < ROUNDING:
        return "0"
    if value < 0.01:
        return f"{value:.1e}".replace("e-0", "e−") if value < 1e-4 else f"{value:.4f}"
    whole = value > 100 or abs(value - round(value)) < ROUNDING * value
    return f"{value:,.0f}" if whole else f"{value:.2f}"
