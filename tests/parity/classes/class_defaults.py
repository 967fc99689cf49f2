"""What the config classes of transformers have for keys that a config leaves out, and which names they read.

`python -m tests.parity.classes.class_defaults` with the libraries of `make parity` writes the table that the
package reads; a test compares the two. That a name is read is not taken from a list: the model is built
with it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from pe_book.config.classes import DEFAULTS, MODELS
from pe_book.config.keys import LENGTHS
from pe_book.config.widths import COUNTS, LAYERS, SHARE_IN_BLOCK, SHARES, SIZES, WIDTHS, WINDOWS
from tests.parity.classes import habits
from tests.parity.classes.built import received
from tests.parity.classes.habits import same
from tests.parity.classes.variants import silent

# keys whose absence a class fills, beside those of sizes
KEPT = (
    *LENGTHS, "num_key_value_heads", "sliding_window", "local_attention", "attention_chunk_size",
    "original_max_position_embeddings", "max_window_layers", "use_sliding_window", "multi_query",
    "new_decoder_architecture",
)  # fmt: skip


SHARED = (SHARE_IN_BLOCK, "partial_rotary_factor")  # tried in a block, and beside one
MARK = 12345.0  # no class has this base


def known() -> list[str]:
    """The model types that are known here and have a class."""
    return sorted(name for name in MODELS if name in CONFIG_MAPPING_NAMES)


def defaults(model_type: str) -> dict[str, Any]:
    """What the class has where a config says nothing."""
    config = CONFIG_MAPPING[model_type]().get_text_config(decoder=True)
    cls = type(config)
    names = {cls.attribute_map.get(name, name) for name in (*SIZES, *KEPT)}
    declared = {name: one.default for name, one in cls.__dataclass_fields__.items()}
    found = {
        name: value for name, value in sorted(declared.items())
        if name in names and isinstance(value, int | float | str)
    }  # fmt: skip
    block = getattr(config, "rope_parameters", None) or {}
    inner = [one for one in block.values() if isinstance(one, dict)] or [block]
    if any(one.get("rope_type", "default") != "default" for one in inner):
        moved = CONFIG_MAPPING[model_type](rope_theta=MARK).get_text_config(decoder=True).rope_parameters
        beside = {"rope_theta"} if moved.get("rope_theta") == MARK else set()  # a base beside it goes before
        found["rope_parameters"] = {key: value for key, value in block.items() if key not in beside}
    return found


def tried(name: str) -> tuple[Any, Any]:
    """Two values for a key: a class that reads it shows at least one of them."""
    if name in (*SHARES, SHARE_IN_BLOCK):
        return 0.25, 0.5
    if name in COUNTS:
        return 4, 8
    if name in WIDTHS:
        return 1024, 2048
    return (3, 5) if name in LAYERS else (16, 32)


def reads(model_type: str) -> list[str]:
    """The names of sizes that change what attention receives, or how many layers there are.

    Of windows, and of classes that turn nothing, those that the class declares, whether they show or not.
    """
    cls = type(CONFIG_MAPPING[model_type]().get_text_config(decoder=True))
    declared = {
        *cls.__dataclass_fields__,
        *cls.attribute_map,
        *(name for name in WINDOWS if hasattr(cls, name)),
    }
    if MODELS[model_type].kind != "rotary":
        return [name for name in SIZES if name in declared]
    found = [name for name in WINDOWS if name in declared]
    for name in SIZES:
        if name in found or name in SHARED:
            continue
        few = {} if name in LAYERS else {"num_hidden_layers": 4}  # of each kind one, and quickly built
        before = received(silent(model_type, **few))
        for value in tried(name):
            try:
                alike = same(before, received(silent(model_type, **few, **{name: value})))
            except Exception:  # a value that a class refuses was read by it
                alike = False
            if not alike:
                found.append(name)
                break
    return [*found, *habits.shares(model_type), *habits.patterns(model_type)]


def measured(model_type: str) -> dict[str, list[str]]:
    """What was tried on a class: which names it reads, and of layers and blocks what it takes and refuses."""
    found = {"reads": reads(model_type)}
    if MODELS[model_type].kind == "rotary":
        found["kinds"] = list(habits.kinds(model_type)) if "layer_types" in found["reads"] else []
        found["refuses"] = list(habits.refused(model_type))
    return {key: value for key, value in found.items() if value or key == "reads"}


def table() -> str:
    """The table as a file: a section for each type."""
    lines = [
        "# What the config classes of transformers have for keys that a config leaves out, and which names",
        "# they read; which kinds of layers they take, and which blocks they refuse. Written by",
        "# tests/parity/classes/class_defaults.py.",
        f'transformers = "{transformers.__version__}"',
    ]
    for name in known():
        lines += ["", f"[{name}]"]
        lines += [f"{key} = {written(value)}" for key, value in defaults(name).items()]
        lines += [f"{key} = {written(value)}" for key, value in measured(name).items()]
    return "\n".join(lines) + "\n"


def written(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {written(v)}" for k, v in value.items() if v is not None) + " }"
    return json.dumps(value)


if __name__ == "__main__":
    DEFAULTS.write_text(table(), encoding="utf-8")
    sys.stdout.write(f"{len(known())} types\n")
