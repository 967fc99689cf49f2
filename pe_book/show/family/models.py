"""The tables and the figure of who uses what, and a card for each method."""

import inspect
import re
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

from pe_book.catalogue import catalogue
from pe_book.evidence.family.doors import turning
from pe_book.evidence.family.who_uses_what.listed import METHODS as CELLS
from pe_book.evidence.family.who_uses_what.listed import Row, rows
from pe_book.family.doors import DOORS
from pe_book.family.doors.models import Model, models
from pe_book.family.members import members
from pe_book.family.members.places import Member
from pe_book.family.members.properties import matrix
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Points
from pe_book.show.drawing.table import Column, Table
from pe_book.show.family.doors import COLOURS, NO_BREAK

SAYS = {"code": "code", "paper": "paper", "inferred": "**inferred**"}
MARKERS = {"sinusoid": "s", "other": "o", "late": "D"}


def lanes() -> Figure:
    """A row for each model, a mark for each door that it uses; hollow where nothing was read that says so.

    A square is a sinusoid; a diamond is a door that a model opens late, after another.
    """
    rows: list[tuple[Any, ...]] = []
    for found in models():
        for door in found.doors:
            kind = "late" if door != found.doors[0] else "sinusoid" if found.sinusoidal else "other"
            name = f"{found.year} {found.name}"
            rows.append((name, found.year, found.name, door, found.method, kind, found.confirmed))
    # a lane without a model is a lane, too
    rows += [(None, None, None, door, None, None, None) for door in DOORS]
    columns = ("year and model", "year", "model", "door", "method", "kind", "confirmed")
    frame = Frame.of_rows(columns, sorted(rows, key=lambda row: row[0] or ""))
    taken = dict.fromkeys((row["door"], row["kind"], row["confirmed"]) for row in frame.where("model").rows())
    marks = [
        Points(
            "door", "year and model", {"door": door, "kind": kind, "confirmed": confirmed},
            colour=COLOURS[str(door)], marker=MARKERS[str(kind)], size=8, hollow=confirmed == "no",
        )
        for door, kind, confirmed in taken
    ]  # fmt: skip

    def of_input(frame: Frame) -> set[str]:
        return set(frame.where({"door": "input"}).where("model")["model"])

    return Figure(
        frame,
        Panel(*marks, x="", y="", height=300, xlim=(-0.5, len(DOORS) - 0.5)),
        facts=lambda f: {
            "models": len(set(f.where("model")["model"])),
            "first": _dated(f, of_input(f)),
            "later": _dated(f, set(f.where("model")["model"]) - of_input(f)),
            "hollow": ", ".join(f.where({"confirmed": "no"})["model"]),
        },
        alt="{models} models in the order of their years, one column a door. At the input: {first}. Only at "
        "other doors: {later}. The mark of {hollow} is hollow, a sinusoid is square, and a diamond stands "
        "for what enters late.",
    )


def _dated(frame: Frame, names: set[str]) -> str:
    years = {row["model"]: row["year"] for row in frame.where("model").rows()}
    return ", ".join(f"{name} ({year})" for name, year in years.items() if name in names)


def who() -> Table:
    """What each model does, and how many learned numbers hold its positions."""
    found = models()
    return Table(
        Column("model", [f"{m.name} {m.size}".strip() for m in found]),
        Column("door", [", ".join(m.doors) for m in found]),
        Column("what enters", [m.method for m in found]),
        Column("year", [str(m.year) for m in found], align="r"),
        Column("arrays", [shapes(m) for m in found]),
        Column("learned numbers", [m.parameters for m in found]),
    )


def named() -> Table:
    """Every model by its names: what tells it positions, and where the row comes from."""
    found = rows()
    return Table(
        Column("model", [f"**{one.name}** {_small(one.called)}".strip() for one in found]),
        Column("encoding", [", ".join(one.encoding) for one in found]),
        Column("pairs", [_of_class(one, one.pairs) for one in found]),
        Column("base", [_of_class(one, one.base) for one in found]),
        Column("scaling", [_of_class(one, one.scaling) for one in found]),
        Column("layers", [_of_class(one, one.layers) for one in found]),
        Column("besides", [one.besides or None for one in found]),
        Column("trained on", [one.trained or None for one in found]),
        Column("from", [f"*{one.origin}*: {one.source}" for one in found]),
    )


def _of_class(one: Row, said: str) -> str | None:
    """What a checkpoint sets for itself is marked where it is that of its class alone."""
    return f"{said} *(default of its class)*" if said and one.origin == "class default" else said or None


def _small(names: tuple[str, ...]) -> str:
    return f"[{', '.join(names)}]{{.also}}" if names else ""


def evidence() -> Table:
    """What says so, word for word."""
    rows = []
    for found in models():
        for item in found.evidence:
            place = f"{{cite:t}}`{item.key}`, {item.where}" if item.key else item.where
            quoted = f"`{item.quote}`" if item.kind == "code" else f"“{item.quote}”"
            rows.append((found.name, SAYS[item.kind], f"{quoted} — {place}"))
    return Table.of_rows(("model", "by", "what it says, and where"), rows)


def shapes(found: Model) -> str:
    """The arrays that hold the positions of a model, equal ones counted."""
    if not found.shapes:
        return "none"
    kinds = {shape: found.shapes.count(shape) for shape in found.shapes}
    listed = [
        f"{f'{count} × ' if count > 1 else ''}({', '.join(f'{size:,}' for size in shape)})"
        for shape, count in kinds.items()
    ]
    assert found.parameters == sum(prod(shape) * count for shape, count in kinds.items())
    return ", ".join(shape.replace(" ", NO_BREAK) for shape in listed)


SHAPES = "fig:family:shapes"
# who has a card, two beside each other: the section and the picture of each, and what it is called of a model
METHODS = {
    "sinusoid": ("sec:formula:top", "fig:waves:heatmap", "sinusoid"),
    "learned table": ("sec:learned:top", "fig:learned:roads", "learned table"),
    "rotary": ("sec:rotary:top", "fig:rotary:hands", "rotation"),
    "Shaw": ("sec:relative:vectors", "fig:relative:diagonals", ""),
    "ALiBi": ("sec:score:point", "fig:score:forms", "slopes"),
    "T5": ("sec:score:t5", f"{SHAPES} 0", "learned numbers of offsets"),
    "DeBERTa": ("sec:relative:deberta", "fig:relative:terms 1", "learned vectors of offsets"),
    "KERPLE": ("sec:score:scale", f"{SHAPES} 1", ""),
    "window": ("sec:score:far", f"{SHAPES} 2", ""),
    "NoPE": ("sec:order:mask", f"{SHAPES} 3", "NoPE"),
}
NAMED = 6  # more models than these a card counts
CALLED = {"sinusoid": "Sinusoidal encoding", "learned table": "Learned table", "rotary": "Rotary (RoPE)"}


class Cards(NamedTuple):
    """A card for each method, as MyST Markdown."""

    text: str

    def markdown(self) -> str:
        """What the directive shows."""
        return self.text


def methods() -> Cards:
    """Formula, place, models, cost and call of each method, from the registry and the definitions."""
    listed = members()
    return Cards("\n\n".join(_card(listed[name], *of) for name, of in METHODS.items()))


def _card(member: Member, section: str, picture: str, method: str) -> str:
    found, numbers = matrix()[member.name], "nothing"
    if prod(found.numbers):
        numbers = f"{prod(found.numbers):,} for 64 tokens, × {found.growth:g} for 128"
    users = _users(method) if method else []
    if member.place == "query and key":
        users.append("{} of {} model types of transformers".format(*turning()))
    module = f"`pe.nn.{member.module.rpartition('.')[2]}`" if member.module else ""
    called = CALLED.get(member.name, member.name.capitalize() if member.name.islower() else member.name)
    said = {
        "Enters at": member.place + (", and values" if found.call == "own code" else ""),
        "Models": ", ".join(users),
        "Learned numbers": f"{member.parameters:,}" if member.parameters else "none",
        "Numbers to compute": numbers,
        "Attention call": found.call,
        "Call": "; ".join(filter(None, [*map(_call, member.definitions), module])),
    }
    lines = [":::{container} method", f"**{{ref}}`{called} <{section}>`**", ""]
    label, _, panel = picture.partition(" ")
    lines += ["```{small}", f":label: {label}", f":panel: {panel or 0}", "```", ""]
    lines += ["$$", _formula(member.definitions[0]), "$$", ""] if member.definitions else []
    lines += [line for name, words in said.items() if words for line in (name, f": {words}", "")]
    return "\n".join([*lines, ":::"])


def _users(method: str) -> list[str]:
    """The models of a method: those quoted, and of the list those beside them, or how many."""
    users = [model.name for model in models() if model.method.startswith(method)]
    word = CELLS.get(method, method)
    others = [
        one.name for one in rows() if one.encoding[:1] == (word,) and not {one.name, *one.called} & {*users}
    ]
    if len(others) <= NAMED:
        return users + others
    return [*users[:-1], f"{users[-1]} and {len(others)} others"]


def _defined(path: str) -> Any:
    home, _, name = path.rpartition(".")
    return getattr(import_module(f"pe_book.{home}"), name)


def _formula(path: str) -> str:
    """The first formula in the docstring of a definition."""
    found = re.search(r"\.\. math::\s*(.+?)\n\n", inspect.getdoc(_defined(path)) or "", re.DOTALL)
    if found is None:
        raise ValueError(f"the docstring of {path} has no formula")
    return " ".join(found[1].split())


def _call(path: str) -> str:
    """How the definition is called, with what has no default; nothing if it is not public."""
    home, _, name = path.rpartition(".")
    if not any((one.numpy, one.name) == (f"pe_book.{home}", name) for one in catalogue()):
        return ""
    asked = inspect.signature(_defined(path)).parameters.values()
    needed = ", ".join(one.name for one in asked if one.default is one.empty)
    return f"`pe.{name}({needed})`"
