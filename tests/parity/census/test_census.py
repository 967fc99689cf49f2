"""The census that the package carries: of this version, what a build gives, and what is read of configs."""

from __future__ import annotations

import json
from typing import Any

import pytest
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.census import RECORD, Part, census
from pe_book.config.reading import read_config
from tests.parity.census import taken
from tests.parity.census.compared import differences
from tests.parity.classes.variants import saved

CURE = "run `make census` and commit what it writes"
#: Of each kind one, built anew.
ANEW = (
    "whisper", "gemma2", "glm", "bloom", "t5", "roberta", "mamba2", "gpt_oss", "llama4_text", "qwen2_vl_text",
    "phi3", "qwen3_next", "t5gemma", "t5gemma2",
)  # fmt: skip


def raw() -> dict[str, Any]:
    return dict(json.loads(RECORD.read_text(encoding="utf-8"))["types"])


def test_the_record_is_of_this_version_and_of_every_type() -> None:
    assert census().transformers == transformers.__version__, CURE
    assert set(census().types) == set(CONFIG_MAPPING_NAMES), CURE


@pytest.mark.parametrize("name", ANEW)
def test_some_types_built_anew_are_as_recorded(name: str) -> None:
    taken.quietly()
    assert taken.of_type(name) == raw()[name], CURE


@pytest.mark.thorough
def test_every_type_is_as_recorded() -> None:
    assert list(taken.changes(raw(), taken.of_all())) == [], CURE


def read_beside(name: str, part: Part) -> list[str] | None:
    """Where what is read of a default config differs from what was seen; None where it is refused."""
    try:
        records = read_config(saved(name)).records
    except Exception:  # refused here, or no config without a library
        return None
    return differences(records, part)


def test_what_is_read_of_default_configs_is_what_was_seen() -> None:
    found = {name: read_beside(name, one.text) for name, one in census().types.items() if one.text}
    wrong = {name: apart[0] for name, apart in found.items() if apart}
    assert wrong == {}
    assert sum(apart == [] for apart in found.values()) > 150


def test_a_record_that_is_wrong_is_seen_by_the_reader() -> None:
    part = census().types["llama"].text
    assert part is not None
    wrong = part._replace(layers=tuple(one._replace(bias="t5") for one in part.layers))
    assert read_beside("llama", part) == []
    assert "bias" in (read_beside("llama", wrong) or [""])[0]
