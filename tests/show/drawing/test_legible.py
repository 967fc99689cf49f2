"""Every text of every figure stands out from what lies behind it, light and dark (WCAG 1.4.3).

What lies behind a text is the page, tinted boxes and bands that were drawn before it, or a pixel
of a heat map.
"""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from pe_book.show.drawing.diagram import Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line
from pe_book.show.drawing.style import PALETTE, at_night
from tests.show import walk
from tests.show.drawing.svg import SVG, _pixels, _text
from tests.show.drawing.test_style import luminance, palette_from

STATIC = Path(__file__).resolve().parents[3] / "docs" / "_themes" / "executable_book" / "static"
CSS = (STATIC / "book.css").read_text(encoding="utf-8")
LEAST, LEAST_LARGE, LARGE = 4.5, 3.0, 18.0  # points; bold texts count as others, which asks more of them
WIDE = 0.55  # of a letter, of its height


def rgb(colour, roles):
    """Red, green and blue of a colour as the SVG writes it, with the page's own value for a role."""
    if both := re.fullmatch(r"light-dark\((.+), (.+)\)", colour):
        colour = both[2 if at_night_is(roles) else 1]
    role = re.search(r"var\(--pe-(\w+)", colour)
    digits = (roles[role[1]] if role else colour).strip().lstrip("#")
    return np.array([int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)])


def at_night_is(roles):
    return luminance(roles["paper"].strip()) < 0.5


def painted(root, roles):
    """What is filled, and each text with the number of things that were painted before it."""
    fills, texts = [], []
    stack = [(root, False)]
    while stack:
        element, defined = stack.pop()
        style = element.get("style", "")
        fill = re.search(r"(?<![-\w])fill: ([^;]+)", style)
        if element.tag == f"{SVG}image":
            pixels, (left, top, right, bottom) = _pixels(element)
            fills.append(((left, top, right, bottom), pixels, 1.0))
        elif element.tag == f"{SVG}text":
            texts.append((_text(element), len(fills)))
        elif element.tag == f"{SVG}path" and not defined and fill and fill[1] != "none":
            points = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", element.get("d", "")), float)
            opacity = re.search(r"(?:fill-)?opacity: ([\d.]+)", style)
            if len(points):
                box = (*points.min(0), *points.max(0))
                fills.append((box, rgb(fill[1], roles), float(opacity[1]) if opacity else 1.0))
        inner = defined or element.tag == f"{SVG}defs"
        stack += [(child, inner) for child in reversed(element)]
    return fills, texts


def ratios(svg, roles):
    """The least contrast of each text with what lies behind its letters."""
    fills, texts = painted(ET.fromstring(svg), roles)
    for text, before in texts:
        width = len(text.words) * text.size * WIDE
        start = text.x - {"middle": width / 2, "end": width}.get(text.anchor, 0.0)
        ink = luminance("#" + bytes((rgb(text.colour, roles) * 255).round().astype(int).tolist()).hex())
        least = np.inf
        for x in start + width * np.array([0.1, 0.5, 0.9]):
            behind, y = rgb(roles["paper"], roles), text.y - 0.35 * text.size
            for (left, top, right, bottom), colour, opacity in fills[:before]:
                if left <= x <= right and top <= y <= bottom:
                    if colour.ndim == 3:
                        row = int((y - top) / (bottom - top) * len(colour) * 0.999)
                        pixel = colour[row, int((x - left) / (right - left) * colour.shape[1] * 0.999)]
                        shade = at_night(pixel) if at_night_is(roles) else pixel[:3]
                        colour, opacity = np.array(shade), pixel[3]
                    behind = opacity * colour + (1 - opacity) * behind
            low, high = sorted((luminance(behind), ink))
            least = min(least, (high + 0.05) / (low + 0.05))
        yield text, least


def illegible(figure):
    """The texts of a figure that are too pale, with the scheme and the contrast."""
    return [
        (scheme, text.words, round(float(least), 2))
        for scheme in ("light", "dark")
        for svg in figure.panels_svg
        for text, least in ratios(svg, palette_from(CSS, scheme))
        if least < (LEAST_LARGE if text.size >= LARGE else LEAST)
    ]


@pytest.mark.parametrize("page", sorted({page for page, _ in walk.labels("figure")}))
def test_every_text_of_a_page_s_figures_can_be_read(page):
    figures = {label: found.made for label, found in walk.shown(page).items() if found.kind == "figure"}
    assert figures
    assert {label: bad for label, figure in figures.items() if (bad := illegible(figure))} == {}


def boxes(**more):
    frame = Frame({"x": [0.0], "y": [0.0], "word": ["lion"]}, count=1)
    panel = Panel(Boxes("{word}", "x", "y", size=(2, 1), **more), bare=True)
    return Figure(frame, panel, alt="A box with the word lion in it; boxes of its kind: {count}.")


def test_a_box_that_is_too_dark_for_its_text_is_seen():
    assert illegible(boxes()) == []
    assert {scheme for scheme, word, _ in illegible(boxes(tint=0.9)) if word == "lion"} == {"light", "dark"}


def test_a_pale_name_is_seen(monkeypatch):
    frame = Frame({"x": [0.0, 1.0], "y": [0.0, 1.0]}, top=1)
    figure = Figure(
        frame, Panel(Line("x", "y", label="name")), alt="A line that rises from nothing to {top} in one step."
    )
    assert illegible(figure) == []
    monkeypatch.setattr("tests.show.drawing.test_legible.CSS", CSS.replace(PALETTE.blue, "#0b82d4"))
    assert [words for _, words, _ in illegible(figure)] == ["name"]
