"""Which ``model_type`` a config is of, and as which it is read."""

import re
from collections.abc import Mapping
from typing import Any

from pe_book.config.classes import MODELS
from pe_book.config.formats.slips import is_slip
from pe_book.inputs.checking import one_of
from pe_book.inputs.wording import shown


def types_of(config: Mapping[str, Any], values: Mapping[str, Any], assume: str | None) -> tuple[str, str]:
    """The ``model_type`` of a config, and the one as which it is read: the same, if it is known here.

    >>> types_of({"model_type": "llava"}, {"model_type": "llama"}, None), types_of({}, {}, "qwen2")
    (('llama', 'llama'), ('', 'qwen2'))
    """
    if assume is not None:
        one_of(assume, list(MODELS), "assume")
    inner, outer = (str(one.get("model_type") or of_architecture(one)) for one in (values, config))
    stems = (one.replace("_", "") for one in (inner, outer))
    whole = outer in MODELS and next(stems).startswith(next(stems))  # the text of a type known as a whole
    name = outer if whole and inner not in MODELS else inner or outer
    if name in MODELS:
        return name, name
    if assume is None:
        of = "" if inner == outer else " of text_config"
        got = f"model_type {shown(name)}{of} is not known here" if name else "model_type is missing"
        raise ValueError(
            f"{got}{likely(name, config)}: which columns of a head its code pairs, and which layers turn, "
            "stands in no config. "
            "Read its code, and name a known type whose code does the same, as in assume='llama' or "
            "--assume llama"
        )
    return name, assume


def likely(name: str, config: Mapping[str, Any]) -> str:
    """Which known type was meant, if the name is one slip away, or if the config names its class.

    A digit more or less is another generation, no slip.

    >>> likely("mistrall", {}), likely("llama9", {})
    (" (if 'mistral' was meant, write that)", '')
    >>> likely("mine", {"architectures": ["LlamaForCausalLM"]})
    " (architectures names a class of 'llama': if its code is unchanged, assume='llama')"
    """
    digits = re.findall(r"\d", name)
    near = (one for one in MODELS if re.findall(r"\d", one) == digits and is_slip(name, one))
    if meant := next(near, ""):
        return f" (if {meant!r} was meant, write that)"
    if of := of_architecture(config):
        return f" (architectures names a class of {of!r}: if its code is unchanged, assume={of!r})"
    return ""


def of_architecture(config: Mapping[str, Any]) -> str:
    """The ``model_type`` of a config that names its class alone; empty if that is not known here."""
    given = config.get("architectures")
    first = given[0] if isinstance(given, list) and given else None
    found = re.fullmatch(r"(\w+?)(For\w+|LMHeadModel|Model)", first) if isinstance(first, str) else None
    bare = {name.replace("_", "").replace("-", "").lower(): name for name in MODELS}
    return bare.get(found[1].lower(), "") if found else ""
