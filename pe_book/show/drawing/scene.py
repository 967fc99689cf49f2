"""A panel while it is drawn: marks add themselves, then guides, then names where there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.places import FARTHEST, RING, SIDES, Obstacles, along_line, around_point
from pe_book.show.drawing.style import DASHES, PALETTE
from pe_book.show.drawing.texts import filled, in_print

__all__ = ["Scene"]


class Scene:
    """Axes, the frame they show, and the names that wait for a place; where flipped, y grows downwards."""

    def __init__(self, axes: Axes, frame: Frame, values: Mapping[str, Any], *, flipped: bool) -> None:
        """Start with nothing drawn."""
        self.axes, self.frame, self.values, self.flipped = axes, frame, values, flipped
        self.number = 0  # of the mark that is being drawn
        self.guides: list[tuple[int, Any]] = []
        self.categories: dict[str, list[str]] = {}
        self.heats: list[tuple[float, float, Any]] = []  # the colour scales that are to be shown
        self.waiting: list[dict[str, Any]] = []
        self.texts: list[tuple[Text, tuple[float, float] | None]] = []

    def draw(self, marks: Sequence[Any]) -> None:
        """Draw every mark, in order; its number becomes the name of its parts."""
        for number, mark in enumerate(marks):
            self.number = number
            mark.draw(self)
        self.axes.autoscale_view()

    # what marks call ----------------------------------------------------------------------------------------

    def along(self, axis: str, frame: Frame, column: str) -> Any:
        """A column as coordinates; texts become the numbers of their categories, in order of appearance."""
        values = frame[column]
        if values.dtype != object:
            return values
        known = self.categories.setdefault(axis, list(dict.fromkeys(self.frame.where(column)[column])))
        return np.array([float(known.index(value)) for value in values])

    def value(self, number: float | str) -> float:
        """A number, or the setting or fact of that name."""
        return float(self.values[number]) if isinstance(number, str) else float(number)

    def written(self, template: str) -> str:
        """A template with its fields filled in; the name of a column is data, digits and all."""
        return in_print(template if template in self.frame.columns else filled(template, self.values))

    def name(self, artist: Any, part: str = "data") -> None:
        """Say in the drawing which mark an artist belongs to."""
        artist.set_gid(f"pe-{self.number}-{part}")

    def line(self, x: Any, y: Any, *, colour: str, part: str = "data", **style: Any) -> None:
        """A line or marks at points."""
        (artist,) = self.axes.plot(x, y, color=getattr(PALETTE, colour), **style)
        self.name(artist, part)

    def arrow(
        self,
        tail: Any,
        head: Any,
        colour: str,
        with_head: bool = True,
        width: float = 1.3,
        *,
        named: bool = True,
    ) -> None:
        """An arrow from tail to head."""
        patch = FancyArrowPatch(
            tuple(tail), tuple(head), arrowstyle="-|>" if with_head else "-", mutation_scale=10, shrinkA=0,
            shrinkB=0, color=getattr(PALETTE, colour), linewidth=width,
        )  # fmt: skip
        self.axes.add_patch(patch)
        self.name(patch, "data" if named else "head")

    def label(self, template: str, x: Any, y: Any, *, colour: str, near: float | None = None) -> None:
        """The name of a mark, to be placed along it; y is None for the top of the panel."""
        if template:
            text = self.written(template)
            self.waiting.append(
                {"text": text, "x": x, "y": y, "colour": colour, "near": near, "number": self.number}
            )

    def beside(
        self, template: str, row: Mapping[str, Any], x: float, y: float, *, colour: str, gap: float,
        sides: Sequence[str] = SIDES,
    ) -> None:  # fmt: skip
        """The text of one row, to be placed beside its point."""
        text = in_print(filled(template, {**self.values, **row}))
        self.waiting.append({"text": text, "x": x, "y": y, "colour": colour, "gap": gap, "sides": sides,
                             "number": self.number})  # fmt: skip

    def inside(
        self, template: str, row: Mapping[str, Any], x: float, y: float, *, colour: str,
        size: tuple[float, float] | None = None, align: str = "center", bold: bool = False,
    ) -> None:  # fmt: skip
        """The text of one row at its point; with `size`, inside a box that it must not leave."""
        lines = in_print(filled(template, {**self.values, **row})).split("\n")
        for place, line in enumerate(lines):
            # an offset in points keeps the lines of a card apart whatever the units are
            down = (len(lines) - 1) / 2 - place
            weight = "bold" if bold and place == 0 else "normal"
            text = self.axes.annotate(
                line, (x, y), xytext=(0, 12.5 * down), textcoords="offset points", ha=align,
                va="center_baseline", color=colour, fontweight=weight, annotation_clip=False,
            )  # fmt: skip
            self.name(text, "row")
            self.texts.append((text, size))

    # after the layout ---------------------------------------------------------------------------------------

    def draw_guides(self) -> None:
        """Thin lines across the whole axes, once its limits are known."""
        limits = self.axes.get_xlim(), self.axes.get_ylim()
        self.axes.set(xlim=limits[0], ylim=limits[1])  # fixed: a guide does not widen them
        (left, right), (low, high) = sorted(limits[0]), sorted(limits[1])
        for number, guide in self.guides:
            self.number = number
            if guide.x == "equal":
                ends = np.array([max(left, low), min(right, high)])
                x, y = ends, ends
            elif guide.x is not None:
                x, y = np.full(2, self.value(guide.x)), np.array([low, high])
            else:
                x, y = np.array([left, right]), np.full(2, self.value(guide.y))
            self.line(
                x, y, colour=guide.colour, linewidth=0.9, linestyle=DASHES[guide.dash], zorder=1, part="guide"
            )
            self.label(guide.label, x, y, colour=guide.colour, near=guide.near)

    def place_names(self, renderer: Any) -> None:
        """Put every waiting name where it covers least, first those that have least choice."""
        obstacles = Obstacles(self.axes, renderer)
        points = Affine2D().scale(1 / 72) + self.axes.figure.dpi_scale_trans  # at any resolution
        for asked in sorted(self.waiting, key=lambda asked: "gap" not in asked):
            text = self.axes.text(
                0, 0, asked["text"], transform=points, color=getattr(PALETTE, asked["colour"])
            )
            text.set_in_layout(False)
            text.set_gid(f"pe-clear-{asked['number']}-{'row' if 'gap' in asked else 'label'}")
            box = text.get_window_extent(renderer)
            if "gap" in asked:
                point = self.axes.transData.transform((asked["x"], asked["y"]))
                spots = around_point(point, box.width, box.height, asked["gap"], asked["sides"])
                own = point + max(0.0, asked["gap"] - 2) * RING  # a mark is no obstacle to its own text
            elif asked["y"] is None:
                middle = self.axes.transData.transform((asked["x"][0], self.axes.get_ylim()[1]))
                spots = [(0.0, (middle[0] - box.width / 2, middle[1] - box.height - 2))]
                own = middle[None]
            else:
                own = self.axes.transData.transform(np.column_stack([asked["x"], asked["y"]]))
                own = np.clip(own, -FARTHEST, FARTHEST)
                wanted = None
                if asked["near"] is not None:
                    wanted = self.axes.transData.transform((asked["near"], self.axes.get_ylim()[0]))[0]
                spots = along_line(own[np.isfinite(own).all(axis=1)], box.width, box.height, wanted)
            x, y = obstacles.best(spots, box.width, box.height, own)
            text.set_position((x, y))
            text.set_verticalalignment("bottom")
            obstacles.take(x, y, box.width, box.height)
