"""Where a name can stand in a panel: beside its line or point, and over as little else as possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.text import Text
from numpy.typing import NDArray

__all__ = ["Obstacles", "along_line", "around_point"]

Spot = tuple[float, tuple[float, float]]  # what the spot costs by itself, and its lower left corner
GAP = 3.0  # points between a name and its line
OUTSIDE = 1e4
FAR = 4e3  # points from the corner of the canvas; no panel is a quarter as large
FARTHEST = 1e12  # what lies beyond is drawn as if it lay there, so that differences are finite
SIDES = ("right", "left", "top", "bottom")
RING = np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])


class Obstacles:
    """What is drawn already, as points that lie at most two points of length apart."""

    def __init__(self, axes: Axes, renderer: Any) -> None:
        """Collect lines, marks, bars, arrows and texts."""
        points = [_dense(line) for line in axes.get_lines()]
        for patch in axes.patches:
            if isinstance(patch, FancyArrowPatch):
                points.append(_between(patch.get_path().vertices.astype(float)))  # type: ignore[union-attr]
            elif isinstance(patch, Rectangle) and patch.get_alpha() is None:
                low, high = patch.get_window_extent(renderer).get_points()
                across = [np.linspace(a, b, max(2, int((b - a) / 3))) for a, b in zip(low, high, strict=True)]
                points.append(np.stack(np.meshgrid(*across), axis=-1).reshape(-1, 2))
        self.canvas = axes.figure.bbox.extents
        self.inner = axes.get_window_extent(renderer).extents
        texts = [part for part in axes.get_children() if isinstance(part, Text)]  # titles, too
        if axes.axison:
            left, low, right, high = self.inner
            points += [
                _between(np.array(side))
                for side in ([(left, low), (right, low)], [(left, low), (left, high)])
            ]
            texts += [*axes.get_xticklabels(), *axes.get_yticklabels(), axes.xaxis.label]
        self.points = np.concatenate(points) if points else np.empty((0, 2))
        self.boxes: list[Any] = [
            text.get_window_extent(renderer).extents for text in texts if text.get_text()
        ]

    def best(
        self, spots: Iterable[Spot], width: float, height: float, own: NDArray[np.float64]
    ) -> tuple[float, float]:
        """The corner of the cheapest spot; the first of equals."""
        return min(spots, key=lambda spot: round(spot[0] + self.cost(spot[1], width, height, own), 3))[1]

    def cost(
        self, corner: tuple[float, float], width: float, height: float, own: NDArray[np.float64]
    ) -> float:
        """How much a name at this corner would cover, or be taken for another's."""
        x, y = corner
        right, top = x + width, y + height
        covered = np.count_nonzero(
            (self.points > (x - 1, y - 1)).all(axis=1) & (self.points < (right + 1, top + 1)).all(axis=1)
        )
        cost = 20.0 * covered
        for left, low, end, high in self.boxes:
            if x < end + 2 and right > left - 2 and y < high + 1 and top > low - 1:
                cost += OUTSIDE / 4
        left, low, end, high = self.canvas
        cost += OUTSIDE * (x < left or right > end or y < low or top > high)
        left, low, end, high = self.inner
        cost += 2.0 * (max(0, left - x) + max(0, right - end) + max(0, low - y) + max(0, top - high))
        middle = np.array([(x + right) / 2, (y + top) / 2])
        if len(self.points) and len(own):
            reach = np.array([width, height]) / 2
            near = np.linalg.norm(np.maximum(np.abs(self.points - middle) - reach, 0), axis=1).min()
            mine = np.linalg.norm(np.maximum(np.abs(own - middle) - reach, 0), axis=1).min()
            cost += 30.0 * max(0.0, mine - near - 1)
        return cost

    def take(self, x: float, y: float, width: float, height: float) -> None:
        """A name stands here from now on."""
        self.boxes.append(np.array([x, y, x + width, y + height]))


def along_line(
    points: NDArray[np.float64], width: float, height: float, wanted: float | None = None
) -> list[Spot]:
    """Spots above, below and at the ends of a line, from its right end to its left.

    Examples
    --------
    >>> spots = along_line(np.array([[0.0, 0.0], [100.0, 0.0]]), 30, 10)
    >>> spots[0]
    (0.0, (103.0, -5.0))
    """
    steps = np.unique(np.linspace(0, len(points) - 1, 28).round().astype(int))[::-1]
    dense = points[steps] if len(points) > 2 else _between(points)[:: -max(1, len(_between(points)) // 24)]
    (last_x, last_y), (first_x, first_y) = points[-1].tolist(), points[0].tolist()
    spots: list[Spot] = [
        (0.0, (last_x + GAP, last_y - height / 2)),
        (8.0, (first_x - GAP - width, first_y - height / 2)),
    ]
    for number, (x, y) in enumerate(dense):
        for cost, left in ((0.0, x - width), (0.2, x - width / 2), (0.4, x)):
            spots.append((2.0 + cost + 0.1 * number, (left, y + GAP)))
            spots.append((2.5 + cost + 0.1 * number, (left, y - GAP - height)))
        spots.append((3.0 + 0.1 * number, (x + GAP, y - height / 2)))
        spots.append((3.2 + 0.1 * number, (x - GAP - width, y - height / 2)))
    if wanted is not None:
        return [(cost + 0.4 * abs(x + width / 2 - wanted), (x, y)) for cost, (x, y) in spots]
    return spots


def around_point(
    point: NDArray[np.float64], width: float, height: float, gap: float, sides: Sequence[str]
) -> list[Spot]:
    """Spots beside a point, the given sides first, then its corners.

    Examples
    --------
    >>> around_point(np.zeros(2), 30, 10, 2, ("right",))
    [(0.0, (2.0, -5.0))]
    """
    x, y = (float(c) for c in point)
    at = {
        "right": (x + gap, y - height / 2),
        "left": (x - gap - width, y - height / 2),
        "top": (x - width / 2, y + gap),
        "bottom": (x - width / 2, y - gap - height),
    }
    spots: list[Spot] = [(2.0 * number, at[side]) for number, side in enumerate(sides)]
    if len(sides) == len(at):
        near = 0.7 * gap
        corners = ((x + near, y + near), (x - near - width, y + near), (x + near, y - near - height),
                   (x - near - width, y - near - height))  # fmt: skip
        spots += [(5.0 + number, corner) for number, corner in enumerate(corners)]
    return spots


def _dense(line: Line2D) -> NDArray[np.float64]:
    """The points of a line on the canvas, with points between them where it is drawn."""
    data = np.column_stack([np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)])
    with np.errstate(all="ignore"):
        points = line.get_transform().transform(data)
    points = points[np.isfinite(points).all(axis=1)]
    if line.get_linestyle() == "None":
        half = line.get_markersize() / 2
        return np.reshape(points[:, None] + half * RING, (-1, 2))
    return _between(points)


def _between(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, and points between them; of what leads far away only the part that is near."""
    points = np.clip(points, -FARTHEST, FARTHEST)
    parts = [points[:1]]
    for a, b in pairwise(points):
        ends = _near(a, b)
        if ends is None:
            continue
        a, b = ends
        count = max(1, int(np.linalg.norm(b - a) / 2))
        parts.append(a + (b - a) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(parts)


def _near(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...] | None:
    """The ends of what a stretch has within reach of the canvas: its own if both are, none if nothing is."""
    if max(np.abs(a).max(), np.abs(b).max()) <= FAR:
        return a, b
    with np.errstate(divide="ignore", invalid="ignore"):
        enters, leaves = np.sort([(-FAR - a) / (b - a), (FAR - a) / (b - a)], axis=0)  # shares of the way
    first, last = max(0.0, np.nanmax(enters)), min(1.0, np.nanmin(leaves))
    return (a + (b - a) * first, a + (b - a) * last) if first <= last else None
