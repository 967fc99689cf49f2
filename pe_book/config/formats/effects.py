"""Keys that nothing reads and that would change nothing either: why, in words."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pe_book.config.records import Reading
from pe_book.config.widths import COUNTS, HEADS, LAYERS, SHARES, WIDTHS

#: One quantity under the names that programs have for it.
NAMES = (LAYERS, WIDTHS, COUNTS, HEADS, SHARES)
BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta", "rotary_base", "rope_freq_base")
#: What tells how a model was made or its layers listed. Of YaRN's own code, jquesnelle/yarn at a18e549886,
#: the class LlamaDynamicYaRNScaledRotaryEmbedding alone does something with ``finetuned``.
TOLD = {
    "finetuned": "in YaRN's own code it counts for the dynamic form alone",
    "order_of_interleaved_layers": "layer_types says which layers are which, and was read",
}
#: Keys that count only where another one is true.
SWITCHED = {"max_window_layers": "use_sliding_window"}
#: Without these a layer would not turn at all, or by another ramp, so that a false is no small thing.
WHOLE = re.compile("(use_)?(rope|rotary)(_pos)?(_emb|_embedding|_embeddings)?|truncate")


def without_effect(reading: Reading, key: str, value: Any) -> str:
    """Why a key that is not read would change nothing in a program that reads it; empty if it might."""
    name = key.rpartition(".")[2]
    if name in TOLD:
        return TOLD[name]
    switch = SWITCHED.get(name)
    if switch and not reading.values.get(switch):
        return f"it counts only where {switch} is true"
    if ("interleave" in name and "mrope" not in name) or name == "rope_traditional":
        turned = (one.layout == "interleaved" for one in reading.records if one.kind == "rotary")
        found: list[Any] = [*islice(turned, 1)]  # all layers of a model pair alike
    elif value is False and not WHOLE.fullmatch(name):
        return "it is false"
    else:
        found = [*_read(reading, name)]
    return "it says what was read" if found and all(one == value for one in found) else ""


def _read(reading: Reading, name: str) -> Iterator[Any]:
    """What was read for the quantity that a key names; several things where layers differ."""
    turned = [one for one in reading.records if one.kind == "rotary"]
    if name in BASES:
        yield from (one.base for one in reading.scalings)
    elif name in LAYERS:
        yield len(reading.records)
    elif name in SHARES:
        yield from (one.rotary_dim / one.head_dim for one in turned)
    elif name == "truncate":
        yield from (one.options[name] for one in reading.scalings if name in one.options)
    elif name == "rope_scale":
        yield from (one.factor or 1 for one in reading.scalings)
    for names in NAMES:
        others = (one for one in names if name in names and one != name)
        yield from (
            found[one] for one in others for found in (reading.used, reading.defaulted) if one in found
        )
