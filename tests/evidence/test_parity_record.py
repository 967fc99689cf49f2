"""The record of the parity: what it holds, whether it is of this code, and the tables made from it."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pe_book.evidence.records import parity
from pe_book.evidence.records.code import plain, reached
from pe_book.show.reference import parity as show

ROOT = Path(__file__).resolve().parents[2]
EQUAL = parity.Agreement("Model", "library", "1.0", "rows", "halves", 0.0, 2e-5)
APART = parity.Agreement("linear", "library", "1.0", "frequencies", "each once", 3e-8, 1e-6)
BIASED = parity.Agreement("slopes", "library", "1.0", "biases", "one a head", 2e-8, 1e-6)
WHOLE = parity.Agreement("a layer", "library", "1.0", "attention", "not divided", 1e-16, 1e-12)
WRONG = parity.Defect("turn(x, offset=5)", "first angle", "library", "1.0", "0", "5")


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    small = parity.RECORD._replace(file=tmp_path / "parity.json")
    small.write(parity.written([EQUAL, APART, BIASED, WHOLE], [WRONG]))
    return small


def test_what_was_written_is_read(record):
    found = parity.recorded(record)
    assert (found.agreements, found.defects, found.present) == ([EQUAL, APART, BIASED, WHOLE], [WRONG], True)
    assert found.of("frequencies") == [APART]
    assert found.libraries() == {"library": "1.0"}
    assert found.largest("frequencies") == 3e-8
    assert found.standing() == "the code that stands here"
    assert "| linear | ${3.0 \\cdot 10^{-8}}$ |" in show.frequencies(found).markdown()
    assert "| slopes | ${2.0 \\cdot 10^{-8}}$ |" in show.biases(found).markdown()
    assert "| a layer | ${1.0 \\cdot 10^{-16}}$ |" in show.attention(found).markdown()
    assert "| `turn(x, offset=5)` | 0 | 5 |" in show.defects(found).markdown()


def test_a_record_of_other_code_says_so_and_is_shown_all_the_same(record):
    record.write(record.read()[0], digest="0" * 64)
    found = parity.recorded(record)
    assert not found.present
    assert found.standing() == "an earlier state of the code"
    assert "| Model | 0 |" in show.rows(found).markdown()


def test_a_difference_above_its_bound_is_seen(record):
    assert parity.recorded(record).all_within()
    for wrong in ([EQUAL._replace(difference=3e-5)], [EQUAL._replace(difference=float("nan"))], []):
        record.write(parity.written(wrong, []))
        assert not parity.recorded(record).all_within()


def test_a_verdict_on_the_record_says_of_which_code_it_is(record):
    assert parity.recorded(record).all_within().evidence["of"] == "the code that stands here"
    record.write(record.read()[0], digest="0" * 64)
    assert parity.recorded(record).all_within().evidence["of"] == "an earlier state of the code"


def test_the_digest_covers_what_is_compared_and_nothing_else(tmp_path):
    copy = tmp_path / "pe_book"
    shutil.copytree(ROOT / "pe_book", copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = parity.RECORD.digest(tmp_path)
    assert before == parity.RECORD.digest()
    for name, changes in (
        ("family/learned/__init__.py", False),
        ("family/score_bias/kerple.py", False),
        ("family/score_bias/t5.py", True),
        ("family/relative/log_buckets.py", True),
        ("why/order_blindness.py", True),
        ("family/context_extension/ramps.py", True),
        ("inputs/pairs.py", True),
    ):
        file = copy / name
        text = file.read_text(encoding="utf-8")
        file.write_text(text + "\nx = 1\n", encoding="utf-8")
        assert (parity.RECORD.digest(tmp_path) != before) == changes, name
        file.write_text(text, encoding="utf-8")


def test_the_digest_covers_every_module_that_the_definitions_import():
    code = (
        f"import sys, {', '.join(parity.COMPARED)}\n"
        "print(*(n for n, m in sys.modules.items() if n.startswith('pe_book.') and vars(m).get('__file__')))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name for name in run.stdout.split() if plain(Path(find_spec(name).origin).read_text("utf-8"))}
    compared = {
        name for name in reached(parity.COMPARED) if plain(Path(find_spec(name).origin).read_text("utf-8"))
    }
    assert loaded - {"pe_book.catalogue"} == compared  # pe_book itself loads it


def test_the_committed_record_is_of_the_pinned_libraries():
    lines = "".join(
        file.read_text(encoding="utf-8")
        for file in (
            ROOT / "requirements.txt",
            ROOT / "tests" / "parity" / "requirements.txt",
            parity.HERE / "bench-requirements.txt",
        )
    )
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lines, re.MULTILINE))
    found = parity.recorded()
    for one in (*found.agreements, *found.defects):
        assert pinned[one.library] == one.version
    assert {one.kind for one in found.agreements} == set(parity.KINDS)
    assert found.all_within()
