"""What diagrams are made of: boxes and cards, words, arrows, arcs and dials, each from rows of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import FancyBboxPatch

from pe_book.show.drawing.frame import Where
from pe_book.show.drawing.scene import Scene
from pe_book.show.drawing.style import PALETTE

__all__ = ["Arcs", "Arrows", "Boxes", "Dial", "Turns", "Words"]


@dataclass(frozen=True)
class Boxes:
    """A box for each row with its text inside: a card, or the cells of a strip.

    Parameters
    ----------
    text : str
        Template over the columns of a row; a line break makes a second line. Empty for a bare box.
    x, y : str
        Columns of the centre; a column of texts makes an axis of categories, the first on top.
    size : tuple of float
        Width and height in units of x and y.
    where : mapping, str, optional
    colour : str
        A role of the palette, for frame and tint.
    tint : float
        Opacity of the fill.
    bold : bool
        The first line is bold.
    """

    text: str
    x: str
    y: str
    size: tuple[float, float] = (0.9, 0.8)
    where: Where = None
    colour: str = "blue"
    tint: float = 0.14
    bold: bool = False

    def draw(self, scene: Scene) -> None:
        """Add the boxes to the scene."""
        frame = scene.frame.where(self.where)
        width, height = self.size
        for row, x, y in zip(
            frame.rows(), scene.along("x", frame, self.x), scene.along("y", frame, self.y), strict=True
        ):
            shade = getattr(PALETTE, self.colour)
            corner, shape = (x - width / 2, y - height / 2), "round,pad=0,rounding_size=0.06"
            # frame and tint apart: one opacity would blur the frame, too
            looks: tuple[dict[str, Any], ...] = (
                {"facecolor": shade, "edgecolor": "none", "alpha": self.tint},
                {"facecolor": "none", "edgecolor": shade, "linewidth": 1.2},
            )
            for look in looks[0 if self.tint else 1 :]:
                box = FancyBboxPatch(corner, width, height, shape, mutation_aspect=1, **look)
                scene.axes.add_patch(box)
            scene.name(box)
            if self.text:
                scene.inside(self.text, row, x, y, colour=PALETTE.ink, size=self.size, bold=self.bold)


@dataclass(frozen=True)
class Words:
    """A text for each row, without a box.

    Parameters
    ----------
    text, x, y, where
        As for :class:`Boxes`.
    shift : tuple of float
        Moved right and down by so much, in units of x and y.
    align : str
        ``"center"``, ``"left"`` or ``"right"`` of the point.
    """

    text: str
    x: str
    y: str
    where: Where = None
    shift: tuple[float, float] = (0.0, 0.0)
    colour: str = "ink"
    align: str = "center"
    bold: bool = False

    def draw(self, scene: Scene) -> None:
        """Add the texts to the scene."""
        frame = scene.frame.where(self.where)
        across, down = self.shift
        sign = 1 if scene.flipped else -1
        for row, x, y in zip(
            frame.rows(), scene.along("x", frame, self.x), scene.along("y", frame, self.y), strict=True
        ):
            scene.inside(
                self.text, row, x + across, y + sign * down, colour=getattr(PALETTE, self.colour),
                align=self.align, bold=self.bold,
            )  # fmt: skip


@dataclass(frozen=True)
class Arrows:
    """An arrow for each row, from the box that it names to another.

    Parameters
    ----------
    source, target : str
        Columns that hold names of boxes; a row without one draws nothing.
    name, x, y : str
        Columns that say what a box is called and where its centre is.
    size : tuple of float
        Width and height of the boxes, at whose edges the arrows end.
    head : bool
        False for a plain line.
    beside : bool
        The arrow leaves and enters a box in the middle of its left or right side.
    """

    source: str
    target: str
    name: str
    x: str
    y: str
    size: tuple[float, float] = (0.9, 0.8)
    where: Where = None
    colour: str = "ink"
    head: bool = True
    width: float = 1.3
    beside: bool = False

    def draw(self, scene: Scene) -> None:
        """Add the arrows to the scene."""
        everywhere = scene.frame.where(self.name)
        centres = dict(
            zip(
                everywhere[self.name],
                zip(scene.along("x", everywhere, self.x), scene.along("y", everywhere, self.y), strict=True),
                strict=True,
            )
        )
        for row in scene.frame.where(self.where).where(self.source).where(self.target).rows():
            tail, head = (np.array(centres[row[end]]) for end in (self.source, self.target))
            edge = _side if self.beside else _edge
            scene.arrow(
                edge(tail, head, self.size), edge(head, tail, self.size), self.colour, self.head, self.width
            )


def _side(centre: Any, towards: Any, size: tuple[float, float]) -> Any:
    """The middle of the side of a box that faces another."""
    return centre + np.array([np.sign(towards[0] - centre[0]) * size[0] / 2, 0])


def _edge(centre: Any, towards: Any, size: tuple[float, float]) -> Any:
    """Where the way from the centre of a box leaves it."""
    away = towards - centre
    with np.errstate(divide="ignore"):
        share = np.min(np.array(size) / 2 / np.abs(away))
    return centre + away * min(share, 0.5)


@dataclass(frozen=True)
class Arcs:
    """A jump for each row: an arc with a head, over a number line.

    Parameters
    ----------
    start, stop, y : str
        Columns: from where, to where, and the height of the line.
    rise : float
        Height of every arc, in units of y.
    """

    start: str
    stop: str
    y: str
    rise: float = 0.8
    where: Where = None
    colour: str = "blue"

    def draw(self, scene: Scene) -> None:
        """Add the arcs to the scene."""
        frame = scene.frame.where(self.where)
        y = scene.along("y", frame, self.y)
        sign = -1 if scene.flipped else 1
        turn = np.linspace(0, np.pi, 41)
        for a, b, height in zip(frame[self.start], frame[self.stop], y, strict=True):
            x = (a + b) / 2 - (b - a) / 2 * np.cos(turn)
            rise = height + sign * self.rise * np.sin(turn)
            scene.line(x, rise, colour=self.colour, linewidth=1.6)
            scene.arrow((x[-4], rise[-4]), (x[-1], rise[-1]), self.colour, named=False)


@dataclass(frozen=True)
class Dial:
    """A clock face with a dot for each row: angle 0 is at the top and grows clockwise.

    So the sine of an angle is to the right and its cosine up. The dial of a rotary pair has angle 0 on the
    right and grows anticlockwise: its cosine is to the right and its sine up.

    Parameters
    ----------
    angle : str
        Column of the angles, in radians.
    hand : bool
        A hand points to the last row.
    text : str
        Template over the columns of a row, written beside its dot.
    rim : bool
        Draw the circle; False for a second set of dots on the same dial.
    radius : float
        Of the circle of dots.
    rotary : bool
        Angle 0 on the right, anticlockwise.
    """

    angle: str
    where: Where = None
    colour: str = "blue"
    hand: bool = True
    text: str = ""
    rim: bool = True
    radius: float = 1.0
    size: float = 5.0
    dash: str = ""
    rotary: bool = False

    def draw(self, scene: Scene) -> None:
        """Add the dial to the scene, which is bare and has equal units."""
        frame = scene.frame.where(self.where)
        angles = frame[self.angle].astype(np.float64)
        up, right = (np.sin, np.cos) if self.rotary else (np.cos, np.sin)
        x, y = self.radius * right(angles), self.radius * up(angles)
        if self.rim:
            turn = np.linspace(0, 2 * np.pi, 121)
            mark = np.array([0.92, 1.08])
            scene.line(np.sin(turn), np.cos(turn), colour="grid", part="rim", linewidth=1.4)
            scene.line(mark * right(0), mark * up(0), colour="muted", part="rim", linewidth=1.2)
        if self.hand:
            dash = {"": "-", "dashed": (0, (4, 3))}[self.dash]
            ends = np.array([0, x[-1]]), np.array([0, y[-1]])
            scene.line(*ends, colour=self.colour, part="hand", linewidth=2.2, linestyle=dash)
        scene.line(
            x, y, colour=self.colour, linestyle="none", marker="o", markersize=self.size, markeredgewidth=0,
            zorder=3,
        )  # fmt: skip
        if self.text:
            for row, a, b in zip(frame.rows(), x, y, strict=True):
                scene.beside(self.text, row, a, b, colour="ink", gap=5)


@dataclass(frozen=True)
class Turns:
    """An arc around the centre of a dial for each row, with a head at its end.

    Parameters
    ----------
    start, stop : str
        Columns of angles, in radians, clockwise from the top.
    radius : float
        Of the arc; the rim has 1.
    """

    start: str
    stop: str
    where: Where = None
    colour: str = "blue"
    radius: float = 0.55

    def draw(self, scene: Scene) -> None:
        """Add the arcs to the scene."""
        frame = scene.frame.where(self.where)
        for start, stop in zip(frame[self.start], frame[self.stop], strict=True):
            turn = np.linspace(start, stop, 61)
            x, y = self.radius * np.sin(turn), self.radius * np.cos(turn)
            scene.line(x, y, colour=self.colour, linewidth=1.6)
            scene.arrow((x[-5], y[-5]), (x[-1], y[-1]), self.colour, named=False)
