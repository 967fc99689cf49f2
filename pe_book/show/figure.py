"""One figure: the picture, the sentence that says what it shows, and the numbers behind it.

Pictures are drawn with matplotlib, without pyplot and without leaving a trace in its settings. They become
inline SVG whose role colours are CSS variables: the page decides what "ink" is in light, dark and on paper.
The same data gives the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import math
import numbers
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

__all__ = ["DIVERGING", "PALETTE", "SEQUENTIAL", "Figure", "Palette", "canvas"]

SMALLEST_TEXT = 9.0  # points; below this a label cannot be read on a phone
SHORTEST_ALT = 40  # characters


@dataclass(frozen=True)
class Palette:
    """The colours of the book by role; on a page each becomes the CSS variable ``--pe-<role>``.

    Every value is a hex colour that no one would type by chance, so that it can be recognised in the drawing.

    Examples
    --------
    >>> PALETTE.blue
    '#0b82d4'
    """

    ink: str = "#1b2431"
    muted: str = "#636e7c"
    grid: str = "#d4dae2"
    blue: str = "#0b82d4"
    orange: str = "#d06a09"
    green: str = "#047d4c"
    purple: str = "#731a91"
    red: str = "#96040f"
    paper: str = "#fefefd"


PALETTE = Palette()

# signed data, centred at zero: negative is blue, positive is orange
DIVERGING = LinearSegmentedColormap.from_list(
    "pe_diverging", ["#06305f", "#0a6ab2", "#86bfe8", "#f6f6f4", "#f0b373", "#bf5f06", "#5c2a00"]
)
# unsigned data: the more, the darker
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "pe_sequential", ["#f6f6f4", "#c3d9ec", "#7fb0da", "#3a83c4", "#0b5aa6", "#062b57"]
)

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": PALETTE.muted,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.labelcolor": PALETTE.ink,
    "axes.labelsize": 10.5,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=[PALETTE.blue, PALETTE.orange, PALETTE.green, PALETTE.purple]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": PALETTE.ink,
    "axes.titlesize": 11,
    "axes.unicode_minus": True,
    "figure.facecolor": "none",
    "font.family": "DejaVu Sans",  # shipped with matplotlib: the layout is the same on every machine
    "font.size": 10.5,
    "grid.color": PALETTE.grid,
    "grid.linewidth": 0.7,
    "hatch.color": PALETTE.muted,
    "image.interpolation": "none",  # the matrix itself is embedded, one pixel an entry
    "legend.edgecolor": PALETTE.grid,
    "legend.facecolor": "none",
    "legend.fontsize": 10,
    "legend.frameon": False,
    "legend.labelcolor": PALETTE.ink,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "mathtext.fontset": "stix",
    "patch.edgecolor": PALETTE.ink,
    "patch.facecolor": PALETTE.blue,
    "savefig.transparent": True,
    "scatter.edgecolors": "face",
    "svg.fonttype": "none",
    "svg.hashsalt": "pe_book",
    "text.color": PALETTE.ink,
    "xtick.color": PALETTE.muted,
    "xtick.labelcolor": PALETTE.ink,
    "xtick.labelsize": 10,
    "ytick.color": PALETTE.muted,
    "ytick.labelcolor": PALETTE.ink,
    "ytick.labelsize": 10,
}


def _styled(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        with mpl.rc_context(STYLE):
            return method(*args, **kwargs)

    return call


# matplotlib reads many defaults when an artist is made, not when the axes are: these methods make artists
_MAKERS = {
    "add_axes", "add_subplot", "annotate", "arrow", "axhline", "axhspan", "axline", "axvline",
    "axvspan", "bar", "barh", "clabel", "colorbar", "contour", "contourf", "errorbar", "fill",
    "fill_between", "fill_betweenx", "grid", "hist", "hlines", "imshow", "inset_axes", "legend",
    "loglog", "matshow", "plot", "quiver", "scatter", "semilogx", "semilogy", "stem", "step",
    "subplots", "suptitle", "supxlabel", "supylabel", "text", "tick_params", "twinx", "twiny", "vlines",
}  # fmt: skip


def _in_book_style(cls: type) -> type:
    for name in dir(cls):
        if name in _MAKERS or name.startswith("set_"):
            method = getattr(cls, name)
            if callable(method):
                setattr(cls, name, _styled(method))
    return cls


@_in_book_style
class _BookAxes(Axes):
    """Axes that draw in the book's style, whatever the caller's settings are."""

    name = "pe_book"


@_in_book_style
class _BookDrawing(Drawing):
    """A matplotlib figure that draws in the book's style."""


def canvas(
    height: float, *, columns: int = 1, rows: int = 1, width: float = 7.2, **options: Any
) -> tuple[Any, Any]:
    """An empty drawing in the book's style, and its axes.

    Parameters
    ----------
    height, width : float
        Size in inches; 7.2 is the width of the text column.
    columns, rows : int
        How many axes stand beside and above each other.
    **options
        Passed to ``Figure.subplots``: ``sharex``, ``sharey``, ``width_ratios``,
        ``height_ratios``, ``squeeze``.

    Returns
    -------
    fig : matplotlib.figure.Figure
    ax : matplotlib.axes.Axes or numpy array of them
        One axes; several come as an array of shape (columns,), (rows,) or (rows, columns).

    Raises
    ------
    ValueError
        A size is not positive, or there are no axes.

    Examples
    --------
    >>> fig, (left, right) = canvas(2.5, columns=2)
    >>> line, = left.plot([0, 1], [0, 1], color=PALETTE.blue)
    """
    for name, value in (("height", height), ("width", width)):
        if not 0 < value < 100:
            raise ValueError(f"{name} is {value}; a size in inches, above 0 and below 100, is needed")
    if columns < 1 or rows < 1:
        raise ValueError(f"columns is {columns} and rows is {rows}; each must be at least 1")
    with mpl.rc_context(STYLE):
        fig = _BookDrawing(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(fig)
        axes = fig.subplots(rows, columns, subplot_kw={"axes_class": _BookAxes}, **options)
    return fig, axes


@dataclass(frozen=True)
class Figure:
    """A picture with its alternative text and the data it was drawn from.

    Parameters
    ----------
    svg : str
        An ``<svg>`` element for an HTML page. Its colours follow the page; its ids collide with no other's.
    alt : str
        One sentence that says what is seen, with values computed from the data.
    columns : tuple of str
        Names of the columns of the data.
    rows : tuple of tuples
        The data: numbers, texts, or None for an empty cell.
    """

    svg: str
    alt: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        """Refuse what a reader without the picture could not use."""
        if "\n" in self.alt or self.alt != self.alt.strip():
            raise ValueError(f"alt must be one line without space around it, not {self.alt!r}")
        if len(self.alt) < SHORTEST_ALT:
            raise ValueError(f"alt has fewer than {SHORTEST_ALT} characters: {self.alt!r}; say what is seen")
        if not re.search(r"\d", self.alt):
            raise ValueError(f"alt holds no number: {self.alt!r}; compute one from the data")
        if re.search(r"\bnan\b|\binf\b", self.alt):
            raise ValueError(f"alt holds a number that is not finite: {self.alt!r}")
        if not self.columns or not self.rows:
            raise ValueError("columns and rows must hold the data of the figure; one of them is empty")
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells; there are {len(self.columns)} columns")
            for cell in row:
                _cell(cell)

    @classmethod
    def of(cls, fig: Any, *, alt: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Figure:
        """Render a drawing made with :func:`canvas`.

        Parameters
        ----------
        fig : matplotlib.figure.Figure
        alt : str
            What the picture shows, with computed values; one line of at least 40 characters, one a digit.
        columns : sequence of str
        rows : iterable of sequences
            What was drawn, one row a point.

        Returns
        -------
        Figure

        Raises
        ------
        ValueError
            The alternative text or the data would not do, a label is smaller than 9 points, or an artist was
            left in matplotlib's own default colour.

        Examples
        --------
        >>> fig, ax = canvas(2.0)
        >>> _ = ax.plot([0, 1, 2], [0.0, 0.5, 2.0])
        >>> figure = Figure.of(fig, alt="A curve that rises from 0 to 2 while x goes from 0 to 2.",
        ...                    columns=("x", "y"), rows=[(0, 0.0), (1, 0.5), (2, 2.0)])
        >>> print(figure.csv(), end="")
        x,y
        0,0
        1,0.5
        2,2
        """
        figure = cls("", alt, tuple(columns), tuple(tuple(row) for row in rows))
        return cls(_render(fig, alt), figure.alt, figure.columns, figure.rows)

    def csv(self) -> str:
        """The data as comma-separated text: a header, floats to six significant digits."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(cell) for cell in row] for row in self.rows)
        return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral) or (hasattr(value, "dtype") and value.dtype.kind in "iub"):
        return str(value)
    if not isinstance(value, numbers.Real):
        raise TypeError(f"a cell is {value!r}; numbers, texts and None can be shown")
    if not math.isfinite(value):
        raise ValueError(f"a cell is {value}; give None where there is no value")
    shown = f"{float(value):.6g}"
    return "0" if shown == "-0" else shown


def _render(fig: Any, alt: str) -> str:
    for text in fig.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text.get_fontsize() < SMALLEST_TEXT:
            size = f"{text.get_fontsize():g} points; {SMALLEST_TEXT:g} is the least that can be read"
            raise ValueError(f"the label {text.get_text()!r} is {size}")
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        fig.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), alt)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.3f}".rstrip("0").rstrip(".").replace("-0.000", "0")


def _inline(svg: str, alt: str) -> str:
    """The SVG file as an element of an HTML page."""
    if "#1f77b4" in svg:
        raise ValueError("an artist has matplotlib's default colour #1f77b4; give it a role of PALETTE")
    svg = svg[svg.index("<svg") :].rstrip() + "\n"
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # this style element would apply to the whole page; the root's own style says the same
    svg = re.sub(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r"[ \t]*\n\s*", "\n", svg)

    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    names = {name for pair in used for name in pair if name}
    # a thousandth of a point is below what any screen shows
    svg = re.sub(r'(?<= d=")[^"]+', lambda m: re.sub(r"-?\d+\.\d{4,}", _short, m[0]), svg)
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in names else "", svg)
    # matplotlib's own names hash coordinates, whose last bits vary from run to run
    order = list(dict.fromkeys(re.findall(r' id="([^"]+)"', svg)))
    for number, name in enumerate(order):
        svg = re.sub(rf'(?<=[#"]){re.escape(name)}(?=[")])', f"part{number}", svg)

    # text: the page's font; letters of formulas: the font of the page's formulas
    svg = re.sub(r"font-family: 'STIX[^;\"]*", "font-family: KaTeX_Main, KaTeX_Math, serif", svg)
    svg = re.sub(
        r"font: italic ([\d.]+px) 'STIX[^;\"]*", r"font: italic \1 KaTeX_Main, KaTeX_Math, serif", svg
    )
    svg = re.sub(r"font: ([\d.]+px) 'STIX[^;\"]*", r"font: \1 KaTeX_Main, serif", svg)
    svg = re.sub(r"font-family: 'DejaVu Sans'[^;\"]*;? ?", "", svg)
    svg = re.sub(r"(font: [^;\"]*?[\d.]+px) 'DejaVu Sans'[^;\"]*", r"\1 var(--pe-font, sans-serif)", svg)
    # matplotlib leaves black, the default of SVG, unsaid
    svg = re.sub(r'<text style="(?![^"]*fill:)', f'<text style="fill: {PALETTE.ink}; ', svg)
    svg = svg.replace("#000000", PALETTE.ink)
    for role in fields(PALETTE):
        colour = getattr(PALETTE, role.name)
        svg = svg.replace(colour, f"var(--pe-{role.name}, {colour})")

    box = svg.split('viewBox="', 1)[1].split('"', 1)[0]
    width = float(box.split()[2]) * 96 / 72
    root = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pe-figure" viewBox="{box}" role="img" '
        f'aria-label="{html.escape(alt)}" style="width: 100%; max-width: {width:.0f}px; height: auto; '
        f'font-family: var(--pe-font, sans-serif); stroke-linejoin: round; stroke-linecap: butt">'
    )
    svg = root + svg[svg.index(">") + 1 :]
    prefix = "pe" + hashlib.sha256(svg.encode()).hexdigest()[:10]
    svg = re.sub(r' id="([^"]+)"', rf' id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    return re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
