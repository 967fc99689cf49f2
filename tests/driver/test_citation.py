"""CITATION.cff is what the schema of its format says; test_shell.py asks whether the schema was changed."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from pe_book.evidence import project

ROOT = Path(__file__).resolve().parents[2]
TAKEN = Path(__file__).with_name("cff")


def complaints(citation):
    schema = json.loads((TAKEN / "schema.json").read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    checker = Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)
    return [error.message for error in checker.iter_errors(citation)]


@pytest.fixture
def citation():
    # a date stays the text that stands there, as other readers of the format take it
    return yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def test_the_citation_is_what_its_format_says(citation):
    assert complaints(citation) == []
    # read as YAML with its types, too: a version such as 1.0 would be a number
    typed = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert isinstance(typed["version"], str)
    assert complaints(typed) == []


def test_a_release_has_its_date(citation):
    """Before the release there is none, and the message says so; afterwards its year is the changelog's."""
    assert citation.get("date-released", "")[:4] == project.year()
    assert ("not yet released" in citation["message"]) == (project.year() == "")
