"""Every text of every figure stands out from what lies behind it, light and dark (WCAG 1.4.3).

What lies behind a text is the page, tinted boxes, bars and bands, or a cell of a heat map.
"""

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import FancyBboxPatch, Rectangle

from pe_book.show.drawing.diagram import Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel, _texts
from pe_book.show.drawing.plots import Heat, Line
from pe_book.show.drawing.style import ON_MAPS, PALETTE, at_night
from tests.show import walk
from tests.show.drawing.test_style import luminance, palette_from

STATIC = Path(__file__).resolve().parents[3] / "docs" / "_themes" / "executable_book" / "static"
CSS = (STATIC / "book.css").read_text(encoding="utf-8")
LEAST, LEAST_LARGE, LARGE = 4.5, 3.0, 18.0  # points; bold texts count as others, which asks more of them
ROLES = {colour: role for role, colour in vars(PALETTE).items()} | {"#000000": "ink"}
DAY_AND_NIGHT = {drawn: shades for shades, drawn in ON_MAPS.items()}


def painter(scheme):
    """What becomes of a drawn colour on the page in one scheme: red, green and blue."""
    roles = palette_from(CSS, scheme)

    @cache
    def shown(drawn):
        name = DAY_AND_NIGHT[drawn][scheme == "dark"] if drawn in DAY_AND_NIGHT else roles[ROLES[drawn]]
        return np.array(to_rgba(name)[:3])

    return lambda colour: shown(to_hex(colour))


def fills(drawing, shown, dark):
    """What is filled: its box, its colours by row and column, and how opaque they are."""
    for axes in drawing.axes:
        for image in axes.images:
            pixels = image.to_rgba(image.get_array())[::-1]
            colours = np.apply_along_axis(at_night, -1, pixels) if dark else pixels[..., :3]
            yield image.get_window_extent().get_points(), colours, pixels[..., 3]
        for patch in axes.patches:
            *colour, opacity = patch.get_facecolor()
            box = patch.get_window_extent().get_points()
            if opacity and isinstance(patch, FancyBboxPatch | Rectangle) and np.ptp(box, axis=0).all():
                yield box, shown(colour)[None, None], np.full((1, 1), opacity)


def illegible(figure):
    """The texts of a figure that are too pale, with the scheme and the contrast."""
    found = []
    for scheme, drawing in product(("light", "dark"), figure.drawings):
        shown = painter(scheme)
        painted = list(fills(drawing, shown, scheme == "dark"))
        for text in _texts(drawing):
            low, high = text.get_window_extent().get_points()
            ink, least = luminance(shown(text.get_color())), np.inf
            for share in (0.1, 0.5, 0.9):
                point, ground = low + (high - low) * (share, 0.5), shown(PALETTE.paper)
                for (first, last), colours, opacities in painted:
                    column, row = place = (point - first) / (last - first)
                    if (place >= 0).all() and (place < 1).all():
                        cell = int(row * len(colours)), int(column * colours.shape[1])
                        ground = opacities[cell] * colours[cell] + (1 - opacities[cell]) * ground
                pale, deep = max(luminance(ground), ink), min(luminance(ground), ink)
                least = min(least, (pale + 0.05) / (deep + 0.05))
            if least < (LEAST_LARGE if text.get_size() >= LARGE else LEAST):
                found.append((scheme, text.get_text(), round(float(least), 2)))
    return found


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


def test_a_text_on_a_map_in_the_ink_of_the_page_is_seen(monkeypatch):
    frame = Frame({"x": [0, 1], "y": [0, 0], "value": [-1.0, 1.0]}, top=1)
    alt = "A map of two cells, a dark blue one and a dark orange one, up to {top}."
    figure = Figure(frame, Panel(Heat("x", "y", "value", text="{value:.1f}"), bare=True), alt=alt)
    assert illegible(figure) == []
    monkeypatch.setattr("pe_book.show.drawing.plots.text_on", lambda shade: PALETTE.ink)
    assert illegible(figure.redrawn(frame)) != []


def test_a_pale_name_is_seen(monkeypatch):
    frame = Frame({"x": [0.0, 1.0], "y": [0.0, 1.0]}, top=1)
    figure = Figure(
        frame, Panel(Line("x", "y", label="name")), alt="A line that rises from nothing to {top} in one step."
    )
    assert illegible(figure) == []
    monkeypatch.setattr("tests.show.drawing.test_legible.CSS", CSS.replace(PALETTE.blue, "#0b82d4"))
    assert [words for _, words, _ in illegible(figure)] == ["name"]
