"""The record of the fuzz, and what the build report makes of it."""

import shutil

import pytest
from bs4 import BeautifulSoup

from pe_book.evidence.records import fuzz
from pe_book.evidence.records.record import ROOT


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    counts = dict(zip(fuzz.OUTCOMES, (5, 3, 0), strict=True))
    small = fuzz.RECORD._replace(file=tmp_path / "fuzz.json")
    functions = {"why.counting.shear": counts, "nn.encode": counts}
    small.write({"versions": {"Python": "3.11"}, "functions": functions})
    return small


def test_what_was_written_is_read(record):
    found = fuzz.recorded(record)
    assert found.present
    assert found.versions == {"Python": "3.11"}
    assert found.sums() == {"right result": 10, "refused": 6, "anything else": 0}
    assert found.sums(["nn.encode"])["refused"] == 3


def test_a_record_of_other_code_says_so(record):
    record.write(record.read()[0], digest="0" * 64)
    assert not fuzz.recorded(record).present


def test_the_digest_covers_what_can_be_called_and_nothing_else(tmp_path):
    copy = tmp_path / "pe_book"
    shutil.copytree(ROOT / "pe_book", copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = fuzz.RECORD.digest(tmp_path)
    assert before == fuzz.RECORD.digest()
    figure = copy / "show" / "drawing" / "figure.py"
    figure.write_text(figure.read_text(encoding="utf-8") + "\nx = 1\n", encoding="utf-8")
    assert fuzz.RECORD.digest(tmp_path) == before
    for name in ("why/counting.py", "nn/functional/sinusoidal.py", "inputs/checking.py", "__init__.py"):
        file = copy / name
        text = file.read_text(encoding="utf-8")
        file.write_text(text + "\n# a comment\n", encoding="utf-8")
        assert fuzz.RECORD.digest(tmp_path) == before
        file.write_text(text + "\nx = 1\n", encoding="utf-8")
        assert fuzz.RECORD.digest(tmp_path) != before, name
        file.write_text(text, encoding="utf-8")


def test_the_committed_record_is_large_and_holds_nothing_but_results_and_refusals():
    sums = fuzz.recorded().sums()
    assert sum(sums.values()) >= 25_000
    assert sums["anything else"] == 0


def test_the_build_report_shows_the_counts_and_whether_they_are_present(book, record):
    def built():
        book.page("index", "(sec:page:top)=\n# A page\n\n```{build-report}\n```\n")
        assert book.build(builder="html").code == 0
        text = (book.root / "out" / "index.html").read_text(encoding="utf-8")
        return " ".join(BeautifulSoup(text, "html.parser").get_text(" ").split())

    shutil.copy(record.file, book.root / "pe_book" / "evidence" / "records" / "fuzz.json")
    text = built()
    assert "torch 1 8 5 3 0" in text
    assert "together 2 16 10 6 0" in text
    assert "counted with the code that stands here (Python 3.11)" in text
    book.change("pe_book/why/counting.py", "import numpy as np\n", "import numpy as np\n\nOTHER = 1\n")
    assert "counted with other code than stands here: run make thorough" in built()
