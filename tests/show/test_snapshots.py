"""What no computation can judge has been looked at: which rows a mark draws, its colour, titles, captions.

``snapshots.txt`` records for every figure what its panels draw and how, its sentence and its caption, as
somebody has seen them together. A change is refused until somebody has looked at it and recorded it:
``make page P=family/rotary RECORD=yes``, or ``PE_RECORD=snapshots`` before pytest with any choice of tests.
"""

from __future__ import annotations

import copy
import os
import random
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tests.show import walk

RECORD = Path(__file__).with_name("snapshots.txt")
FIGURES = walk.labels("figure")
RECORDING = os.environ.get("PE_RECORD") == "snapshots" and "PYTEST_XDIST_WORKER" not in os.environ
LAYOUT = {"marks", "width", "height", "xlim", "ylim"}  # of a panel: sizes may change unseen


def plain(value):
    """A value as it is recorded: floats to six digits, so that no machine's last bit matters."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{plain(k)}: {plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | range):
        return "[" + ", ".join(map(plain, value)) + "]"
    return "..." if value is ... else repr(value.item() if hasattr(value, "item") else value)


def described(found):
    """A figure in lines: panels, marks, sentence, caption."""
    lines = [f"# {found.label} ({found.page})"]
    for panel in found.made.panels:
        own = [f for f in fields(panel) if f.name not in LAYOUT and getattr(panel, f.name) != f.default]
        lines.append("panel " + ", ".join(f"{f.name}={plain(getattr(panel, f.name))}" for f in own))
        for mark in panel.marks:
            told = [f for f in fields(mark) if f.name != "near" and getattr(mark, f.name) != f.default]
            words = ", ".join(f"{f.name}={plain(getattr(mark, f.name))}" for f in told)
            lines.append(f"  {type(mark).__name__} {words}")
    caption = " ".join(re.sub(r"\{\{.*?\}\}", "{{}}", found.caption).split())
    return "\n".join([*lines, f"says {found.made.template}", f"caption {caption}", ""])


def recorded():
    """The record, by label."""
    text = RECORD.read_text(encoding="utf-8") if RECORD.exists() else ""
    return {part.split(" ")[1]: part for part in re.split(r"(?m)^(?=# )", text) if part.strip()}


def record(label, now):
    """Write one figure down in its place; what no page shows any more goes."""
    kept = recorded() | {label: now}
    RECORD.write_text("\n".join(kept[one].strip() + "\n" for _, one in FIGURES if one in kept), "utf-8")


@pytest.mark.parametrize(("page", "label"), FIGURES)
def test_a_figure_is_as_somebody_has_seen_it(page, label):
    now = described(walk.shown(page)[label])
    if RECORDING:
        record(label, now)
    cure = f"look at {label}, then record it: make page P={page} RECORD=yes"
    assert recorded().get(label, "").strip() == now.strip(), cure


def test_one_figure_is_recorded_without_the_others(tmp_path, monkeypatch):
    """Only its lines change, and only its page is executed; what is gone goes."""
    right, other = recorded(), tmp_path / "snapshots.txt"
    page, label = next((page, label) for page, label in FIGURES if "colour" in right[label])
    text = RECORD.read_text(encoding="utf-8").replace(f"# {label} ", "# fig:that:is-gone ")
    other.write_text(text.replace("colour", "tint"), encoding="utf-8")
    shown = {page: walk.shown(page)}
    monkeypatch.setattr(walk, "shown", lambda asked: shown[asked])
    monkeypatch.setitem(globals(), "RECORD", other)
    monkeypatch.setitem(globals(), "RECORDING", False)
    with pytest.raises(
        AssertionError, match=f"look at {label}, then record it: make page P={page} RECORD=yes"
    ):
        test_a_figure_is_as_somebody_has_seen_it(page, label)
    monkeypatch.setitem(globals(), "RECORDING", True)
    test_a_figure_is_as_somebody_has_seen_it(page, label)
    tinted = {one: part.replace("colour", "tint") for one, part in right.items()}
    assert list(recorded().items()) == list((tinted | {label: right[label]}).items())
    assert right[label] != tinted[label]


def test_nothing_is_recorded_that_is_gone():
    assert list(recorded()) == [label for _, label in FIGURES]


@pytest.mark.parametrize("change", ["colour", "where", "title", "caption", "alt", "order"])
def test_another_look_is_another_description(change):
    """Colours, rows, titles, captions and the order of marks that nobody has seen are refused."""
    dice = random.Random(change)
    page, label = dice.choice([pair for pair in FIGURES if pair[0].startswith("why/")])
    found = walk.shown(page)[label]
    figure = copy.copy(found.made)
    panel = copy.copy(figure.panels[0])
    marks = list(panel.marks)
    if change == "colour":
        place = next(n for n, mark in enumerate(marks) if hasattr(mark, "colour"))
        marks[place] = replace(marks[place], colour="red" if marks[place].colour != "red" else "blue")
    elif change == "where":
        place = next(n for n, mark in enumerate(marks) if hasattr(mark, "where"))
        marks[place] = replace(marks[place], where={"another": "row"})
    elif change == "order":
        marks = [*marks, marks[0]]
    object.__setattr__(panel, "marks", tuple(marks))
    if change == "title":
        object.__setattr__(panel, "title", "another " + panel.title)
    figure.panels = (panel, *figure.panels[1:])
    figure.template += " And more." if change == "alt" else ""
    caption = found.caption + " In red." if change == "caption" else found.caption
    assert described(replace(found, made=figure, caption=caption)).strip() != recorded()[label].strip()
