"""The catalogue: every record is true, everything is made from it, and a new name takes one record."""

import ast
import filecmp
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from sphinx.errors import ConfigError

import pe_book as pe
from page import listing
from pe_book.catalogue import PLACES, RECORDS, SECTIONS
from pe_book.family.doors import DOORS

ROOT = Path(__file__).resolve().parents[1]
BIBLIOGRAPHY = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")


def run(code: str, cwd: Path = ROOT) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---------------------------------------------------------------- the records


def test_every_name_has_one_record_and_they_are_sorted():
    names = [record.name for record in pe.catalogue()]
    assert names == sorted(set(names))
    assert pe.catalogue() is RECORDS


def test_position_enters_at_the_doors_of_the_book_or_nowhere_at_all():
    assert (*DOORS, "none") == PLACES


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_each_record_is_true(record):
    assert record.numpy or record.torch
    assert record.place in PLACES
    assert (ROOT / "docs" / f"{record.page}.md").is_file()
    draft = "\nstatus: draft\n" in (ROOT / "docs" / f"{record.page}.md").read_text(encoding="utf-8")
    looked_for = draft and record.source == "?"
    assert not record.source or looked_for or f"{{{record.source},\n" in BIBLIOGRAPHY, "name the source"
    if record.numpy:
        found = getattr(import_module(record.numpy), record.name)
        assert inspect.isfunction(found)
        assert (found.__module__, found.__name__) == (record.numpy, record.name)


@pytest.mark.parametrize("record", [r for r in RECORDS if r.torch], ids=lambda record: record.name)
def test_each_torch_name_is_defined_where_its_record_says(record):
    pytest.importorskip("torch")
    found = getattr(import_module(record.torch), record.name)
    assert (found.__module__, found.__name__) == (record.torch, record.name)


def test_a_section_of_the_interface_is_a_module_that_exists():
    for module, _, _ in SECTIONS:
        assert listing.file_of(module, ROOT).is_file()
    with pytest.raises(ConfigError, match=r"lists show\.gone, which is gone: take the line out"):
        listing.file_of("show.gone", ROOT)


def test_no_part_of_the_package_lists_the_public_names_again():
    """A list of five names or more beside the catalogue would have to be kept in step with it."""
    everyday = {record.name for record in RECORDS if record.numpy}
    for file in sorted((ROOT / "pe_book").rglob("*.py")):
        if file.name == "catalogue.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
                inner = node.keys if isinstance(node, ast.Dict) else node.elts
                said = {one.value for one in inner if isinstance(one, ast.Constant)} & everyday
                assert len(said) < 5, f"{file.relative_to(ROOT)}:{node.lineno} lists {sorted(said)}"


# ---------------------------------------------------------------- the function and its module share a name


@pytest.mark.parametrize(
    "statement",
    [
        "import pe_book.catalogue",
        "from pe_book.catalogue import RECORDS",
        "from pe_book import catalogue",
        "import pe_book.sinusoidal.formula; import pe_book.catalogue",
        "from importlib import import_module; import_module('pe_book.catalogue')",
        "import pe_book; del pe_book.catalogue; pe_book.catalogue",
    ],
)
def test_whatever_was_imported_before_the_name_is_the_function(statement):
    code = f"{statement}\nimport sys, pe_book as pe\nmodule = sys.modules['pe_book.catalogue']\n"
    code += "print(pe.catalogue() is module.RECORDS, pe.catalogue.__module__)"
    assert run(code).split() == ["True", "pe_book.catalogue"]


def test_a_record_shows_what_it_holds():
    record = next(record for record in pe.catalogue() if record.name == "encode")
    assert repr(record) == (
        "Record(name='encode', place='input', numpy='pe_book.sinusoidal.formula', "
        "torch='pe_book.nn.functional.sinusoidal', page='sinusoidal/formula', source='vaswani2017')"
    )


# ---------------------------------------------------------------- a new name takes one record

DEFINITION = '''"""Queries and keys are turned."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.arrays import real_array
from pe_book.inputs.checking import Ladder
from pe_book.sinusoidal.formula import frequencies


def swing(
    x: ArrayLike, positions: ArrayLike, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> NDArray[np.float64]:
    """Rows whose pairs are turned by the angles of their positions."""
    rows, places = real_array(x, "x"), real_array(positions, "positions")
    if places.shape != rows.shape[:-1]:
        raise ValueError(f"positions must have the shape of x without its last axis, got {places.shape}")
    angles = places[..., None] * frequencies(rows.shape[-1], base=base, ladder=ladder)
    sines, cosines = np.sin(angles), np.cos(angles)
    first, second = rows[..., 0::2], rows[..., 1::2]
    turned = first * cosines - second * sines, first * sines + second * cosines
    return np.stack(turned, -1).reshape(rows.shape)
'''
TWIN = '''"""The same for tensors."""

import torch
from torch import Tensor

from pe_book.inputs.checking import Ladder
from pe_book.nn.functional.sinusoidal import frequencies
from pe_book.nn.tensors import Positions, real_positions


def swing(x: Tensor, positions: Positions, *, base: float = 10000.0, ladder: Ladder = "paper") -> Tensor:
    """Rows whose pairs are turned by the angles of their positions."""
    places = real_positions(positions, "positions").double()
    if places.shape != x.shape[:-1]:
        raise ValueError(f"positions must have the shape of x without its last axis, got {places.shape}")
    angles = places[..., None] * frequencies(x.shape[-1], base=base, ladder=ladder)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
    return torch.stack(turned, -1).reshape(x.shape)
'''
RECORD = '    ("swing", "query and key", "family.swinging", "nn.swinging", "family/doors", "su2021"),\n'
ASKED = """
import json, sys
sys.path[:0] = ["docs/_ext", "."]
from kernel import package
from page import listing
import pe_book as pe
from pe_book.show.reference.api import everyday_names
from tests.fuzz.surface import surface
print(json.dumps({
    "numpy": pe.swing([[1.0, 0.0]], [0]).tolist(),
    "torch": pe.nn.swing.__module__,
    "source": package.resolve("pe_book.swing"),
    "surface": sorted(name for name in surface() if "swing" in name),
    "sections": listing.listing("numpy") + listing.listing("torch"),
    "rows": [row for row in everyday_names().cells if "swing" in row[0]],
}))
"""


@pytest.fixture(scope="module")
def with_swing(tmp_path_factory):
    """A copy of the package, its tests and its pages in which somebody has added `swing`."""
    copy = tmp_path_factory.mktemp("swing")
    left = shutil.ignore_patterns("__pycache__", "_build", "_static", "machinery", "site")
    for name in ("pe_book", "docs", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=left)
    shutil.copy(ROOT / "pyproject.toml", copy)
    (copy / "pe_book" / "family" / "swinging.py").write_text(DEFINITION, encoding="utf-8")
    (copy / "pe_book" / "nn" / "swinging.py").write_text(TWIN, encoding="utf-8")
    catalogue = copy / "pe_book" / "catalogue.py"
    text = catalogue.read_text(encoding="utf-8")
    catalogue.write_text(text.replace('    ("table", ', RECORD + '    ("table", '), encoding="utf-8")
    return copy


def differing(left: Path, right: Path) -> set[str]:
    """Files of the right folder that the left one lacks or has otherwise."""
    files = [file for file in right.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    names = [file.relative_to(right).as_posix() for file in files]
    _, differ, missing = filecmp.cmpfiles(left, right, names, shallow=False)
    return {*differ, *missing}


def test_a_new_function_is_everywhere_after_three_files_and_make_stubs(with_swing):
    by_hand = {"pe_book/catalogue.py", "pe_book/family/swinging.py", "pe_book/nn/swinging.py"}
    assert differing(ROOT, with_swing) == by_hand  # its tests, its page and its figures make six
    subprocess.run(
        [sys.executable, "docs/_ext/driver", "stubs"], check=True, cwd=with_swing, capture_output=True
    )
    generated = {"pe_book/__init__.pyi", "pe_book/nn/__init__.pyi"}
    assert differing(ROOT, with_swing) == by_hand | generated
    for stub, home in zip(sorted(generated), ("family", "nn"), strict=True):
        line = f"from pe_book.{home}.swinging import swing as swing\n"
        assert line in (with_swing / stub).read_text(encoding="utf-8")


def test_a_new_function_is_in_every_list(with_swing):
    pytest.importorskip("torch")
    found = json.loads(run(ASKED, with_swing))
    assert found["numpy"] == [[1.0, 0.0]]
    assert found["torch"] == "pe_book.nn.swinging"
    assert found["source"] == "pe_book.family.swinging.swing"
    assert found["surface"] == ["family.swinging.swing", "nn.swing"]
    for line in ("(sec:api:swinging)=\n## Family: swinging\n", "(sec:apitorch:swinging)=\n## Swinging\n"):
        assert line in found["sections"]
    ((name, _, place, page),) = found["rows"]
    assert (place, page) == ("query and key", "{doc}`/family/doors`")
    assert "pe_book.family.swinging.swing" in name


def tried(copy: Path, *files: str) -> tuple[set[str], set[str], str]:
    """The tests that fail and that pass for `swing` in the copy, and what was printed."""
    chosen = "swing and not test_a_few and not new_function"
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", chosen, *files]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, env=plain)
    failed = re.findall(r"^FAILED \S+::(\w+)\[", done.stdout, re.MULTILINE)
    return set(failed), set(re.findall(r"::(\w+)\[[\w.]*swing\] PASSED", done.stdout)), done.stdout[-3000:]


TWIN_TESTS = {
    "test_values_are_those_of_the_definition",
    "test_names_order_kinds_and_defaults_are_those_of_the_definition",
}


def test_a_new_function_is_held_to_its_twin_and_fuzzed(with_swing):
    pytest.importorskip("torch")
    files = [
        "tests/nn/test_parity.py",
        "tests/fuzz/test_fuzz.py",
        "tests/test_catalogue.py",
        "tests/test_api.py",
    ]
    failed, passed, said = tried(with_swing, *files)
    assert failed == set(), said
    assert passed >= TWIN_TESTS | {
        "test_every_parameter_of_every_public_function_is_fuzzed",
        "test_a_plain_call_has_a_right_result",
        "test_each_record_is_true",
        "test_each_torch_name_is_defined_where_its_record_says",
        "test_each_everyday_name_is_the_object_its_chapter_defines",
    }


def test_a_wrong_twin_is_refused_though_no_test_names_it(with_swing):
    pytest.importorskip("torch")
    wrong = TWIN.replace("- second", "+ second").replace("10000.0", "500.0")
    (with_swing / "pe_book" / "nn" / "swinging.py").write_text(wrong, encoding="utf-8")
    failed, _, said = tried(with_swing, "tests/nn/test_parity.py")
    assert failed == TWIN_TESTS, said
