"""What a rotary module is made with, from the config of a model."""

from typing import Any

from pe_book.config.formats import ConfigLike
from pe_book.config.reading import read_config
from pe_book.inputs.checking import whole_number


def arguments_of(config: ConfigLike, layer: int, length: int | None) -> dict[str, Any]:
    """Width, pairing, slice, frequencies and factor of one layer, as RotaryEncoding takes them.

    >>> arguments_of({"model_type": "llama", "head_dim": 8}, 0, None)["layout"]
    'halves'
    """
    reading = read_config(config, length=length)
    record = reading.records[whole_number(layer, "layer", least=0, most=len(reading.records) - 1)]
    if not reading.known:
        cure = "name the arguments yourself, from the code that runs the model"
        raise ValueError(f"config must be of a known model_type, got {reading.model_type!r}; {cure}")
    if record.kind != "rotary":
        stay = f"kind {record.kind!r}, so its queries and keys stay as they are"
        raise ValueError(f"layer must be one that turns, got {layer}: {stay}")
    if record.sections:
        axes = f"sections {record.sections} for positions on {len(record.sections)} axes"
        text = "those of a text are equal: for it pass the frequencies of rotary_from_config yourself"
        raise ValueError(f"config must give each token one position, got {axes}; {text}")
    return {
        "head_dim": record.head_dim,
        "layout": record.layout,
        "rotary_dim": record.rotary_dim,
        "side": record.side,
        "frequencies": record.frequencies,
        "attention_factor": record.attention_factor,
        "valid_len": record.valid_len,
    }
