"""What one program reads in a config and another does not, or refuses.

Rules as in :mod:`pe_book.config.findings`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pe_book.config.classes import class_defaults
from pe_book.config.findings import CHANGES, Finding, Rule
from pe_book.config.formats.effects import without_effect
from pe_book.config.keys import part_of
from pe_book.config.records import Reading
from pe_book.config.widths import SHARES
from pe_book.family.context_extension.ramps import temperature

# names of other programs, and what they are there
FOREIGN = {
    "rotary_base": "it is TensorRT-LLM's name for rope_theta",
    "rotary_scaling": "it is TensorRT-LLM's name for rope_scaling",
    "rope_traditional": "MLX pairs neighbours where it is true",
    "rope_scale": "MLX and llama.cpp divide positions by it",
    "rope_freq_base": "it is llama.cpp's name for rope_theta",
}

# types whose models vLLM runs by its Llama
RUN_BY_VLLMS_LLAMA = ("llama", "mistral")

# keys on position that act where no record shows it, in any type, and what they do
ACTING = {
    "dual_chunk_attention_config": "vLLM counts positions anew in chunks of the text, transformers does not",
    "relative_attention_num_buckets": "so many numbers are learned for all offsets of a head",
    "relative_attention_max_distance": "all offsets from there on share one learned number",
}
# what else bears on position by its name, beside what a reading asks for
NAMED = re.compile(
    "nope|xpos|log_scal|pos_emb|pos_enc|relative_|dual_chunk|attention_chunk|full_attention|sink|block_type|"
    "global_head"
)
# where programs other than transformers look for the length of training
TRAINED = ("max_trained_positions", "dual_chunk_attention_config.original_max_position_embeddings")


def with_its_training(reading: Reading) -> Reading:
    """A reading whose unscaled layers count pairs over the length that another program's key says."""
    found = [length for _, length in _said_to_be_trained(reading)]
    if not found or any(scaling.method != "default" for scaling in reading.scalings):
        return reading
    scalings = (replace(scaling, original_len=min(found)) for scaling in reading.scalings)
    return replace(reading, scalings=tuple(scalings))


def _said_to_be_trained(reading: Reading) -> Iterator[tuple[str, float]]:
    """The keys of `TRAINED` that are there, each with its length, if that is below the longest position."""
    for key in TRAINED:
        block, _, name = key.rpartition(".")
        there = reading.values.get(block) if block else reading.values
        length = there.get(name) if isinstance(there, Mapping) else None
        if isinstance(length, int | float) and 1 <= length < (reading.max_len or 0):
            yield key, float(length)


def a_training_that_another_key_says(reading: Reading) -> Iterator[Finding]:
    """The length of training under the name of another program."""
    for key, length in _said_to_be_trained(reading):
        says = f"training was on {length:.0f} tokens by this key, on {reading.max_len} by "
        says += f"{reading.max_len_key}; transformers does not read it."
        yield Finding("note", key, says)


def a_length_of_vllm(reading: Reading) -> Iterator[Finding]:
    """``model_max_length``, which vLLM takes for the longest text, as read in its arch_config_convertor."""
    length = reading.values.get("model_max_length")
    if length is not None and length != reading.max_len:
        says = (
            f"vLLM takes it for the longest text; transformers does not read it, and has {reading.max_len}."
        )
        yield Finding("note", "model_max_length", says)


def keys_that_act_elsewhere(reading: Reading) -> Iterator[Finding]:
    """Keys whose names bear on position and that no reading asks for: what they do, or that it is unknown."""
    told = {*reading.used, *reading.ignored}
    sinks = any(one.sink for one in reading.records)
    for key, value in reading.values.items():
        if value is None or key in told or not (key in ACTING or NAMED.search(key)):
            continue
        if sinks and "sink" in key:
            continue  # the answer has them
        if key == "full_attention_interval" and reading.values.get("layer_types"):
            yield Finding("note", key, "layer_types is there, and was read for which layers see everything.")
        elif key in ACTING:
            yield Finding("uncomputed", key, f"{ACTING[key]}; no record has it.")
        elif key == "learned_pos_emb" and reading.read_as == "mpt":
            yield Finding("note", key, "transformers reads it nowhere for mpt: ALiBi alone tells positions.")
        elif why := without_effect(reading, key, value):
            yield Finding("note", key, f"its name bears on position; {why}.")
        else:
            says = f"its name bears on position, and what it does for {reading.read_as} is not known here."
            yield Finding("unknown", key, says)


_TRAINED = "original_max_position_embeddings"


def keys_of_other_programs(reading: Reading) -> Iterator[Finding]:
    """Keys that a program other than transformers reads."""
    for key, what in FOREIGN.items():
        if (value := reading.values.get(key)) is not None:
            says = f"{what}; transformers, as which this was read, ignores it"
            why = without_effect(reading, key, value)
            yield Finding("note" if why else "ignored", key, f"{says}; {why}." if why else f"{says}.")


def a_share_that_the_class_ignores(reading: Reading) -> Iterator[Finding]:
    """Programs differ: one turns a part of the head, another all of it.

    Of transformers 5.24 it is measured for each class; vLLM's Llama was read at 045d757550.
    """
    reads = class_defaults().get(reading.read_as, {}).get("reads")
    if reads is None:
        return
    shares = [key for key in reading.ignored if key.rpartition(".")[2] in SHARES]
    ignored = [key for key in shares if key not in reads]
    record = next((one for one in reading.records if one.kind == "rotary"), None)
    for key in ignored:
        name = key.rpartition(".")[2]
        inside = next((one.keys.values[name] for one in reading.scalings if one.keys.values.get(name)), None)
        value = inside if "." in key else reading.values.get(name)
        if (
            record is None
            or not isinstance(value, int | float)
            or part_of(record.head_dim, value) == record.rotary_dim
        ):
            continue
        part = part_of(record.head_dim, value)
        other = f"vLLM's Llama reads it and turns {part}"
        if reading.read_as not in RUN_BY_VLLMS_LLAMA:
            other = f"a program that reads it turns {part}"
        here = f"transformers does not read it for {reading.read_as} and turns {record.rotary_dim} columns"
        says = f"{here}; {other}."
        cure = "remove it; if the model was trained in such a program, run it there"
        yield Finding("contradictory", key, says, cure)


def a_factor_of_another_program(reading: Reading) -> Iterator[Finding]:
    """``attn_factor``: vLLM reads it and transformers ``attention_factor``, each not the other's.

    Of vLLM as read in vllm/model_executor/layers/rotary_embedding at 07b12f1b16.
    """
    for scaling in reading.scalings:
        value = scaling.keys.values.get("attn_factor")
        record = next((one for one in reading.records if one.method == scaling.method), None)
        if scaling.method != "yarn" or not record or not isinstance(value, int | float):
            continue
        here, computed = record.attention_factor, temperature(scaling.factor or 1.0)
        there = computed * value
        key = f"{scaling.keys.prefix}attn_factor"
        if abs(here - there) < 1e-4:
            yield Finding(
                "note", key, f"vLLM reads it, and multiplies queries and keys by {there:.5g}, alike."
            )
            continue
        says = (
            f"transformers does not read it and multiplies queries and keys by {here:.5g}; vLLM multiplies "
            f"them by {computed:.5g} × {value:.5g}, which is {there:.5g}."
        )
        cure = (
            f"if the model was trained with {here:.5g}, write attn_factor = {here / computed:.5g}; if with "
            f"{there:.5g}, add attention_factor = {there:.5g}, which transformers reads and which {CHANGES}"
        )
        yield Finding("contradictory", key, says, cure)


def a_block_that_is_refused(reading: Reading) -> Iterator[Finding]:
    """Blocks that transformers 5.24 does not load, as was tried."""
    kin = reading.read_as.removesuffix("_text")
    for scaling in reading.scalings:
        given = scaling.keys.values.get("rope_type") or scaling.keys.values.get("type")
        cure = f"write rope_type = {scaling.method} in its place"
        if kin == "phi3" and scaling.method not in ("default", "longrope"):
            says = "transformers refuses it for phi3, whose class takes longrope alone."
            cure = f"take the block out or copy that of the published config, which {CHANGES}"
        elif kin == "phi3" and given == "su" and _TRAINED not in scaling.keys.values:
            says = f"transformers refuses su for phi3 where {_TRAINED} is not in the block."
        elif given in ("su", "mrope") and kin not in ("phi3", "phi3_v", "qwen2_vl", "qwen2_5_vl"):
            says = f"transformers refuses {given} for {reading.read_as}; it was read as {scaling.method}."
        else:
            continue
        yield Finding("contradictory", scaling.type_key, says, cure)


PROGRAM_RULES: tuple[Rule, ...] = (
    keys_of_other_programs, a_share_that_the_class_ignores, a_factor_of_another_program,
    a_block_that_is_refused, a_training_that_another_key_says, a_length_of_vllm, keys_that_act_elsewhere,
)  # fmt: skip
