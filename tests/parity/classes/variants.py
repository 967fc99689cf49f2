"""Configs of a model type beside its default: a key dropped, of another name, of another value, or respelt.

They have few layers, of each kind one, so that a class is quickly built.
"""

import json
import os
import random
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from pe_book.config.classes import MODELS
from pe_book.config.keys import BESIDE, POSITIONAL
from pe_book.config.reading import text_within
from pe_book.config.widths import SIZES

SEED = os.environ.get("PE_SEED") or "0"
CHUNKS = 30  # after which a process makes room for another: what classes keep would come to gigabytes
FEW = 8  # layers: where every so many are of another kind, it is at most every sixth
RESPELT = 6  # keys of each type that are respelt in one run
NEEDED: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("needed.toml").read_text(encoding="utf-8")
)
DROPPED = (
    *SIZES,
    "rope_parameters",
    "layer_types",
    "sliding_window",
    "max_position_embeddings",
    "local_attention",
)
# names of other classes, and values that a class may or may not look at
TRIED: dict[str, Any] = {
    "d_head": 32, "kv_channels": 32, "n_heads": 2, "n_head": 2, "n_embd": 512, "dim": 512, "num_layers": 3,
    "n_layers": 3,
    "rotary_dim": 16, "rotary_pct": 0.5, "rotary_emb_fraction": 0.5, "partial_rotary_factor": 0.5,
    "head_dim": 32,
    "qk_rope_head_dim": 32, "qk_nope_head_dim": 32, "rope_theta": 3e5, "rotary_emb_base": 20000,
    "global_rope_theta": 20000.0, "rope_ratio": 2, "sliding_window": 16, "attention_chunk_size": 16,
    "alibi": True, "first_k_dense_replace": 3,
    "rope_scaling": {"rope_type": "linear", "factor": 4.0},
    "rope_parameters": {
        "rope_type": "linear", "factor": 4.0, "rope_theta": 5e5, "partial_rotary_factor": 0.5,
    },
}  # fmt: skip
FOREIGN = ("d_head", "kv_channels", "n_heads", "n_head", "n_embd", "dim", "num_layers", "n_layers")
PAIRED = "rope_interleave"  # tried on every class: most do not look at it
ALL_AT_ONCE = "foreign names"
BEARS = re.compile(f"{POSITIONAL.pattern}|every|pattern|interval|bidirectional|head_dim|first_k")
OTHER = {
    bool: lambda one: not one,
    int: lambda one: one + 1 if one % 2 else one + 2,
    float: lambda one: one * 2,
}
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers")


def silent(model_type: str, **settings: Any) -> dict[str, Any]:
    """A config that says nothing, or only these settings, where the class looks for them.

    And what its class needs to be built.
    """
    needed = dict(NEEDED.get(model_type, {}))
    if "layer_types" in needed and "num_hidden_layers" in settings:
        needed["layer_types"] = needed["layer_types"][: settings["num_hidden_layers"]]
    settings = {**needed, **settings}
    cls = CONFIG_MAPPING[model_type]
    if not settings or type(cls().get_text_config(decoder=True)) is cls:
        return {"model_type": model_type, **settings}
    for name in reversed(MODELS[model_type].texts if model_type in MODELS else ("text_config",)):
        settings = {name: settings}
    return {"model_type": model_type, **settings}


@cache
def saved(model_type: str) -> dict[str, Any]:
    """The default config of a class as transformers writes it, with what the class needs."""
    return CONFIG_MAPPING[model_type](**(silent(model_type) | {"model_type": model_type})).to_dict()


def shortened(text: dict[str, Any]) -> dict[str, Any]:
    """The same of few layers: lists that have an entry for each are cut."""
    n = next((text[name] for name in LAYERS if isinstance(text.get(name), int)), 0)
    if n <= FEW:
        return text
    return {
        name: FEW if name in LAYERS and one == n
        else one[:FEW] if isinstance(one, list) and len(one) == n
        else one
        for name, one in text.items()
    }  # fmt: skip


def changed(model_type: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The default config with a key dropped, and a silent one with a key added, each with what was done."""
    full, path = saved(model_type), MODELS[model_type].texts
    nested = text_within(full)
    text = shortened(full if nested is None else dict(nested))
    for key in DROPPED:
        if key in text:
            gone = LAYERS if key in LAYERS else (key,)  # a decoder is as long as its encoder
            left = {name: value for name, value in text.items() if name not in gone}
            yield f"without {key}", left if nested is None else within(full, path, left)
    few = of_few_layers(model_type)
    for key, value in (TRIED | declared(model_type)).items():
        if key not in FOREIGN:
            yield f"{key}={value}", silent(model_type, **{**few, key: value})
    for key, value in product(switches(model_type), (True, False, None)):
        yield f"{key}: {json.dumps(value)}", silent(model_type, **{**few, key: value})


def within(full: dict[str, Any], path: tuple[str, ...], text: dict[str, Any]) -> dict[str, Any]:
    """The same config with another block of text at the end of a path."""
    first, *rest = path
    return {**full, first: within(full[first], tuple(rest), text) if rest else text}


def of_few_layers(model_type: str) -> dict[str, int]:
    """The keys that make a model small, of its encoder and its decoder where it has both."""
    cls = type(CONFIG_MAPPING[model_type]().get_text_config(decoder=True))
    return {
        name: FEW
        for name in ("num_hidden_layers", "decoder_layers")
        if name != "decoder_layers" or hasattr(cls, name)
    }


def foreign(model_type: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of sizes that are mostly of other classes: all at once, and then each alone."""
    few = of_few_layers(model_type)
    yield ALL_AT_ONCE, silent(model_type, **few, **{key: TRIED[key] for key in FOREIGN})
    for key in FOREIGN:
        yield f"{key}={TRIED[key]}", silent(model_type, **few, **{key: TRIED[key]})


def declared(model_type: str) -> dict[str, Any]:
    """Other values of what a class declares and may bear on position, its own names among them."""
    cls = type(CONFIG_MAPPING[model_type]().get_text_config(decoder=True))
    kept = {name: one.default for name, one in cls.__dataclass_fields__.items() if BEARS.search(name)}
    other = {name: OTHER[type(value)](value) for name, value in kept.items() if type(value) in OTHER}
    return {name: value for name, value in other.items() if name not in TRIED and name not in BESIDE}


def switches(model_type: str) -> list[str]:
    """The keys of a class that are true or false and may bear on position, and one that others have."""
    cls = type(CONFIG_MAPPING[model_type]().get_text_config(decoder=True))
    own = (name for name, one in cls.__dataclass_fields__.items() if isinstance(one.default, bool))
    return sorted({*filter(BEARS.search, own), PAIRED} - BESIDE)


def slipped(name: str, chance: random.Random) -> str:
    """A name with one slip: a letter dropped, doubled or swapped with the next, or hyphens."""
    at = chance.randrange(len(name) - 1)
    ways = (
        name[:at] + name[at + 1 :],
        name[:at] + name[at] + name[at:],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        name.replace("_", "-"),
    )
    found = chance.choice(ways)
    return found if found != name else slipped(name, chance)


def respelt(model_type: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Some keys that a config adds, as they are and with a slip: the slip, and both configs."""
    chance = random.Random(f"{SEED} {model_type}")
    values = TRIED | {"num_hidden_layers": 3, "max_position_embeddings": 1000}
    free = sorted(values.keys() - NEEDED.get(model_type, {}).keys())  # what is needed is there all the same
    for key in chance.sample(free, RESPELT):
        value, few = values[key], of_few_layers(model_type) if key not in LAYERS else {}
        inner = isinstance(value, dict) and chance.random() < 0.5
        name = chance.choice(sorted(value)) if inner else key
        slip = slipped(name, chance)
        wrong = {key: {slip if one == name else one: value[one] for one in value}} if inner else {slip: value}
        yield slip, silent(model_type, **few, **{key: value}), silent(model_type, **few, **wrong)
