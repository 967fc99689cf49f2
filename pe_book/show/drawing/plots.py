"""What is plotted: lines, points, heat maps and bars, each from named columns of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from pe_book.show.drawing.frame import Where
from pe_book.show.drawing.places import SIDES
from pe_book.show.drawing.scene import Scene
from pe_book.show.drawing.style import DASHES, DIVERGING, PALETTE, SEQUENTIAL, text_on

__all__ = ["Bars", "Guide", "Heat", "Line", "Points", "Span"]


@dataclass(frozen=True)
class Line:
    """A line through the rows, in their order.

    Parameters
    ----------
    x, y : str
        Columns; a column of texts makes an axis of categories.
    where : mapping, str, optional
        The rows that are drawn (:meth:`~pe_book.show.drawing.frame.Frame.where`); an empty cell interrupts
        the line.
    label : str
        Template of the name that stands beside the line, in its colour; none if empty.
    colour : str
        A role of the palette.
    dash : str
        ``""``, ``"dashed"`` or ``"dotted"``.
    step : bool
        Each value holds until the next row.
    dots : bool
        Each row is marked by a dot, too.
    near : float, optional
        The x that the label should stand near; where there is room if not given.
    """

    x: str
    y: str
    where: Where = None
    label: str = ""
    colour: str = "blue"
    dash: str = ""
    width: float = 1.8
    step: bool = False
    dots: bool = False
    near: float | None = None

    def draw(self, scene: Scene) -> None:
        """Add the line to the scene."""
        frame = scene.frame.where(self.where)
        x, y = scene.along("x", frame, self.x), scene.along("y", frame, self.y)
        style = {"drawstyle": "steps-post"} if self.step else {}
        scene.line(
            x, y, colour=self.colour, linestyle=DASHES[self.dash], linewidth=self.width,
            marker="o" if self.dots else None, markersize=4, zorder=2, **style,
        )  # fmt: skip
        scene.label(self.label, x, y, colour=self.colour, near=self.near)


@dataclass(frozen=True)
class Points:
    """A mark for each row.

    Parameters
    ----------
    x, y, where, label, colour, near
        As for :class:`Line`.
    text : str
        Template over the columns of a row, written beside its mark.
    marker : str
        ``"o"``, ``"s"`` or ``"D"``.
    size : float
        Diameter in points.
    hollow : bool
        A ring instead of a disc.
    sides : sequence of str
        Where the text may stand, the best first; its corners, too, if all four are given.
    """

    x: str
    y: str
    where: Where = None
    label: str = ""
    text: str = ""
    colour: str = "blue"
    marker: str = "o"
    size: float = 5.5
    hollow: bool = False
    near: float | None = None
    sides: Sequence[str] = SIDES

    def draw(self, scene: Scene) -> None:
        """Add the marks to the scene."""
        frame = scene.frame.where(self.where)
        x, y = scene.along("x", frame, self.x), scene.along("y", frame, self.y)
        face = {"markerfacecolor": "none", "markeredgewidth": 1.5} if self.hollow else {"markeredgewidth": 0}
        scene.line(
            x, y, colour=self.colour, linestyle="none", marker=self.marker, markersize=self.size, zorder=3,
            **face,
        )  # fmt: skip
        scene.label(self.label, x, y, colour=self.colour, near=self.near)
        if self.text:
            for row, a, b in zip(frame.rows(), x, y, strict=True):
                scene.beside(
                    self.text, row, a, b, colour=self.colour, gap=self.size / 2 + 2, sides=self.sides
                )


@dataclass(frozen=True)
class Guide:
    """A thin straight line at one value, which is no data: an axis, a bound.

    Parameters
    ----------
    x, y : float or str, optional
        Where it stands; a text is the name of a setting or fact. One of the two, or both for a line through
        equal values of x and y (``x="equal"``).
    label : str
        Template of its name.
    colour, dash
        As for :class:`Line`.
    """

    x: float | str | None = None
    y: float | str | None = None
    label: str = ""
    colour: str = "muted"
    dash: str = "dashed"
    near: float | None = None

    def draw(self, scene: Scene) -> None:
        """Add the line to the scene, over its whole width or height."""
        scene.guides.append((scene.number, self))


@dataclass(frozen=True)
class Span:
    """A shaded band between two values of x.

    Parameters
    ----------
    start, stop : float or str
        A text is the name of a setting or fact.
    label : str
        Template, written at the top of the band.
    """

    start: float | str
    stop: float | str
    label: str = ""
    colour: str = "grid"

    def draw(self, scene: Scene) -> None:
        """Add the band to the scene."""
        low, high = scene.value(self.start), scene.value(self.stop)
        band = scene.axes.axvspan(low, high, color=getattr(PALETTE, self.colour), alpha=0.5, linewidth=0)
        scene.name(band)
        if self.label:
            scene.label(self.label, np.array([(low + high) / 2]), None, colour="muted")


@dataclass(frozen=True)
class Heat:
    """A coloured cell for each row.

    Parameters
    ----------
    x, y, value : str
        Columns; y grows downwards, as the rows of a matrix do.
    where : mapping, str, optional
        The rows that are drawn; cells without a row stay empty.
    signed : bool
        Blue below zero and orange above it; otherwise the more, the darker.
    limit : float or str, optional
        The value of the darkest colour; the largest of the panel if not given.
    text : str
        Template over the columns of a row, written on its cell.
    scale : bool
        Show below the map which colour is which value.
    """

    x: str
    y: str
    value: str
    where: Where = None
    signed: bool = True
    limit: float | str | None = None
    text: str = ""
    scale: bool = False

    def draw(self, scene: Scene) -> None:
        """Add the map to the scene."""
        frame = scene.frame.where(self.where)
        x, y = scene.along("x", frame, self.x), scene.along("y", frame, self.y)
        values = frame[self.value].astype(np.float64)
        limit = float(np.nanmax(np.abs(values))) if self.limit is None else scene.value(self.limit)
        if np.nanmax(np.abs(values)) > limit * (1 + 1e-12):
            raise ValueError(f"limit is {limit}, but {self.value!r} reaches {np.nanmax(np.abs(values))}")
        (left, right, dx, column), (top, bottom, dy, row) = _grid(x, self.x), _grid(y, self.y)
        matrix = np.full((row.max() + 1, column.max() + 1), np.nan)
        matrix[row, column] = values
        low = -limit if self.signed else 0.0
        shades = DIVERGING if self.signed else SEQUENTIAL
        scene.axes.imshow(
            matrix, cmap=shades, vmin=low, vmax=limit, aspect="auto",
            extent=(left - dx / 2, right + dx / 2, bottom + dy / 2, top - dy / 2),
        )  # fmt: skip
        if self.scale:
            scene.heats.append((low, limit, shades))
        for number, cell in enumerate(frame.rows()) if self.text else ():
            shade = shades((values[number] - low) / (limit - low))
            scene.inside(self.text, cell, x[number], y[number], colour=text_on(shade))


@dataclass(frozen=True)
class Bars:
    """A horizontal bar for each row, from zero to its value.

    Parameters
    ----------
    x : str
        Column of the values.
    y : str
        Column of the names or numbers of the bars.
    where, colour
        As for :class:`Line`.
    """

    x: str
    y: str
    where: Where = None
    colour: str = "blue"

    def draw(self, scene: Scene) -> None:
        """Add the bars to the scene."""
        frame = scene.frame.where(self.where)
        x, y = scene.along("x", frame, self.x), scene.along("y", frame, self.y)
        for a, b in zip(x, y, strict=True):
            bar = Rectangle((0, b - 0.3), a, 0.6, facecolor=getattr(PALETTE, self.colour), linewidth=0)
            scene.axes.add_patch(bar)
            scene.name(bar)
        scene.axes.update_datalim([(0, y.min() - 0.5), (x.max(), y.max() + 0.5)])
        scene.axes.autoscale_view()


def _grid(values: Any, name: str) -> tuple[float, float, float, Any]:
    """First and last of evenly spaced values, their spacing, and the place of each."""
    kept = np.unique(values)
    step = float(np.diff(kept).min()) if len(kept) > 1 else 1.0
    place = np.rint((values - kept[0]) / step).astype(int)
    if np.abs(kept[0] + place * step - values).max() > 1e-9 * max(1.0, float(np.abs(kept).max())):
        raise ValueError(f"the values of {name!r} are not evenly spaced, as the cells of a heat map are")
    return float(kept[0]), float(kept[-1]), step, place
