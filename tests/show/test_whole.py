"""Every figure and table of the book, none by name: what is seen is what the data say, and these are so."""

import html
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.seeds import seed
from tests.show import recomputed, walk
from tests.show.drawing import drawn

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture
def dice():
    return random.Random(seed())


@pytest.mark.parametrize(("page", "label"), walk.labels("figure"))
def test_a_figure_shows_its_data(page, label, dice):
    found = walk.shown(page)[label]
    check_figure(found.made, recomputed.entry_of(found), found.names, dice)


def check_figure(figure, entry, names, dice):
    """Picture, sentence, file and the data themselves."""
    recomputed.check_file(figure.csv(), figure.frame)
    recomputed.check_frame(figure.frame, entry, names, dice)
    recomputed.check_facts(figure, entry, names)
    recomputed.check_given(figure, entry)
    whole = figure.html()
    assert f'aria-label="{html.escape(figure.alt)}"' in whole
    assert whole.count("<svg") == len(figure.panels)
    for panel, drawing, svg in zip(figure.panels, figure.drawings, figure.panels_svg, strict=True):
        drawn.check_panel(panel, figure.frame, figure.values, drawing, svg)
        assert svg in whole


@pytest.mark.parametrize(("page", "label"), walk.labels("table"))
def test_a_table_shows_what_is_so(page, label, dice):
    found = walk.shown(page)[label]
    recomputed.check_table(found.made, recomputed.entry_of(found), found.names, dice)


def test_every_entry_belongs_to_something_shown():
    """An entry that nothing asks for would hold nothing."""
    shown = {label for _, label in walk.labels("figure", "table")}
    assert recomputed.all_entries().keys() <= shown


def test_the_driver_can_ask_for_one_page(monkeypatch):
    """All of its figures and tables are chosen, and those of no other page; its cells, and its twins."""
    from driver import page

    asked = []
    monkeypatch.setattr(
        page, "call", lambda *words, variables: asked.extend(map(str, words)) or page.NOTHING_CHOSEN
    )
    assert page.shown_and_pasted("sinusoidal/shift", "shift_matrix") == 0
    listed = subprocess.run(
        [sys.executable, *asked, "--collect-only"], cwd=REPO, capture_output=True, text=True, check=True
    )
    found = re.findall(r"\[(\S+?)-(\w+:\S+)\]", listed.stdout)
    wanted = walk.labels("figure", "table")
    assert set(found) == {one for one in wanted if one[0] == "sinusoidal/shift"} != set()
    assert "test_cells_run_as_a_reader_pastes_them[sinusoidal/shift]" in listed.stdout
    assert {*re.findall(r"test_parity.py::\w+\[(\w+)\]", listed.stdout)} == {"shift_matrix"}
