"""Names find a place, and what lies far outside of the panel takes no memory."""

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line


def test_a_line_that_leaves_its_panel_is_drawn_and_named():
    frame = Frame({"x": range(5), "y": np.exp([0.0, 1, 2, 300, 512])}, steps=4)
    alt = "A curve that rises and leaves its panel in {steps} steps."
    shown = Figure(frame, Panel(Line("x", "y", label="leaves"), ylim=(0, 8)), alt=alt)
    assert "leaves" in shown.html()
