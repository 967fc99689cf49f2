"""A figure as PNG: the drawings from which its SVG is written, put on the same sheet by Agg."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from PIL import Image

from pe_book.show.drawing.alone import places
from pe_book.show.drawing.style import PALETTE, STYLE

__all__ = ["WIDTH", "png"]

WIDTH = 1600  # px
COLOURS = 256  # a picture of lines needs no more; one with a map keeps all it has
CLEAR = [withStroke(linewidth=2.5, foreground=PALETTE.paper)]  # a name on a line stands clear of it


def png(drawings: Sequence[Any], sizes: Sequence[tuple[int, int]]) -> bytes:
    """The drawings of panels, of these sizes on the page (px), as one PNG on paper, the same each time."""
    corners, (wide, high) = places(sizes)
    scale = WIDTH / wide
    sheet = Image.new("RGB", (WIDTH, round(high * scale)), PALETTE.paper)
    for (x, y), drawing in zip(corners, drawings, strict=True):
        sheet.paste(Image.fromarray(pixels(drawing, scale)), (round(x * scale), round(y * scale)))
    if not any(axes.images for drawing in drawings for axes in drawing.axes):
        sheet = sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    out = io.BytesIO()
    # the size that it has on the page; the next level takes twice as long for a twentieth fewer bytes
    sheet.save(out, "PNG", compress_level=7, dpi=(96 * scale, 96 * scale))
    return out.getvalue()


def pixels(drawing: Any, scale: float) -> Any:
    """A panel in so many pixels for each of the page, on paper; the drawing is left as it was."""
    texts = [text for text in drawing.findobj(Text) if str(text.get_gid()).startswith("pe-clear-")]
    with mpl.rc_context(STYLE):
        was = drawing.get_dpi()
        try:
            drawing.set_dpi(96 * scale)
            drawing.patch.set_facecolor(PALETTE.paper)
            for text in texts:
                text.set_path_effects(CLEAR)
            canvas: Any = FigureCanvasAgg(drawing)
            canvas.draw()
            return np.array(canvas.buffer_rgba())[..., :3]
        finally:
            drawing.set_dpi(was)
            drawing.patch.set_facecolor("none")
            for text in texts:
                text.set_path_effects([])
