"""Configs that state blocks and layers in many ways, and what becomes of each: right, or said to be wrong.

`python -m tests.parity.classes.stated` with the libraries of `make parity` sweeps all types, or those named,
and prints what is not read rightly.
"""

import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from tests.parity.classes.built import received
from tests.parity.classes.sweep import differences
from tests.parity.classes.variants import CHUNKS, FEW, of_few_layers, silent

LIST = ["sliding_attention", "full_attention"] * (FEW // 2)
BY_KIND = {
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 2e4},
}
_YARN = {"factor": 4.0, "original_max_position_embeddings": 4096}
_OWN = {"rope_type": "yarn", **_YARN, "rope_theta": 1e6}  # a block of one kind of layer
_BARE = {"rope_type": "default"}
_EXACT = {**_OWN, "truncate": False}
_FAR = {"layer_types": LIST, "sliding_window": 16, "max_position_embeddings": 16384}  # as far as _YARN goes

#: Blocks, each tried under both names; under the newer one with a base.
BLOCKS: dict[str, dict[str, Any]] = {
    "yarn": {"rope_type": "yarn", **_YARN},
    "yarn with mscale": {"rope_type": "yarn", **_YARN, "mscale": 0.8, "mscale_all_dim": 0.5},
    "yarn as type": {"type": "yarn", **_YARN, "attention_factor": 0.7, "beta_fast": 16, "beta_slow": 2},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 2048},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "dynamic with alpha": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0},
    "linear as type": {"type": "linear", "factor": 4.0},
    "linear of a part": {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 0.5},
    "proportional": {"rope_type": "proportional", "factor": 1.0, "partial_rotary_factor": 0.25},
    "default with a base": {"rope_type": "default", "rope_theta": 12345.0},
    "default of a part": {"rope_type": "default", "partial_rotary_factor": 0.5},
    "linear with mscale": {"rope_type": "linear", "factor": 4.0, "mscale_all_dim": 1.0},
    "default": _BARE,
}  # fmt: skip

#: Keys on layers, and keys beside blocks.
KEYS: dict[str, dict[str, Any]] = {
    "layers listed": {"layer_types": LIST, "sliding_window": 16},
    "the other way round": {"layer_types": LIST[::-1], "sliding_window": 16},
    "layers listed, no width": {"layer_types": LIST},
    "all full": {"layer_types": ["full_attention"] * FEW, "sliding_window": 16},
    "listed and switched off": {"layer_types": LIST, "sliding_window": 16, "use_sliding_window": False},
    "listed and switched on": {"layer_types": LIST, "sliding_window": 16, "use_sliding_window": True},
    "pattern": {"sliding_window": 16, "sliding_window_pattern": 3},
    "from a layer on": {"sliding_window": 16, "use_sliding_window": True, "max_window_layers": 3},
    "unturned listed": {"no_rope_layers": [1, 0] * (FEW // 2)},
    "unturned every": {"no_rope_layer_interval": 2},
    "base of windows": {"rope_local_base_freq": 5e4},
    "base of windows of modernbert": {"local_rope_theta": 5e4},
    "blocks by kind": {"rope_parameters": BY_KIND},
    "blocks by kind, layers listed": {"layer_types": LIST, "sliding_window": 16, "rope_parameters": BY_KIND},
    "older blocks by kind": {**_FAR, "rope_scaling": BY_KIND},
    "not rounded": {"max_position_embeddings": 16384, "rope_scaling": _EXACT},
    "rounding is null": {"max_position_embeddings": 16384, "rope_parameters": {**_OWN, "truncate": None}},
    "not rounded by kind": {**_FAR, "rope_parameters": dict.fromkeys(BY_KIND, _EXACT)},
    "kinds not rounded": {**_FAR, "rope_parameters": {**dict.fromkeys(BY_KIND, _OWN), "truncate": False}},
    "kinds without a base": {**_FAR, "rope_parameters": dict.fromkeys(BY_KIND, _BARE)},
    "base beside kinds": {**_FAR, "rope_theta": 3e4, "rope_parameters": dict.fromkeys(BY_KIND, _BARE)},
    "base in both": {"rope_theta": 3e4, "rope_parameters": _BARE},
    "base beside type": {"rope_theta": 3e4, "rope_scaling": {"type": "linear", "factor": 2.0}},
    "null block": {"rope_theta": 3e4, "rope_scaling": None},
    "global every": {"global_attn_every_n_layers": 4, "local_attention": 16},
    "full every": {"full_attention_interval": 2},
    "chunk": {"attention_chunk_size": 16},
    "part beside linear": {
        "partial_rotary_factor": 0.5, "rope_scaling": {"rope_type": "linear", "factor": 4.0},
    },
    "part beside proportional": {"partial_rotary_factor": 0.5, "rope_scaling": {"rope_type": "proportional"}},
    "part beside": {"partial_rotary_factor": 0.5},
}  # fmt: skip

TYPES = sorted(name for name in MODELS if name in CONFIG_MAPPING_NAMES and MODELS[name].kind == "rotary")
#: What a type's own defaults cannot do without: their 4096 is no multiple of 96 heads.
ALSO = {"glm4_moe": {"head_dim": 128}}
#: What may become of a config; the last two should not.
DIFFERS, NOT_RUN = ("differs, said", "differs, silent"), ("not run there, said", "not run there, silent")
WORDS = ("right", "refused here", DIFFERS[0], NOT_RUN[0], DIFFERS[1], NOT_RUN[1])
SILENT = WORDS[-2:]


class Became(NamedTuple):
    """Of one config: its type, what it states, one of the words, and what was found."""

    model_type: str
    states: str
    word: str
    more: str = ""


def stated() -> dict[str, dict[str, Any]]:
    """Everything that is stated, by name."""
    found = {}
    for what, block in BLOCKS.items():
        found[f"rope_scaling: {what}"] = {"rope_scaling": block}
        found[f"rope_parameters: {what}"] = {"rope_parameters": {"rope_theta": 2e4, **block}}
    return found | KEYS


def names_in(settings: Mapping[str, Any]) -> Iterator[str]:
    """The keys of settings, and those of their blocks."""
    for key, value in settings.items():
        yield key
        if isinstance(value, Mapping):
            yield from names_in(value)


def became(model_type: str, states: str) -> Became:
    """What becomes of a config of a type that states this; a finding counts if it is of a stated key."""
    settings = stated()[states]
    values = silent(model_type, **{**of_few_layers(model_type), **ALSO.get(model_type, {}), **settings})
    try:
        report = check_config(values)
    except ValueError as error:
        return Became(model_type, states, "refused here", str(error)[:90])
    keys = {*names_in(settings)}
    told = [
        str(one) for one in report.findings
        if one.kind in ("contradictory", "ignored", "unknown") and keys & {*one.key.split(".")}
    ]  # fmt: skip
    words = told[0][:150] if told else ""
    try:
        layers, seen = received(values)
    except Exception as error:  # whatever a class raises
        return Became(model_type, states, NOT_RUN[not told], words or str(error)[:90])
    apart = differences(report.reading.records, layers, seen)
    if not apart:
        return Became(model_type, states, "right")
    return Became(model_type, states, DIFFERS[not told], f"{apart[0]} | {words}")


def of_all(pairs: list[tuple[str, str]], workers: int = 2) -> list[Became]:
    """Of many configs, in their order."""
    spawned = multiprocessing.get_context("spawn")
    with spawned.Pool(workers, torch.set_num_threads, (1,), maxtasksperchild=CHUNKS) as pool:
        return pool.starmap(became, pairs, chunksize=len(stated()))


if __name__ == "__main__":
    found = of_all([(name, states) for name in sys.argv[1:] or TYPES for states in stated()])
    for one in found:
        if one.word not in ("right", "refused here"):
            sys.stdout.write(f"{one.word}: {one.model_type} {one.states} | {one.more}\n")
    sys.stdout.write(f"{dict(Counter(one.word for one in found))}\n")
