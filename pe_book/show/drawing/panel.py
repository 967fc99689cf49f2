"""One panel of a figure: axes no wider than a phone, drawn from a frame and given out as inline SVG."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.inline import inline
from pe_book.show.drawing.scene import Scene
from pe_book.show.drawing.style import PALETTE, STYLE
from pe_book.show.drawing.texts import filled, in_print

__all__ = ["WIDEST", "Panel"]

WIDEST = 312  # px: what a box on a page leaves of a screen 360 px wide
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Ticks = Sequence[float] | Mapping[float, str] | str | None


@dataclass(frozen=True, init=False)
class Panel:
    """Marks on a pair of axes.

    Parameters
    ----------
    *marks : Line, Points, Heat, Bars, Guide, Span, Boxes, Words, Arrows, Arcs, Dial, Turns
        Drawn in this order.
    title : str
        Template, above the panel.
    x, y : str, optional
        Names of the axes; the column that all marks share if not given, nothing if empty. The name of y
        stands above its axis.
    log : str
        Axes with a logarithmic scale: ``""``, ``"x"``, ``"y"`` or ``"xy"``.
    xticks, yticks : sequence of float, mapping of float to str, or str, optional
        Where there are ticks; a mapping says what stands there, a text is the name of a column whose distinct
        values get one each; an empty sequence for none.
    xlim, ylim : pair of float, optional
    width, height : int
        In pixels; at most 312 wide.
    equal : bool
        One unit of x is as long as one of y.
    bare : bool
        No axes: a diagram.
    down : bool
        y grows downwards; so it does by itself for heat maps and categories.
    """

    marks: tuple[Any, ...]
    title: str
    x: str | None
    y: str | None
    log: str
    xticks: Ticks
    yticks: Ticks
    xlim: tuple[float, float] | None
    ylim: tuple[float, float] | None
    width: int
    height: int
    equal: bool
    bare: bool
    down: bool

    def __init__(
        self, *marks: Any, title: str = "", x: str | None = None, y: str | None = None, log: str = "",
        xticks: Ticks = None, yticks: Ticks = None, xlim: tuple[float, float] | None = None,
        ylim: tuple[float, float] | None = None, width: int = WIDEST, height: int = 200, equal: bool = False,
        bare: bool = False, down: bool = False,
    ) -> None:  # fmt: skip
        """Check the size."""
        if not 60 <= width <= WIDEST or not 40 <= height <= 600:
            raise ValueError(f"a panel has at most {WIDEST} × 600 pixels, not {width} × {height}")
        named = dict(locals())
        for field in fields(self):
            object.__setattr__(self, field.name, named[field.name])

    def svg(self, frame: Frame, values: Mapping[str, Any]) -> str:
        """The panel as an ``<svg>`` element; `values` are settings and facts for its texts."""
        return self.written(self.drawn(frame, values))

    def written(self, drawing: Drawing) -> str:
        """What was drawn as an ``<svg>`` element."""
        out = io.StringIO()
        with mpl.rc_context(STYLE):
            canvas: Any = FigureCanvasSVG(drawing)  # matplotlib gives its methods no types
            canvas.print_svg(out, metadata={"Date": None, "Creator": None})
        return inline(out.getvalue(), self.width, self.height)

    def drawn(self, frame: Frame, values: Mapping[str, Any]) -> Drawing:
        """The panel as a drawing of matplotlib; `values` are settings and facts for its texts.

        Raises
        ------
        ValueError
            Texts overlap or leave the panel, a text types a number, two marks with a name have one colour, a
            mark bears the name of a column that it does not show, or an axis of several columns has none.
        """
        self._distinct_colours()
        self._columns_by_name(frame)
        with mpl.rc_context(STYLE):
            fig = Drawing(figsize=(self.width / 96, self.height / 96), layout="constrained")
            renderer = FigureCanvasAgg(fig).get_renderer()  # type: ignore[no-untyped-call]
            fig.set_layout_engine("constrained", w_pad=3 / 72, h_pad=3 / 72, hspace=0.02)
            axes, below = fig.subplots(1), None
            scene = Scene(axes, frame, values, flipped=self._flipped(frame))
            scene.draw(self.marks)
            if scene.heats:
                fig.clear()
                axes, below = fig.subplots(2, height_ratios=[1, 0.05])
                scene = Scene(axes, frame, values, flipped=scene.flipped)
                scene.draw(self.marks)
                self._scale(below, *scene.heats[0])
            self._axes(axes, scene)
            _lay_out(fig)
            scene.draw_guides()
            for _ in range(4):  # axes of equal units settle slowly
                _lay_out(fig)
            fig.set_layout_engine("none")
            scene.place_names(renderer)
            _refuse_collisions(fig, scene, renderer)
        return fig

    def _flipped(self, frame: Frame) -> bool:
        kinds = {type(mark).__name__ for mark in self.marks}
        texts = any(
            frame[mark.y].dtype == object for mark in self.marks if getattr(mark, "y", None) in frame.columns
        )
        return self.down or "Heat" in kinds or texts

    def _distinct_colours(self) -> None:
        named = [
            (mark.colour, getattr(mark, "dash", "")) for mark in self.marks if getattr(mark, "label", "")
        ]
        if len(set(named)) < len(named):
            cure = 'give one of them another colour, as in colour="red", or dash="dashed" if it is a line'
            raise ValueError(f"two marks with a name have one colour: {named}; {cure}")

    def _columns_by_name(self, frame: Frame) -> None:
        """What bears the name of a column shows this column."""
        shown = [{getattr(mark, part, None) for part in ("x", "y", "value", "angle")} for mark in self.marks]
        named = [(getattr(mark, "label", ""), own) for mark, own in zip(self.marks, shown, strict=True)]
        for name, own in [*named, (self.title, set().union(*shown))]:
            if name in frame.columns and name not in own:
                others = "is that of a column, but what bears it shows others"
                raise ValueError(f"the name {name!r} {others}; give it another name")

    def _axes(self, axes: Any, scene: Scene) -> None:
        names = {}
        for axis, log, ticks, limits, name in (
            ("x", "x" in self.log, self.xticks, self.xlim, self.x),
            ("y", "y" in self.log, self.yticks, self.ylim, self.y),
        ):
            side = getattr(axes, f"{axis}axis")
            if log:
                getattr(axes, f"set_{axis}scale")("log")
            _set_ticks(side, ticks, log, scene, axis)
            if limits:
                getattr(axes, f"set_{axis}lim")(limits)
            names[axis] = self._one_column(axis, scene.frame) if name is None else filled(name, scene.values)
        if scene.flipped and not axes.yaxis_inverted():
            axes.invert_yaxis()
        if self.equal:
            axes.set_aspect("equal")
        if self.bare:
            axes.set_axis_off()
        else:
            axes.set_xlabel(_wrapped(names["x"], self.width), gid="pe-xlabel")
            above = {"loc": "left", "fontsize": 9.5, "color": PALETTE.muted, "pad": 5, "gid": "pe-ylabel"}
            axes.set_title(_wrapped(names["y"], self.width), **above)
        if self.title:
            axes.figure.suptitle(
                _wrapped(scene.written(self.title), self.width), x=0.5, fontsize=10.5, gid="pe-title"
            )

    def _one_column(self, axis: str, frame: Frame) -> str:
        """What an axis that was given no name shows; the first of several columns would be no name for it."""
        values = [getattr(mark, axis, None) for mark in self.marks]
        columns = list(dict.fromkeys(c for c in values if isinstance(c, str) and c in frame.columns))
        if len(columns) > 1 and not self.bare:
            cure = f'say what it shows, as in Panel(..., {axis}="...")'
            raise ValueError(f"the axis {axis} has several columns and no name: {columns}; {cure}")
        return columns[0] if columns else ""

    def _scale(self, axes: Any, low: float, high: float, shades: Any) -> None:
        axes.imshow(np.linspace(0, 1, 64)[None], cmap=shades, aspect="auto", extent=(low, high, 0, 1))
        axes.set(yticks=[])
        axes.spines[:].set_visible(False)
        middle = [0.0] if low < 0 else [high / 2]
        axes.xaxis.set_major_locator(FixedLocator([low, *middle, high]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        # within the map, so that the numbers of a scale do not change the size of its map
        for place, tick in enumerate(ticks := axes.xaxis.get_major_ticks()):
            tick.label1.set_ha("left" if place == 0 else "right" if place == len(ticks) - 1 else "center")
        axes.set_gid("pe-scale")


def _lay_out(fig: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="constrained_layout not applied")
        try:
            fig.draw_without_rendering()
        except UserWarning as warning:
            raise ValueError(
                "the texts of a panel leave no room for its axes; shorten one of them"
            ) from warning


def number(value: float) -> str:
    """A number as it stands at a tick.

    Examples
    --------
    >>> number(-0.5), number(65536), number(1e-6)
    ('−0.5', '65,536', '10⁻⁶')
    """
    if value and (abs(value) < 1e-3 or abs(value) >= 1e6):
        power = round(np.log10(abs(value)))
        if np.isclose(abs(value), 10.0**power):
            return ("−" if value < 0 else "") + "10" + str(power).translate(SUPERSCRIPTS)
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:g}"
    return in_print(text)


def _set_ticks(side: Any, ticks: Ticks, log: bool, scene: Scene, axis: str) -> None:
    side.set_minor_locator(NullLocator())
    side.set_minor_formatter(NullFormatter())
    side.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    if axis in scene.categories and ticks is None:
        names = scene.categories[axis]
        side.set_major_locator(FixedLocator(range(len(names))))
        # beside each other they share the width; a letter takes some six points
        room = 15 if axis == "y" else max(4, int(scene.axes.figure.bbox.width / len(names) / 7))
        side.set_ticklabels([textwrap.fill(in_print(name), room, break_long_words=False) for name in names])
    elif isinstance(ticks, Mapping):
        side.set_major_locator(FixedLocator(list(ticks)))
        side.set_ticklabels(list(ticks.values()))
    elif isinstance(ticks, str):
        side.set_major_locator(FixedLocator(sorted(set(scene.frame.where(ticks)[ticks]))))
    elif ticks is not None:
        side.set_major_locator(FixedLocator(list(ticks)))
    else:
        side.set_major_locator(LogLocator(numticks=6) if log else MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, max(12, int(width / 7.4)))


def _refuse_collisions(fig: Any, scene: Scene, renderer: Any) -> None:
    """Texts must lie inside the panel, in their boxes, and not on one another."""
    _lay_out(fig)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in _texts(fig)]
    for place, (text, box) in enumerate(boxes):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > fig.bbox.x1 + 1 or box.y1 > fig.bbox.y1 + 1:
            raise ValueError(f"the text {text!r} leaves its panel by {box} in {fig.bbox}; shorten it")
        for other, where in boxes[:place]:
            across = min(box.x1, where.x1) - max(box.x0, where.x0)
            along = min(box.y1, where.y1) - max(box.y0, where.y0)
            if across > 0.5 and along > 2.5:
                raise ValueError(
                    f"the texts {other!r} and {text!r} overlap in a panel; make room for one of them"
                )
    for note, size in scene.texts:
        if size is not None:
            (x0, _), (x1, _) = scene.axes.transData.transform([(0, 0), size])
            if note.get_window_extent(renderer).width > abs(x1 - x0):
                raise ValueError(f"the text {note.get_text()!r} is wider than its box; make the box wider")


def _texts(fig: Any) -> list[Text]:
    """Every text that is drawn; matplotlib keeps labels of ticks outside the limits, too."""
    found = list(fig.texts)
    for axes in fig.axes:
        found += [part for part in axes.get_children() if isinstance(part, Text)]  # titles, too
        for side in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(side.get_view_interval())
            ticks = zip(side.get_majorticklocs(), side.get_majorticklabels(), strict=True)
            found += [side.label, *(label for value, label in ticks if low <= value <= high)]
    return [text for text in dict.fromkeys(found) if text.get_visible() and text.get_text().strip()]
