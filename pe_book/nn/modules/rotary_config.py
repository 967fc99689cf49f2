"""What a rotary module is made with, from the config of a model."""

from collections.abc import Collection
from typing import Any

from pe_book.config.findings import what_acts_beside
from pe_book.config.formats import ConfigLike
from pe_book.config.formats.differing import keys_that_act_elsewhere
from pe_book.config.reading import read_config
from pe_book.config.records import Reading
from pe_book.inputs.checking import whole_number
from pe_book.inputs.wording import shown

AXES = "mrope_section"  # how many pairs turn by each coordinate of a position
# what acts on layers alone that do not turn, of which there is no module
ON_STILL_LAYERS = ("attn_temperature_tuning",)


def arguments_of(
    config: ConfigLike,
    layer: int,
    length: int | None,
    leave_out: Collection[str] = (),
    assume: str | None = None,
) -> dict[str, Any]:
    """Width, pairing, slice, frequencies and factor of one layer, as RotaryEncoding takes them.

    Parameters
    ----------
    config, layer, length, assume
        As for ``RotaryEncoding.from_config``.
    leave_out
        Keys that act on position beside the turns and that the module is to be made without, such as
        ``["llama_4_scaling_beta"]``: what they do is then for your attention to do. With ``mrope_section``
        among them it is that of a text without images.

    Examples
    --------
    >>> arguments_of({"model_type": "llama", "head_dim": 8}, 0, None)["layout"]
    'halves'
    """
    reading = read_config(config, length=length, assume=assume)
    record = reading.records[whole_number(layer, "layer", least=0, most=len(reading.records) - 1)]
    if record.learned:
        raise ValueError(f"config must hold the frequencies, and they are learned: {record.learned}")
    if record.kind != "rotary":
        stay = f"kind {record.kind!r}, so its queries and keys stay as they are"
        raise ValueError(f"layer must be one that turns, got {layer}: {stay}")
    _require_whole(reading, leave_out, layer, length, assume)
    return {
        "head_dim": record.head_dim,
        "layout": record.layout,
        "rotary_dim": record.rotary_dim,
        "side": record.side,
        "frequencies": record.frequencies,
        "attention_factor": record.attention_factor,
        "valid_len": record.valid_len,
    }


def _require_whole(
    reading: Reading, leave_out: Collection[str], layer: int, length: int | None, assume: str | None = None
) -> None:
    """Refuse what acts on position beside the turns, unless the caller leaves it out knowingly."""
    acting = {
        one.key.rpartition(".")[2]: f"{one.key}: {one.says.removesuffix('; no record has it.')}"
        for rule in (what_acts_beside, keys_that_act_elsewhere)
        for one in rule(reading)
        if one.kind == "uncomputed"
    }
    if temperature := reading.records[layer].temperature:
        acting["temperature"] = f"temperature: queries are multiplied by {temperature.formula}"
    if axes := len(reading.records[layer].sections):
        acting[AXES] = f"{AXES}: a position has {axes} coordinates, which are equal in a text without images"
    names: object = (leave_out,) if isinstance(leave_out, str) else leave_out
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"leave_out must list keys of config, got {shown(leave_out)}")
    known = {name.rpartition(".")[2] for name in names}
    if strange := sorted(known - acting.keys()):
        there = f"of which there {f'is {sorted(acting)}' if acting else 'is none'}"
        raise ValueError(f"leave_out must list keys that act beside the turns, {there}, got {strange[0]!r}")
    if missing := sorted(acting.keys() - known - {*ON_STILL_LAYERS}):
        more = "" if assume is None else f", assume={assume!r}"
        left = f"arguments_of(config, {layer}, {length}, leave_out={sorted({*known, *missing})}{more})"
        cure = f"where it does not act, or your attention does it, RotaryEncoding(**{left}), of {__name__}, "
        cure += "leaves it out knowingly"
        told = "; ".join(acting[key] for key in missing)
        raise ValueError(f"config must have no key that acts beside the turns, got {told}; {cure}")
