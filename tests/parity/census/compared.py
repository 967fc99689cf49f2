"""What is read of a config beside what the census saw of its class: each difference in a few words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

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
    there = {"cross": "full", **dict.fromkeys(STILL, "linear")}.get(layer.attends, layer.attends)
    if record.attention != there:
        yield f"{record.attention} read, {layer.attends} there"
    if record.window != layer.window:
        yield f"window {record.window} read, {layer.window} there"
    if ("rotary" in record.kind) != (layer.turned is not None):
        yield f"{record.kind} read, {layer.kind} there"
    if record.kind in ("alibi", "bias") and (layer.bias == "alibi") != (record.kind == "alibi"):
        yield f"{record.kind} read, {layer.bias or 'no bias'} there"
    if record.kind == "learned" and not part.tables:
        yield "a learned table read, none there"
    for name in ("sink", "bias"):
        if getattr(record, name) != getattr(layer, name):
            yield f"{name} {getattr(record, name)} read, {getattr(layer, name)} there"
    if (formula := record.temperature.formula if record.temperature else "") != layer.temperature:
        yield f"temperature {formula} read, {layer.temperature} there"
    if record.attention == "linear" and layer.moving not in record.moving:
        yield f"{record.moving} read, {layer.moving} there"
    if layer.turned is not None and "rotary" in record.kind:
        yield from of_a_turn(record, layer)


def of_a_turn(record: LayerRotary, layer: Layer) -> Iterator[str]:
    turned = layer.turned
    assert turned is not None
    pairs = {
        "head": (record.head_dim, turned.head),
        "columns": (record.rotary_dim, turned.columns),
        "side": (record.side, turned.side) if turned.columns < turned.head else ("", ""),
        "pairing": (record.layout, turned.pairing),
    }
    if turned.arrangement != "other":  # no function here deals pairs out so, and a reading says it
        pairs["sections"] = (record.sections, turned.sections)
        pairs["arrangement"] = (record.arrangement, turned.arrangement)
    for name, (one, there) in pairs.items():
        if one != there:
            yield f"{name} {one} read, {there} there"
    read = record.frequencies if record.frequencies.size else record.unscaled  # of learned ones the ladder
    frequencies = np.array(turned.frequencies())
    if read.shape != frequencies.shape:
        yield f"{read.size} frequencies read, {frequencies.size} there"
    elif not np.allclose(read, frequencies, rtol=1e-5, atol=5e-9):
        apart = int(np.argmax(abs(read - frequencies)))
        yield f"frequency {apart} {read[apart]:.6g} read, {frequencies[apart]:.6g} there"
    if abs(record.attention_factor / turned.factor - 1) > 2e-3:
        yield f"factor {record.attention_factor:.4f} read, {turned.factor:.4f} there"
