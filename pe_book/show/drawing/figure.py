"""One figure: a frame of named columns, and the panels, the sentence and the file that are made from it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.raster import png
from pe_book.show.drawing.texts import filled

__all__ = ["Figure"]

SHORTEST_ALT = 40  # characters

Facts = Callable[[Frame], Mapping[str, Any]]


class Figure:
    """Panels drawn from one frame, with alternative text and data made from the same.

    Parameters
    ----------
    frame : Frame
    *panels : Panel
        Side by side where there is room, below each other where there is none.
    alt : str
        Template: one sentence that says what is seen. Its numbers are settings of the frame and facts.
    facts : callable, optional
        Computes from the frame, and from nothing else, what texts name: a mapping of numbers and texts.
    explorer : str
        The element around the picture that lets a reader change it, such as ``"pe-rotary"``; none if empty.
    given : callable, optional
        Computes from the frame, and from what the package defines, what the explorer is given.

    Raises
    ------
    ValueError
        The alternative text or a text in a panel would not do: the message says which and why.

    Examples
    --------
    >>> from pe_book.show.drawing.plots import Line
    >>> frame = Frame({"position": range(3), "sine": [0.0, 0.841, 0.909]}, d_model=6)
    >>> figure = Figure(
    ...     frame, Panel(Line("position", "sine", label="sine")),
    ...     facts=lambda f: {"top": f["sine"].max()},
    ...     alt="The first sine of width {d_model} over the position; it rises to {top:.3f}.",
    ... )
    >>> figure.alt
    'The first sine of width 6 over the position; it rises to 0.909.'
    >>> figure.panels_svg[0][:4], figure.csv().splitlines()[1]
    ('<svg', '0,0')
    """

    def __init__(
        self, frame: Frame, *panels: Panel, alt: str, facts: Facts | None = None, explorer: str = "",
        given: Facts | None = None,
    ) -> None:  # fmt: skip
        """Fill in the alternative text, and refuse what a reader without the picture could not use."""
        self.frame, self.panels, self.template, self.compute_facts = frame, panels, alt, facts
        self.explorer, self.compute_given = explorer, given
        if not panels:
            raise ValueError("a figure needs at least one panel")
        if "\n" in self.alt or self.alt != self.alt.strip():
            raise ValueError(f"alt must be one line without space around it, not {self.alt!r}")
        if len(self.alt) < SHORTEST_ALT:
            raise ValueError(f"alt has fewer than {SHORTEST_ALT} characters: {self.alt!r}; say what is seen")
        if not re.search(r"\d", self.alt):
            raise ValueError(f"alt holds no number: {self.alt!r}; compute one from the data")
        if re.search(r"\bnan\b|\binf\b", self.alt):
            raise ValueError(f"alt holds a number that is not finite: {self.alt!r}")

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What was computed from the frame, by name."""
        return dict(self.compute_facts(self.frame)) if self.compute_facts else {}

    @cached_property
    def alt(self) -> str:
        """The alternative text."""
        return filled(self.template, self.values)

    @property
    def values(self) -> dict[str, Any]:
        """Settings and facts, which texts may name."""
        return {**self.frame.settings, **self.facts}

    @cached_property
    def drawings(self) -> tuple[Any, ...]:
        """Each panel as a drawing of matplotlib."""
        return tuple(panel.drawn(self.frame, self.values) for panel in self.panels)

    @cached_property
    def panels_svg(self) -> tuple[str, ...]:
        """Each panel as an ``<svg>`` element."""
        return tuple(panel.written(drawn) for panel, drawn in zip(self.panels, self.drawings, strict=True))

    def png(self) -> bytes:
        """All panels on one sheet, for where no SVG will do."""
        return png(self.drawings, [(panel.width, panel.height) for panel in self.panels])

    @cached_property
    def given(self) -> dict[str, Any]:
        """What the explorer is given, by name."""
        return dict(self.compute_given(self.frame)) if self.compute_given else {}

    def explored(self) -> str:
        """The picture inside the element that lets a reader change it."""
        given = html.escape(json.dumps(self.given, separators=(",", ":")))
        return f'<{self.explorer} data-given="{given}">{self.html()}</{self.explorer}>'

    def html(self) -> str:
        """All panels, as one picture with its alternative text."""
        kind = "panels single" if len(self.panels) == 1 else "panels"
        label = html.escape(self.alt)
        return f'<div class="{kind}" role="img" aria-label="{label}">{"".join(self.panels_svg)}</div>'

    def csv(self) -> str:
        """The data as comma-separated text (:meth:`~pe_book.show.drawing.frame.Frame.csv`)."""
        return self.frame.csv()

    def redrawn(self, frame: Frame) -> Figure:
        """The same figure of other data."""
        return Figure(
            frame, *self.panels, alt=self.template, facts=self.compute_facts, explorer=self.explorer,
            given=self.compute_given,
        )  # fmt: skip
