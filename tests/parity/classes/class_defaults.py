"""What the config classes of transformers have for keys that a config leaves out, and which names they read.

`python -m tests.parity.classes.class_defaults` with the libraries of `make parity` writes the table that the
package reads, with names of types only their sections; a test compares the two. That a name is read is not
taken from a list: the model is built with it.
"""

import json
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from pe_book.config.classes import DEFAULTS, MEASURED, MODELS, class_defaults
from pe_book.config.formats.beside import keys_of
from pe_book.config.keys import LENGTHS
from pe_book.config.widths import COUNTS, LAYERS, SHARE_IN_BLOCK, SHARES, SIZES, WIDTHS, WINDOWS
from tests.parity.classes import habits
from tests.parity.classes.built import received
from tests.parity.classes.habits import same
from tests.parity.classes.variants import FEW, silent

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
    model = MODELS[model_type]
    own = {*(key for key, _ in model.heads.values()), *model.window_keys} | keys_of(
        model.law, model.tables, model.bias
    )
    names = {cls.attribute_map.get(name, name) for name in (*SIZES, *KEPT, *own)}
    declared = {name: one.default for name, one in cls.__dataclass_fields__.items()}
    found = {
        name: value for name, value in sorted(declared.items())
        if name in names and isinstance(value, int | float | str)
    }  # fmt: skip
    block = getattr(config, "rope_parameters", None) or {}
    scales = methods_of(config) - {"default"}
    if scales or (block and "rope_scaling" not in model.blocks):
        based = {"rope_theta": MARK} if "rope_type" in block else {}  # one for all layers
        moved = CONFIG_MAPPING[model_type](**based).get_text_config(decoder=True).rope_parameters
        beside = {"rope_theta"} if moved.get("rope_theta") == MARK else set()  # a base beside it goes before
        beside |= {"partial_rotary_factor"} if model.share_of_head else set()  # it follows from two widths
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
    # of each kind one, and quickly built
    small = next((n for n in (4, FEW) if received(silent(model_type, num_hidden_layers=n))[1]), FEW)
    for name in SIZES:
        if name in found or name in SHARED:
            continue
        few = {} if name in LAYERS else {"num_hidden_layers": small}
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


def methods_of(config: Any) -> set[str]:
    """The methods of the blocks that a config has where it says nothing."""
    block = getattr(config, "rope_parameters", None) or {}
    inner = [one for one in block.values() if isinstance(one, dict)] or [block]
    return {one.get("rope_type", "default") for one in inner}


def measured(model_type: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """What was tried on a class: which names it reads, and of layers and blocks what it takes and refuses.

    What the table has of the class is not tried again where `names` name other types alone.
    """
    rows = {name: row for name, row in class_defaults().items() if names and "reads" in row}
    alike = (one for one in (model_type, *rows) if one in rows and text_of(one) is text_of(model_type))
    if model_type not in names and (known_row := next(alike, None)):
        return {key: rows[known_row][key] for key in MEASURED if key in rows[known_row]}
    found = {"reads": reads(model_type)}
    if MODELS[model_type].kind == "rotary":
        own = CONFIG_MAPPING[model_type]().get_text_config(decoder=True)
        taken = (*habits.kinds(model_type), *(getattr(own, "layer_types", None) or ()))  # seen or not
        found["kinds"] = list(dict.fromkeys(taken)) if "layer_types" in found["reads"] else []
        found["refuses"] = list(habits.refused(model_type))
        if methods_of(own) & {*found["refuses"]}:
            found["refuses"] = []
    return {key: value for key, value in found.items() if value or key == "reads"}


@cache
def text_of(model_type: str) -> type:
    """The class of the config of a type's text."""
    return type(CONFIG_MAPPING[model_type]().get_text_config(decoder=True))


def table(names: Sequence[str] = ()) -> str:
    """The table as a file: a section for each type. If there are `names`, these alone are tried again."""
    lines = [
        "# What the config classes of transformers have for keys that a config leaves out, and which names",
        "# they read; which kinds of layers they take, and which blocks they refuse. Written by",
        "# tests/parity/classes/class_defaults.py.",
        f'transformers = "{transformers.__version__}"',
    ]
    for name in known():
        row = defaults(name) | measured(name, names)
        lines += ["", f"[{name}]", *(f"{key} = {written(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"


def written(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {written(v)}" for k, v in value.items() if v is not None) + " }"
    return json.dumps(value)


if __name__ == "__main__":
    DEFAULTS.write_text(table(sys.argv[1:]), encoding="utf-8")
    sys.stdout.write(f"{len(known())} types\n")
