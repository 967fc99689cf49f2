"""What classes of transformers do with keys of layers and with blocks: tried on each, not taken from a list.

Which keys change what attention receives, which kinds of layers mean what they are called, which blocks a
class cannot run.
"""

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from pe_book.config.classes import MODELS
from pe_book.config.layers import LAYER_TYPES
from pe_book.config.reading import read_config
from pe_book.config.records import LayerRotary
from pe_book.config.widths import BESIDE_SCALED, PATTERN_KEYS, SHARE_IN_BLOCK
from tests.parity.classes.built import Received, classes_of, received
from tests.parity.classes.variants import FEW, NEEDED, of_few_layers, saved, silent

Found = tuple[int, dict[int, Received]]

# what stands beside a key of layers: some count only where windows are used
BESIDES: tuple[dict[str, Any], ...] = (
    {"sliding_window": 16, "use_sliding_window": True}, {"sliding_window": 16}, {},
)  # fmt: skip
OTHERS: dict[str, tuple[Any, ...]] = {
    "use_sliding_window": (True, False), "max_window_layers": (3, 5),
    "no_rope_layers": ([1, 0] * (FEW // 2), [0, 1] * (FEW // 2)),
    "rope_local_base_freq": (5e4, 6e4), "local_rope_theta": (5e4, 6e4),
}  # fmt: skip
EVERY = (2, 3, 5)  # so many layers, where a key says every how many
BLOCKS: dict[str, dict[str, Any]] = {
    "default": {},
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 4096},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 2048},
    "longrope": {"factor": 4.0, "original_max_position_embeddings": 2048},
    "proportional": {"factor": 1.0},
}  # fmt: skip
BY_KIND = ("full_attention", "sliding_attention")  # where a class has a block for each kind of layer alone
SHARE = 0.5
IN_BLOCK = ("llama_4_scaling_beta", "original_max_position_embeddings")  # what a class may need in any block
OF_A_PART = ("default", "linear", "proportional")  # what else scales makes a ladder as wide as a linear one


def ran(model_type: str, **settings: Any) -> Found | None:
    """What a class does with settings; None where it cannot be built or run with them."""
    try:
        return received(silent(model_type, **{**of_few_layers(model_type), **settings}))
    except Exception:  # whatever a class raises
        return None


def same(one: Found | None, other: Found | None) -> bool:
    """Whether two models have the same layers, and attention receives the same in them."""
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and one[1].keys() == other[1].keys() and all(
        np.array_equal(one[1][layer].key, other[1][layer].key)
        and one[1][layer].window == other[1][layer].window
        for layer in one[1]
    )  # fmt: skip


@cache
def code_of(model_type: str) -> str:
    """The code of a type's config and model: what stands nowhere in it is not tried."""
    config = CONFIG_MAPPING[model_type]().get_text_config(decoder=True)
    modules = (type(config).__module__, classes_of(config)[0].__module__)
    return "".join(inspect.getsource(importlib.import_module(one)) for one in modules)


@cache
def kinds(model_type: str) -> tuple[str, ...]:
    """The names in ``layer_types`` that a class takes, and that mean there what they are called."""
    taken, other = [], usual(model_type)
    for kind, meaning in LAYER_TYPES.items():
        named = kind in ("full_attention", other) or f'"{kind}"' in code_of(model_type)
        if "layer_types" not in code_of(model_type) or not named:
            continue
        found = (ran(model_type, **beside, layer_types=[kind, other] * (FEW // 2)) for beside in BESIDES)
        if any(one is not None and is_of(one, meaning, LAYER_TYPES[other]) for one in found):
            taken.append(kind)
    return tuple(taken)


def usual(model_type: str) -> str:
    """The kind of layer that a list may have beside others: a full one, under the name that the class has."""
    own = (saved(model_type).get("text_config") or saved(model_type)).get("layer_types") or ()
    seeing = [kind for kind in own if LAYER_TYPES.get(kind) in ("full", "compressed")]
    return "full_attention" if not seeing or "full_attention" in seeing else seeing[0]


def is_of(found: Found, meaning: str, other: str) -> bool:
    """Whether layers 0, 2, 4 … attend in one way and those between them in another."""
    for layer in range(FEW):
        got = found[1].get(layer)
        # that is what is handed on
        wanted = (other if layer % 2 else meaning).replace("compressed", "window")
        there = "linear" if got is None else "window" if got.window else "full"
        if there != wanted:
            return False
    return True


def patterns(model_type: str) -> list[str]:
    """The keys on layers that change what attention receives."""
    found = []
    for key in PATTERN_KEYS:
        if key not in code_of(model_type):
            continue
        values: tuple[Any, ...] = OTHERS.get(key, EVERY)
        if key == "layer_types":
            values = tuple([kind, usual(model_type)] * (FEW // 2) for kind in kinds(model_type))
            values = (*values, *(one[::-1] for one in values))
        for beside in BESIDES:
            bare = ran(model_type, **beside)
            tried = (ran(model_type, **{**beside, key: value}) for value in values)
            if any(one is not None and bare is not None and not same(one, bare) for one in tried):
                found.append(key)
                break
    return found


def block(model_type: str, method: str, **more: Any) -> dict[str, Any]:
    """A block of a method where the class looks for one, with what the class needs in it."""
    needed = NEEDED.get(model_type, {}).get("rope_parameters", {})
    found = {"rope_type": method, **BLOCKS[method], **more}
    if method == "longrope":
        pairs = turning(model_type).frequencies.size
        found |= {"short_factor": [1.0] * pairs, "long_factor": [2.0] * pairs}
        if MODELS[model_type].mscales:
            found |= {"short_mscale": 1.0, "long_mscale": 1.0}
    if MODELS[model_type].blocks_apart:
        if "rope_scaling" in MODELS[model_type].blocks:
            return {"rope_scaling": found}
        return {"rope_parameters": {kind: {"rope_theta": 20000.0, **found} for kind in BY_KIND}}
    return {"rope_parameters": {"rope_theta": 20000.0, **needed, **found}}


def turning(model_type: str) -> LayerRotary:
    """The first layer that turns, as it is read of a config that says nothing."""
    return next(one for one in read_config(silent(model_type)).records if one.kind == "rotary")


def lacking(model_type: str, method: str, said: dict[str, Any]) -> str:
    """Which keys have to stand there so that a class runs with a method; empty if those tried are not it."""
    own = getattr(CONFIG_MAPPING[model_type]().get_text_config(decoder=True), "rope_parameters", None) or {}
    extra = {key: own[key] for key in IN_BLOCK if key in own}
    if extra and ran(model_type, **block(model_type, method, **extra)) is not None:
        return " or ".join(extra)
    wide = ran(model_type, **said, head_dim=128)
    return "head_dim" if wide is not None else ""


def refused(model_type: str) -> Iterator[str]:
    """The methods with which a class does not run, or not once a part turns, and a list that stops it."""
    if "layer_types" in code_of(model_type) and not kinds(model_type):
        lists = ({**beside, "layer_types": ["full_attention"] * FEW} for beside in BESIDES)
        if all(ran(model_type, **one) is None for one in lists):
            yield "layer_types"
    for method in BLOCKS:
        try:
            said = block(model_type, method)
        except (ValueError, StopIteration):  # no pairs to make a list for
            continue
        if ran(model_type, **said) is None:
            keys = lacking(model_type, method, said)
            yield f"{method} without {keys}" if keys else method
            continue
        part = block(model_type, method, partial_rotary_factor=SHARE) if method in OF_A_PART else {}
        if part and ran(model_type, **part) is None:
            yield f"{method} of a part"


def shares(model_type: str) -> list[str]:
    """Where a class looks for the share of a head that turns: in an unscaled block, and beside one.

    A class that takes a share and cannot run with it has read it, too.
    """
    found = []
    for name, method, inside in (
        (SHARE_IN_BLOCK, "default", True), ("partial_rotary_factor", "default", False),
        (BESIDE_SCALED, "proportional", False),
    ):  # fmt: skip
        tried = []
        for share in (None, 0.25, SHARE):
            said = block(model_type, method)
            block_or_kinds = next(iter(said.values()))
            inner = [block_or_kinds[kind] for kind in BY_KIND if kind in block_or_kinds] or [block_or_kinds]
            for one in inner:
                one.pop("partial_rotary_factor", None)
            for one in inner if inside else [said]:
                if share is not None:
                    one["partial_rotary_factor"] = share
            tried.append(ran(model_type, **said))
        if any(tried) and not all(same(tried[0], one) for one in tried):
            found.append(name)
    return found
