"""Names find a place, and what lies far outside of the panel takes no memory."""

import numpy as np
import pytest

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.places import FAR, _between
from pe_book.show.drawing.plots import Line


@pytest.mark.parametrize("end", [1e6, 1e222, -1e300])
def test_a_stretch_that_leads_far_away_has_the_points_that_are_near(end):
    found = _between(np.array([[10.0, 20.0], [400.0, end]]))
    assert len(found) <= FAR
    assert found[0].tolist() == [10, 20]
    near = found[np.abs(found).max(axis=1) <= FAR]
    assert np.linalg.norm(np.diff(near, axis=0), axis=1).max() < 2.1
    assert np.abs(near[:, 1]).max() > FAR - 4, "up to where it is far"


def test_a_line_that_leaves_its_panel_is_drawn_and_named():
    frame = Frame({"x": range(5), "y": np.exp([0.0, 1, 2, 300, 512])}, steps=4)
    alt = "A curve that rises and leaves its panel in {steps} steps."
    shown = Figure(frame, Panel(Line("x", "y", label="leaves"), ylim=(0, 8)), alt=alt)
    assert "leaves" in shown.html()
