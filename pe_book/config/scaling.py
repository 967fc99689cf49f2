"""The block of a config that scales frequencies: what it says, with what stands beside it, as one scaling.

The block is called ``rope_scaling`` in older configs and ``rope_parameters`` in newer ones, where it also
holds the base and may be given apart for layers with and without a window.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from pe_book.config.classes import Model
from pe_book.config.keys import Keys, above_one, positive, share_of_one, whole, zero_or_positive
from pe_book.config.layers import Attention
from pe_book.config.options import options_of, sections_of
from pe_book.config.widths import BESIDE_SCALED, SHARE_IN_BLOCK, SHARES
from pe_book.family.context_extension import Method, scale_frequencies
from pe_book.family.context_extension.interpolation import interpolated
from pe_book.family.context_extension.ramps import kept_by_index, temperature
from pe_book.family.rotary import proportional_frequencies
from pe_book.inputs.shapes import PerPair
from pe_book.inputs.wording import shown

Scales = Literal["default", "proportional"] | Method

#: What a block calls a method, and what it is called here.
METHODS: dict[str, Scales] = {
    "default": "default", "mrope": "default", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn",
    "longrope": "longrope", "su": "longrope", "llama3": "llama3", "proportional": "proportional",
}  # fmt: skip

#: The ends of the ramps in turns, where a block does not say them.
ENDS = {"beta_fast": 32.0, "beta_slow": 1.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0}

# the names of blocks for one kind of layer
BLOCKS: dict[Attention, tuple[str, ...]] = {
    "full": ("full_attention",),
    "window": ("sliding_attention", "chunked_attention", "main"),
    "linear": (),
    "compressed": ("compress",),
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
        :func:`pe_book.family.rotary.axes.sectioned_frequencies`.
    options : dict
        What else the method takes.
    attention_factor : float or None
        Where the block gives it outright.
    score_factor : float
        On the scores.
    alpha : float or None
        What enlarges the base at every length, where a class has it so.
    """

    keys: Keys
    method: Scales
    base: float
    factor: float | None = None
    original_len: float | None = None
    share: float | None = None
    sections: tuple[int, ...] = ()
    arrangement: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    attention_factor: float | None = None
    score_factor: float = 1.0
    alpha: float | None = None

    @property
    def type_key(self) -> str:
        """The key that names the method, as the config writes it."""
        return self.keys.named("rope_type", "type")

    @property
    def ends(self) -> tuple[float, float] | None:
        """Between how many turns the ramp lies, first those of the fast pairs; None for no ramp."""
        names = {"yarn": ("beta_fast", "beta_slow"), "llama3": ("high_freq_factor", "low_freq_factor")}
        if self.method not in names:
            return None
        fast, slow = (self.options.get(name, ENDS[name]) for name in names[self.method])
        return float(fast), float(slow)


def exchanged(scaling: Scaling) -> bool:
    """Whether LongRoPE's divisors for short texts are larger than those for long ones, taken together."""
    short, long = (sum(scaling.options.get(name, ())) for name in ("short", "long"))
    return scaling.method == "longrope" and bool(short > long)


def block_of(keys: Keys, attention: Attention, model: Model) -> Keys:
    """The block for layers that attend so; empty where the config has none that the class reads."""
    for name in model.blocks:
        keys.asked.add(name)
        block = keys.values.get(name)
        if block is None or block == {}:
            continue
        if not isinstance(block, Mapping):
            raise ValueError(f"{name} must be a block of settings, got {shown(block)}")
        nested = next((kind for kinds in BLOCKS.values() for kind in kinds if kind in block), "")
        if nested and not (model.blocks_apart and (name == "rope_parameters" or model.in_block)):
            of = f"{shown(keys.values.get('model_type', ''))}, whose code has one for all layers"
            does = "write what stands there in its place, or a model_type that has blocks by kind of layer"
            if model.blocks_apart:
                does = "write blocks by kind of layer as rope_parameters"
            raise ValueError(f"{name} must be one block for {of}; got {shown(nested)} in it: {does}")
        for kind in BLOCKS[attention] if model.blocks_apart else ():
            if isinstance(block.get(kind), Mapping):
                keys.note(name)
                return Keys(block[kind], f"{name}.{kind}.")
        # a class that fills up a block for all layers hands it on, under either name and either type
        if name == "rope_parameters" and model.blocks_apart and not nested and not model.in_block:
            continue
        keys.note(name)
        return Keys({} if nested else block, f"{name}.", model.in_block)
    return Keys({}, "rope_scaling.")


def beside_kinds(block: Any, model: Model) -> dict[str, Any]:
    """What stands in ``rope_parameters`` beside blocks by kind of layer, each under both names."""
    found = block if model.blocks_apart and isinstance(block, Mapping) else {}
    blocks = [key for key in found if isinstance(found[key], Mapping)]
    return {f"rope_parameters.{key}": found[key] for key in found if blocks and key not in blocks}


def scaling_of(keys: Keys, model: Model, attention: Attention, max_len: int | None) -> Scaling:
    """The scaling of layers that attend so, from the block and from what stands beside it."""
    block = block_of(keys, attention, model)
    nested = block.prefix.count(".") > 1
    if nested and model.in_block:  # such a class writes its keys beside the blocks that it makes of them
        keys.note(*model.base_keys, *model.local_keys)
    flat = bool(block.there) and not model.in_block and model.blocks_apart and not nested
    # a base in one block for all layers is that of the full ones, unless the class hands all of it on
    said = "rope_theta" in block.values and (nested or model.local_scaled)
    if nested and not model.base_keys and block.values.get("rope_theta") is None:
        raise ValueError(f"{block.prefix}rope_theta must be there: no other is known for such a block")
    own = model.local_base is not None and attention == "window" and not said
    if own:
        base = keys.take(*model.local_keys, check=above_one, default=model.local_base)
        if not nested and not model.local_scaled:  # one block for all layers is that of the full ones
            return Scaling(Keys({}, ""), "default", base)
    else:
        inside = block.take("rope_theta", check=above_one) if nested or model.block_says_base else None
        base = inside or keys.take(*model.base_keys, check=above_one, default=model.base)
        if ratio := keys.take("rope_ratio", check=positive):
            base = above_one(base * ratio, "rope_theta times rope_ratio")
    names = ("rope_type",) if flat else ("rope_type", "type")  # the class puts it into a block that has one
    given = block.take(*names, default="default" if block.values else None) or "default"
    if not isinstance(given, str) or given not in METHODS:
        would = ", ".join(METHODS)
        name = block.named("rope_type", "type")
        why = f"what {shown(given)} does is not known here"
        if isinstance(given, str) and given.lower() in METHODS:
            why = f"write {shown(given)} as {given.lower()}"
        raise ValueError(f"{name} must be one of {would}; {why}")
    block.note("rope_type", "type")
    method = METHODS[given]
    if method == "dynamic" and model.alpha and (alpha := block.take("alpha", check=positive)):
        block.note(*block.values)  # what else stands there changes nothing
        return Scaling(block, "default", base, alpha=alpha)
    share = share_of(keys, block, method) if nested or model.block_says_base else None
    if nested and share is None and model.block_share and SHARES[0] not in keys.there:
        share = model.block_share if method == "default" else 1.0
    sections, arrangement = sections_of(block, model)
    common: dict[str, Any] = {"share": share, "sections": sections, "arrangement": arrangement}
    block.note("max_position_embeddings", *model.uncomputed)
    if method == "default":
        return Scaling(block, method, base, **common)
    factor = block.take("factor", check=positive)
    if factor is None and method in ("linear", "proportional"):
        factor = 1.0
        block.defaulted[f"{block.prefix}factor"] = factor
    if method in ("linear", "proportional"):
        on_scores = factor_on_scores(block, model, factor)
        return Scaling(block, method, base, factor, score_factor=on_scores, **common)
    trained = trained_len(keys, block, method, max_len)
    if factor is None and method in ("yarn", "longrope"):
        factor = max(1.0, float(max_len or trained) / trained)
        block.defaulted[f"{block.prefix}factor"] = factor
    if factor is None:
        raise ValueError(f"{block.prefix}factor must be there for {method}, and it is missing")
    common["options"], common["attention_factor"] = options_of(keys, block, method, model)
    on_scores = factor_on_scores(block, model, factor)
    return Scaling(block, method, base, factor, trained, score_factor=on_scores, **common)


def share_of(keys: Keys, block: Keys, method: str) -> float | None:
    """The share of a head that turns, where the block says it, or is handed it from beside.

    A class may look for it in blocks that scale alone, whose frequencies the library makes for all classes.
    """
    if method == "default":
        inside = SHARE_IN_BLOCK not in keys.unread
        return block.take(SHARES[0], check=share_of_one) if inside else None
    share: float | None = block.take(SHARES[0], check=share_of_one)
    if share is None and keys.unread and BESIDE_SCALED not in keys.unread:
        keys.note(SHARES[0])
        beside = keys.values.get(SHARES[0])
        share = None if beside is None else share_of_one(beside, SHARES[0])
    return share


def with_alpha(scaling: Scaling, head: int) -> Scaling:
    """The same with the base that ``alpha`` makes of it, for a head so wide."""
    return replace(scaling, base=scaling.base * (scaling.alpha or 1.0) ** (head / max(head - 2, 1)))


def factor_on_scores(block: Keys, model: Model, factor: float | None) -> float:
    """What a class multiplies its scores by, whichever method scales."""
    said = block.take("mscale_all_dim", check=zero_or_positive) if model.on_scores else None
    return temperature(factor or 1.0, mscale=said) ** 2 if said else 1.0


def trained_len(keys: Keys, block: Keys, method: str, max_len: int | None) -> float:
    """The trained length: what stands beside the block, else what stands in it, else the longest."""
    if method == "dynamic":
        return positive(max_len, "max_position_embeddings")
    inside = block.take("original_max_position_embeddings", check=whole)
    outside = keys.take("original_max_position_embeddings", check=whole)
    if outside is None and inside is None:
        block.defaulted[f"{block.prefix}original_max_position_embeddings"] = max_len
    found = outside if outside is not None else inside if inside is not None else max_len
    return positive(found, f"{block.prefix}original_max_position_embeddings")


def scaled(omega: PerPair, scaling: Scaling, head: int, length: int | None) -> tuple[PerPair, float, float]:
    """The frequencies of a scaling, the factor on queries and keys, and the factor on scores."""
    try:
        return _scaled(omega, scaling, head, length)
    except ValueError as error:
        raise ValueError(f"{scaling.type_key} {scaling.method} cannot be computed: {error}") from None


def _scaled(omega: PerPair, scaling: Scaling, head: int, length: int | None) -> tuple[PerPair, float, float]:
    s, trained = scaling.factor, scaling.original_len
    if scaling.method == "default":
        return omega, 1.0, scaling.score_factor
    if scaling.method == "proportional":
        turning = 2 * int((scaling.share if scaling.share is not None else 1) * head // 2)
        kept = proportional_frequencies(head, turning, base=scaling.base)
        return interpolated(kept, s or 1.0), 1.0, scaling.score_factor
    options, factor_on_rows = dict(scaling.options), scaling.attention_factor
    if scaling.method != "linear":
        options["original_len"] = trained
    if scaling.method == "dynamic":
        options["length"] = max(length or 0, trained or 1)
    if scaling.method == "longrope":
        beyond = bool(length and trained and length > trained)
        for name in ("short", "long"):
            if len(options[name]) != omega.size:
                counts = f"a factor for each of {omega.size} pairs, got {len(options[name])}"
                raise ValueError(f"{scaling.keys.prefix}{name}_factor must have {counts}")
        used = "long" if beyond else "short"
        factor_on_rows = options.get(f"{used}_mscale", factor_on_rows)
        options = {"original_len": trained, "factors": np.asarray(options[used], dtype=np.float64)}
    fast, slow = scaling.ends or (1.0, 0.0)
    if fast < slow and scaling.method == "llama3":  # transformers then takes a step at low_freq_factor
        options |= dict.fromkeys(("low_freq_factor", "high_freq_factor"), slow)
    if fast < slow and scaling.method == "yarn":  # the definition refuses them
        options = {key: value for key, value in options.items() if key not in ENDS}
    found, on_rows = scale_frequencies(omega, method=scaling.method, factor=s or 1.0, **options)
    if fast < slow and scaling.method == "yarn":
        kept = kept_by_index(omega, trained or 1.0, fast, slow, truncate=scaling.options["truncate"])
        found = omega * kept + omega / (s or 1.0) * (1 - kept)
    on_rows = on_rows if factor_on_rows is None else float(factor_on_rows)
    return found, on_rows, scaling.score_factor
