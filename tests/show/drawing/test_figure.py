"""Figures: what a reader sees, hears and downloads comes from one frame, and always in the same bytes."""

import re

import matplotlib as mpl
import numpy as np
import pytest

from pe_book.show.drawing.diagram import Arcs, Arrows, Boxes, Dial, Turns, Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import WIDEST, Panel, number
from pe_book.show.drawing.plots import Bars, Guide, Heat, Line, Points, Span
from pe_book.show.drawing.style import PALETTE
from tests.show.drawing.drawn import check_panel, number_of
from tests.show.recomputed import Mismatch

ALT = "A curve that rises from {low} to {high:g} while x goes on, and stays."


def facts(frame):
    return {"low": frame["y"].min(), "high": frame["y"].max()}


def drawn(values=(0.0, 1.0, 2.0), *, alt=ALT, marks=None, **panel):
    frame = Frame({"x": range(len(values)), "y": values, "word": ["a", *[None] * (len(values) - 2), "b"]})
    return Figure(frame, Panel(*(marks or [Line("x", "y", label="y")]), **panel), alt=alt, facts=facts)


# ---- bytes


def test_same_data_same_bytes_and_other_data_other_bytes():
    assert drawn().html() == drawn().html()
    assert drawn().html() != drawn(values=(0.0, 1.0, 2.5)).html()


def test_bytes_do_not_depend_on_the_callers_settings():
    plain = drawn().html()
    loud = {"font.size": 30, "text.color": "pink", "svg.fonttype": "path", "xtick.color": "red"}
    with mpl.rc_context(loud):
        assert drawn().html() == plain


# ---- the element on the page


def test_role_colours_become_variables_and_no_other_colour_is_left():
    svg = drawn().html()
    assert f"var(--pe-blue, {PALETTE.blue})" in svg
    without = re.sub(r"var\(--pe-\w+, #[0-9a-f]{6}\)", "", svg)
    assert re.findall(r"#[0-9a-fA-F]{6}\b", without) == []


def test_the_picture_speaks_and_its_panels_do_not():
    html = drawn(alt='Two curves, "a" < "b" & {low} more, both above zero throughout.').html()
    assert html.startswith(
        '<div class="panels single" role="img" aria-label="Two curves, &quot;a&quot; &lt; '
    )
    assert html.count('aria-hidden="true"') == html.count("<svg") == 1


def test_a_panel_is_no_wider_than_a_phone():
    svg = drawn().panels_svg[0]
    assert f'viewBox="0 0 {WIDEST * 0.75:g} 150"' in svg
    assert f"width: {WIDEST}px" in svg
    with pytest.raises(ValueError, match="at most 312"):
        Panel(Line("x", "y"), width=313)


def test_nothing_reaches_beyond_the_figure():
    svg = drawn().html()
    for forbidden in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<script", "xlink", "<!--", "DejaVu"):
        assert forbidden not in svg
    assert re.findall(r'(?:href|src)="(?!#|data:)[^"]*', svg) == []


def ids(svg):
    return re.findall(r' id="([^"]*)"', svg)


def test_two_figures_on_a_page_share_no_id_and_every_reference_resolves():
    one, two = drawn().html(), drawn(values=(2.0, 1.0)).html()
    assert ids(one)
    assert not set(ids(one)) & set(ids(two))
    for svg in (one, two):
        assert len(ids(svg)) == len(set(ids(svg)))
        referred = re.findall(r"url\(#([^)]*)\)", svg) + re.findall(r'href="#([^"]*)"', svg)
        assert set(referred) == set(ids(svg))


# ---- every mark shows what its rows say, and a change of the drawing is seen

GRID = Frame.of_rows(
    ("x", "y", "value"), [(x, y, x - 0.5 * y) for x in range(3) for y in range(2)], top=2.0, start=1, stop=2
)
PLACES = Frame(
    {
        "name": ["in", "sum", "out"],
        "x": [0, 1, 2],
        "y": [0, 0.5, 0],
        "to": ["sum", "out", None],
        "angle": [0.0, 1.0, 2.5],
        "end": [1.0, 2.0, 3.0],
        "size": [1.5, 0.5, 2.0],
    }
)
MARKS = {
    "line": (GRID.where({"y": 0}), [Line("x", "value", label="value", dots=True)], {}),
    "dashed": (GRID.where({"y": 0}), [Line("x", "value", dash="dashed", step=True)], {}),
    "points": (GRID.where({"y": 1}), [Points("x", "value", text="{value:.1f}", label="value")], {}),
    "guides": (
        GRID,
        [Points("x", "value", hollow=True), Guide(x="start"), Guide(y=0, label="zero"),
         Guide(x="equal", colour="red")],
        {},
    ),
    "span": (GRID, [Span("start", "stop", label="start to stop"), Points("x", "value")], {}),
    "heat": (GRID, [Heat("x", "y", "value", text="{value:.1f}", scale=True, limit="top")], {}),
    "unsigned": (GRID.where({"y": 0}), [Heat("x", "y", "value", signed=False)], {}),
    "bars": (PLACES, [Bars("size", "name")], {}),
    "categories": (
        PLACES, [Points("size", "name", label="size"), Points("x", "name", colour="orange")],
        {"x": "in tokens", "y": ""},
    ),
    "logarithmic": (PLACES, [Line("end", "size")], {"log": "xy", "xticks": [1, 2], "yticks": [1]}),
    "boxes": (
        PLACES,
        [Boxes("{name}\n{x}", "x", "y", (0.8, 0.3), bold=True),
         Arrows("to", "name", "name", "x", "y", (0.8, 0.3)),
         Words("{end:.1f}", "x", "y", shift=(0, 0.3))],
        {"bare": True},
    ),
    "arcs": (PLACES, [Arcs("angle", "end", "x", rise=0.5)], {"bare": True}),
    "dial": (PLACES, [Dial("angle", text="{name}"), Turns("angle", "end")], {"bare": True, "equal": True}),
    "rotary dial": (PLACES, [Dial("angle", text="{name}", rotary=True)], {"bare": True, "equal": True}),
}  # fmt: skip


@pytest.fixture(params=MARKS)
def shown(request):
    """Rows, the panel that draws them, and its drawing."""
    frame, marks, options = MARKS[request.param]
    panel = Panel(*marks, **options)
    drawing = panel.drawn(frame, frame.settings)
    return frame, panel, drawing, panel.written(drawing)


def test_what_is_drawn_is_what_the_rows_say(shown):
    frame, panel, drawing, svg = shown
    check_panel(panel, frame, frame.settings, drawing, svg)


def test_the_drawing_of_other_rows_is_refused(shown):
    """Each column that a mark draws is moved or exchanged in turn; the old drawing no longer fits."""
    frame, panel, drawing, svg = shown
    asked = {
        getattr(mark, name, None)
        for mark in panel.marks
        for name in ("x", "y", "value", "angle", "start", "stop", "source", "target")
    }
    for column in asked & frame.columns.keys():
        cells = frame.columns[column]
        if len(set(cells)) < 2:
            continue
        moved = [*cells[1:], cells[0]]
        other = Frame({**frame.columns, column: moved}, **frame.settings)
        with pytest.raises(Mismatch):
            check_panel(panel, other, frame.settings, drawing, svg)


def test_other_words_are_refused(shown):
    """Each text of the drawing is replaced in turn."""
    frame, panel, drawing, svg = shown
    for match in re.finditer(r">([^<>\n]+)</text>", svg):
        words = "7" + match[1]
        other = svg[: match.start()] + f">{words}</text>" + svg[match.end() :]
        with pytest.raises(Mismatch):
            check_panel(panel, frame, frame.settings, drawing, other)


# ---- names find their place


def test_names_stand_inside_apart_and_near_their_lines():
    x = np.linspace(0, 6, 60)
    frame = Frame({"x": x, "sine": np.sin(x), "cosine": np.cos(x), "half": np.sin(x) / 2})
    marks = [
        Line("x", name, label=name, colour=colour)
        for name, colour in (("sine", "blue"), ("cosine", "orange"), ("half", "green"))
    ]
    drawing = Panel(*marks, y="value").drawn(frame, {})
    (axes,) = drawing.axes
    lines = [axes.transData.transform(line.get_xydata()) for line in axes.lines]
    for n in range(3):
        (text,) = [one for one in axes.texts if one.get_gid() == f"pe-clear-{n}-label"]
        (left, low), (right, high) = text.get_window_extent().get_points()
        assert 0 <= left <= right <= WIDEST * 0.75
        corners = np.array([(x, y) for x in (left, (left + right) / 2, right) for y in (low, high)])
        reach = [np.linalg.norm(corners[:, None] - line, axis=2).min() for line in lines]
        assert reach[n] == min(reach)
        assert reach[n] < 2 * text.get_size()


# ---- what is refused


@pytest.mark.parametrize(
    ("alt", "why"),
    [
        ("A long sentence that says nothing measurable about the picture at all.", "no number"),
        ("A curve that rises from 3 to {high} while x goes on, and stays.", "types a number"),
        ("A curve that rises from {least} to {high} while x goes on, and stays.", "asks for 'least'"),
    ],
)
def test_alt_that_would_not_do_is_refused(alt, why):
    with pytest.raises(ValueError, match=why):
        drawn(alt=alt)


def test_texts_that_overlap_or_leave_the_panel_are_refused():
    close = Frame({"x": [0.0, 0.05], "y": [0.0, 0.0], "word": ["a long word", "another one"]})
    with pytest.raises(ValueError, match="overlap"):
        Panel(Words("{word}", "x", "y"), xlim=(-2, 2), bare=True).svg(close, {})
    wide = Panel(
        Words("{word} and very many more words that nobody has room for", "x", "y", where={"x": 0.0})
    )
    with pytest.raises(ValueError, match="leave no room"):
        wide.svg(close, {})
    long = Panel(Points("x", "y", text="{word}" * 5, where={"x": 0.0}))
    with pytest.raises(ValueError, match="leaves its panel"):
        long.svg(close, {})
    with pytest.raises(ValueError, match="wider than its box"):
        Panel(Boxes("{word}", "x", "y", (0.02, 0.5)), bare=True).svg(close, {})


def test_two_names_of_one_colour_are_refused():
    with pytest.raises(ValueError, match=r"one colour: .*; give one of them another colour, as in"):
        drawn(marks=[Line("x", "y", label="one"), Points("x", "y", label="other")]).html()


def test_an_axis_of_several_columns_needs_a_name():
    frame = Frame({"x": range(3), "up": [0.0, 1.0, 2.0], "down": [2.0, 1.0, 0.0]})
    marks = [Line("x", "up"), Guide(x=1), Line("x", "down")]
    with pytest.raises(ValueError, match=r"the axis y has several columns .*'up', 'down'.* y=\"...\""):
        Panel(*marks).svg(frame, {})
    assert ">up or down<" in Panel(*marks, y="up or down").svg(frame, {})
    assert ">up<" in Panel(*marks[:2], Points("x", "up")).svg(frame, {})
    assert ">up<" not in Panel(*marks, bare=True).svg(frame, {})


def test_the_name_of_a_column_stands_on_no_other():
    frame = Frame({"x": range(3), "base 100": [0.0, 1.0, 2.0], "base 10": [2.0, 1.0, 0.0]})
    named = Panel(Line("x", "base 100", label="base 100"), Line("x", "base 10"), title="base 10", y="value")
    assert ">base 100<" in named.svg(frame, {})  # its digits are data
    for wrong in (
        Panel(Line("x", "base 100", label="base 10")),
        Panel(Line("x", "base 100"), title="base 10"),
        Panel(Points("x", "base 10", label="base 100")),
    ):
        with pytest.raises(ValueError, match="is that of a column"):
            wrong.svg(frame, {})


def test_a_typed_number_in_a_panel_is_refused():
    with pytest.raises(ValueError, match="types a number"):
        drawn(title="the first 3").html()
    with pytest.raises(ValueError, match="types a number"):
        drawn(marks=[Line("x", "y", label="base 100")]).html()


def test_a_map_of_uneven_cells_or_beyond_its_limit_is_refused():
    uneven = Frame({"x": [0, 1, 2.5], "y": [0, 0, 0], "v": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="not evenly spaced"):
        Panel(Heat("x", "y", "v")).svg(uneven, {})
    with pytest.raises(ValueError, match="reaches 2"):
        Panel(Heat("x", "y", "v", limit=1.0)).svg(uneven.where({"y": 0}).where({"x": 1}), {})


def test_numbers_at_ticks_are_read_as_they_are_written():
    for value in (0, 0.5, -0.25, 12, 65536, 1e-6, 1e9, 0.001, -1e7):
        assert number_of(number(value)) == pytest.approx(value)
