"""The table of what classes have and read is what the classes of this version have and read."""

import tomllib

import pytest
import transformers

from pe_book.config.classes import DEFAULTS, class_defaults
from tests.parity.classes.class_defaults import defaults, known, reads, written


def test_the_table_has_what_the_classes_have() -> None:
    table = dict(class_defaults())
    assert table.pop("transformers") == transformers.__version__
    assert sorted(table) == known()
    for name, row in table.items():
        here = {key: value for key, value in row.items() if key != "reads"}
        fresh = tomllib.loads("\n".join(f"{key} = {written(value)}" for key, value in defaults(name).items()))
        assert here == fresh, f"{name}: write {DEFAULTS.name} anew"


@pytest.mark.thorough
@pytest.mark.parametrize("name", known())
def test_the_classes_read_the_names_that_the_table_says(name: str) -> None:
    assert sorted(reads(name)) == sorted(class_defaults()[name]["reads"])
