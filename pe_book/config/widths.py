"""How wide a head is and which of its columns turn: the keys that say so, under all their names."""

from collections.abc import Mapping
from typing import Any

from pe_book.config.keys import Keys, even, part_of, share_of_one, whole
from pe_book.config.layers import Attention, Plan
from pe_book.family.rotary import Side
from pe_book.inputs.wording import shown
from pe_book.numerics.chunks import WIDEST

SHARES = ("partial_rotary_factor", "rotary_pct", "rotary_emb_fraction")

#: The keys that say the width of the slice outright, and in latent attention what stands beside it.
WIDTHS_OF_SLICES = ("rotary_dim", "qk_rope_head_dim", "qk_nope_head_dim")

HEADS = ("head_dim", "kv_channels", "d_head")
WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
COUNTS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
SHARE_IN_BLOCK = "rope_parameters.partial_rotary_factor"
#: The share beside a block that scales, where a class hands it on to the block.
BESIDE_SCALED = "scaled.partial_rotary_factor"
#: What says which layers are of which kind, and what is theirs; one class reads it and another does not.
PATTERN_KEYS = (
    "layer_types", "sliding_window_pattern", "window_pattern", "global_attn_every_n_layers",
    "full_attention_interval", "max_window_layers", "no_rope_layers", "no_rope_layer_interval",
    "rope_local_base_freq", "local_rope_theta",
)  # fmt: skip
#: The width of a window.
WINDOWS = ("sliding_window", "local_attention", "attention_chunk_size")
#: Every name above; one class reads it and another does not.
SIZES = (*HEADS, *WIDTHS, *COUNTS, *LAYERS, *SHARES, SHARE_IN_BLOCK, *WIDTHS_OF_SLICES, *WINDOWS)


def slice_of_head(
    keys: Keys,
    share: float,
    names: tuple[str, ...] = SHARES,
    *,
    head_is_slice: bool = False,
    within: bool = False,
) -> tuple[int, int, Side]:
    """Width of a head, width of the slice that turns, and its side.

    `share` is that of the model's code, and counts where the config names neither a width nor a share;
    `names` are the keys under which that code looks for it. `head_is_slice` says that ``head_dim`` is another
    name of ``qk_rope_head_dim`` there, and `within` that it is the whole, of which so many columns turn.
    """
    if within:
        head = head_width_of(keys)
        part = keys.take(*names, check=share_of_one)
        keys.note("qk_rope_head_dim")
        turning = keys.take("qk_rope_head_dim", check=even) if part is None else None
        return head, turning or even(part_of(head, part or share), f"the slice by {names[0]}"), "last"
    if keys.has("qk_rope_head_dim"):
        said = ("qk_rope_head_dim", "head_dim") if head_is_slice else ("qk_rope_head_dim",)
        rotary: int = keys.take(*said, check=even)
        if any(keys.take(name, check=even) not in (None, rotary) for name in said if name in keys.there):
            raise ValueError("head_dim must be qk_rope_head_dim, of which it is another name for this class")
        content = keys.take("qk_nope_head_dim", check=whole, default=0)
        keys.note("head_dim")
        return _bounded(content + rotary, "qk_nope_head_dim"), rotary, "last"
    head = head_width_of(keys)
    turning = keys.take("rotary_dim", check=even)
    if turning is None:
        part = keys.take(*names, check=share_of_one, default=None if share == 1 else share)
        name = next((one for one in (*names, *HEADS) if one in keys.used), "hidden_size over heads")
        turning = even(part_of(head, 1 if part is None else part), f"the slice by {name}")
    if turning > head:
        if "rotary_dim" in keys.there:
            raise ValueError(f"rotary_dim must be at most the width of the head, {head}, got {turning}")
        of = " over ".join((keys.named(*WIDTHS), keys.named(*COUNTS)))
        reason = f"since the class of {shown(keys.values.get('model_type'))} turns {turning} columns"
        raise ValueError(f"{of} must be at least {turning}, {reason}, got {head}; or give rotary_dim")
    return head, turning, "first"


def head_width_of(keys: Keys) -> int:
    """The width of a head: as it is given, or that of the model over the number of heads."""
    head: int | None = keys.take(*HEADS, check=whole)
    if head is not None:
        return _bounded(head, keys.named(*HEADS))
    width, heads = keys.take(*WIDTHS, check=whole), keys.take(*COUNTS, check=whole)
    if width is None or heads is None:
        raise ValueError(f"config must have head_dim, or hidden_size and num_attention_heads; {_lacks(keys)}")
    over = keys.named(*WIDTHS), keys.named(*COUNTS)
    if width % heads:
        raise ValueError(
            f"{over[0]} must be a multiple of {over[1]}, {heads}, got {width}, where head_dim is absent"
        )
    head = _bounded(width // heads, " over ".join(over))
    keys.defaulted["head_dim"] = head
    return head


def widths_by_kind(
    keys: Keys, heads: Mapping[str, tuple[str, int]], plan: Plan, head: int, turning: int
) -> dict[Attention, tuple[int, int]]:
    """For each kind of layer the width of its heads, and of what turns of them.

    A list by layer, ``per_layer_config``, goes before the key that a class has for a kind.
    """
    found: dict[Attention, tuple[int, int]] = {}
    per_layer = keys.take("per_layer_config", check=by_layer) if heads else None
    listed = {int(i): one for i, one in (per_layer or {}).items() if isinstance(one, Mapping)}
    for kind in {attention for attention, _ in plan}:
        wide, key = head, "per_layer_config.head_dim"
        if kind in heads and per_layer is None:
            key, default = heads[kind]
            wide = keys.take(key, check=whole, default=default)
        elif kind in heads:
            keys.note(heads[kind][0])
            of_kind = [i for i, (one, _) in enumerate(plan) if one == kind]
            said = {listed.get(i, {}).get("head_dim", head) for i in of_kind}
            if len(said) > 1:
                wanted = "must have one head_dim for all layers of a kind"
                raise ValueError(f"per_layer_config {wanted}, got {shown(sorted(said))}")
            wide = whole(said.pop(), key)
        found[kind] = (wide, turning if wide == head else even(part_of(wide, turning / head), key))
    return found


def by_layer(value: Any, name: str) -> Mapping[str, Any]:
    """Settings by the numbers of layers from a config, refused by the name of the key."""
    if not isinstance(value, Mapping) or not all(str(one).isdigit() for one in value):
        raise ValueError(f"{name} must have numbers of layers for keys, got {shown(value)}")
    return value


def _lacks(keys: Keys) -> str:
    """What of the width is in the config, and where the rest is."""
    if not keys.there:
        return "got {}"
    there = [name for name in (*WIDTHS, *COUNTS) if keys.values.get(name) is not None]
    if len({name in WIDTHS for name in there}) == 2:
        return f"the class of {shown(keys.values.get('model_type'))} reads head_dim alone, and there is none"
    where = "its text_config" if "text_config" in keys.values else "it"
    said = f"{where} has {there[0]} alone" if there else f"{where} has neither"
    inner = (
        name for name, value in keys.values.items() if isinstance(value, Mapping) and {*WIDTHS} & {*value}
    )
    if not there and where == "it" and (block := next(inner, None)):
        return f"{said}, but its {shown(block)} has: give that block as the config"
    code = keys.values.get("model_type")
    if where == "it" or not code:
        return said
    rest = f"the rest are defaults of the class of {code}, and they are not in the file"
    return f"{said}: {rest}; add them, or save the config with transformers 5, which writes them"


def _bounded(width: int, name: str) -> int:
    if width > WIDEST:
        raise ValueError(f"{name} must be such that a head has at most {WIDEST} columns, got {width}")
    return width
