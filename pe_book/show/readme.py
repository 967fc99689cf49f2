"""The picture of the README, as a file: ``python -m pe_book.show.readme`` draws it anew."""

from pathlib import Path

from pe_book.show.drawing.figure import Figure
from pe_book.show.sinusoidal.waves import dials

PATH = Path(__file__).resolve().parents[2] / "docs" / "_static" / "readme.svg"
# outside the site no stylesheet says what the roles are in the dark
DARK = {"ink": "#e6eaf0", "muted": "#9aa5b3", "grid": "#3b4450", "paper": "#12161c", "blue": "#58b0f0"}
DARK |= {"orange": "#f0994a", "green": "#3dbb84", "purple": "#c58ae0", "red": "#f0707a"}


def picture() -> Figure:
    """The four dials of width 8 and where they point for twenty words."""
    return dials(20, 8)


def standalone(figure: Figure) -> str:
    """The panels of a figure side by side, in one SVG file that follows the reader's colour scheme.

    Examples
    --------
    >>> standalone(picture())[:4]
    '<svg'
    """
    roles = "; ".join(f"--pe-{role}: {colour}" for role, colour in DARK.items())
    parts, across = [f"<style>@media (prefers-color-scheme: dark) {{ svg {{ {roles} }} }}</style>"], 0
    for panel, svg in zip(figure.panels, figure.panels_svg, strict=True):
        place = f'x="{across}" width="{panel.width}" height="{panel.height}"'
        parts.append(svg.replace("<svg ", f"<svg {place} ", 1))
        across += panel.width
    box = f"0 0 {across} {max(panel.height for panel in figure.panels)}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">\n' + "\n".join(parts) + "\n</svg>\n"


if __name__ == "__main__":
    PATH.write_text(standalone(picture()), encoding="utf-8")
