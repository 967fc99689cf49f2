"""A figure without its page: nothing that only a page knows, and a PNG of the same drawing."""

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from pe_book.show.drawing.alone import MARGIN, WIDEST_ROW, alone, places
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line
from pe_book.show.drawing.raster import WIDTH
from pe_book.show.drawing.style import PALETTE

X = np.arange(12.0)


def lines():
    frame = Frame({"x": X, "y": X**2, "z": 100 - X}, n=len(X))
    named = Line("x", "y", label="squares"), Line("x", "z", label="rest", colour="orange")
    alt = "Squares of {n} numbers, and what is left of them."
    return Figure(
        frame, Panel(*named, y="value"), Panel(Line("x", "y"), Guide(y=50.0), width=156), alt=alt
    )  # fmt: skip


def map_of_numbers():
    x, y = (part.ravel() for part in np.meshgrid(X, X))
    return Figure(
        Frame({"x": x, "y": y, "v": np.cos(x - y)}, n=len(X)), Panel(Heat("x", "y", "v")),
        alt="A map of the cosines of {n} times as many differences.",
    )  # fmt: skip


@pytest.mark.parametrize("make", [lines, map_of_numbers])
def test_nothing_is_left_that_only_a_page_knows(make):
    figure = make()
    text = alone(figure.html(), title="Figure 1", told=figure.alt)
    root = ET.fromstring(text)
    for only in ("var(", "light-dark(", "class=", "data-part", "filter", "paint-order", "<style"):
        assert only not in text
    assert text.count("<image") == figure.html().count("<image")
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(texts) == set(re.findall(r"<text[^>]*>([^<]*)</text>", figure.html()))
    assert PALETTE.ink in text


def test_words_of_others_cannot_break_the_file():
    text = alone(lines().html(), title="a < b & c", told='"<d>"')
    assert ET.fromstring(text)[0].text == "a < b & c"


@pytest.mark.parametrize("make", [lines, map_of_numbers])
def test_the_png_is_the_same_each_time_and_leaves_the_drawing_as_it_was(make):
    figure = make()
    before = figure.html()
    first = figure.png()
    assert first == figure.png() == make().png()
    figure.__dict__.pop("panels_svg")
    assert figure.html() == before, "the SVG after the PNG is the SVG before it"
    picture = Image.open(io.BytesIO(first))
    _, (width, height) = places([(panel.width, panel.height) for panel in figure.panels])
    assert picture.size == (WIDTH, round(height * WIDTH / width))
    assert picture.convert("RGB").getpixel((0, 0)) == tuple(bytes.fromhex(PALETTE.paper[1:]))


@pytest.mark.parametrize("sizes", [[(156, 90)] * 5, [(200, 100), (312, 300), (300, 50)]])
def test_panels_do_not_meet_and_stay_on_the_sheet(sizes):
    corners, (width, height) = places(sizes)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(corners, sizes, strict=True)]
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert MARGIN <= left <= right <= width - MARGIN <= WIDEST_ROW + MARGIN
        assert MARGIN <= top <= bottom <= height - MARGIN
        for other in boxes[:number]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
