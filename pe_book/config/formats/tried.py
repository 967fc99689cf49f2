"""What was tried on the classes of transformers and goes otherwise than a config says it, or not at all.

Rules as in :mod:`pe_book.config.findings`. What is said of a class stands in ``classes.toml``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pe_book.config.classes import MODELS, class_defaults
from pe_book.config.findings import CHANGES, Finding, Rule
from pe_book.config.formats.types import of_architecture
from pe_book.config.layers import LAYER_TYPES, from_types
from pe_book.config.records import LayerRotary, Reading
from pe_book.config.scaling import METHODS, Scaling, with_alpha
from pe_book.config.widths import SHARES

LISTED = "layer_types"


def of_class(reading: Reading) -> Mapping[str, Any]:
    """What is recorded of the class of a reading; nothing of a type that transformers has not."""
    found: Mapping[str, Any] = class_defaults().get(reading.read_as, {})
    return found if reading.known else {}


def counted(layers: list[int], reading: Reading) -> str:
    """So many layers of all."""
    return f"{len(layers)} of {len(reading.records)} layers"


def layers_that_the_class_ignores(reading: Reading) -> Iterator[Finding]:
    """``layer_types`` beside a class whose layers are all alike.

    That vLLM's Llama obeys it was read in vllm/model_executor/models/llama.py.
    """
    types = reading.values.get(LISTED)
    if LISTED not in reading.ignored or not isinstance(types, list):
        return
    of = reading.read_as
    if LISTED in of_class(reading).get("refuses", ()):
        return  # layers_of_no_kind tells it
    if not all(isinstance(name, str) and name in LAYER_TYPES for name in types):
        return
    if [one for one, _ in from_types(types)] == [one.attention for one in reading.records]:
        says = f"transformers does not read it for {of}, and layers are as it says."
        yield Finding("note", LISTED, says)
        return
    first = reading.records[0]
    sees = f"a window of {first.window} tokens" if first.attention == "window" else "no window"
    listed = [i for i, name in enumerate(types) if LAYER_TYPES.get(str(name)) == "window"]
    says = (
        f"transformers does not read it for {of} and gives all layers {sees}; vLLM's Llama, and what is made "
        f"of it, reads it, and gives {counted(listed, reading)} one."
    )
    cure = (
        "take it out; or, if the model was so trained, name a model_type that reads it, such as ministral, "
    )
    cure += f"which {CHANGES}"
    yield Finding("contradictory", LISTED, says, cure)


def layers_of_no_kind(reading: Reading) -> Iterator[Finding]:
    """Names in ``layer_types`` that the class of a model does not take, and a list that stops it."""
    types, row = reading.values.get(LISTED), of_class(reading)
    if not isinstance(types, list):
        return
    if LISTED in row.get("refuses", ()):
        says = f"transformers stops at it, as was tried on {reading.read_as}: its class makes the list."
        yield Finding("contradictory", LISTED, says, "take it out")
    elif LISTED in reading.used and "kinds" in row:
        strange = sorted({str(name) for name in types} - {*row["kinds"]})
        if strange:
            takes = ", ".join(row["kinds"])
            says = (
                f"transformers has no {strange[0]} for {reading.read_as}, whose layers are {takes}: it "
                f"stops, or does otherwise than this reading, which takes it for {LAYER_TYPES[strange[0]]}."
            )
            yield Finding("contradictory", LISTED, says, f"write one of {takes} in its place")


def windows_without_a_width(reading: Reading) -> Iterator[Finding]:
    """Layers that have a window by ``layer_types``, whose width a switch takes away, or no key says."""
    row = of_class(reading)
    windows = [one.layer for one in reading.records if one.attention == "window"]
    if not windows or LISTED not in reading.used or not row or any(layers_of_no_kind(reading)):
        return
    switch = "use_sliding_window"
    off = switch in row and not reading.values.get(switch, row[switch])
    which, model = counted(windows, reading), MODELS[reading.read_as]
    if off and (model.switched or reading.records[windows[0]].window is not None):
        says = (
            f"it gives {which} a window, and {switch} is not true: the mask of transformers follows the one, "
            "what its attention hands to kernels the other, or it stops for want of a width."
        )
        cure = f"write {switch} = true, or full_attention for all layers; each {CHANGES}"
        yield Finding("contradictory", LISTED, says, cure)
    elif reading.records[windows[0]].window is None:
        says = f"it gives {which} a window, and no key says how wide: transformers stops."
        yield Finding("contradictory", LISTED, says, "add sliding_window, or write full_attention")


def a_block_that_was_refused(reading: Reading) -> Iterator[Finding]:
    """A method, or a part of a head that turns by it, with which the class does not run."""
    refuses = of_class(reading).get("refuses", ())
    turned = [one for one in reading.records if one.kind == "rotary"]
    for scaling in reading.scalings:
        given = str(scaling.keys.values.get("rope_type") or scaling.keys.values.get("type") or "default")
        method = METHODS.get(given, scaling.method)
        if reading.read_as == "phi3" or scaling.alpha is not None:
            continue  # a_block_that_is_refused tells it
        there = bool(scaling.keys.values) and scaling.method == method
        if there and (why := _without(reading, scaling, method)) is not None:
            says = f"transformers does not run {reading.read_as} with {given}{why}, as was tried."
            cure = "take the block out or copy that of the published config"
            cure = f"{'add what is missing; or ' if why else ''}{cure}, which {CHANGES}"
            yield Finding("contradictory", scaling.type_key, says, cure)
            continue
        ladder = method if method in ("default", "proportional") else "linear"
        record = next((one for one in turned if one.method == scaling.method), None)
        share = scaling.share
        if share is None and SHARES[0] in of_class(reading).get("reads", ()):
            share = reading.values.get(SHARES[0])
        if f"{ladder} of a part" in refuses and share not in (None, 1) and record:
            cure = f"remove it, which turns all columns and so {CHANGES}; or run a program that knows a part"
            says = _of_a_part(reading, scaling, record)
            prefix = scaling.keys.prefix if scaling.keys.values.get(SHARES[0]) is not None else ""
            yield Finding("contradictory", prefix + SHARES[0], says, cure)


def _without(reading: Reading, scaling: Scaling, method: str) -> str | None:
    """Without which keys a class does not run with a method; empty if it never does, None if it does."""
    for said in of_class(reading).get("refuses", ()):
        name, _, keys = said.partition(" without ")
        if name == method:
            there = {**reading.values, **scaling.keys.values}
            lacks = [key for key in keys.split(" or ") if key and there.get(key) is None]
            if lacks or not keys:
                missing = f"{' and '.join(lacks)} {'is' if len(lacks) == 1 else 'are'} missing"
                return f" where {missing}" if lacks else ""
    return None


def _of_a_part(reading: Reading, scaling: Scaling, record: LayerRotary) -> str:
    width = f"{record.rotary_dim} of {record.head_dim} columns"
    return (
        f"with it transformers makes angles for {width}, and the code of {reading.read_as} does not run with "
        "them, as was tried; this reading turns those columns, as a program does that knows a part."
    )


def a_name_of_a_method_that_is_ignored(reading: Reading) -> Iterator[Finding]:
    """``type`` in a block that the class puts into one that has a ``rope_type``: nothing is scaled."""
    block = reading.values.get("rope_scaling")
    if not (isinstance(block, Mapping) and MODELS[reading.read_as].blocks_apart and reading.known):
        return
    method = METHODS.get(str(block.get("type")), "default")
    if method == "default" or block.get("rope_type"):
        return
    for scaling in reading.scalings:
        if scaling.keys.prefix == "rope_scaling.":
            says = (
                f"transformers 5 reads rope_type alone in this block for {reading.read_as}, and scales "
                f"nothing; a program that reads type, as transformers 4 does, scales by {block['type']}."
            )
            kept = ", but for rope_theta" if "rope_theta" in block else ""
            cure = f"take the block out{kept}; or, if the model was trained so, write rope_type = "
            cure += f"{block['type']}, which {CHANGES}"
            yield Finding("contradictory", "rope_scaling.type", says, cure)
            return


def an_alpha_in_the_base(reading: Reading) -> Iterator[Finding]:
    """HunYuan's block of the type dynamic, which depends on no length, and the same block elsewhere.

    Of vLLM as its module ``rotary_embedding`` was read.
    """
    for scaling in reading.scalings:
        key, alpha = f"{scaling.keys.prefix}alpha", scaling.keys.values.get("alpha")
        if scaling.alpha is not None:
            says = (
                f"transformers and vLLM multiply the base by alpha^(d/(d-2)), d the width of a head, which "
                f"gives {scaling.base:.8g} at every length; nothing else in the block counts."
            )
            yield Finding("note", key, says)
        elif scaling.method == "dynamic" and isinstance(alpha, int | float) and 0 < alpha < 2**53:
            says = (
                f"transformers does not read it for {reading.read_as} and scales by factor as texts grow; "
                "vLLM multiplies the base by alpha^(d/(d-2)) at every length, and leaves factor alone."
            )
            head = next(one.head_dim for one in reading.records if one.method == "dynamic")
            base = with_alpha(replace(scaling, alpha=float(alpha)), head).base
            cure = f"take out alpha; or, for what vLLM computes, write rope_theta = {base:.15g} and take the "
            yield Finding("contradictory", key, says, f"{cure}block out, which {CHANGES}")


def an_architecture_of_another_type(reading: Reading) -> Iterator[Finding]:
    """``architectures`` that names the class of another type than ``model_type``."""
    named = of_architecture(reading.values)
    name = str(reading.values.get("model_type") or "")
    if not named or not name or not of_class(reading) or reading.read_as != name:
        return
    if named == name or MODELS[named] == MODELS[name] or {named, name} <= _related(name):
        return
    says = (
        f"it names a class of {named}, and model_type says {name}: transformers loads by model_type, as "
        "which this was read, and vLLM by architectures."
    )
    cure = f"make architectures name a class of {name}; or, if the weights are of {named}, write model_type "
    yield Finding("contradictory", "architectures", says, f"{cure}= {named}, which {CHANGES}")


def _related(name: str) -> set[str]:
    """A type, and those that are parts of it or of which it is one."""
    stem = name.removesuffix("_text")
    return {one for one in MODELS if one.removesuffix("_text") == stem}


def what_stops_one_class(reading: Reading) -> Iterator[Finding]:
    """A block, a list of layers or a share at which the class of one type stops."""
    values, key, why, of = reading.values, "", "", reading.read_as if reading.known else ""
    looks = values.get(LISTED) or values.get("compress_ratios") or [4] * (len(reading.records) > 3)
    block, plain = values.get("rope_parameters"), {one.method for one in reading.scalings} <= {"default"}
    if of == "cohere2_moe" and plain and isinstance(block, Mapping) and not block.get("rope_theta"):
        key, why = "rope_parameters.rope_theta", "it looks for the base of such a block here alone"
    elif of == "olmo_hybrid" and len({one.attention for one in reading.records}) == 1:
        key, why = LISTED, "it wants layers with scores and layers without"
    elif of == "deepseek_v4" and {4, "compressed_sparse_attention"} & {*looks}:
        turn, wide = max(one.rotary_dim for one in reading.records), values.get("index_head_dim", 128)
        if isinstance(wide, int) and turn > wide:
            key = next((one for one in (SHARES[0], "qk_rope_head_dim") if values.get(one)), "index_head_dim")
            why = f"{turn} columns turn, and heads of its index have {wide}"
    if key:
        says = f"transformers stops, as was tried on the class of {of}: {why}."
        yield Finding("contradictory", key, says, f"copy it from the published config, which {CHANGES}")


TRIED_RULES: tuple[Rule, ...] = (
    layers_that_the_class_ignores, layers_of_no_kind, windows_without_a_width, a_block_that_was_refused,
    a_name_of_a_method_that_is_ignored, an_alpha_in_the_base, an_architecture_of_another_type,
    what_stops_one_class,
)  # fmt: skip
