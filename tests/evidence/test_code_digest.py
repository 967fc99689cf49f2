"""The digest of code: what it hears of, and that it is deaf to words, places and names of imports."""

import shutil

import pytest

from pe_book.evidence.records import bench, code
from pe_book.evidence.records.record import ROOT


@pytest.fixture
def tree(tmp_path):
    """A copy of the package."""
    shutil.copytree(ROOT / "pe_book", tmp_path / "pe_book", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def changed(tree, module, was, now):
    file = tree / f"{module.replace('.', '/')}.py"
    text = file.read_text(encoding="utf-8")
    assert was in text
    file.write_text(text.replace(was, now), encoding="utf-8")
    return bench.RECORD.digest(root=tree)


def test_a_copy_has_the_digest_of_what_was_copied(tree):
    assert bench.RECORD.digest(root=tree) == bench.RECORD.digest()


@pytest.mark.parametrize(
    ("module", "was", "now"),
    [
        ("numerics.phases", "0.625 * UNIT_ROUNDOFF", "0.626 * UNIT_ROUNDOFF"),
        ("numerics.phases", "0.625 * UNIT_ROUNDOFF", "0.625 + UNIT_ROUNDOFF"),
        ("evidence.timing", "cache.clear(", "cache.held("),
        ("sinusoidal.formula", "from pe_book.numerics.angles import", "from pe_book.nn.angles import"),
        ("sinusoidal.formula", "import numpy as np", "import torch as np"),
        ("evidence.timing", "ROUNDS = 15", "ROUNDS = 5"),
    ],
)
def test_what_decides_changes_it(tree, module, was, now):
    assert changed(tree, f"pe_book.{module}", was, now) != bench.RECORD.digest()


@pytest.mark.parametrize(
    ("module", "was", "now"),
    [
        ("numerics.phases", 'r"""Angles', '# a comment\nr"""Other words for angles'),
        ("evidence.timing", "Measure everything, write", "Write"),
    ],
)
def test_words_and_names_of_imports_do_not(tree, module, was, now):
    assert changed(tree, f"pe_book.{module}", was, now) == bench.RECORD.digest()


def test_a_module_imported_under_another_name_does_not(tree):
    assert changed(tree, "pe_book.evidence.timing", "cache.", "store.") != bench.RECORD.digest()
    changed(tree, "pe_book.evidence.timing", "import cache", "import cache as store")
    assert bench.RECORD.digest(root=tree) == bench.RECORD.digest()


def test_a_module_that_moves_keeps_it(tree):
    old, new = "pe_book.numerics.cache", "pe_book.elsewhere.store"
    (tree / "pe_book" / "elsewhere").mkdir()
    (tree / "pe_book/numerics/cache.py").rename(tree / "pe_book/elsewhere/store.py")
    for file in (tree / "pe_book").rglob("*.py"):
        text = file.read_text(encoding="utf-8").replace(old, new)
        text = text.replace("from pe_book.numerics import cache", f"import {new} as cache")
        file.write_text(text, encoding="utf-8")
    moved = [new if name == old else name for name in bench.MEASURED]
    assert code.digest(moved, tree) == bench.RECORD.digest()
    with pytest.raises(ValueError, match=rf"modules must stand below .*, got \['{old}'\]: say in"):
        code.digest(bench.MEASURED, tree)


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("from pe_book.numerics import cache as k; import numpy as np; k.held(np.sin)", "held(numpy.sin)"),
        ("from pe_book.numerics.cache import held as h; from math import sin; h(sin)", "held(math.sin)"),
        ("import pe_book as pe; pe.nn.encode(pe.encode)", "nn:encode(encode)"),
        ("from pe_book.family.doors.models import Model; Model.parameters", "Model.parameters"),
    ],
)
def test_what_is_imported_has_the_name_that_it_has_at_home(source, plain):
    assert code.plain(source) == [plain]
