"""The catalogue: every record is true. A new name: see tests/machinery/driver/test_chapter.py."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest
from sphinx.errors import ConfigError

import pe_book as pe
from pe_book.catalogue import PLACES, RECORDS, SECTIONS
from pe_book.family.doors import DOORS
from pe_ext import interface

ROOT = Path(__file__).resolve().parents[1]
BIBLIOGRAPHY = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")


# ---------------------------------------------------------------- the records


def test_every_name_has_one_record_and_they_are_sorted():
    names = [record.name for record in pe.catalogue()]
    assert names == sorted(set(names))
    assert pe.catalogue() is RECORDS


def test_position_enters_at_the_doors_of_the_book_or_not_at_all():
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
        assert interface().file_of(module).is_file()
    with pytest.raises(ConfigError, match=r"list show\.gone: take out what is gone"):
        interface().file_of("show.gone")
