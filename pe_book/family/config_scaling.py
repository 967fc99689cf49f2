"""The block of a config that scales frequencies: what it says, with what stands beside it, as one scaling.

The block is called ``rope_scaling`` in older configs and ``rope_parameters`` in newer ones, where it also
holds the base and may be given apart for layers with and without a window.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_book.family.config_keys import Keys
from pe_book.family.config_models import Attention, Model
from pe_book.family.config_numbers import above_one, positive, share_of_one, whole
from pe_book.family.context_extension import scale_frequencies
from pe_book.family.interpolation import interpolated
from pe_book.family.ramps import temperature
from pe_book.family.rotary import proportional_frequencies
from pe_book.shapes import PerPair
from pe_book.wording import shown

#: What a block calls a method, and what it is called here.
METHODS = {
    "default": "default", "mrope": "default", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn",
    "longrope": "longrope", "su": "longrope", "llama3": "llama3", "proportional": "proportional",
}  # fmt: skip

# the names of blocks for one kind of layer
BLOCKS: dict[Attention, tuple[str, ...]] = {
    "full": ("full_attention",),
    "window": ("sliding_attention", "chunked_attention"),
    "linear": (),
}


@dataclass(frozen=True, eq=False)
class Scaling:
    """How one kind of layer gets its frequencies.

    Parameters
    ----------
    keys : Keys
        The block, with what was read of it.
    method, base : str, float
        Its name here, and the base of the ladder that is scaled.
    factor, original_len : float or None
        Where the method has them.
    share : float or None
        Of the head that turns, where the block says so.
    sections, arrangement : tuple of int, str
        Pairs for each axis of a place, where there are several, and how they lie: see
        :func:`pe_book.family.rotary_axes.sectioned_frequencies`.
    options : dict
        What else the method takes.
    attention_factor : float or None
        Where the block gives it outright.
    score_factor : float
        On the scores.
    """

    keys: Keys
    method: str
    base: float
    factor: float | None = None
    original_len: float | None = None
    share: float | None = None
    sections: tuple[int, ...] = ()
    arrangement: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    attention_factor: float | None = None
    score_factor: float = 1.0


def block_of(keys: Keys, attention: Attention) -> Keys:
    """The block for layers that attend so; empty where the config has none."""
    for name in ("rope_scaling", "rope_parameters"):
        block = keys.values.get(name)
        if not isinstance(block, Mapping) or not block:
            continue
        keys.note(name)
        for kind in BLOCKS[attention]:
            if isinstance(block.get(kind), Mapping):
                return Keys(block[kind], f"{name}.{kind}.")
        nested = any(kind in block for kinds in BLOCKS.values() for kind in kinds)
        return Keys({} if nested else block, f"{name}.")
    return Keys({}, "rope_scaling.")


def scaling_of(keys: Keys, model: Model, attention: Attention, max_len: int | None) -> Scaling:
    """The scaling of layers that attend so, from the block and from what stands beside it."""
    block = block_of(keys, attention)
    nested = block.prefix.count(".") > 1
    if attention == "window" and not model.windows_scaled and not nested:
        beside = block.take("rope_theta", check=above_one)
        beside = beside or keys.take("rope_theta", check=above_one, default=model.base)
        return Scaling(Keys({}, ""), "default", beside)
    own = model.local_base is not None and attention == "window" and "rope_theta" not in block.values
    if own:
        base = keys.take(
            "rope_local_base_freq", "local_rope_theta", check=above_one, default=model.local_base
        )
        if not nested:  # one block for all layers is that of the full ones
            return Scaling(Keys({}, ""), "default", base)
    else:
        names = ("rope_theta", "rotary_emb_base", "global_rope_theta")
        base = block.take("rope_theta", check=above_one) or keys.take(
            *names, check=above_one, default=model.base
        )
        if ratio := keys.take("rope_ratio", check=positive):
            base = above_one(base * ratio, "rope_theta times rope_ratio")
    given = block.take("rope_type", "type", default="default" if block.values else None) or "default"
    if not isinstance(given, str) or given not in METHODS:
        known = ", ".join(METHODS)
        raise ValueError(
            f"{block.prefix}rope_type must be one of {known}; what {shown(given)} does is not known here"
        )
    block.note("rope_type", "type")
    method = METHODS[given]
    share = block.take("partial_rotary_factor", check=share_of_one)
    sections = sections_of(block)
    arrangement = ""
    if sections:
        arrangement = "interleaved" if block.take("mrope_interleaved", default=False) else "sectioned"
    common: dict[str, Any] = {"share": share, "sections": sections, "arrangement": arrangement}
    block.note(*model.uncomputed)
    if method == "default":
        return Scaling(block, method, base, **common)
    factor = block.take("factor", check=positive)
    if factor is None and method in ("linear", "proportional"):
        factor = 1.0
        block.defaulted[f"{block.prefix}factor"] = factor
    if method in ("linear", "proportional"):
        return Scaling(block, method, base, factor, **common)
    trained = trained_len(keys, block, method, max_len)
    if factor is None and method in ("yarn", "longrope"):
        factor = max(1.0, float(max_len or trained) / trained)
        block.defaulted[f"{block.prefix}factor"] = factor
    if factor is None:
        raise ValueError(f"{block.prefix}factor must be there for {method}, and it is missing")
    options, attention_factor = options_of(block, method)
    on_scores = block.values.get("mscale_all_dim") if model.on_scores and method == "yarn" else None
    score_factor = 1.0
    if on_scores:
        score_factor = temperature(factor, mscale=positive(on_scores, f"{block.prefix}mscale_all_dim")) ** 2
    return Scaling(
        block,
        method,
        base,
        factor,
        trained,
        options=options,
        attention_factor=attention_factor,
        score_factor=score_factor,
        **common,
    )


def sections_of(block: Keys) -> tuple[int, ...]:
    """Pairs for each axis, checked.

    >>> sections_of(Keys({"mrope_section": [16, 24, 24]}))
    (16, 24, 24)
    """
    given = block.take("mrope_section")
    if given is None:
        return ()
    name = f"{block.prefix}mrope_section"
    if not isinstance(given, list | tuple):
        raise ValueError(f"{name} must be a list of numbers of pairs, got {shown(given)}")
    return tuple(whole(part, name) for part in given)


def trained_len(keys: Keys, block: Keys, method: str, max_len: int | None) -> float:
    """The trained length: what stands beside the block, else what stands in it, else the longest."""
    if method == "dynamic":
        return positive(max_len, "max_position_embeddings")
    inside = block.take("original_max_position_embeddings", check=positive)
    outside = keys.take("original_max_position_embeddings", check=positive)
    if outside is None and inside is None:
        block.defaulted[f"{block.prefix}original_max_position_embeddings"] = max_len
    found = outside if outside is not None else inside if inside is not None else max_len
    return positive(found, f"{block.prefix}original_max_position_embeddings")


def options_of(block: Keys, method: str) -> tuple[dict[str, Any], float | None]:
    """What a method takes beside factor and trained length, and a factor on rows that is given outright."""
    if method == "llama3":
        return optional(block, low_freq_factor=1, high_freq_factor=4), None
    on_rows = block.take("attention_factor", "attn_factor", check=positive)
    if method == "longrope":
        block.note("long_mscale", "short_mscale")
        return {"short": factors_of(block, "short_factor"), "long": factors_of(block, "long_factor")}, on_rows
    if method != "yarn":
        return {}, None
    options: dict[str, Any] = {**optional(block, beta_fast=32, beta_slow=1), "ramp": "library"}
    options["truncate"] = block.take("truncate", default=True)
    mscale, mscale_all_dim = block.take("mscale"), block.take("mscale_all_dim")
    if mscale and mscale_all_dim:  # as the libraries do: a zero is as good as none
        options |= optional(block, mscale=None, mscale_all_dim=None)
    return options, on_rows


def optional(block: Keys, **otherwise: float | None) -> dict[str, float]:
    """Those of the keys that are there, as numbers above 0; what is taken for the others is noted.

    >>> keys = Keys({"beta_fast": 16}, "rope_scaling.")
    >>> optional(keys, beta_fast=32, beta_slow=1), keys.defaulted
    ({'beta_fast': 16.0}, {'rope_scaling.beta_slow': 1})
    """
    found = {name: block.take(name, check=positive, default=value) for name, value in otherwise.items()}
    return {name: value for name, value in found.items() if block.values.get(name) is not None}


def factors_of(block: Keys, name: str) -> list[float]:
    """A factor for each pair, as LongRoPE lists them.

    >>> factors_of(Keys({"short_factor": [1, 1.5]}), "short_factor")
    [1.0, 1.5]
    """
    given = block.take(name)
    if not isinstance(given, list | tuple):
        raise ValueError(
            f"{block.prefix}{name} must be a list with a factor for each pair, got {shown(given)}"
        )
    return [positive(value, block.prefix + name) for value in given]


def scaled(omega: PerPair, scaling: Scaling, head: int, length: int | None) -> tuple[PerPair, float, float]:
    """The frequencies of a scaling, the factor on queries and keys, and the factor on scores."""
    try:
        return _scaled(omega, scaling, head, length)
    except ValueError as error:
        raise ValueError(
            f"{scaling.keys.prefix}rope_type {scaling.method} cannot be computed: {error}"
        ) from None


def _scaled(omega: PerPair, scaling: Scaling, head: int, length: int | None) -> tuple[PerPair, float, float]:
    s, trained = scaling.factor, scaling.original_len
    if scaling.method == "default":
        return omega, 1.0, scaling.score_factor
    if scaling.method == "proportional":
        turning = 2 * int((scaling.share if scaling.share is not None else 1) * head // 2)
        kept = proportional_frequencies(head, turning, base=scaling.base)
        return interpolated(kept, s or 1.0), 1.0, scaling.score_factor
    options = dict(scaling.options)
    if scaling.method != "linear":
        options["original_len"] = trained
    if scaling.method == "dynamic":
        options["length"] = max(length or 0, trained or 1)
    if scaling.method == "longrope":
        beyond = bool(length and trained and length > trained)
        factors = np.asarray(options.pop("long" if beyond else "short"), dtype=np.float64)
        options.pop("short" if beyond else "long")
        options["factors"] = factors
    found, on_rows = scale_frequencies(omega, method=scaling.method, factor=s or 1.0, **options)  # type: ignore[arg-type]
    return (
        found,
        on_rows if scaling.attention_factor is None else float(scaling.attention_factor),
        scaling.score_factor,
    )
