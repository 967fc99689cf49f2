"""Blocks of real models: each is read, and what is known of a model is what its record says."""

import pytest

from pe_book.config.keys import part_of
from pe_book.config.pairings import pairings
from pe_book.config.reading import read_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES
from tests.config.configs import BLOCKS


def test_each_block_names_its_source() -> None:
    assert len(BLOCKS) > 70
    for block in BLOCKS.values():
        assert block["source"].startswith(("github:", "huggingface.co/", "transformers", "docs.")), block[
            "source"
        ]
        assert block["name"]
        assert block["seen"]


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_a_real_config_gives_a_record_for_each_layer(name: str) -> None:
    config = BLOCKS[name]["config"]
    reading = read_config(config)
    assert reading.known
    assert [record.layer for record in reading.records] == list(range(len(reading.records)))
    for record in reading.records:
        assert record.frequencies.shape == record.unscaled.shape == (record.rotary_dim // 2,)
        assert (record.rotary_dim > 0) == (record.kind == "rotary")
        assert (record.frequencies <= record.unscaled * (1 + 1e-15)).all()
        assert record.layout in ("interleaved", "halves")


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_the_table_of_pairings_says_what_the_records_have(name: str) -> None:
    reading = read_config(BLOCKS[name]["config"])
    rows = {row.model_type: row for row in pairings()}
    for record in reading.records:
        if record.kind == "rotary":
            row = rows[reading.model_type]
            assert record.side == row.side
            assert record.layout == row.layout or row.layout_key in reading.used
            if "partial_rotary_factor" in reading.defaulted and row.side == "first":
                assert record.rotary_dim == part_of(record.head_dim, row.share)
