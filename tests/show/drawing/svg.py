"""What a panel shows, read from its final SVG and held against the frame: points, boxes, texts, ticks."""

from __future__ import annotations

import base64
import io
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

import matplotlib.image
import numpy as np

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.style import DIVERGING, SEQUENTIAL
from tests.show.recomputed import Mismatch

SVG = "{http://www.w3.org/2000/svg}"
SLACK = 0.2  # points: coordinates are printed to a hundredth
MINUS = str.maketrans({"−": "-", ",": ""})
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass
class Text:
    """Some words in the drawing."""

    words: str
    x: float
    y: float
    colour: str
    size: float
    anchor: str


@dataclass
class Drawing:
    """The parts of one SVG, by the mark that they belong to."""

    parts: dict[str, list[ET.Element]] = field(default_factory=dict)
    texts: dict[str, list[Text]] = field(default_factory=dict)
    ticks: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: {"x": [], "y": []})
    images: list[ET.Element] = field(default_factory=list)
    scale: Drawing | None = None


def parsed(svg: str) -> Drawing:
    """Read a panel."""
    drawing = Drawing()
    _collect(ET.fromstring(svg), "", drawing)
    return drawing


def _collect(element: ET.Element, part: str, drawing: Drawing) -> None:
    for child in element:
        name = child.get("data-part", "")
        if name == "scale":
            drawing.scale = Drawing()
            _collect(child, "", drawing.scale)
        elif name in ("xtick", "ytick"):
            mark = next(child.iter(f"{SVG}use"))
            words = " ".join(text.text or "" for text in child.iter(f"{SVG}text"))
            drawing.ticks[name[0]].append((float(mark.get("x" if name == "xtick" else "y")), words))
        elif child.tag == f"{SVG}text":
            drawing.texts.setdefault(part, []).append(_text(child))
        elif child.tag == f"{SVG}image":
            drawing.images.append(child)
        elif child.tag != f"{SVG}defs":
            if name:
                drawing.parts.setdefault(name, []).append(child)
            _collect(child, name or part, drawing)


def _text(element: ET.Element) -> Text:
    style = element.get("style", "")
    x, y = float(element.get("x", "nan")), float(element.get("y", "nan"))
    moved = re.search(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", element.get("transform", ""))
    if moved:
        x, y = float(moved[1]), float(moved[2])
    size = re.search(r"([\d.]+)px", style)
    anchor = re.search(r"text-anchor: (\w+)", style)
    colour = re.search(r"fill: ([^;]+)", style)
    role, side = colour[1] if colour else "", anchor[1] if anchor else "start"
    return Text(element.text or "", x, y, role, float(size[1]), side)


def vertices(element: ET.Element) -> list[np.ndarray]:
    """The corners of each path of a part, outside its definitions."""
    found = []
    for path in _drawn(element, "path"):
        numbers = re.findall(r"[MLQC]([^MLQCz]*)", path.get("d", ""))
        points = [[float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", group)][-2:] for group in numbers]
        found.append(np.array(points))
    return found


def marks(element: ET.Element) -> np.ndarray:
    """Where the marks of a part stand."""
    return np.array([[float(use.get("x")), float(use.get("y"))] for use in _drawn(element, "use")])


def _drawn(element: ET.Element, tag: str) -> Iterator[ET.Element]:
    for child in element:
        if child.tag == SVG + tag:
            yield child
        elif child.tag != f"{SVG}defs":
            yield from _drawn(child, tag)


@dataclass
class Reading:
    """A panel while it is checked: pairs of value and place that one straight line must hold."""

    panel: Any
    frame: Frame
    values: Mapping[str, Any]
    drawing: Drawing
    pairs: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: {"x": [], "y": []})
    seen: int = 0  # texts that were expected and found
    later: list[Any] = field(default_factory=list)

    def pair(self, axis: str, value: float, place: float) -> None:
        self.pairs[axis].append((math.log10(value) if axis in self.panel.log else float(value), float(place)))

    def point(self, x: float, y: float, place: Any) -> None:
        self.pair("x", x, place[0])
        self.pair("y", y, place[1])

    def column(self, axis: str, frame: Frame, name: str) -> np.ndarray:
        values = frame[name]
        if values.dtype != object:
            return values
        kept = [value for value in self.frame.columns[name] if value is not None]
        return np.array(
            [list(dict.fromkeys(self.categories(axis, name, kept))).index(v) for v in values], float
        )

    def categories(self, axis: str, name: str, kept: list[Any]) -> list[Any]:
        columns = [getattr(mark, axis, None) for mark in self.panel.marks]
        texts = [
            c
            for c in columns
            if isinstance(c, str) and c in self.frame.columns and self.frame[c].dtype == object
        ]
        first = texts[0] if texts else name
        return [value for value in self.frame.columns[first] if value is not None] + kept

    def part(self, number: int, name: str) -> list[ET.Element]:
        return self.drawing.parts.get(f"{number}-{name}", [])

    def counted(self, number: int, count: int) -> list[ET.Element]:
        parts = self.part(number, "data")
        if len(parts) != count:
            raise Mismatch(f"mark {number} draws {len(parts)} parts, the frame has {count}")
        return parts

    def words(self, number: int, name: str) -> list[Text]:
        return self.drawing.texts.get(f"{number}-{name}", [])

    def fill(self, template: str, row: Mapping[str, Any] | None = None) -> str:
        return _printed(template.format_map({**self.values, **(row or {})}))

    def value(self, number: Any) -> float:
        return float(self.values[number]) if isinstance(number, str) else float(number)


def _printed(text: str) -> str:
    return re.sub(r"(?<![\w-])-(?=[\d.])", "−", text)


def check_panel(panel: Any, frame: Frame, values: Mapping[str, Any], svg: str) -> None:
    """What the panel shows is what the frame holds; raises Mismatch if it is not."""
    reading = Reading(panel, frame, values, parsed(svg))
    heats = 0
    for number, mark in enumerate(panel.marks):
        rows = frame.where(getattr(mark, "where", None))
        kind = type(mark).__name__
        CHECKS[kind](reading, mark, rows, number)
        heats += kind == "Heat"
        _check_label(reading, mark, number)
        _check_typed(reading, mark)
    if len(reading.drawing.images) != heats:
        raise Mismatch(f"there are {len(reading.drawing.images)} images for {heats} heat maps")
    _check_ticks(reading)
    fits = {axis: _straight(reading, axis) for axis in "xy"}
    for check in reading.later:
        check(fits)
    _check_names(reading)
    drawn = sum(map(len, reading.drawing.texts.values()))
    if drawn != reading.seen:
        raise Mismatch(f"{drawn} texts are drawn, {reading.seen} are expected: {reading.drawing.texts}")


def _straight(reading: Reading, axis: str) -> tuple[float, float] | None:
    """One straight line maps all values of an axis to their places: ticks and marks agree."""
    pairs = np.array([pair for pair in reading.pairs[axis] if np.isfinite(pair).all()])
    if len(pairs) < 2 or np.ptp(pairs[:, 0]) == 0:
        return None
    slope, start = np.polyfit(pairs[:, 0], pairs[:, 1], 1)
    off = np.abs(slope * pairs[:, 0] + start - pairs[:, 1])
    if off.max() > SLACK:
        worst = pairs[off.argmax()]
        raise Mismatch(f"{axis} = {worst[0]:g} is drawn {off.max():.2f} points from where it belongs")
    grows_down = axis == "y" and not _flipped(reading)
    if slope * (-1 if grows_down else 1) <= 0:
        raise Mismatch(f"the {axis} axis runs backwards")
    return float(slope), float(start)


def _flipped(reading: Reading) -> bool:
    marks = reading.panel.marks
    columns = [mark.y for mark in marks if getattr(mark, "y", None) in reading.frame.columns]
    texts = any(reading.frame[column].dtype == object for column in columns)
    return reading.panel.down or texts or any(type(mark).__name__ == "Heat" for mark in marks)


def _check_points(reading: Reading, rows: Frame, mark: Any, places: np.ndarray, step: bool = False) -> None:
    x, y = reading.column("x", rows, mark.x), reading.column("y", rows, mark.y)
    kept = np.isfinite(x) & np.isfinite(y)
    x, y = x[kept], y[kept]
    if step:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    if len(places) != len(x):
        raise Mismatch(f"{len(places)} points are drawn, the frame has {len(x)}")
    for a, b, place in zip(x, y, places, strict=True):
        reading.point(a, b, place)


def _line(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (part,) = reading.part(number, "data")
    _check_points(reading, rows, mark, np.concatenate(vertices(part)), mark.step)
    if mark.dots:
        _check_points(reading, rows, mark, marks(part))
    _check_colour(part, mark)


def _points(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (part,) = reading.part(number, "data")
    places = marks(part)
    _check_points(reading, rows, mark, places)
    _check_colour(part, mark)
    if mark.text:
        _check_beside(reading, mark, rows, number, places)


def _check_colour(part: ET.Element, mark: Any) -> None:
    used = {style.get("style", "") for style in part.iter() if style.get("style")}
    if not any(f"--pe-{mark.colour}," in style for style in used):
        raise Mismatch(f"{mark} is not drawn in {mark.colour}: {used}")


def _check_beside(reading: Reading, mark: Any, rows: Frame, number: int, places: np.ndarray) -> None:
    texts = reading.words(number, "row")
    wanted = [reading.fill(mark.text, row) for row in rows.rows()]
    if [text.words for text in texts] != wanted:
        raise Mismatch(f"beside the marks stands {[t.words for t in texts]}, right is {wanted}")
    reading.seen += len(texts)
    for text, place in zip(texts, places, strict=True):
        width = 0.75 * text.size * len(text.words)
        across = max(text.x - place[0], place[0] - text.x - width, 0)
        along = max(text.y - text.size - place[1], place[1] - text.y - 3, 0)
        if math.hypot(across, along) > 16:
            raise Mismatch(f"{text.words!r} stands {math.hypot(across, along):.0f} points from its mark")


def _guide(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (part,) = reading.part(number, "guide")
    (points,) = vertices(part)
    if mark.x == "equal":

        def on_diagonal(fits: Mapping[str, Any]) -> None:
            read = [(points[:, k] - fits[axis][1]) / fits[axis][0] for k, axis in enumerate("xy")]
            if np.abs(read[0] - read[1]).max() > SLACK / abs(fits["x"][0]):
                raise Mismatch("the line of equal values does not join equal values")

        reading.later.append(on_diagonal)
        return
    axis, value = ("x", mark.x) if mark.x is not None else ("y", mark.y)
    for point in points:
        reading.pair(axis, reading.value(value), point["xy".index(axis)])


def _span(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    (part,) = reading.part(number, "data")
    (points,) = vertices(part)
    reading.pair("x", reading.value(mark.start), points[:, 0].min())
    reading.pair("x", reading.value(mark.stop), points[:, 0].max())


def _heat(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    image = reading.drawing.images[sum(type(m).__name__ == "Heat" for m in reading.panel.marks[:number])]
    pixels, (left, top, right, bottom) = _pixels(image)
    x, y = reading.column("x", rows, mark.x), reading.column("y", rows, mark.y)
    values = rows[mark.value].astype(float)
    limit = np.nanmax(np.abs(values)) if mark.limit is None else reading.value(mark.limit)
    low, shades = (-limit, DIVERGING) if mark.signed else (0.0, SEQUENTIAL)
    half = [(np.diff(np.unique(v)).min() if len(np.unique(v)) > 1 else 1.0) / 2 for v in (x, y)]
    reading.point(x.min() - half[0], y.min() - half[1], (left, top))
    reading.point(x.max() + half[0], y.max() + half[1], (right, bottom))
    column = np.rint((x - x.min()) / (2 * half[0])).astype(int)
    row = np.rint((y - y.min()) / (2 * half[1])).astype(int)
    if pixels.shape[:2] != (row.max() + 1, column.max() + 1):
        raise Mismatch(f"the map has {pixels.shape[:2]} cells, the frame {(row.max() + 1, column.max() + 1)}")
    colours = shades((values - low) / (limit - low))
    off = np.abs(pixels[row, column] - colours).max(axis=1)
    if off.max() > 0.02:
        raise Mismatch(
            f"the cell of row {off.argmax()} has another colour than its value {values[off.argmax()]:g}"
        )
    if np.count_nonzero(pixels[..., 3] > 0) != len(values):
        raise Mismatch("the map has cells without a row in the frame")
    if mark.text:
        _check_inside(reading, mark, rows, number, x, y)
    if mark.scale:
        _check_scale(reading.drawing.scale, low, limit, shades)


def _pixels(image: ET.Element) -> tuple[np.ndarray, tuple[float, ...]]:
    data = base64.b64decode(image.get("href").partition(",")[2])
    pixels = matplotlib.image.imread(io.BytesIO(data), format="png")
    a, b, c, d, e, f = (float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", image.get("transform")))
    assert b == c == 0
    edges = (e, f, e + a * float(image.get("width")), f + d * float(image.get("height")))
    if d < 0:
        pixels, edges = pixels[::-1], (edges[0], edges[3], edges[2], edges[1])
    return pixels, edges


def _check_scale(scale: Drawing | None, low: float, high: float, shades: Any) -> None:
    if scale is None:
        raise Mismatch("the colour scale is missing")
    pixels, (left, _, right, _) = _pixels(scale.images[0])
    if np.abs(pixels[0][[0, -1]] - shades([0.0, 1.0])).max() > 0.02:
        raise Mismatch("the colour scale has other colours")
    for place, words in scale.ticks["x"]:
        read = number_of(words)
        value = math.nan if read is None else (read - low) / (high - low)
        if not abs(left + value * (right - left) - place) <= 0.01 * (right - left):
            raise Mismatch(f"the colour scale says {words} in the wrong place")


def _check_inside(reading: Reading, mark: Any, rows: Frame, number: int, x: Any, y: Any) -> None:
    texts = iter(reading.words(number, "row"))
    for row, a, b in zip(rows.rows(), x, y, strict=True):
        for words in reading.fill(mark.text, row).split("\n"):
            text = next(texts, None)
            if text is None or text.words != words:
                raise Mismatch(f"{text.words if text else 'nothing'!r} is written where {words!r} belongs")
            reading.seen += 1
            reading.pair("x", a, text.x)

            def inside(fits: Mapping[str, Any], text: Text = text, b: float = b) -> None:
                if fits["y"] and abs(fits["y"][0] * b + fits["y"][1] - text.y) > 26:
                    raise Mismatch(f"{text.words!r} stands too far from its row")

            reading.later.append(inside)
    if next(texts, None) is not None:
        raise Mismatch(f"more is written than the frame has: {reading.words(number, 'row')}")


def _bars(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    x, y = reading.column("x", rows, mark.x), reading.column("y", rows, mark.y)
    parts, ends = reading.counted(number, len(x)), []
    for part, a, b in zip(parts, x, y, strict=True):
        (points,) = vertices(part)
        low, high = points.min(axis=0), points.max(axis=0)
        reading.pair("x", min(a, 0), low[0])
        reading.pair("x", max(a, 0), high[0])
        reading.pair("y", b, (low[1] + high[1]) / 2)
        ends.append((high[0], (low[1] + high[1]) / 2))
    if mark.text:
        _check_beside(reading, mark, rows, number, np.array(ends))


def _boxes(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    x, y = reading.column("x", rows, mark.x), reading.column("y", rows, mark.y)
    for part, a, b in zip(reading.counted(number, len(x)), x, y, strict=True):
        points = np.concatenate(vertices(part))
        reading.point(a, b, (points.min(axis=0) + points.max(axis=0)) / 2)
        _check_colour(part, mark)
    if mark.text:
        _check_inside(reading, mark, rows, number, x, y)


def _words(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    x, y = reading.column("x", rows, mark.x), reading.column("y", rows, mark.y)
    sign = 1 if _flipped(reading) else -1
    _check_inside(reading, mark, rows, number, x + mark.shift[0], y + sign * mark.shift[1])


def _arrows(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    named = reading.frame.where(mark.name)
    centres = {
        name: np.array(at)
        for name, at in zip(
            named[mark.name],
            zip(reading.column("x", named, mark.x), reading.column("y", named, mark.y), strict=True),
            strict=True,
        )
    }
    wanted = [row for row in rows.rows() if row[mark.source] is not None and row[mark.target] is not None]
    parts = reading.counted(number, len(wanted))

    def ends(fits: Mapping[str, Any]) -> None:
        unit = np.array([abs(fits[axis][0]) if fits[axis] else 0 for axis in "xy"])
        start = np.array([fits[axis][1] if fits[axis] else 0 for axis in "xy"])
        slope = np.array([fits[axis][0] if fits[axis] else 0 for axis in "xy"])
        for row, part in zip(wanted, parts, strict=True):
            shaft, *head = vertices(part)
            tip = head[0][np.argmax(np.linalg.norm(head[0] - shaft[0], axis=1))] if head else shaft[-1]
            for name, place in ((row[mark.source], shaft[0]), (row[mark.target], tip)):
                off = np.abs(slope * centres[name] + start - place) - np.array(mark.size) / 2 * unit
                known = np.array([fits[axis] is not None for axis in "xy"])
                if (off[known] > 4).any():
                    raise Mismatch(f"an arrow of {row[mark.source]!r} to {row[mark.target]!r} ends elsewhere")

    reading.later.append(ends)


def _arcs(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    start, stop = rows[mark.start], rows[mark.stop]
    y = reading.column("y", rows, mark.y)
    for part, a, b, height in zip(reading.counted(number, len(start)), start, stop, y, strict=True):
        (points,) = vertices(part)
        up = mark.rise if not _flipped(reading) else -mark.rise
        for turn, place in zip(np.linspace(0, np.pi, len(points)), points, strict=True):
            reading.point((a + b) / 2 - (b - a) / 2 * np.cos(turn), height + up * np.sin(turn), place)


def _dial(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    angles = rows[mark.angle].astype(float)
    # from the top and clockwise; for a rotary pair from the right and counterclockwise
    clock = np.pi / 2 - angles if mark.rotary else angles
    x, y = mark.radius * np.sin(clock), mark.radius * np.cos(clock)
    if mark.rim:
        rim = vertices(reading.part(number, "rim")[0])[0]
        for turn, place in zip(np.linspace(0, 2 * np.pi, len(rim)), rim, strict=True):
            reading.point(np.sin(turn), np.cos(turn), place)
    if mark.hand:
        hand = vertices(reading.part(number, "hand")[0])[0]
        reading.point(0, 0, hand[0])
        reading.point(x[-1], y[-1], hand[-1])
    (part,) = reading.part(number, "data")
    places = marks(part)
    if len(places) != len(angles):
        raise Mismatch(f"{len(places)} dots are drawn, the frame has {len(angles)}")
    for a, b, place in zip(x, y, places, strict=True):
        reading.point(a, b, place)
    if mark.text:
        _check_beside(reading, mark, rows, number, places)


def _turns(reading: Reading, mark: Any, rows: Frame, number: int) -> None:
    for part, start, stop in zip(
        reading.counted(number, len(rows)), rows[mark.start], rows[mark.stop], strict=True
    ):
        (points,) = vertices(part)
        for angle, place in zip(np.linspace(start, stop, len(points)), points, strict=True):
            reading.point(mark.radius * np.sin(angle), mark.radius * np.cos(angle), place)


CHECKS = {
    "Line": _line, "Points": _points, "Guide": _guide, "Span": _span, "Heat": _heat, "Bars": _bars,
    "Boxes": _boxes, "Words": _words, "Arrows": _arrows, "Arcs": _arcs, "Dial": _dial, "Turns": _turns,
}  # fmt: skip


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
    found = reading.words(number, "label")
    words = " ".join(text.words for text in found)
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
        if f"--pe-{colour}," not in text.colour:
            raise Mismatch(f"the name {words!r} has the colour {text.colour}, its mark is {colour}")


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
    panel, texts = reading.panel, reading.drawing.texts
    for part, wanted in (("title", panel.title), ("xlabel", panel.x), ("ylabel", panel.y)):
        found = texts.get(part, [])
        if wanted is None:
            columns = [getattr(mark, part[0], None) for mark in panel.marks]
            wanted = next((c for c in columns if isinstance(c, str) and c in reading.frame.columns), "")
            right = wanted
        else:
            right = reading.fill(wanted) if part == "title" else wanted.format_map(reading.values)
        if panel.bare and part != "title":
            right = ""
        words = " ".join(text.words.strip() for text in found)
        if "".join(words.split()) != "".join(right.split()):
            raise Mismatch(f"the {part} says {words!r}, right is {right!r}")
        reading.seen += len(found)


def _check_ticks(reading: Reading) -> None:
    for axis in "xy":
        ticks = [] if reading.panel.bare else reading.drawing.ticks[axis]
        columns = [getattr(mark, axis, None) for mark in reading.panel.marks]
        texts = [c for c in columns if isinstance(c, str) and c in reading.frame.columns
                 and reading.frame[c].dtype == object]  # fmt: skip
        given = getattr(reading.panel, f"{axis}ticks")
        for number, (place, words) in enumerate(ticks):
            if texts and given is None:
                names = list(dict.fromkeys(reading.categories(axis, texts[0], [])))
                if "".join(words.split()) != "".join(_printed(str(names[number])).split()):
                    raise Mismatch(f"the {axis} axis says {words!r} for {names[number]!r}")
                reading.pair(axis, number, place)
            elif isinstance(given, Mapping):
                known = {" ".join(shown.split()): value for value, shown in given.items()}
                if words not in known:
                    raise Mismatch(f"the {axis} axis says {words!r}; {list(known)} were asked for")
                read = number_of(words)
                value = known[words] if read is None else read
                reading.pair(axis, value, place)
            elif words:
                value = number_of(words)
                if value is None:
                    raise Mismatch(f"the {axis} axis says {words!r}")
                reading.pair(axis, value, place)


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
