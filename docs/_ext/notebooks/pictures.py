"""Figures of a notebook: the PNG of the page, no wider than a notebook has room for, within the text.

A PNG in the address of an image is the one form that Colab and JupyterLab both show: Colab leaves out
attachments and SVG (googlecolab/colabtools, issues 3836 and 2092).
"""

from __future__ import annotations

import base64
import io
import re
from functools import lru_cache

from PIL import Image

from pe_book.show.drawing.alone import places

WIDEST = 960  # pixels
LARGER = 1.5  # than on the page, as the text of a notebook is beside that of a panel
PANEL = re.compile(r'<svg [^>]*class="pe-panel" viewBox="0 0 ([\d.]+) ([\d.]+)"')
POINT = 96 / 72  # pixels of the page
COLOURS = 256


@lru_cache(maxsize=64)  # both notebooks of a page show it
def narrowed(png: str, wide: int) -> str:
    """A PNG in base64 that is no wider, in as few colours as show no difference."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    picture.thumbnail((wide, picture.height))
    out = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def sizes_of(html: str) -> tuple[tuple[int, int], ...]:
    """Width and height of the panels of a figure in pixels of the page."""
    return tuple((round(float(w) * POINT), round(float(h) * POINT)) for w, h in PANEL.findall(html))


def width_of(sizes: tuple[tuple[int, int], ...]) -> int:
    """How wide the panels are in a notebook, laid out as the PNG has them."""
    (wide, _) = places(sizes)[1] if sizes else (WIDEST, 0)
    return min(WIDEST, round(LARGER * wide))


def as_markdown(png: str, alt: str, sizes: tuple[tuple[int, int], ...]) -> str:
    """An image with its alternative text."""
    words = re.sub(r"([\\\[\]*_`$<>])", r"\\\1", alt)
    return f"![{words}](data:image/png;base64,{narrowed(png, width_of(sizes))})"
