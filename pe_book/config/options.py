"""What a block on scaling says beside method and factor: ends of ramps, lists of divisors, sections."""

from typing import Any

from pe_book.config.classes import Model
from pe_book.config.keys import Keys, flag, positive, whole, zero_or_positive
from pe_book.inputs.wording import shown

TRUNCATE = "rope_parameters.truncate"


def sections_of(block: Keys, model: Model) -> tuple[tuple[int, ...], str]:
    """Pairs for each axis, checked, and how they lie; none for a model whose positions are single numbers."""
    if not model.sections:
        return (), ""
    given = block.take("mrope_section", default=list(model.sections))
    block.note("mrope_interleaved")
    name = f"{block.prefix}mrope_section"
    if not isinstance(given, list | tuple):
        raise ValueError(f"{name} must be a list of numbers of pairs, got {shown(given)}")
    return tuple(whole(part, name) for part in given), model.arrangement


def dealt(sections: tuple[int, ...], pairs: int) -> tuple[int, ...]:
    """How many pairs each axis has where a class deals them out in turn, and the slice ends before they do.

    >>> dealt((24, 20, 20), 64), dealt((24, 20, 20), 32)
    ((24, 20, 20), (11, 11, 10))
    """
    axes = len(sections)
    later = [len(range(axis, min(axes * sections[axis], pairs), axes)) for axis in range(1, axes)]
    return pairs - sum(later), *later


def options_of(keys: Keys, block: Keys, method: str, model: Model) -> tuple[dict[str, Any], float | None]:
    """What a method takes beside factor and trained length, and a factor on rows that is given outright."""
    if method == "llama3":
        return optional(block, low_freq_factor=1, high_freq_factor=4), None
    on_rows = block.take("attention_factor", check=positive)
    if method == "longrope":
        lists = {name: factors_of(block, f"{name}_factor") for name in ("short", "long")}
        scales = optional(block, short_mscale=None, long_mscale=None) if model.mscales else {}
        return lists | scales, on_rows
    if method != "yarn":
        return {}, None
    options: dict[str, Any] = {**optional(block, beta_fast=32, beta_slow=1), "ramp": "library"}
    where, names = (keys, [TRUNCATE] * model.keeps_beside) if model.blocks_apart else (block, ["truncate"])
    rounded = all(where.values.get(name, True) is not None for name in names)  # a null is a no
    options["truncate"] = where.take(*names, check=flag, default=rounded)
    given = {name: block.take(name, check=zero_or_positive) for name in ("mscale", "mscale_all_dim")}
    if all(given.values()):  # as the libraries do: a zero is as good as none
        options |= given
    return options, on_rows


def optional(block: Keys, **otherwise: float | None) -> dict[str, float]:
    """Those of the keys that are there, as numbers above 0; what is taken for the others is noted."""
    found = {name: block.take(name, check=positive, default=value) for name, value in otherwise.items()}
    return {name: value for name, value in found.items() if block.values.get(name) is not None}


def factors_of(block: Keys, name: str) -> list[float]:
    """A factor for each pair, as LongRoPE lists them."""
    given = block.take(name)
    if not isinstance(given, list | tuple):
        raise ValueError(
            f"{block.prefix}{name} must be a list with a factor for each pair, got {shown(given)}"
        )
    return [positive(value, block.prefix + name) for value in given]
