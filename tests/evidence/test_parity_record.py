"""The record of the parity: what it holds, whether it is of this code, and the tables made from it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pe_book.evidence import parity
from pe_book.show.reference import parity as show

ROOT = Path(__file__).resolve().parents[2]
EQUAL = parity.Agreement("Model", "library", "1.0", "rows", "halves", 0.0, 2e-5)
APART = parity.Agreement("linear", "library", "1.0", "frequencies", "each once", 3e-8, 1e-6)
WRONG = parity.Defect("turn(x, offset=5)", "first angle", "library", "1.0", "0", "5")


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    file = tmp_path / "parity.json"
    parity.write([EQUAL, APART], [WRONG], record=file)
    return file


def test_what_was_written_is_read(record):
    found = parity.recorded(record=record)
    assert (found.agreements, found.defects, found.present) == ([EQUAL, APART], [WRONG], True)
    assert found.of("frequencies") == [APART]
    assert found.libraries() == {"library": "1.0"}
    assert found.largest("frequencies") == 3e-8
    assert found.standing() == "the code that stands here"
    assert "| linear | ${3.0 \\cdot 10^{-8}}$ |" in show.frequencies(found).markdown()
    assert "| `turn(x, offset=5)` | 0 | 5 |" in show.defects(found).markdown()


def test_a_record_of_other_code_says_so_and_is_shown_all_the_same(record):
    record.write_text(json.dumps(json.loads(record.read_text()) | {"digest": "0" * 64}), encoding="utf-8")
    found = parity.recorded(record=record)
    assert not found.present
    assert found.standing() == "an earlier state of the code"
    assert "| Model | 0 |" in show.rows(found).markdown()


def test_a_difference_above_its_bound_is_seen(record):
    parity.write([EQUAL._replace(difference=3e-5)], [], record=record)
    assert not parity.recorded(record=record).all_within()


def test_the_digest_covers_what_is_compared_and_nothing_else(tmp_path):
    root = parity.RECORD.parents[1]
    copy = tmp_path / "pe_book"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = parity.digest(copy)
    assert before == parity.digest()
    for name, changes in (
        ("family/learned/__init__.py", False),
        ("family/context_extension/ramps.py", True),
        ("inputs/pairs.py", True),
    ):
        file = copy / name
        text = file.read_text(encoding="utf-8")
        file.write_text(text + "\nx = 1\n", encoding="utf-8")
        assert (parity.digest(copy) != before) == changes, name
        file.write_text(text, encoding="utf-8")


def test_the_digest_covers_every_module_that_the_definitions_import():
    code = (
        "import sys, pe_book.family.rotary.axes, pe_book.family.context_extension\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('pe_book.')))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {Path(file).relative_to(ROOT / "pe_book").as_posix() for file in run.stdout.split()}
    decide_nothing = {"_moved.py", "__init__.py", "catalogue.py", "inputs/shapes.py"}
    needed = {
        file for file in files if "def " in (ROOT / "pe_book" / file).read_text("utf-8")
    } - decide_nothing
    assert needed <= set(parity.COMPARED)
    assert all((ROOT / "pe_book" / file).exists() for file in parity.COMPARED)


def test_the_committed_record_is_of_the_pinned_libraries():
    lines = "".join(
        file.read_text(encoding="utf-8")
        for file in (
            ROOT / "tests" / "parity" / "requirements.txt",
            ROOT / "pe_book" / "evidence" / "bench-requirements.txt",
        )
    )
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", lines, re.MULTILINE))
    found = parity.recorded()
    for one in (*found.agreements, *found.defects):
        assert pinned[one.library] == one.version
    assert {one.kind for one in found.agreements} == set(parity.KINDS)
    assert found.all_within()
