"""The loader of the census: what a record says, and what is refused of one that somebody edited."""

import json
from typing import Any

import pytest

from pe_book.census import Layer, Table, census, read

TURNED = {"head": 8, "columns": 8, "side": "first", "pairing": "halves", "base": 10000.0}
LAYERS: list[dict[str, Any]] = [
    {"which": "0-0,1-3:2", "attends": "window", "window": 16, "turned": TURNED},
    {"which": "2", "attends": "linear", "moving": "gated delta net", "by_name": ["attends", "moving"]},
]
TABLE = {"kind": "sinusoidal", "rows": 1500}


def record(layers: list[dict[str, Any]] = LAYERS, **types: Any) -> str:
    first = {"parts": {"text": {"tables": [TABLE], "layers": layers}}}
    return json.dumps({"transformers": "5.0", "date": "2026-11-27", "types": {"one": first, **types}})


def test_layers_that_are_alike_are_each_there_in_their_order() -> None:
    part = read(record(), "x").of_type("one").text
    assert part is not None
    assert [one.kind for one in part.layers] == ["turned", "turned", "linear", "turned"]
    assert part.layers[2] == Layer(2, "linear", moving="gated delta net", by_name=("attends", "moving"))
    assert part.tables == (Table("sinusoidal", 1500),)
    turned = part.layers[3].turned
    assert turned is not None
    assert turned.frequencies() == pytest.approx([1, 0.1, 0.01, 0.001])


def test_frequencies_may_be_divided_cut_off_or_listed() -> None:
    def of(**more: Any) -> tuple[float, ...]:
        part = (
            read(record([{"which": "0", "attends": "full", "turned": TURNED | more}]), "x")
            .of_type("one")
            .text
        )
        assert part is not None
        assert part.layers[0].turned is not None
        return part.layers[0].turned.frequencies()

    assert of(scale=4.0) == pytest.approx([0.25, 0.025, 0.0025, 0.00025])
    assert of(still=2) == pytest.approx([1, 0.1, 0, 0])
    assert of(listed=[4.0, 3.0, 2.0, 1.0]) == (4, 3, 2, 1)


def test_a_part_of_another_type_is_that_part() -> None:
    found = read(record(two={"parts": {"text": "one"}}), "x")
    assert found.of_type("two").text == found.of_type("one").text
    assert found.by_class() == {"turned": 2, "linear": 2, "sinusoidal table": 2}


def changed(layer: dict[str, Any]) -> str:
    return record([LAYERS[0] | layer, LAYERS[1]])


@pytest.mark.parametrize(("text", "said"), [
    (changed({"windw": 4}), "windw"),
    (changed({"attends": "wide"}), "must attend by one of full, window"),
    (changed({"which": "0-2"}), "each there once, from 0"),
    (changed({"turned": TURNED | {"listed": [1.0]}}), "a frequency for each pair"),
    (record(two={"parts": {"text": "three"}}), "three"),
])  # fmt: skip
def test_what_a_record_cannot_say_is_refused_in_a_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^old\.json, (one|two): .*{said}.*; run `make census`$"):
        read(text, "old.json")


def test_a_type_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="has no type 'gpt7'"):
        read(record(), "x").of_type("gpt7")


def test_the_census_that_comes_along_is_whole() -> None:
    found = census()
    assert len(found.types) > 800
    assert len(found.by_class()) > 5
    assert 0 < sum(found.by_reason().values()) < 250
