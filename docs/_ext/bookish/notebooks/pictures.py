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

WIDEST = 960  # pixels
LARGER = 1.5  # than on the page, as the text of a notebook is beside that of a panel
PER_INCH = 96  # pixels of the page
COLOURS = 256


@lru_cache(maxsize=64)  # both notebooks of a page show it
def narrowed(png: str) -> str:
    """A PNG in base64 as wide as a notebook shows it, in as few colours as show no difference."""
    whole = Image.open(io.BytesIO(base64.b64decode(png)))
    # its resolution says how large it is on the page
    on_page = round(whole.width / whole.info["dpi"][0] * PER_INCH)
    picture = whole.convert("RGB")
    picture.thumbnail((min(WIDEST, round(LARGER * on_page)), picture.height))
    out = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def as_markdown(png: str, alt: str) -> str:
    """An image with its alternative text."""
    words = re.sub(r"([\\\[\]*_`$<>])", r"\\\1", alt)
    return f"![{words}](data:image/png;base64,{narrowed(png)})"
