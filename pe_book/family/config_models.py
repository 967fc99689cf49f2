"""What a config leaves out: how a model's code pairs columns, which base it takes, which layers turn.

Read in the source of transformers 5.23.0, whose classes tests build from the same configs and compare with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pe_book.checking import Layout
from pe_book.family.config_keys import Keys
from pe_book.family.config_numbers import whole
from pe_book.family.config_widths import SHARES
from pe_book.family.rotary import Side
from pe_book.wording import shown

Kind = Literal["rotary", "alibi", "learned", "bias"]
Attention = Literal["full", "window", "linear"]

LAYER_TYPES: dict[str, Attention] = {
    "full_attention": "full", "sliding_attention": "window", "chunked_attention": "window",
    "linear_attention": "linear",
}  # fmt: skip

# for each layer how it attends, and whether it turns queries and keys
Plan = list[tuple[Attention, bool]]


@dataclass(frozen=True)
class Model:
    """The conventions of one ``model_type``.

    Parameters
    ----------
    layout
        Of the pairs within the slice.
    base
        Where the config names none.
    share
        Of the head that turns, where the config names none.
    share_keys
        The keys beside a block that say it, in the order in which the code reads them.
    plan
        Which layers attend how, and which turn.
    local_base
        The base of layers with a window, where they have one of their own.
    windows_scaled
        Whether layers with a window have their frequencies scaled like the others.
    on_scores
        Whether ``mscale_all_dim`` also multiplies the scores.
    kind
        What the model has for position.
    layout_key
        A key that says whether pairs are interleaved, where the model can have both.
    lengths
        Further names of the longest position.
    beside
        Keys that bear on position and change nothing in what is recorded.
    uncomputed
        Keys that act on position beside the rotation, and what they do, in words: it is not computed here.
    unasked
        Those of them that act where the config does not name them.
    side
        Which columns of a head are the slice: the last ones where the config has ``qk_rope_head_dim``.
    """

    layout: Layout = "halves"
    base: float = 10000.0
    share: float = 1.0
    share_keys: tuple[str, ...] = SHARES
    plan: Callable[[Keys, int], Plan] = field(default=lambda keys, n: every_layer_alike(keys, n))
    local_base: float | None = None
    windows_scaled: bool = True
    on_scores: bool = False
    kind: Kind = "rotary"
    layout_key: str = ""
    lengths: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    uncomputed: Mapping[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    side: Side = "first"


def from_types(types: object, turning: Callable[[Attention], bool] = lambda attention: True) -> Plan:
    """A plan from the list of layer types of a config.

    >>> from_types(["sliding_attention", "full_attention"])
    [('window', True), ('full', True)]
    """
    if not isinstance(types, Sequence) or isinstance(types, str):
        raise ValueError(f"layer_types must be a list, got {shown(types)}")
    found: list[Attention] = []
    for i, name in enumerate(types):
        if not isinstance(name, str) or name not in LAYER_TYPES:
            known = ", ".join(LAYER_TYPES)
            raise ValueError(f"layer_types[{i}] must be one of {known}; got {shown(name)}")
        found.append(LAYER_TYPES[name])
    return [(attention, attention != "linear" and turning(attention)) for attention in found]


def every_layer_alike(keys: Keys, n: int) -> Plan:
    """All layers full, or all with the window that the config names."""
    if types := keys.take("layer_types"):
        return from_types(types)
    attention: Attention = "window" if keys.take("sliding_window") else "full"
    return [(attention, True)] * n


def window_if_used(keys: Keys, n: int) -> Plan:
    """Qwen: a window only if ``use_sliding_window``, and only from ``max_window_layers`` on."""
    keys.note("use_sliding_window", "max_window_layers")
    if types := keys.take("layer_types"):
        return from_types(types)
    if not keys.values.get("use_sliding_window"):
        return [("full", True)] * n
    first = keys.take("max_window_layers", default=28)
    first = whole(first, "max_window_layers") if first else 0
    return [("window" if i >= first and keys.take("sliding_window") else "full", True) for i in range(n)]


def every_so_many_full(interval: int, *names: str, full_turns: bool = True) -> Callable[[Keys, int], Plan]:
    """Windows, and every so many layers a full one, which may not turn at all."""

    def plan(keys: Keys, n: int) -> Plan:
        def turning(attention: Attention) -> bool:
            return full_turns or attention != "full"

        keys.note(
            "sliding_window_pattern", "_sliding_window_pattern", "layer_switch", "sliding_window_size", *names
        )
        if types := keys.take("layer_types"):
            return from_types(types, turning)
        if keys.take("sliding_window") is None and not full_turns:
            return [("full", True)] * n  # no windows, and then every layer turns
        every = keys.take(*(names or ("sliding_window_pattern",)), default=interval)
        if isinstance(every, str):  # "LLLG": a letter for each layer of a period
            every = len(every)
        every = whole(every, "sliding_window_pattern")
        found: list[Attention] = ["window" if (i + 1) % every else "full" for i in range(n)]
        return [(attention, turning(attention)) for attention in found]

    return plan


def full_first(keys: Keys, n: int) -> Plan:
    """ModernBERT: layers 0, 3, 6 … are full, the others have a window."""
    if types := keys.take("layer_types"):
        return from_types(types)
    every = keys.take("global_attn_every_n_layers", check=whole, default=3)
    return [("window" if i % every else "full", True) for i in range(n)]


def turned_where_one(window: Attention) -> Callable[[Keys, int], Plan]:
    """``no_rope_layers``: a 1 means that the layer *does* turn; without a list every fourth does not."""

    def plan(keys: Keys, n: int) -> Plan:
        flags = keys.take("no_rope_layers") or None
        if flags is None:
            every = keys.take("no_rope_layer_interval", check=whole, default=4)
            flags = [int((i + 1) % every != 0) for i in range(n)]
        if not isinstance(flags, list):
            raise ValueError(f"no_rope_layers must be a list of 0 and 1, got {shown(flags)}")
        keys.note("no_rope_layers", "layer_types", "use_sliding_window")
        return [(window if flag else "full", bool(flag)) for flag in flags]

    return plan


def linear_but_every_fourth(keys: Keys, n: int) -> Plan:
    """Qwen3-Next: linear attention, which has no rotation, and every fourth layer full."""
    keys.note("use_sliding_window")
    if types := keys.take("layer_types"):
        return from_types(types)
    every = keys.take("full_attention_interval", check=whole, default=4)
    return [("linear", False) if (i + 1) % every else ("full", True) for i in range(n)]


GROWING = "past seq_length the model's own code enlarges the base as the text grows"
LOGN = "past seq_length queries are multiplied by log(position) / log(seq_length)"
BETA = "queries are multiplied by 1 + beta log(1 + floor(position / trained length))"
TUNED = "queries of layers that do not turn are multiplied by a number that grows with their position"

_halves = Model()
_mistral = Model(uncomputed={"llama_4_scaling_beta": BETA})
_chatglm = Model(layout="interleaved", share=0.5, lengths=("seq_length",), beside=("original_rope",))
_glm = Model(layout="interleaved", share=0.5)
_llama4 = Model(
    layout="interleaved",
    base=5e5,
    plan=turned_where_one("window"),
    uncomputed={"attn_temperature_tuning": TUNED},
    unasked=("attn_temperature_tuning",),
)
_deepseek = Model(layout="interleaved", on_scores=True, side="last")
_deepseek3 = Model(layout="interleaved", on_scores=True, layout_key="rope_interleave", side="last")
_ernie = Model(layout="interleaved", base=5e5)
_qwen = Model(plan=window_if_used)
_learned = Model(kind="learned")

MODELS: dict[str, Model] = {
    "llama": _halves, "mistral": _mistral, "ministral3": _mistral, "granite": _halves, "olmo2": _halves,
    "minicpm": _halves, "minicpm3": Model(side="last"), "internlm2": _halves, "exaone": _halves,
    "starcoder2": _halves,
    "mixtral": Model(base=1e6), "phi3": _halves, "phi3_v": _halves, "phimoe": Model(base=1e6),
    "qwen": Model(beside=("seq_length",), uncomputed={"use_dynamic_ntk": GROWING, "use_logn_attn": LOGN}),
    "qwen2": _qwen, "qwen3": _qwen, "qwen3_moe": _qwen, "qwen2_moe": _qwen,
    "qwen2_vl": Model(base=1e6, plan=window_if_used), "qwen2_5_vl": Model(base=1e6, plan=window_if_used),
    "qwen3_vl": Model(base=5e5), "qwen3_vl_text": Model(base=5e5),
    "qwen3_next": Model(share=0.25, plan=linear_but_every_fourth),
    "qwen3_5": Model(share=0.25, plan=linear_but_every_fourth),
    "qwen3_5_text": Model(share=0.25, plan=linear_but_every_fourth),
    "gemma": _halves, "gemma2": Model(plan=every_so_many_full(2)),
    "gemma3": Model(base=1e6, local_base=10000.0, plan=every_so_many_full(6)),
    "gemma3_text": Model(base=1e6, local_base=10000.0, plan=every_so_many_full(6)),
    "gpt_oss": Model(base=150000.0, plan=every_so_many_full(2), beside=("initial_context_length",)),
    "olmo3": Model(base=5e5, plan=every_so_many_full(4), windows_scaled=False),
    "cohere": Model(layout="interleaved", base=5e5),
    "cohere2": Model(
        layout="interleaved", plan=every_so_many_full(4, full_turns=False),
        beside=("position_embedding_type",),
    ),
    "exaone4": Model(plan=every_so_many_full(4, full_turns=False)),
    "llama4": _llama4, "llama4_text": _llama4,
    "smollm3": Model(base=2e6, plan=turned_where_one("full")),
    "modernbert": Model(base=160000.0, local_base=10000.0, plan=full_first,
                        beside=("position_embedding_type",)),
    "nomic_bert": Model(base=1000.0, layout_key="rotary_emb_interleaved", beside=("max_trained_positions",)),
    "phi": Model(share=0.5), "phi-msft": Model(share=0.5), "stablelm": Model(share=0.25),
    "gpt_neox": Model(share=0.25, share_keys=("rotary_pct",)), "falcon": _halves, "RefinedWebModel": _halves,
    "gptj": Model(layout="interleaved", beside=("rotary", "n_ctx")),
    "codegen": Model(layout="interleaved", beside=("n_ctx",)),
    "glm": _glm, "glm4": _glm, "chatglm": _chatglm, "glm4_moe": Model(share=0.5),
    "deepseek_v2": _deepseek, "deepseek_v3": _deepseek3, "deepseek_v32": _deepseek, "kimi_k2": _deepseek,
    "ernie4_5": _ernie, "ernie4_5_moe": _ernie,
    "bloom": Model(kind="alibi", lengths=("seq_length",), beside=("offset_alibi",)),
    "mpt": Model(kind="alibi"),
    "gpt2": Model(kind="learned", beside=("n_ctx",)), "opt": _learned, "bert": _learned,
    "roberta": _learned, "distilbert": _learned, "electra": _learned, "bart": _learned,
    "gpt_bigcode": _learned, "gpt_neo": _learned, "t5": Model(kind="bias"), "mt5": Model(kind="bias"),
}  # fmt: skip
