"""The table of what classes have and read is what the classes of this version have and read."""

import tomllib

import pytest
import transformers

from pe_book.config.classes import DEFAULTS, MEASURED, class_defaults
from tests.parity.classes import habits
from tests.parity.classes.class_defaults import defaults, known, measured, written


def test_the_table_has_what_the_classes_have() -> None:
    table = dict(class_defaults())
    assert table.pop("transformers") == transformers.__version__
    assert sorted(table) == known()
    for name, row in table.items():
        here = {key: value for key, value in row.items() if key not in MEASURED}
        fresh = tomllib.loads("\n".join(f"{key} = {written(value)}" for key, value in defaults(name).items()))
        assert here == fresh, f"{name}: write {DEFAULTS.name} anew"


@pytest.mark.thorough
@pytest.mark.parametrize("name", known())
def test_the_classes_do_what_the_table_says(name: str) -> None:
    row = class_defaults()[name]
    for key, value in measured(name).items():
        assert sorted(value) == sorted(row[key]), key


@pytest.mark.parametrize("name", ["mistral", "gemma2", "lfm2", "apertus", "ernie4_5_vl_moe"])
def test_layers_and_blocks_of_some_classes_are_as_in_the_table(name: str) -> None:
    row = class_defaults()[name]
    if "layer_types" in row["reads"]:
        assert [*habits.kinds(name)] == row["kinds"]
    assert [*habits.refused(name)] == row.get("refuses", [])
    assert {*habits.shares(name), *habits.patterns(name)} <= {*row["reads"]}
