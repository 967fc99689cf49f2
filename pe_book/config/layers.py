"""Which layers of a model attend how, and which of them turn queries and keys: one small plan for each way.

Read in the source of transformers 5.24.0.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pe_book.config.keys import Keys, whole, zero_or_positive
from pe_book.inputs.wording import shown

Attention = Literal["full", "window", "linear", "compressed"]

# what has no scores, such as a convolution, a state space or an MLP alone, counts as linear: nothing there is
# to be turned; "compressed" sees a window, and beyond it summaries of tokens
LAYER_TYPES: dict[str, Attention] = {
    "full_attention": "full", "sliding_attention": "window", "chunked_attention": "window",
    "linear_attention": "linear", "attention": "full", "indexed_attention": "full", "hybrid": "full",
    "deepseek_sparse_attention": "full", "hybrid_sliding": "window", "mamba": "linear", "conv": "linear",
    "moe": "linear", "mlp": "linear", "minimax_m3_sparse": "full",
    "compressed_sparse_attention": "compressed", "heavily_compressed_attention": "compressed",
}  # fmt: skip

# for each layer how it attends, and whether it turns queries and keys
Plan = list[tuple[Attention, bool]]


def from_types(
    types: object, turning: Callable[[Attention], bool] = lambda attention: True, key: str = "layer_types"
) -> Plan:
    """A plan from the list of layer types of a config, which stands at `key`."""
    if not isinstance(types, Sequence) or isinstance(types, str):
        raise ValueError(f"{key} must be a list, got {shown(types)}")
    found: list[Attention] = []
    for i, name in enumerate(types):
        if not isinstance(name, str) or name not in LAYER_TYPES:
            known = ", ".join(LAYER_TYPES)
            raise ValueError(f"{key}[{i}] must be one of {known}; got {shown(name)}")
        found.append(LAYER_TYPES[name])
    return [(attention, attention != "linear" and turning(attention)) for attention in found]


def every_layer_alike(keys: Keys, n: int) -> Plan:
    """All layers full, or all with the window that the config names."""
    if types := keys.take("layer_types"):
        return from_types(types)
    attention: Attention = "window" if keys.take("sliding_window") else "full"
    return [(attention, True)] * n


def as_listed(keys: Keys, n: int) -> Plan:
    """PaddleOCR-VL: a window where ``layer_types`` says so, and nowhere else."""
    types = keys.take("layer_types")
    return from_types(types) if types else [("full", True)] * n


def window_if_used(keys: Keys, n: int, *, second: bool = False) -> Plan:
    """Qwen: a window only if ``use_sliding_window``, and only from ``max_window_layers`` on.

    Where `second`, as in Qwen2-MoE, every second layer before that one has it.
    """
    keys.note("use_sliding_window", "max_window_layers")
    if types := keys.take("layer_types"):
        return from_types(types)
    if not keys.values.get("use_sliding_window"):
        return [("full", True)] * n
    turn = keys.take("max_window_layers", default=28)
    turn = whole(turn, "max_window_layers") if turn else 0
    has = [i % 2 == 0 and i < turn if second else i >= turn and keys.take("sliding_window") for i in range(n)]
    return [("window" if one else "full", True) for one in has]


def window_everywhere_if_used(keys: Keys, n: int) -> Plan:
    """Qwen3-MoE: a window in every layer if ``use_sliding_window``."""
    keys.note("use_sliding_window", "layer_types")
    used = keys.values.get("use_sliding_window") and keys.take("sliding_window")
    return [("window" if used else "full", True)] * n


def every_so_many_full(
    interval: int,
    *,
    key: str = "sliding_window_pattern",
    first: bool = False,
    full_turns: bool = True,
    alone_turns: bool = False,
) -> Callable[[Keys, int], Plan]:
    """Windows, and every so many layers a full one, which may not turn at all.

    `key` says how many, where the config has it; `first` that a full one begins, and does not end, the row.

    `alone_turns` says of a model whose full layers do not turn that all of them do where no layer has a
    window, because the config has a null for it; else none does then.
    """

    def plan(keys: Keys, n: int) -> Plan:
        def turning(attention: Attention) -> bool:
            return full_turns or attention != "full"

        names = ("sliding_window_pattern", "_sliding_window_pattern", "layer_switch", "sliding_window_size")
        there = (one for one in names if one in keys.there)  # a class that looks for none may still be right
        keys.note(*(one for one in there if one not in keys.unread or keys.values[one] == interval))
        if keys.take("sliding_window") is None and not full_turns:
            keys.note("layer_types")
            return [("full", alone_turns)] * n
        if types := keys.take("layer_types"):
            return from_types(types, turning)
        every = keys.take(key, default=interval)
        if isinstance(every, str):  # "LLLG": a letter for each layer of a period
            every = len(every)
        every, ahead = whole(every, key), 0 if first else 1
        found: list[Attention] = ["window" if (i + ahead) % every else "full" for i in range(n)]
        return [(attention, turning(attention)) for attention in found]

    return plan


LETTERS: dict[str, Attention] = {"f": "full", "w": "window", "l": "linear", "c": "compressed"}
SPELT = {"M": "linear_attention", "E": "moe", "*": "full_attention", "-": "mlp"}  # in hybrid_override_pattern


def repeating(
    period: str,
    *,
    start: str = "",
    last: str = "",
    ever: bool = False,
    key: str = "layer_types",
    turned_if: tuple[str, ...] = (),
    backwards: bool = False,
    by_place: bool = False,
    unless_null: str = "",
    list_says_last: bool = False,
    full_in_window: bool = False,
    every: str = "",
    block_turns: bool = False,
) -> Callable[[Keys, int], Plan]:
    """A row of letters again and again, after a `start`: f full, w window, l linear, c compressed.

    A capital is a layer that does not turn. `last` is the last layer whatever a list says, or without a list
    alone, where `list_says_last`; `ever` that it is full if none else is; `full_in_window` that a width of a
    window counts for full layers; `key` the list that a config may have in place of the row, `turned_if` a
    key and the value without which none turns. `backwards` says that the row is counted from the end, and
    `by_place` that which layers turn follows the row where a list says how they attend; else it follows the
    kind. None turns where a null stands at `unless_null`, beside a block or in it; where `block_turns`, each
    kind that has a block does. `every` is a key that has every so many layers full, the others a window.

    >>> repeating("wwF", start="f")(Keys({}), 4)
    [('full', True), ('window', True), ('window', True), ('full', False)]
    """
    still = {LETTERS[one.lower()] for one in period if one.isupper()}

    def plan(keys: Keys, n: int) -> Plan:
        block = keys.values.get("rope_parameters")
        places = [keys.values, block if isinstance(block, Mapping) else {}]
        null = any(unless_null in place and place[unless_null] is None for place in places)
        turned = not null and (not turned_if or keys.take(turned_if[0]) == turned_if[1])

        def given(attention: Attention) -> bool:
            own = (LAYER_TYPES.get(kind) for kind, one in places[1].items() if isinstance(one, Mapping))
            return block_turns and attention in own

        def turning(attention: Attention) -> bool:
            return turned and (attention not in still or given(attention))

        many = keys.take(every, check=whole) if every else None
        row = (start + ("w" * (many - 1) + "f" if many else period) * n)[:n]
        row = row[:-1] + "f" if ever and "f" not in row else row[::-1] if backwards else row
        kinds = [(LETTERS[one.lower()], one in "fwc") for one in row]
        found = [(one, turned and (turns or given(one))) for one, turns in kinds]
        listed_there = {key, "layer_types"} & keys.there
        spelt = [] if listed_there else spelt_otherwise(keys, n)
        if types := spelt or keys.take(key, "layer_types"):
            listed = from_types(types, turning, keys.named(key, "layer_types"))
            both = zip(listed, found, strict=False)
            found = [(one, turns) for (one, _), (_, turns) in both] if by_place else listed
        if last and found and not (list_says_last and listed_there):
            found[-1] = (LETTERS[last], turning(LETTERS[last]))
        if full_in_window and keys.take("sliding_window"):
            found = [("window" if one == "full" else one, turns) for one, turns in found]
        return found

    return plan


def spelt_otherwise(keys: Keys, n: int) -> list[str]:
    """The kinds of layers as older configs say them: a letter for each, or which of them are full.

    >>> spelt_otherwise(Keys({"hybrid_override_pattern": "M*"}), 2)
    ['linear_attention', 'full_attention']
    >>> spelt_otherwise(Keys({"linear_attn_config": {"full_attn_layers": [2]}}), 2)
    ['linear_attention', 'full_attention']
    """
    text = keys.take("hybrid_override_pattern")
    if isinstance(text, str) and {*text} <= SPELT.keys():
        return [SPELT[one] for one in text]
    apart, full = keys.take("linear_attn_config"), keys.take("attn_layer_indices")
    if isinstance(apart, Mapping) and isinstance(apart.get("full_attn_layers"), list):
        full = [layer - 1 for layer in apart["full_attn_layers"]]
    elif every := keys.take("attn_layer_period", check=whole):
        first = keys.take("attn_layer_offset", check=zero_or_positive, default=0)
        full = [i for i in range(n) if i % every == first]
    if not isinstance(full, list):
        return []
    return ["full_attention" if i in full else "linear_attention" for i in range(n)]


def by_ratio(keys: Keys, n: int) -> Plan:
    """DeepSeek-V4: ``compress_ratios`` says of how many tokens a summary is made; where it is 0, of none."""
    if types := keys.take("layer_types"):
        return from_types(types[:n] if isinstance(types, list) else types)
    ratios = keys.take("compress_ratios", default=[128] * n)
    if not isinstance(ratios, list) or any(one not in (0, 4, 128) for one in ratios):
        raise ValueError(f"compress_ratios must be a list of 0, 4 and 128, got {shown(ratios)}")
    if len(ratios) < n:
        raise ValueError(f"compress_ratios must have an entry for each of {n} layers, got {len(ratios)}")
    return [("compressed" if one else "window", True) for one in ratios[:n]]


def dense_may_turn(keys: Keys, n: int) -> Plan:
    """Cohere's mixture: full layers stand still, but for those without experts if their pattern is 1.

    >>> dense_may_turn(Keys({"first_k_dense_replace": 1, "sliding_window": 8}), 5)[:5:4]
    [('full', True), ('full', False)]
    """
    keys.note("first_k_dense_replace")
    said = keys.values.get("first_k_dense_replace")
    dense = min(whole(said, "first_k_dense_replace"), n) if said else 0
    ahead = keys.take("prefix_dense_sliding_window_pattern", check=whole, default=1)
    every = keys.take("sliding_window_pattern", check=whole, default=4)
    places = [(i + 1, ahead) for i in range(dense)] + [(i + 1, every) for i in range(n - dense)]
    seen: Plan = [("window" if at % period else "full", True) for at, period in places]
    if types := keys.take("layer_types"):
        seen = from_types(types)
    experts = keys.take("mlp_layer_types", default=["dense"] * dense + ["sparse"] * (n - dense))
    if not isinstance(experts, list) or len(experts) != n:
        raise ValueError(f"mlp_layer_types must have an entry for each of {n} layers, got {shown(experts)}")
    forced = {i for i, one in enumerate(experts) if one == "dense" and ahead == 1}
    wide = keys.take("sliding_window") is not None
    return [(one, (one == "window" and wide) or i in forced) for i, (one, _) in enumerate(seen)]


def crossing(keys: Keys, n: int) -> Plan:
    """Mllama: the layers that are listed attend to an image, and do not turn."""
    crossed = keys.take("cross_attention_layers", default=[3, 8, 13, 18, 23, 28, 33, 38])
    if not isinstance(crossed, list):
        raise ValueError(f"cross_attention_layers must be a list of layers, got {shown(crossed)}")
    return [("full", i not in crossed) for i in range(n)]


def full_first(keys: Keys, n: int) -> Plan:
    """ModernBERT: layers 0, 3, 6 … are full, the others have a window."""
    if types := keys.take("layer_types"):
        return from_types(types)
    every = keys.take("global_attn_every_n_layers", check=whole, default=3)
    return [("window" if i % every else "full", True) for i in range(n)]


def turned_where_one(window: Attention) -> Callable[[Keys, int], Plan]:
    """``no_rope_layers``: a 1 means that the layer *does* turn; without a list every fourth does not.

    `window` is how a layer that turns attends: in Llama 4 with a window. In SmolLM3 such a layer is full, and
    ``use_sliding_window`` gives the others a window.
    """

    def plan(keys: Keys, n: int) -> Plan:
        flags = keys.take("no_rope_layers") or None
        if flags is None:
            every = keys.take("no_rope_layer_interval", check=whole, default=4)
            flags = [int((i + 1) % every != 0) for i in range(n)]
        if not isinstance(flags, list) or any(flag not in (0, 1) for flag in flags):
            raise ValueError(f"no_rope_layers must be a list of 0 and 1, got {shown(flags)}")
        if len(flags) != n:
            raise ValueError(f"no_rope_layers must have an entry for each of {n} layers, got {len(flags)}")
        keys.note("no_rope_layers", "no_rope_layer_interval", "use_sliding_window")
        if types := keys.take("layer_types"):  # they say what a layer sees, and the list above what turns
            seen = from_types(types)
            turned = flags if len(seen) == n else [1] * len(seen)  # of another length it is refused
            return [(one, bool(flag)) for (one, _), flag in zip(seen, turned, strict=True)]
        if window == "full" and keys.values.get("use_sliding_window") and keys.take("sliding_window"):
            return [("full" if flag else "window", bool(flag)) for flag in flags]
        return [(window if flag else "full", bool(flag)) for flag in flags]

    return plan


def every_so_many_unturned(keys: Keys, n: int) -> Plan:
    """Llama 4 in Meta's file: by ``nope_layer_interval`` a layer does not turn and sees everything."""
    every = keys.take("nope_layer_interval", check=whole)
    turned = [every is None or (i + 1) % every != 0 for i in range(n)]
    attention: Attention = "window" if keys.take("attention_chunk_size") else "full"
    return [(attention if one else "full", one) for one in turned]


def linear_but_every_fourth(keys: Keys, n: int) -> Plan:
    """Qwen3-Next: linear attention, which has no rotation, and every fourth layer full."""
    keys.note("use_sliding_window")
    if types := keys.take("layer_types"):
        return from_types(types)
    every = keys.take("full_attention_interval", check=whole, default=4)
    return [("linear", False) if (i + 1) % every else ("full", True) for i in range(n)]
