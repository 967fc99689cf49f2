"""What is compared with is what is pinned, and torch is that of the book."""

import importlib
import importlib.util
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.parity.libraries import folder, pins, version
from tests.parity.register import members

BOOK = pins(Path(__file__).parents[2] / "requirements.txt")


@pytest.mark.parametrize("library", pins())
def test_every_library_is_the_pinned_one(library: str):
    assert version(library) == pins()[library]


@pytest.mark.parametrize("name", ["transformers", "x_transformers", "rotary_embedding_torch", "diffusers"])
def test_what_is_imported_lies_in_the_folder(name: str):
    assert folder() in Path(importlib.util.find_spec(name).origin).parents


@pytest.mark.parametrize("name", ["torch", "numpy"])
def test_what_the_book_has_is_used_from_there(name: str):
    assert folder() not in Path(importlib.import_module(name).__file__).parents
    assert name not in pins()


def test_every_pinned_library_that_is_asked_for_by_name_is_compared_with():
    own = (Path(__file__).parent / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked_for = {line.partition("==")[0] for line in own if "==" in line}
    compared = {one.library for one in members()}
    assert {one for one in asked_for - compared if one.rpartition("-")[0] not in compared} == set()  # mlx-cpu


def test_whatever_the_comparisons_import_is_pinned_here_or_by_the_book():
    """A package that happens to lie in somebody's environment would hide that it is missing elsewhere."""
    for one in members():
        one.compare()
    pinned = {canonical(name) for name in (*BOOK, *pins())} | {"pip"}
    owners = metadata.packages_distributions()
    loaded = {name.partition(".")[0] for name in sys.modules}
    found = {name: owners[name] for name in loaded & owners.keys()}
    assert {name for name, homes in found.items() if not pinned & set(map(canonical, homes))} == set()


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
