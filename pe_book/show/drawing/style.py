"""How pictures look: colours by role, which the page decides in light, dark and on paper, and type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.colors import LinearSegmentedColormap

__all__ = ["DIVERGING", "ON_MAPS", "PALETTE", "SEQUENTIAL", "STYLE", "Palette", "at_night", "text_on"]


@dataclass(frozen=True)
class Palette:
    """The colours of the book by role; on a page each becomes the CSS variable ``--pe-<role>``.

    Every value is a hex colour that no one would type by chance, so that it can be recognised in the drawing.

    Examples
    --------
    >>> PALETTE.blue
    '#0a64d6'
    """

    ink: str = "#1b2431"
    muted: str = "#5e6977"
    grid: str = "#d4dae2"
    blue: str = "#0a64d6"
    orange: str = "#ae4c06"
    green: str = "#037546"
    purple: str = "#731a91"
    red: str = "#96040f"
    paper: str = "#fefefd"


PALETTE = Palette()
DASHES: dict[str, Any] = {"": "-", "dashed": (0, (4, 3)), "dotted": (0, (1, 1.6))}

# signed data, centred at zero: negative is blue, positive is orange
DIVERGING = LinearSegmentedColormap.from_list(
    "pe_diverging", ["#06305f", "#0a6ab2", "#86bfe8", "#f6f6f4", "#f0b373", "#bf5f06", "#5c2a00"]
)
# unsigned data: the more, the darker
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "pe_sequential", ["#f6f6f4", "#c3d9ec", "#7fb0da", "#3a83c4", "#0b5aa6", "#062b57"]
)
# on a heat map: black or white by day, black or white by night, and what stands for the two in a drawing
BLACK, WHITE = "#020304", "#ffffff"
ON_MAPS = {
    (BLACK, WHITE): "#020305",
    (WHITE, BLACK): "#fefffc",
    (BLACK, BLACK): "#020306",
    (WHITE, WHITE): "#fefffb",
}

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": PALETTE.muted,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.labelcolor": PALETTE.ink,
    "axes.labelpad": 3,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.unicode_minus": True,
    "figure.dpi": 72,  # one pixel is one point
    "figure.facecolor": "none",
    "font.family": "DejaVu Sans",  # shipped with matplotlib: the layout is the same on every machine
    "font.size": 9.5,
    "image.interpolation": "none",  # the matrix itself is embedded, one pixel an entry
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "path.simplify": False,  # every point of the data stands in the drawing
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "pe_book",
    "text.color": PALETTE.ink,
    "xtick.color": PALETTE.muted,
    "xtick.labelcolor": PALETTE.ink,
    "xtick.labelsize": 9,
    "ytick.color": PALETTE.muted,
    "ytick.labelcolor": PALETTE.ink,
    "ytick.labelsize": 9,
}


def at_night(shade: tuple[float, ...]) -> tuple[float, float, float]:
    """What becomes of a shade of a map on a dark page: pale is dark, and blue stays blue.

    Examples
    --------
    >>> at_night((1.0, 1.0, 1.0)), at_night((0.0, 0.25, 0.5))
    ((0.0, 0.0, 0.0), (0.5, 0.75, 1.0))
    """
    red, green, blue = (float(c) for c in shade[:3])
    return 1 - blue, 1 - green, 1 - red


def text_on(shade: tuple[float, ...]) -> str:
    """The colour of text on a shade of a map: whichever has at least 4.5:1, by day and at night.

    Examples
    --------
    >>> text_on((0.9, 0.9, 0.2)) == ON_MAPS[BLACK, WHITE], text_on((0.0, 0.1, 0.4)) == ON_MAPS[WHITE, BLACK]
    (True, True)
    """
    return ON_MAPS[_ink_on(shade), _ink_on(at_night(shade))]


def _ink_on(shade: tuple[float, ...]) -> str:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3])
    return BLACK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else WHITE
