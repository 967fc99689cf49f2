"""Words stand beside what decides them, as somebody has seen them together: one recorded file a page.

``tests/recorded/<part>/<page>.txt`` has the held statements of a page with their expressions, its sentences
with their fields, what cells print, words of tables, and of figures what no computation can judge: which
rows a mark draws, its colour, titles, captions. `make page` writes down what needs no look, and
``make page P=family/rotary RECORD=yes`` all; so does ``PE_RECORD=looked`` before pytest with any choice of
tests.
"""

import os
from dataclasses import fields
from importlib.util import find_spec

import pytest

from tests.pages.sources import DOCS, pages
from tests.recorded import reading, record
from tests.recorded.reading import Pair
from tests.show import walk

RECORDING = "" if "PYTEST_XDIST_WORKER" in os.environ else os.environ.get("PE_RECORD", "")
WITHOUT = () if find_spec("torch") else ("\nneeds: torch\n",)
PAGES = [
    file.relative_to(DOCS).with_suffix("").as_posix()
    for file in pages()
    if not any(line in file.read_text(encoding="utf-8") for line in WITHOUT)
]
FIGURES = walk.labels("figure")
LAYOUT = {"marks", "width", "height", "xlim", "ylim"}  # of a panel: sizes may change unseen


def cure(what, page):
    return f"look at {what}; where it is right, record it: make page P={page} RECORD=yes"


@pytest.mark.parametrize("page", PAGES)
def test_words_and_what_decides_them_change_together(page):
    now = reading.page_of(page)
    changes = record.to_look_at(record.recorded(page), now)
    if not now.built and RECORDING != "looked":
        unknown = f"what its cells print is not known: make page P={page}, or make html"
        pytest.fail("\n".join([*changes, unknown]), pytrace=False)
    if RECORDING == "looked" or (RECORDING == "harmless" and not changes):
        shown = {label for one, label in FIGURES if one == page}
        kept = [one for one in record.recorded(page).get("figures", []) if one.words in shown]
        record.record(page, now.pairs | {"figures": kept})
    elif changes:
        pytest.fail("\n".join([*changes, cure("what has changed without the other", page)]), pytrace=False)


@pytest.mark.parametrize(("page", "label"), FIGURES)
def test_a_figure_is_as_somebody_has_seen_it(page, label):
    now = described(walk.shown(page)[label])
    kept = {one.words: one for one in record.recorded(page).get("figures", [])}
    if RECORDING == "looked":
        kept[label] = now
        own = [one for where, one in FIGURES if where == page]
        record.record(page, {"figures": [kept[one] for one in own if one in kept]})
    if kept.get(label) != now:
        differing = record.side_by_side(kept.get(label, Pair(label, ())), now)
        pytest.fail(f"{differing}\n{cure(label, page)}", pytrace=False)


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
    lines = []
    for panel in found.made.panels:
        own = [f for f in fields(panel) if f.name not in LAYOUT and getattr(panel, f.name) != f.default]
        lines.append("panel " + ", ".join(f"{f.name}={plain(getattr(panel, f.name))}" for f in own))
        for mark in panel.marks:
            told = [f for f in fields(mark) if f.name != "near" and getattr(mark, f.name) != f.default]
            words = ", ".join(f"{f.name}={plain(getattr(mark, f.name))}" for f in told)
            lines.append(f"  {type(mark).__name__} {words}")
    spoken, _ = reading.stated(" ".join(found.caption.split()))
    caption, _ = reading.filled(spoken)
    return Pair(found.label, (*lines, f"says {found.made.template}", f"caption {caption}".rstrip()))


def test_nothing_is_recorded_that_is_gone():
    files = [file.relative_to(record.HERE) for file in record.HERE.rglob("*.txt")]
    there = {file.relative_to(DOCS).with_suffix("") for file in pages()}
    assert {file.with_suffix("") for file in files} <= there
