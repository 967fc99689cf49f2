"""A rebuild executes the pages that a change concerns, and no others."""

from __future__ import annotations

import json
import os
import time

import pytest

HEAD = "(sec:{name}:top)=\n# Page {name}\n\n```{{code-cell}} python\n:tags: [hide-input]\n{code}\n```\n\n{text}\n"
PAGES = {
    "direct": (
        "from pe_book.sinusoidal.shift import shift_matrix\nvalue = shift_matrix(1, 4)[0, 0]",
        "{{ value:.3f }}",
    ),
    "indirect": ("from pe_book import meddle\nvalue = meddle.made()", "{{ value:.3f }}"),
    "lazy": ("import pe_book as pe\nvalue = pe.shift_matrix(1, 4)[0, 0]", "{{ value:.3f }}"),
    "formula": ("import pe_book as pe\nvalue = pe.encode(1, 4)[0]", "{{ value:.3f }}"),
    "data": ("import numpy as np\nvalue = np.loadtxt('measured.csv')", "{{ value:.3f }}"),
    "alone": ("value = 4", "{{ value }}"),
}


@pytest.fixture
def built(book):
    (book.root / "pe_book" / "meddle.py").write_text(
        "def made():\n    from pe_book.sinusoidal.shift import shift_matrix\n\n    return shift_matrix(2, 4)[0, 0]\n"
    )
    (book.root / "docs" / "measured.csv").write_text("0.25\n")
    entries = "\n".join(PAGES)
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{entries}\n```\n")
    for name, (code, text) in PAGES.items():
        book.page(name, HEAD.format(name=name, code=code, text=text))
    first = book.build()
    assert first.code == 0, first.output
    assert first.executed == sorted(PAGES)
    return book


def touch(book, file: str) -> None:
    path = book.root / file
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    date(path)


def date(path) -> None:
    """Make a change seen on file systems with coarse clocks, and wait: what is built now must be newer."""
    later = path.stat().st_mtime + 2
    os.utime(path, (later, later))
    time.sleep(max(0.0, later - time.time()) + 0.1)


def executed_after(book, file: str) -> list[str]:
    touch(book, file)
    again = book.build()
    assert again.code == 0, again.output
    return again.executed


def test_changes_reach_the_pages_they_concern(built):
    assert built.build().executed == [], "nothing changed"
    assert executed_after(built, "pe_book/sinusoidal/shift/__init__.py") == ["direct", "indirect", "lazy"]
    assert executed_after(built, "pe_book/sinusoidal/formula.py") == ["direct", "formula", "indirect", "lazy"]
    assert executed_after(built, "pe_book/meddle.py") == ["indirect"]
    (built.root / "docs" / "measured.csv").write_text("0.75\n")
    date(built.root / "docs" / "measured.csv")
    assert built.build().executed == ["data"]
    assert built.findings()["data"]["found"] == [["value:.3f", "0.750"]]
    assert built.build().executed == []


def test_a_changed_requirement_executes_all(built):
    assert executed_after(built, "requirements.txt") == sorted(PAGES)


def test_changed_machinery_executes_all(built):
    assert executed_after(built, "docs/_ext/kernel/values.py") == sorted(PAGES)


def test_another_python_executes_all(built, monkeypatch):
    path = built.root / "conf.py"
    path.write_text("import sys\nsys.version += ' (another)'\n" + path.read_text())
    assert built.build().executed == sorted(PAGES)


def test_a_page_that_was_changed_is_the_only_one_executed(built):
    built.change("docs/alone.md", "value = 4", "value = 5")
    date(built.root / "docs" / "alone.md")
    assert built.build().executed == ["alone"]
    assert json.dumps(built.findings()["alone"]["found"]) == '[["value", "5"]]'
