"""The census that the package carries: of this version, what a build gives, and what is read of configs."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.census import RECORD, Layer, Part, census
from pe_book.config.reading import read_config
from pe_book.config.records import LayerRotary
from tests.parity.census import taken
from tests.parity.classes.variants import saved

CURE = "run `make census` and commit what it writes"
#: Of each kind one, built anew.
ANEW = (
    "whisper", "gemma2", "glm", "bloom", "t5", "roberta", "mamba2", "gpt_oss", "llama4_text", "qwen2_vl_text",
    "phi3", "qwen3_next", "t5gemma", "t5gemma2",
)  # fmt: skip
#: Layers that attend without scores.
STILL = ("linear", "recurrent", "convolution", "nothing")


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
@pytest.mark.parametrize("share", range(14))
def test_every_type_is_as_recorded(share: int) -> None:
    names = sorted(raw())[share::14]
    found = taken.of_all(names, 1)
    before, after = ({name: types[name] for name in names} for types in (raw(), found))
    assert list(taken.changes(before, after)) == [], CURE


def differences(records: tuple[LayerRotary, ...], part: Part) -> list[str]:
    """Where a reading differs from a part, layer by layer; empty where they agree."""
    if len(records) != len(part.layers):
        return [f"layers: {len(records)} read, {len(part.layers)} there"]
    return [f"{layer.layer}: {words}" for record, layer in zip(records, part.layers, strict=True)
            for words in of_a_layer(record, layer, part)]  # fmt: skip


def of_a_layer(record: LayerRotary, layer: Layer, part: Part) -> Iterator[str]:
    """Of turns the sections alone: all else of them is compared with the class itself."""
    if ("rotary" in record.kind) != (layer.turned is not None):
        yield f"{record.kind} read, {layer.kind} there"
    if record.kind in ("alibi", "bias") and (layer.bias == "alibi") != (record.kind == "alibi"):
        yield f"{record.kind} read, {layer.bias or 'no bias'} there"
    if record.kind == "learned" and not part.tables:
        yield "a learned table read, none there"
    if record.attention == "linear" and layer.moving not in record.moving:
        yield f"{record.moving} read, {layer.moving} there"
    attends = {"cross": "full", **dict.fromkeys(STILL, "linear")}.get(layer.attends, layer.attends)
    pairs: dict[str, tuple[object, object]] = {
        "attention": (record.attention, attends), "window": (record.window, layer.window),
        "sink": (record.sink, layer.sink), "bias": (record.bias, layer.bias),
        "temperature": (record.temperature.formula if record.temperature else "", layer.temperature),
    }  # fmt: skip
    turned = layer.turned
    if turned and turned.arrangement != "other":  # no function here deals pairs out so, and a reading says it
        pairs["sections"] = (record.sections, turned.sections)
        pairs["arrangement"] = (record.arrangement, turned.arrangement)
    for name, (one, there) in pairs.items():
        if one != there:
            yield f"{name} {one} read, {there} there"


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
