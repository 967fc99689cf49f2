"""A figure as one picture that needs no page: panels in rows, colours resolved as by day, on paper."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from pe_book.show.drawing.style import PALETTE

__all__ = ["BETWEEN", "FONT", "MARGIN", "WIDEST_ROW", "alone", "panels_of", "places"]

MARGIN, BETWEEN = 12, 16  # px around the panels and between them
WIDEST_ROW = 640  # px: two panels of 312 stand side by side
# text stays text; these are the faces of the page, and whatever a machine has without serifs
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
PX = 96 / 72  # a panel is drawn in points
CLEAR = re.compile(r'<g( style="paint-order: stroke; [^"]*")>\n(<text .*?</text>)\n</g>', re.DOTALL)


def places(sizes: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Where panels of these widths and heights (px) stand, each row in the middle; and the whole size.

    Examples
    --------
    >>> places([(312, 200), (312, 200), (156, 100)])
    ([(12, 12), (340, 12), (254.0, 228)], (664, 340))
    """
    rows: list[list[int]] = []
    for number, (width, _) in enumerate(sizes):
        taken = sum(sizes[one][0] + BETWEEN for one in rows[-1]) if rows else 0
        if rows and taken + width <= WIDEST_ROW:
            rows[-1].append(number)
        else:
            rows.append([number])
    lengths = [sum(sizes[one][0] for one in row) + BETWEEN * (len(row) - 1) for row in rows]
    widest, down = max(lengths), float(MARGIN)
    corners: list[tuple[float, float]] = []
    for row, length in zip(rows, lengths, strict=True):
        across = MARGIN + (widest - length) / 2 if length < widest else MARGIN
        for one in row:
            corners.append((across, int(down)))
            across += sizes[one][0] + BETWEEN
        down += max(sizes[one][1] for one in row) + BETWEEN
    return corners, (widest + 2 * MARGIN, int(down) - BETWEEN + MARGIN)


def panels_of(picture: str) -> list[str]:
    """The panels of a picture as it stands on a page.

    Examples
    --------
    >>> panels_of('<div><svg class="pe-panel"></svg></div>')
    ['<svg class="pe-panel"></svg>']
    """
    return re.findall(r'<svg [^>]*class="pe-panel".*?</svg>', picture, re.DOTALL)


def size_of(panel: str) -> tuple[float, float]:
    """Width and height of a panel in pixels.

    Examples
    --------
    >>> size_of('<svg viewBox="0 0 234 150">')
    (312, 200)
    """
    [(width, height)] = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', panel)
    return round(float(width) * PX), round(float(height) * PX)


def resolved(panel: str) -> str:
    """What is inside a panel, without variables, classes, filters, and what only a browser knows.

    Examples
    --------
    >>> resolved('<svg class="pe-panel"><g data-part="0" style="fill: var(--pe-ink, #1b2431)"/></svg>')
    '<g style="fill: #1b2431"/>'
    """
    inside = panel[panel.index(">") + 1 : panel.rindex("</svg>")]
    inside = re.sub(r"<defs><filter .*?</filter></defs>", "", inside, flags=re.DOTALL)
    inside = re.sub(r' (?:data-part|class|filter)="[^"]*"', "", inside)
    inside = re.sub(r"var\(--pe-\w+, ([^()]+)\)", r"\1", inside)
    inside = re.sub(r"light-dark\(([^,()]+), [^()]+\)", r"\1", inside)
    inside = inside.replace(" href=", " xlink:href=")  # older programs know no other
    return CLEAR.sub(r"<g\1>\n\2\n</g>\n\2", inside).replace("paint-order: stroke; ", "")


def alone(picture: str, *, title: str, told: str) -> str:
    """A figure as the text of an SVG file.

    Parameters
    ----------
    picture : str
        The panels as :meth:`~pe_book.show.drawing.figure.Figure.html` gives them.
    title : str
        What the picture is called, such as ``"Figure 3.5.1"``.
    told : str
        What it shows, for those who do not see it, and whose it is.

    Examples
    --------
    >>> panel = '<svg class="pe-panel" viewBox="0 0 234 150"><path d="M 0 0 L 234 150"/></svg>'
    >>> print(alone(panel, title="Figure 1", told="One panel.").splitlines()[1])
    <title>Figure 1</title>
    """
    panels = panels_of(picture)
    corners, (width, height) = places([size_of(panel) for panel in panels])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
        f"<title>{html.escape(title)}</title>",
        f"<desc>{html.escape(told)}</desc>",
        f'<rect width="100%" height="100%" style="fill: {PALETTE.paper}"/>',
        f'<g style="font-family: {FONT}; stroke-linejoin: round; stroke-linecap: butt">',
    ]
    for (x, y), panel in zip(corners, panels, strict=True):
        lines.append(f'<g transform="translate({x:g} {y:g}) scale({PX:.6f})">{resolved(panel)}</g>')
    return "\n".join([*lines, "</g>", "</svg>", ""])
