"""What one program reads in a config and another does not, or refuses.

Rules as in :mod:`pe_book.config.findings`.
"""

from collections.abc import Iterator

from pe_book.config.classes import class_defaults
from pe_book.config.findings import Finding, Rule
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


_TRAINED = "original_max_position_embeddings"


def keys_of_other_programs(reading: Reading) -> Iterator[Finding]:
    """Keys that a program other than transformers reads."""
    for key, what in FOREIGN.items():
        if reading.values.get(key) is not None:
            yield Finding("ignored", key, f"{what}; transformers, as which this was read, ignores it.")


def a_share_that_the_class_ignores(reading: Reading) -> Iterator[Finding]:
    """Programs differ: one turns a part of the head, another all of it.

    Of transformers 5.23 it is measured for each class; vLLM's Llama was read at 045d757550.
    """
    if "reads" not in class_defaults().get(reading.read_as, {}):
        return
    ignored = [key for key in reading.ignored if key.rpartition(".")[2] in SHARES]
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
        says = (
            f"transformers does not read it for {reading.read_as} and turns {record.rotary_dim} columns; "
            f"vLLM's Llama reads it and turns {part_of(record.head_dim, value)}."
        )
        yield Finding("contradictory", key, says, "remove it, unless the model was trained in such a program")


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
            f"if the model was trained with {there:.5g}, add attention_factor = {there:.5g}, which "
            f"transformers reads; if with {here:.5g}, write attn_factor = {here / computed:.5g}"
        )
        yield Finding("contradictory", key, says, cure)


def a_block_that_is_refused(reading: Reading) -> Iterator[Finding]:
    """Blocks that transformers 5.23 does not load, as was tried."""
    for scaling in reading.scalings:
        given = scaling.keys.values.get("rope_type") or scaling.keys.values.get("type")
        if reading.read_as == "phi3" and scaling.method not in ("default", "longrope"):
            says = "transformers refuses it for phi3, whose class takes longrope alone."
        elif reading.read_as == "phi3" and given == "su" and _TRAINED not in scaling.keys.values:
            says = f"transformers refuses su for phi3 where {_TRAINED} is not in the block."
        elif given in ("su", "mrope") and reading.read_as not in ("phi3", "phi3_v", "qwen2_vl", "qwen2_5_vl"):
            says = f"transformers refuses {given} for {reading.read_as}; it was read as {scaling.method}."
        else:
            continue
        yield Finding(
            "contradictory", scaling.type_key, says, "write the block as transformers does, with rope_type"
        )


PROGRAM_RULES: tuple[Rule, ...] = (
    keys_of_other_programs, a_share_that_the_class_ignores, a_factor_of_another_program,
    a_block_that_is_refused,
)  # fmt: skip
