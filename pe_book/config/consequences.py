"""What follows from a config: layers that differ, cached keys that go out of date, angles never met before.

Rules as in :mod:`pe_book.config.findings`; those here also know at which length the model is asked to
read.
"""

from collections.abc import Callable, Iterator

import numpy as np

from pe_book.config.classes import MODELS, class_defaults
from pe_book.config.findings import CHANGES, Finding
from pe_book.config.formats.answer import ENDLESS, door_of
from pe_book.config.formats.remedies import one_ladder
from pe_book.config.records import LayerRotary, Reading
from pe_book.config.scaling import Scaling, exchanged
from pe_book.config.widths import SHARES
from pe_book.family.context_extension.interpolation import turns
from pe_book.inputs.shapes import PerPair

# the keys that say which layers differ, and last the one that chooses where none of them is there
PATTERNS = (
    "layer_types", "sliding_window_pattern", "_sliding_window_pattern", "layer_switch", "no_rope_layers",
    "global_attn_every_n_layers", "full_attention_interval", "model_type",
)  # fmt: skip

LengthRule = Callable[[Reading, int | None], Iterator[Finding]]


def share_in_code(reading: Reading, length: int | None) -> Iterator[Finding]:
    """The slice is narrower than the head because the code of the model says so."""
    name = next((one for one in SHARES if one in reading.defaulted), None)
    if name is not None:
        share = reading.defaulted[name]
        says = (
            f"{share:g} of the head turns, by the code of {reading.model_type}: the config does not say it."
        )
        yield Finding("note", name, says)


def wrong_sections(reading: Reading, length: int | None) -> Iterator[Finding]:
    """The pairs of all axes have to be those of the slice."""
    record = next((record for record in reading.records if record.sections), None)
    if record is None:
        return
    pairs = record.frequencies.size
    prefixes = [one.keys.prefix for one in reading.scalings if one.sections]
    key = f"{prefixes[0]}mrope_section"
    if sum(record.sections) != pairs:
        says = f"its {sum(record.sections)} pairs are not the {pairs} of the slice."
        cure = f"write numbers whose sum is {pairs}, as the published config has them"
        yield Finding("contradictory", key, says, cure)
    else:
        axes = len(record.sections)
        says = f"a position has {axes} coordinates, and an image takes more slots than positions."
        yield Finding("note", key, says)


def unused_window(reading: Reading, length: int | None) -> Iterator[Finding]:
    """A window is named and no layer has it, or layers have one that no key names."""
    window = reading.values.get("sliding_window")
    if reading.defaulted.get("sliding_window") and any(r.attention == "window" for r in reading.records):
        says = f"it is missing, and the class of {reading.read_as} has windows of "
        says += f"{reading.defaulted['sliding_window']} tokens; a model without them says null."
        yield Finding("note", "sliding_window", says)
    if window and all(record.attention != "window" for record in reading.records):
        why = ""
        if reading.values.get("use_sliding_window") is False:
            why = ", because use_sliding_window is false"
        elif (first := reading.values.get("max_window_layers")) is not None:
            why = f", because max_window_layers, {first}, leaves the first {first} layers without"
            why += ": all see the whole text" if first >= len(reading.records) else ""
        yield Finding("note", "sliding_window", f"no layer has a window of {window}{why}.")


def unrotated_layers(reading: Reading, length: int | None) -> Iterator[Finding]:
    """Layers without rotation, and the flag that is easily read the wrong way round."""
    still = [r.layer for r in reading.records if r.kind == "none" and r.attention != "linear"]
    if not still or reading.instead:
        return
    count = f"{len(still)} of {len(reading.records)} layers do not turn, the first is {still[0]}"
    if "no_rope_layers" in reading.values:
        yield Finding("note", "no_rope_layers", f"a 1 means that the layer does turn: {count}.")
    else:
        yield Finding("note", reading.named(*PATTERNS), f"{count}.")


def layers_with_other_frequencies(reading: Reading, length: int | None) -> Iterator[Finding]:
    """One number for all layers would be wrong."""
    found = {r.attention: r for r in reversed(reading.records) if r.kind == "rotary"}
    if {"full", "window"} <= found.keys():
        full, window = found["full"], found["window"]
        if full.frequencies.size != window.frequencies.size or (full.frequencies != window.frequencies).any():
            methods = "" if window.method == full.method else f" ({window.method}; full: {full.method})"
            says = f"layers with a window have frequencies of their own{methods}."
            yield Finding("note", reading.named(*PATTERNS), says)


def kinds_that_are_exchanged(reading: Reading, length: int | None) -> Iterator[Finding]:
    """Slower pairs for layers with a window than for those that see everything, against the class."""
    model, own = MODELS[reading.read_as], class_defaults().get(reading.read_as, {}).get("rope_parameters", {})
    narrow = own.get("sliding_attention", {}).get("rope_theta", model.local_base)
    wide = own.get("full_attention", {}).get("rope_theta", model.base)
    kinds = dict.fromkeys(one.attention for one in reading.records if one.kind == "rotary")
    by_kind = dict(zip(kinds, reading.scalings, strict=False))  # as they were read, kind by kind
    full, window = by_kind.get("full"), by_kind.get("window")
    if full is None or window is None or narrow in (None, wide):
        return
    if (window.base, window.factor or 1) > (full.base, full.factor or 1):
        told = [f"a base of {one.base:.10g} and a factor of {one.factor or 1:g}" for one in (window, full)]
        says = (
            f"layers with a window have {told[0]}, the others {told[1]}: they are exchanged, since the class "
            f"of {reading.read_as} has {narrow:.10g} in a window and {wide:.10g} elsewhere."
        )
        key = window.keys.prefix.rstrip(".") or reading.named(*model.local_keys, "rope_parameters")
        cure = f"exchange base and scaling of the two kinds, which {CHANGES}"
        yield Finding("contradictory", key, says, cure)


def outdated_cache(reading: Reading, length: int | None) -> Iterator[Finding]:
    """Frequencies that switch in mid-sequence leave cached keys behind.

    What transformers 5.24 does was seen by running its classes of Llama and Phi-3; that vLLM takes one list,
    by the longest text it is set to, was read in its phi3_long_rope_scaled_rope.py, at 17d618b0f9.
    """
    for scaling in reading.scalings:
        within_training = length and length <= (scaling.original_len or 0)
        if not switches(scaling) or within_training or exchanged(scaling):
            continue
        does = "Llama keeps them"
        if scaling.method == "longrope":
            does = "Phi-3 drops them there and reads the text anew, Llama keeps them"
        says = (
            f"keys cached from before position {scaling.original_len:g} were turned at other frequencies "
            f"than queries after it; in transformers {does}."
        )
        yield Finding("cache", scaling.type_key, says, one_ladder(reading, scaling, length))


def scaled_without_need(reading: Reading, length: int | None) -> Iterator[Finding]:
    """A static scaling acts on short texts too; a linear one is told without a length, as it names none."""
    trained = reading.trained_len
    for scaling in reading.scalings:
        key = f"{scaling.keys.prefix}factor"
        if (scaling.factor or 1) <= 1:
            continue
        if scaling.method in ("linear", "proportional"):
            says = f"frequencies are divided by {scaling.factor:g} at every length, in short texts too."
            yield Finding("note", key, says)
        elif scaling.method in ("yarn", "llama3") and length and trained and length <= trained:
            says = f"{length} tokens are within the trained {trained:g}; frequencies are scaled all the same."
            yield Finding("note", key, says)


def longer_than_promised(reading: Reading, length: int | None) -> Iterator[Finding]:
    """The asked length against the one that the config promises."""
    promised = reading.promised_len
    if length is None or promised is None or reading.max_len is None or length <= promised:
        return
    if length <= reading.possible_len:
        says = (
            f"if {reading.max_len} is the trained length, which transformers asks to keep here, the factor "
            f"covers {length} tokens; if the factor is in it, as in Gemma 3, it does not. "
            "The model's card says which."
        )
        yield Finding("note", reading.max_len_key, says)
        return
    kind = door_of(reading)
    cure = f"read at most {reading.possible_len:.0f} tokens"
    if kind in ("learned", "sinusoidal"):
        says = f"there are {reading.max_len} {kind} rows, and none for positions from {reading.max_len} on."
    elif kind in ENDLESS:
        return  # there is a value at every distance, or none anywhere
    else:
        more = f", or {reading.possible_len:.0f} with the factor" if reading.possible_len > promised else ""
        says = f"{length} tokens are more than the {promised:.0f} that the config promises{more}."
        cure += f", or use the scaling for longer texts that the model's publisher names, which {CHANGES}"
    yield Finding("beyond", reading.max_len_key, says, cure)


LENGTH_RULES: tuple[LengthRule, ...] = (
    share_in_code, wrong_sections, unused_window, unrotated_layers,
    layers_with_other_frequencies, kinds_that_are_exchanged, outdated_cache, scaled_without_need,
    longer_than_promised,
)  # fmt: skip


def distinct(reading: Reading) -> list[LayerRotary]:
    """The first record of each kind of layer that turns."""
    found: dict[object, LayerRotary] = {}
    for record in reading.records:
        if record.kind == "rotary":
            found.setdefault((record.attention, record.window), record)
    return list(found.values())


def within(length: float, record: LayerRotary) -> float:
    """The longest distance that a layer sees."""
    return min(length, record.window or length)


def switches(scaling: Scaling) -> bool:
    """Whether a scaling takes other frequencies once the text is longer than training."""
    if scaling.method == "longrope":
        return list(scaling.options["short"]) != list(scaling.options["long"])
    return scaling.method == "dynamic"


def shown_len(reading: Reading, record: LayerRotary) -> float:
    """Up to which length a layer's angles were met: with scaling that follows the text, that of training."""
    follows = record.method == "dynamic" and reading.trained_len is not None
    return reading.trained_len if follows and reading.trained_len else reading.possible_len


def fresh_pairs(reading: Reading, record: LayerRotary, length: int | None) -> int:
    """How many pairs of a layer reach angles at `length`, or in its window, that they never met before.

    A pair that has gone round once has met every angle. Before means at the trained length unscaled, or at
    the longest length that the config may promise with the scaling that it has.
    """
    promised = shown_len(reading, record)
    if length is None or not 0 < promised < length:
        return 0
    seen: PerPair = turns(record.frequencies, within(promised, record))
    if reading.trained_len is not None:
        seen = np.maximum(seen, turns(record.unscaled, within(reading.trained_len, record)))
    reached = turns(record.frequencies, within(length, record))
    return int(((seen < 1) & (reached > seen * (1 + 1e-9))).sum())
