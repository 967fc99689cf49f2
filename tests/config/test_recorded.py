"""Configs of real models: each is read, and every key is named by the report, or was reviewed."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pe_book.config.checking import check_config
from pe_book.config.keys import part_of
from pe_book.config.pairings import pairings
from pe_book.config.reading import read_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES
from tests.config.configs import BLOCKS, LLAMA

# reviewed by hand: each with the reason why no report need name it
NOT_ON_POSITION = {
    **dict.fromkeys(("dtype", "torch_dtype", "transformers_version"), "how the file was written"),
    **dict.fromkeys(("multi_query", "multi_query_group_num", "num_key_value_heads"),
                    "how many keys share a query; a record is of one head"),
    **dict.fromkeys(("d_model", "hidden_size", "n_embd", "n_head", "n_heads", "num_attention_heads"),
                    "a size, named where the width of a head is computed from it"),
    "num_layers": "a size, named where no other key says the layers",
    "v_head_dim": "the width of values, which are not turned",
    "max_length": "how much is generated unless the program says otherwise",
    "vision_config": "the part that sees images",
}  # fmt: skip
# blocks whose name the report gives, and which act as a whole
WHOLE = ("attn_config", "dual_chunk_attention_config", "vision_config")


ROWS = {row.model_type: row for row in pairings()}


def paths(config: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Every key that is not null, with the blocks it stands in; a part for the text is no block."""
    for key, value in config.items():
        if isinstance(value, Mapping) and key not in WHOLE:
            yield from paths(value, "" if key == "text_config" else f"{before}{key}.")
        elif value is not None:
            yield before + key


def unnamed(config: Mapping[str, Any]) -> set[str]:
    """The keys of a config that its report does not name and that nobody has reviewed."""
    report = check_config(config, assume=None if "model_type" in config else "llama")
    reading = report.reading
    named = {*reading.used, *reading.defaulted, *reading.ignored, *reading.outside}
    named |= {one.key for one in (*report.findings, *report.notes)}
    return {key for key in paths(config) if key not in named and key not in NOT_ON_POSITION}


def test_every_key_of_a_recorded_config_is_named_or_reviewed() -> None:
    found = {name: unnamed(BLOCKS[name]["config"]) for name in BLOCKS}
    assert {name: keys for name, keys in found.items() if keys} == {}


def slips_of(config: Mapping[str, Any]) -> list[str]:
    report = check_config(config, assume=None if "model_type" in config else "llama")
    return [one.key for one in report.findings if "is the key" in one.says]


def test_no_key_of_a_recorded_config_is_taken_for_a_slip() -> None:
    """DeepSeek-V3 says the width of its values, `v_head_dim`, and no `head_dim`."""
    assert slips_of({**LLAMA, "hed_dim": 128}) == ["hed_dim"]
    found = {name: slips_of(BLOCKS[name]["config"]) for name in BLOCKS}
    assert {name: keys for name, keys in found.items() if keys} == {}


def test_what_nobody_reviewed_occurs() -> None:
    found = {key for block in BLOCKS.values() for key in paths(block["config"])}
    assert NOT_ON_POSITION.keys() <= found


@pytest.mark.parametrize(
    "key", ["nope_layers", "xpos", "attention_sinks", "layers_block_type", "global_head_dim"]
)
def test_a_key_on_position_that_is_not_known_here_is_a_warning(key: str) -> None:
    (finding,) = check_config({**LLAMA, key: True}).findings
    assert (finding.kind, finding.key) == ("unknown", key)


@pytest.mark.parametrize(
    ("name", "trained", "promised", "round_"),
    [("qwen2.5-14b-1m", 262144, 1010000, 43), ("nomic-embed-v1.5", 2048, 8192, 27)],
)
def test_pairs_are_counted_over_the_training_that_another_key_says(
    name: str, trained: int, promised: int, round_: int
) -> None:
    report = check_config(BLOCKS[name]["config"])
    assert (report.reading.trained_len, report.reading.max_len) == (trained, promised)
    turns = report.turns[0].trained
    assert turns is not None
    assert int((turns >= 1).sum()) == round_
    told = " ".join(str(report).split())
    assert f"over {trained} tokens taken as trained: {round_} of {turns.size} pairs go full circle" in told
    assert f"training was on {trained} tokens by this key, on {promised} by" in told


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
    for record in reading.records:
        if record.kind == "rotary":
            row = ROWS[reading.model_type]
            assert record.side == row.side
            assert record.layout == row.layout or row.layout_key in reading.used
            if "partial_rotary_factor" in reading.defaulted and row.side == "first":
                assert record.rotary_dim == part_of(record.head_dim, row.share)
