"""What a panel shows, held against the frame: points, boxes, texts and ticks of its drawing, and its SVG."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from string import Formatter
from typing import Any

import numpy as np
from matplotlib.colors import same_color
from matplotlib.lines import Line2D
from matplotlib.text import Text

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import _texts
from pe_book.show.drawing.style import DIVERGING, PALETTE, SEQUENTIAL
from tests.show.recomputed import Mismatch

SVG = "{http://www.w3.org/2000/svg}"
SLACK = 0.2  # points: coordinates are printed to a hundredth
MINUS = str.maketrans({"−": "-", ",": ""})
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Reading:
    """A panel while it is checked: its parts by the mark that they belong to."""

    def __init__(self, panel: Any, frame: Frame, values: Mapping[str, Any], drawn: Any) -> None:
        self.panel, self.frame, self.values = panel, frame, values
        self.drawn, self.axes = drawn, drawn.axes[0]
        self.parts: dict[str, list[Any]] = {}
        for artist in drawn.findobj(lambda artist: str(artist.get_gid()).startswith("pe-")):
            name = artist.get_gid().removeprefix("pe-").removeprefix("clear-")
            self.parts.setdefault(name, []).append(artist)
        self.seen = 0  # texts that were expected and found

    def part(self, number: int, name: str = "data", count: int = 1) -> list[Any]:
        parts = self.parts.get(f"{number}-{name}", [])
        if len(parts) != count:
            raise Mismatch(f"mark {number} draws {len(parts)} parts, the frame has {count}")
        return parts

    def named(self, axis: str) -> list[str]:
        """The columns of an axis."""
        columns = [getattr(mark, axis, None) for mark in self.panel.marks]
        return [c for c in columns if isinstance(c, str) and c in self.frame.columns]

    def categories(self, axis: str) -> list[Any]:
        """The values of the first column of texts, in their order; none on an axis of numbers."""
        texts = [c for c in self.named(axis) if self.frame[c].dtype == object]
        return list(dict.fromkeys(v for v in self.frame.columns[texts[0]] if v is not None)) if texts else []

    def points(self, rows: Frame, mark: Any) -> np.ndarray:
        """Where the rows of a mark lie."""
        found = []
        for axis in "xy":
            values = rows[getattr(mark, axis)]
            if values.dtype == object:
                values = np.array([self.categories(axis).index(value) for value in values], float)
            found.append(values)
        return np.column_stack(found)

    @property
    def flipped(self) -> bool:
        heat = any(type(mark).__name__ == "Heat" for mark in self.panel.marks)
        return self.panel.down or heat or bool(self.categories("y"))

    def fill(self, template: str, row: Mapping[str, Any] | None = None) -> str:
        return _printed(template.format_map({**self.values, **(row or {})}))

    def value(self, number: Any) -> float:
        return float(self.values[number]) if isinstance(number, str) else float(number)


def _printed(text: str) -> str:
    return re.sub(r"(?<![\w-])-(?=[\d.])", "−", text)


def check_panel(panel: Any, frame: Frame, values: Mapping[str, Any], drawn: Any, svg: str) -> None:
    """What the panel shows is what the frame holds; raises Mismatch if it is not."""
    reading = Reading(panel, frame, values, drawn)
    for number, mark in enumerate(panel.marks):
        CHECKS[type(mark).__name__](reading, mark, frame.where(getattr(mark, "where", None)), number)
        _check_label(reading, mark, number)
        _check_typed(reading, mark)
    for axis in "xy":
        _check_axis(reading, axis)
    _check_names(reading)
    texts = [*drawn.texts, *reading.axes.texts]
    if len(texts) != reading.seen:
        raise Mismatch(f"{len(texts)} texts are drawn, {reading.seen} are expected: {texts}")
    _check_written(reading, svg)


def _same(what: str, found: Any, right: Any) -> None:
    found, right = np.asarray(found, float), np.asarray(right, float)
    if found.shape != right.shape or not np.allclose(found, right, rtol=1e-9, atol=1e-9, equal_nan=True):
        raise Mismatch(f"{what}: {found.tolist()} is drawn, right is {right.tolist()}")


def _check_colour(artist: Any, colour: Any, role: str) -> None:
    if not same_color(colour, getattr(PALETTE, role)):
        raise Mismatch(f"{artist} is not drawn in {role}: {colour}")


# ---- what each mark draws


def _line(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (line,) = reading.part(number)
    _same("points of a line", line.get_xydata(), reading.points(rows, mark))
    _check_colour(line, line.get_color(), mark.colour)
    if (line.get_drawstyle() == "steps-post", line.get_marker() == "o") != (mark.step, mark.dots):
        raise Mismatch(f"{mark} has steps and dots otherwise")


def _points(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (marks,) = reading.part(number)
    _same("marks", marks.get_xydata(), reading.points(rows, mark))
    _check_colour(marks, marks.get_color(), mark.colour)
    _check_beside(reading, mark, rows, number, marks.get_xydata())


def _check_beside(reading: Reading, mark: Any, rows: Frame, number: int, points: Any) -> None:
    wanted = [reading.fill(mark.text, row) for row in rows.rows()] if mark.text else []
    texts = reading.part(number, "row", len(wanted))
    if [text.get_text() for text in texts] != wanted:
        raise Mismatch(f"beside the marks stands {[t.get_text() for t in texts]}, right is {wanted}")
    reading.seen += len(texts)
    for text, place in zip(texts, reading.axes.transData.transform(points), strict=False):
        low, high = text.get_window_extent().get_points()
        off = np.linalg.norm(np.maximum(0, np.maximum(low - place, place - high)))
        if off > 16:
            raise Mismatch(f"{text.get_text()!r} stands {off:.0f} points from its mark")


def _guide(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (line,) = reading.part(number, "guide")
    x, y = line.get_data()
    if mark.x == "equal":
        _same("the line of equal values", x, y)
    elif mark.x is not None:
        _same("a guide", x, [reading.value(mark.x)] * 2)
    else:
        _same("a guide", y, [reading.value(mark.y)] * 2)


def _span(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (band,) = reading.part(number)
    ends = reading.value(mark.start), reading.value(mark.stop)
    _same("a band", (band.get_x(), band.get_x() + band.get_width()), ends)


def _heat(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    image = reading.axes.images[sum(type(m).__name__ == "Heat" for m in reading.panel.marks[:number])]
    points, values = reading.points(rows, mark), rows[mark.value].astype(float)
    limit = np.nanmax(np.abs(values)) if mark.limit is None else reading.value(mark.limit)
    low, shades = (-limit, DIVERGING) if mark.signed else (0.0, SEQUENTIAL)
    steps = [np.diff(np.unique(v)).min() if len(np.unique(v)) > 1 else 1.0 for v in points.T]
    first, last = points.min(axis=0) - np.divide(steps, 2), points.max(axis=0) + np.divide(steps, 2)
    _same("the edges of a map", image.get_extent(), (first[0], last[0], last[1], first[1]))
    column, row = np.rint((points - points.min(axis=0)) / steps).astype(int).T
    cells = np.full((row.max() + 1, column.max() + 1), np.nan)
    cells[row, column] = values
    _same("the cells of a map", np.ma.filled(image.get_array(), np.nan), cells)
    _same("the scale of a map", image.get_clim(), (low, limit))
    if image.get_cmap() != shades:
        raise Mismatch("the map has other colours")
    if mark.text:
        _check_inside(reading, mark, rows, number, points)
    if mark.scale:
        scale = reading.drawn.axes[1]
        _same("the colour scale", scale.images[0].get_extent()[:2], (low, limit))
        _check_numbers(scale.xaxis)
        if scale.images[0].get_cmap() != shades:
            raise Mismatch("the colour scale has other colours")


def _check_inside(reading: Reading, mark: Any, rows: Frame, number: int, points: Any) -> None:
    lines = [reading.fill(mark.text, row).split("\n") for row in rows.rows()]
    wanted = [(words, place) for of, place in zip(lines, points, strict=True) for words in of]
    texts = reading.part(number, "row", len(wanted))
    for text, (words, place) in zip(texts, wanted, strict=True):
        if text.get_text() != words:
            raise Mismatch(f"{text.get_text()!r} is written where {words!r} belongs")
        _same(f"the place of {words!r}", text.xy, place)
    reading.seen += len(texts)


def _bars(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    points = reading.points(rows, mark)
    for bar, (x, y) in zip(reading.part(number, count=len(points)), points, strict=True):
        _same("a bar", (bar.get_x(), bar.get_width(), bar.get_y() + bar.get_height() / 2), (0, x, y))


def _boxes(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    points = reading.points(rows, mark)
    for box, place in zip(reading.part(number, count=len(points)), points, strict=True):
        size = box.get_width(), box.get_height()
        _same("a box", np.add((box.get_x(), box.get_y()), np.divide(size, 2)), place)
        _check_colour(box, box.get_edgecolor(), mark.colour)
    if mark.text:
        _check_inside(reading, mark, rows, number, points)


def _words(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    across, down = mark.shift
    moved = np.array([across, down if reading.flipped else -down])
    _check_inside(reading, mark, rows, number, reading.points(rows, mark) + moved)


def _arrows(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    named = reading.frame.where(mark.name)
    centres = dict(zip(named[mark.name], reading.points(named, mark), strict=True))
    wanted = [row for row in rows.rows() if row[mark.source] is not None and row[mark.target] is not None]
    for row, arrow in zip(wanted, reading.part(number, count=len(wanted)), strict=True):
        for end, place in zip((row[mark.source], row[mark.target]), arrow._posA_posB, strict=True):
            if (np.abs(centres[end] - place) > np.divide(mark.size, 2) + 1e-9).any():
                raise Mismatch(f"an arrow of {row[mark.source]!r} to {row[mark.target]!r} ends elsewhere")


def _arcs(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    heights, up = rows[mark.y], -1 if reading.flipped else 1
    lines = reading.part(number, count=len(heights))
    for line, a, b, y in zip(lines, rows[mark.start], rows[mark.stop], heights, strict=True):
        turn = np.linspace(0, np.pi, len(line.get_xdata()))
        arc = (a + b) / 2 - (b - a) / 2 * np.cos(turn), y + up * mark.rise * np.sin(turn)
        _same("an arc", line.get_data(), arc)


def _dial(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    angles = rows[mark.angle].astype(float)
    # from the top and clockwise; for a rotary pair from the right and anticlockwise
    clock = np.pi / 2 - angles if mark.rotary else angles
    points = mark.radius * np.column_stack([np.sin(clock), np.cos(clock)])
    if mark.rim:
        rim = reading.part(number, "rim", 2)[0].get_xydata()
        _same("the rim of a dial", np.linalg.norm(rim, axis=1), np.ones(len(rim)))
    if mark.hand:
        _same("the hand of a dial", reading.part(number, "hand")[0].get_xydata(), [(0, 0), points[-1]])
    (dots,) = reading.part(number)
    _same("the dots of a dial", dots.get_xydata(), points)
    _check_beside(reading, mark, rows, number, points)


def _turns(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    lines = reading.part(number, count=len(rows))
    for line, start, stop in zip(lines, rows[mark.start], rows[mark.stop], strict=True):
        turn = np.linspace(start, stop, len(line.get_xdata()))
        _same("a turn", line.get_data(), (mark.radius * np.sin(turn), mark.radius * np.cos(turn)))


CHECKS = {
    "Line": _line, "Points": _points, "Guide": _guide, "Span": _span, "Heat": _heat, "Bars": _bars,
    "Boxes": _boxes, "Words": _words, "Arrows": _arrows, "Arcs": _arcs, "Dial": _dial, "Turns": _turns,
}  # fmt: skip


# ---- names


def _check_typed(reading: Reading, mark: Any) -> None:
    """What is typed beside a mark is said of what it draws: no word is that of another column."""
    columns = reading.frame.columns
    drawn = [value for value in vars(mark).values() if isinstance(value, str) and value in columns]
    placed = [getattr(mark, at, None) for at in ("x", "y", "start", "stop")]
    named = [value for value in placed if isinstance(value, str) and value in reading.values]
    for template in filter(None, (getattr(mark, "label", ""), getattr(mark, "text", ""))):
        parts = list(Formatter().parse(template))
        typed = set().union(*(_words_of(literal) for literal, *_ in parts))
        printed = set().union(*(_words_of(field) for _, field, *_ in parts if field))
        own = set().union(*map(_words_of, drawn), printed, _words_about(mark))
        if drawn and (alien := typed & (set().union(*map(_words_of, columns)) - own)):
            cure = "say it without them, or draw that column"
            raise Mismatch(
                f"{template!r} says {sorted(alien)}, words of a column that {mark} does not draw: {cure}"
            )
        if named and not drawn and not (typed | printed) & set().union(*map(_words_of, named)):
            cure = "take a word of that setting or fact into it"
            raise Mismatch(f"{template!r} has no word in common with {named}, where {mark} stands: {cure}")


def _check_label(reading: Reading, mark: Any, number: int) -> None:
    wanted = getattr(mark, "label", "")
    found = reading.parts.get(f"{number}-label", [])
    words = " ".join(text.get_text() for text in found)
    if words != (_printed(reading.fill(wanted)) if wanted else ""):
        raise Mismatch(f"mark {number} is named {words!r}, right is {wanted!r}")
    reading.seen += len(found)
    if (
        found
        and type(mark).__name__ in ("Line", "Points", "Bars")
        and not _words_of(words) & _words_about(mark)
    ):
        cure = f"take one of {sorted(_words_about(mark))} into it, or name the column so"
        raise Mismatch(f"the name {words!r} has no word in common with what {mark} draws: {cure}")
    if found and (others := _chosen_by_others(reading.panel, mark)) & _words_of(words):
        raise Mismatch(f"the name {words!r} is that of another mark, which chooses {sorted(others)}")
    colour = "muted" if type(mark).__name__ == "Span" else getattr(mark, "colour", "")
    for text in found:
        _check_colour(text, text.get_color(), colour)


def _words_of(text: Any) -> set[str]:
    plain = re.sub(r"(?<=\d),(?=\d)", "", str(text))
    return {
        word.lower().rstrip("s") for word in re.findall(r"[^\W_]+", plain) if len(word) > 1 or word.isdigit()
    }


def _chosen_by_others(panel: Any, mark: Any) -> set[str]:
    """The words of the rows that other marks choose by the same columns, and this one does not."""
    if not isinstance(where := getattr(mark, "where", None), dict):
        return set()
    own = set().union(*map(_words_of, where.values()))
    rest = [other.where for other in panel.marks if isinstance(getattr(other, "where", None), dict)]
    return set().union(*(_words_of(w[c]) for w in rest if w.keys() == where.keys() for c in w)) - own


def _words_about(mark: Any) -> set[str]:
    """The words of the columns that a mark draws, and of the rows that it chooses."""
    columns = [getattr(mark, name, "") for name in ("x", "y")]
    where = getattr(mark, "where", None)
    chosen = [*where, *where.values()] if isinstance(where, dict) else [where or ""]
    return set().union(*map(_words_of, [*columns, *chosen]))


def _check_names(reading: Reading) -> None:
    panel = reading.panel
    for part, wanted in (("title", panel.title), ("xlabel", panel.x), ("ylabel", panel.y)):
        if wanted is None:
            right = next(iter(reading.named(part[0])), "")
        else:
            right = reading.fill(wanted) if part == "title" else wanted.format_map(reading.values)
        if panel.bare and part != "title":
            right = ""
        words = " ".join(text.get_text() for text in reading.parts.get(part, []))
        if "".join(words.split()) != "".join(right.split()):
            raise Mismatch(f"the {part} says {words!r}, right is {right!r}")
    reading.seen += len(reading.parts.get("title", []))


def _check_axis(reading: Reading, axis: str) -> None:
    side, given = getattr(reading.axes, f"{axis}axis"), getattr(reading.panel, f"{axis}ticks")
    if (side.get_scale() == "log") != (axis in reading.panel.log):
        raise Mismatch(f"the {axis} axis has the scale {side.get_scale()!r}")
    if side.get_inverted() != (axis == "y" and reading.flipped):
        raise Mismatch(f"the {axis} axis runs backwards")
    if reading.panel.bare:
        return
    names = reading.categories(axis)
    if names and given is None:
        known = dict(enumerate(map(_printed, map(str, names))))
    elif isinstance(given, Mapping):
        known = given
    else:
        return _check_numbers(side)
    for value, label in zip(side.get_majorticklocs(), side.get_majorticklabels(), strict=True):
        if "".join(label.get_text().split()) != "".join(known[value].split()):
            raise Mismatch(f"the {axis} axis says {label.get_text()!r} for {known[value]!r}")


def _check_numbers(side: Any) -> None:
    for value, label in zip(side.get_majorticklocs(), side.get_majorticklabels(), strict=True):
        said = number_of(label.get_text())
        if label.get_text() and (said is None or not math.isclose(said, value, rel_tol=1e-5, abs_tol=1e-12)):
            raise Mismatch(f"an axis says {label.get_text()!r} at {value}")


def number_of(words: str) -> float | None:
    """The number that a label of a tick says."""
    plain = words.translate(MINUS).strip()
    if match := re.fullmatch(r"(-?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain):
        return float(f"{match[1]}1e{match[2].translate(RAISED)}")
    if match := re.fullmatch(r"(-?\d*)π(?:/(\d+))?", plain):
        factor = match[1] if match[1] not in ("", "-") else f"{match[1]}1"
        return float(factor) * math.pi / float(match[2] or 1)
    try:
        return float(plain)
    except ValueError:
        return None


# ---- the file


def _check_written(reading: Reading, svg: str) -> None:
    """The SVG has the texts of the drawing and no other, and every line and mark where that has them."""
    root, canvas = ET.fromstring(svg), reading.drawn.bbox.size
    texts = sorted(element.text or "" for element in root.iter(f"{SVG}text"))
    due = sorted(line for text in _texts(reading.drawn) for line in text.get_text().split("\n"))
    if [" ".join(text.split()) for text in texts] != [" ".join(text.split()) for text in due]:
        raise Mismatch(f"the texts {texts} are written, {due} are drawn")
    for name, artists in reading.parts.items():
        elements = list(root.iterfind(f".//*[@data-part='{name}']"))
        if isinstance(artists[0], Text) or name == "scale":
            continue
        if len(elements) != len(artists):
            raise Mismatch(f"{len(elements)} parts {name!r} are written, {len(artists)} are drawn")
        for element, artist in zip(elements, artists, strict=True):
            if isinstance(artist, Line2D) and artist.get_drawstyle() == "default":
                points = artist.get_transform().transform(artist.get_xydata())
                points = points[np.isfinite(points).all(axis=1)] * (1, -1) + (0, canvas[1])
                found = marks(element) if artist.get_linestyle() == "None" else corners(element)
                if not found.size and not ((points >= 0) & (points <= canvas)).all(axis=1).any():
                    continue  # what lies beyond the canvas is not written
                if found.shape != points.shape or np.abs(found - points).max() > SLACK:
                    raise Mismatch(f"the part {name!r} is written elsewhere than it is drawn")


def corners(element: ET.Element) -> np.ndarray:
    """The points of the lines of a part; the shapes of its marks stand in definitions."""
    lines = [path.get("d", "") for path in element.findall(f"{SVG}path")]
    return np.array([point for d in lines for point in re.findall(r"([-\d.e]+) ([-\d.e]+)", d)], float)


def marks(element: ET.Element) -> np.ndarray:
    """Where the marks of a part stand."""
    return np.array([[float(use.get("x")), float(use.get("y"))] for use in element.iter(f"{SVG}use")])
