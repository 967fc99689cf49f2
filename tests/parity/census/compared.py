"""What is read of a config beside what the census saw of its class: each difference in a few words."""

from __future__ import annotations

from collections.abc import Iterator

from pe_book.census import Layer, Part
from pe_book.config.records import LayerRotary

STILL = ("linear", "recurrent", "convolution", "nothing")


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
