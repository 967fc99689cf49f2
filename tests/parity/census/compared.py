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
    there = "linear" if layer.attends in STILL else layer.attends
    if record.attention != there:
        yield f"{record.attention} read, {layer.attends} there"
    if record.window != layer.window:
        yield f"window {record.window} read, {layer.window} there"
    if (record.kind == "rotary") != (layer.turned is not None):
        yield f"{record.kind} read, {layer.kind} there"
    if record.kind in ("alibi", "bias") and (layer.bias == "alibi") != (record.kind == "alibi"):
        yield f"{record.kind} read, {layer.bias or 'no bias'} there"
    if record.kind == "learned" and not part.tables:
        yield "a learned table read, none there"
    if record.kind == "rotary" and layer.turned is not None:
        yield from of_a_turn(record, layer)


def of_a_turn(record: LayerRotary, layer: Layer) -> Iterator[str]:
    turned = layer.turned
    assert turned is not None
    pairs = {
        "head": (record.head_dim, turned.head),
        "columns": (record.rotary_dim, turned.columns),
        "side": (record.side, turned.side) if turned.columns < turned.head else ("", ""),
        "pairing": (record.layout, turned.pairing),
        "sections": (record.sections, turned.sections),
        "arrangement": (record.arrangement, turned.arrangement),
    }
    for name, (read, there) in pairs.items():
        if read != there:
            yield f"{name} {read} read, {there} there"
    frequencies = np.array(turned.frequencies())
    if record.frequencies.shape != frequencies.shape:
        yield f"{record.frequencies.size} frequencies read, {frequencies.size} there"
    elif not np.allclose(record.frequencies, frequencies, rtol=1e-5, atol=5e-9):
        apart = int(np.argmax(abs(record.frequencies - frequencies)))
        yield f"frequency {apart} {record.frequencies[apart]:.6g} read, {frequencies[apart]:.6g} there"
    if abs(record.attention_factor / turned.factor - 1) > 2e-3:
        yield f"factor {record.attention_factor:.4f} read, {turned.factor:.4f} there"
