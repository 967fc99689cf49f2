"""What a config leaves out: how a model's code pairs columns, which base it takes, which layers turn.

Read in the source of transformers 5.24.0, whose classes tests build from the same configs and compare with.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from pe_book.config.formats.beside import Law
from pe_book.config.formats.params import LLAMA_4, META, MISTRAL, SCALED_4
from pe_book.config.layers import (
    Plan,
    as_listed,
    by_ratio,
    crossing,
    dense_may_turn,
    every_layer_alike,
    every_so_many_full,
    every_so_many_unturned,
    full_first,
    linear_but_every_fourth,
    repeating,
    turned_where_one,
    window_everywhere_if_used,
    window_if_used,
)
from pe_book.config.widths import SHARES
from pe_book.family.rotary import Side
from pe_book.inputs.checking import Layout

# where programs look for the base beside a block
BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta")

Kind = Literal[
    "rotary", "learned rotary", "none", "axial", "alibi", "learned", "sinusoidal", "convolution", "bias"
]


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
    share_keys, base_keys
        The keys beside a block that say the share and the base, in the order in which the code reads them.
    assumed
        What the class has for keys that a config leaves out.
    sections, arrangement
        Pairs for each axis of a place where the block names none, and how they lie; empty for one axis.
    mscales
        Whether LongRoPE's factor on queries and keys stands in the block, one for each list.
    plan
        Which layers attend how, and which turn.
    switched
        Whether windows have a width only where ``use_sliding_window`` is true.
    alpha
        Whether ``alpha`` in a dynamic block enlarges the base once and for all.
    local_base, local_keys
        The base of layers with a window, where they have one of their own, and the keys that say it.
    local_scaled
        Whether these layers have their frequencies scaled like the others.
    heads_computed
        Whether the width of a head is that of the model over the heads, whatever ``head_dim`` says.
    head_is_slice
        Whether ``head_dim`` is another name of ``qk_rope_head_dim``.
    blocks_apart
        Whether the class reads ``rope_parameters`` by kind of layer alone.
    on_scores
        Whether ``mscale_all_dim`` multiplies the scores.
    kind
        What the model has for position.
    layout_key
        A key that says whether pairs are interleaved, where the model can have both.
    may_have_alibi
        Whether a key says that the model has ALiBi instead.
    turns_at
        The width of the model at which it turns, where at every other width it has ALiBi.
    two_sided
        Whether a window lies half before and half behind a query.
    two_sided_key
        A key that says so, where the model can have both.
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
    ported
        Whether checkpoints were ported and gave the same logits, so that a plan for one may be made.
    heads
        For a kind of layer whose heads have a width of their own the key that says it, and that of the class.
    blocks
        The names of blocks on scaling, in the order in which the class looks for one.
    in_block
        What the class has for keys that a block leaves out.
    block_says_base
        Whether a base and a share in one block for all kinds of layers count.
    block_share
        The share where the default block of a kind of layer says none; the library's blocks then turn all.
    slice_within
        Whether ``head_dim`` is the whole width of a head, of which ``qk_rope_head_dim`` columns turn.
    share_of_head
        Whether the share in a block is that of the whole head, where the last columns turn.
    texts
        The keys that lead to the block of the text, where it does not lie under ``text_config``.
    window_keys
        Further names of the width of a window, and by how much it is larger than what stands there.
    bias
        What is added to scores, as in a record, and after an ``if`` the key that has to be true for it.
    tables
        What is added to embeddings: part of the model, kind, the key that says how many rows, and from which.
    law
        The temperature that follows length.
    sinks
        The kinds of layers whose softmax has one learned logit more for each head.
    moving
        What brings order into layers without scores.
    sublayers
        How many of ``num_hidden_layers`` are one layer.
    listed_bases
        A key that lists the base of each layer, 0 for one that does not turn.
    bases_apart
        Whether these bases are taken, and do not say alone which layers turn.
    learned
        Where learned factors on frequencies lie in a checkpoint, and what is done with them.
    """

    layout: Layout = "halves"
    base: float = 10000.0
    share: float = 1.0
    share_keys: tuple[str, ...] = SHARES
    base_keys: tuple[str, ...] = BASES
    assumed: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[int, ...] = ()
    arrangement: str = ""
    mscales: bool = False
    plan: Callable[..., Plan] = field(default=lambda keys, n: every_layer_alike(keys, n))
    switched: bool = False
    alpha: bool = False
    local_base: float | None = None
    local_keys: tuple[str, ...] = ("rope_local_base_freq",)
    local_scaled: bool = False
    heads_computed: bool = False
    head_is_slice: bool = False
    blocks_apart: bool = False
    on_scores: bool = False
    kind: Kind = "rotary"
    layout_key: str = ""
    may_have_alibi: bool = False
    turns_at: int = 0
    two_sided: bool = False
    two_sided_key: str = ""
    lengths: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    uncomputed: Mapping[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    side: Side = "first"
    ported: bool = True
    heads: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    blocks: tuple[str, ...] = ("rope_scaling", "rope_parameters")
    in_block: Mapping[str, Any] = field(default_factory=dict)
    block_says_base: bool = True
    block_share: float | None = None
    slice_within: bool = False
    share_of_head: bool = False
    texts: tuple[str, ...] = ("text_config",)
    window_keys: Mapping[str, int] = field(default_factory=dict)
    bias: str = ""
    tables: tuple[tuple[Any, ...], ...] = ()
    law: Law | None = None
    sinks: tuple[str, ...] = ()
    moving: str = ""
    sublayers: int = 1
    listed_bases: str = ""
    bases_apart: bool = False
    learned: str = ""

    @property
    def keeps_beside(self) -> bool:
        """Whether keys beside blocks by kind of layer are kept; else the class makes these itself."""
        return self.blocks_apart and not (self.in_block or self.local_scaled)


GROWING = "past seq_length the model's own code enlarges the base as the text grows"
LOGN = "past seq_length queries are multiplied by log(position) / log(seq_length)"
BETA = "queries are multiplied by 1 + beta log(1 + floor(position / trained length))"
TUNED = "queries of layers that do not turn are multiplied by a number that grows with their position"
HALVED = "halves of a head turn by two positions, in the text and in the part that is written"
FIXED = "the table begins as the sinusoidal one, and training leaves it alone"

_GATED = "a gated delta net"
_window = {"sliding_window": 4096}
_latent = {"qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
_halves = Model()
_mistral = Model(assumed=_window, uncomputed={"llama_4_scaling_beta": BETA})
_chatglm = Model(
    layout="interleaved", share=0.5, lengths=("seq_length",), beside=("original_rope",),
    uncomputed={"position_encoding_2d": HALVED},
)  # fmt: skip
_glm = Model(layout="interleaved", share=0.5)
_tuned = Law("steps from 1", "attn_scale", "floor_scale", "still", "attn_temperature_tuning")
_llama4 = Model(
    layout="interleaved", base=5e5, plan=turned_where_one("window"), assumed={"attention_chunk_size": 8192},
    uncomputed={"attn_temperature_tuning": TUNED}, unasked=("attn_temperature_tuning",), law=_tuned,
)  # fmt: skip
_deepseek = Model(layout="interleaved", on_scores=True, side="last", assumed=_latent)
_deepseek3 = replace(_deepseek, layout_key="rope_interleave")
_ernie = Model(layout="interleaved", base=5e5)
_qwen = Model(plan=window_if_used, switched=True, assumed=_window)
_qwen_vl = replace(_qwen, base=1e6, sections=(16, 24, 24), arrangement="sectioned")
_qwen3_vl = Model(base=5e5, sections=(24, 20, 20), arrangement="interleaved")
_qwen3_5 = Model(
    share=0.25, plan=linear_but_every_fourth, sections=(11, 11, 10), arrangement="interleaved", moving=_GATED
)
_gemma3 = Model(base=1e6, local_base=10000.0, blocks_apart=True, plan=every_so_many_full(6), assumed=_window,
                two_sided_key="use_bidirectional_attention")  # fmt: skip
_text = ("text", "learned", "max_position_embeddings")
_learned = Model(kind="learned", tables=(_text,))
_padded = Model(kind="learned", tables=(
    ("text", "learned", "max_position_embeddings - pad_token_id - 1", "pad_token_id + 1"),
))  # fmt: skip
_both = Model(kind="learned", tables=tuple(
    (part, "learned", "max_position_embeddings", 2) for part in ("encoder", "decoder")
))  # fmt: skip
_rows = replace(_learned, tables=(("text", "learned", "n_positions"),))
_t5 = Model(kind="bias", bias="t5")
_steps = Law("steps", "llama_4_scaling_beta", "original_max_position_embeddings")

MODELS: dict[str, Model] = {
    "llama": _halves, "mistral": _mistral, "granite": _halves,
    "ministral3": replace(_mistral, assumed={}, law=_steps),
    "olmo2": _halves, "minicpm": _halves, "internlm2": _halves, "starcoder2": _halves,
    "minicpm3": Model(side="last", on_scores=True, assumed={"qk_rope_head_dim": 32, "qk_nope_head_dim": 64}),
    "mixtral": Model(base=1e6), "phi3": _halves, "phi3_v": _halves, "phimoe": Model(base=1e6, mscales=True),
    "qwen": Model(beside=("seq_length",), lengths=("seq_length",),
                  uncomputed={"use_dynamic_ntk": GROWING, "use_logn_attn": LOGN}),
    "qwen2": _qwen, "qwen3": _qwen, "qwen3_moe": replace(_qwen, plan=window_everywhere_if_used),
    "qwen2_moe": replace(_qwen, plan=partial(window_if_used, second=True)),
    "qwen2_vl": _qwen_vl, "qwen2_5_vl": _qwen_vl, "qwen3_vl": _qwen3_vl, "qwen3_vl_text": _qwen3_vl,
    "qwen3_next": Model(share=0.25, plan=linear_but_every_fourth, moving=_GATED),
    "qwen3_5": _qwen3_5, "qwen3_5_text": _qwen3_5,
    "gemma": _halves, "gemma2": Model(plan=every_so_many_full(2), assumed=_window),
    "gemma3": _gemma3, "gemma3_text": _gemma3,
    "gpt_oss": Model(base=150000.0, plan=every_so_many_full(2), assumed={"sliding_window": 128},
                     beside=("initial_context_length",), sinks=("full", "window")),
    "olmo3": Model(base=5e5, local_base=5e5, local_keys=(), plan=every_so_many_full(4), blocks_apart=True,
                    assumed=_window),
    "cohere": Model(layout="interleaved", base=5e5),
    "cohere2": Model(
        layout="interleaved", plan=every_so_many_full(4, full_turns=False), assumed=_window,
        beside=("position_embedding_type",),
    ),
    "exaone4": Model(plan=every_so_many_full(4, full_turns=False, alone_turns=True), assumed=_window),
    "llama4": _llama4, "llama4_text": _llama4,
    "smollm3": Model(base=2e6, plan=turned_where_one("full")),
    "modernbert": Model(base=160000.0, base_keys=("global_rope_theta",), local_base=10000.0, plan=full_first,
                        two_sided=True,
                        local_keys=("local_rope_theta",), local_scaled=True, blocks_apart=True,
                        assumed={"local_attention": 128}, beside=("position_embedding_type",)),
    "nomic_bert": Model(base=1000.0, layout_key="rotary_emb_interleaved", beside=("max_trained_positions",)),
    "phi": Model(share=0.5), "phi-msft": Model(share=0.5), "stablelm": Model(share=0.25),
    "gpt_neox": Model(heads_computed=True, share=0.25,
                      share_keys=("rotary_pct",), base_keys=("rotary_emb_base",)),
    "falcon": Model(may_have_alibi=True), "RefinedWebModel": Model(may_have_alibi=True),
    "gptj": Model(layout="interleaved", blocks=(), assumed={"rotary_dim": 64},
                  beside=("rotary", "n_ctx")),
    "codegen": Model(layout="interleaved", blocks=(), assumed={"rotary_dim": 64}, beside=("n_ctx",)),
    "glm": _glm, "glm4": _glm, "chatglm": _chatglm, "glm4_moe": Model(share=0.5),
    "deepseek_v2": _deepseek, "deepseek_v3": _deepseek3, "deepseek_v32": _deepseek, "kimi_k2": _deepseek,
    "ernie4_5": _ernie, "ernie4_5_moe": _ernie,
    "bloom": Model(kind="alibi", lengths=("seq_length",), beside=("offset_alibi",)),
    "mpt": Model(kind="alibi"),
    "gpt2": replace(_rows, beside=("n_ctx",)), "bert": _learned,
    "opt": replace(_learned, tables=((*_text, 2),)),
    "distilbert": replace(_learned, uncomputed={"sinusoidal_pos_embds": FIXED}),
    "roberta": _padded, "electra": _learned, "bart": _both,
    META: Model(layout="interleaved", beside=("use_scaled_rope",)),
    LLAMA_4: Model(
        layout="interleaved", base=5e5, plan=every_so_many_unturned,
        beside=("use_scaled_rope", *SCALED_4, "floor_scale", "attn_scale"),
        uncomputed={"attn_temperature_tuning": TUNED}, law=_tuned,
    ),
    MISTRAL: Model(layout="interleaved", beside=("yarn",), uncomputed={"llama_4_scaling": BETA}),
    "gpt_bigcode": _rows, "gpt_neo": _learned, "t5": _t5, "mt5": _t5,
}  # fmt: skip

DEFAULTS = Path(__file__).with_name("classes.toml")
MEASURED = ("reads", "kinds", "refuses")  # what stands in a row of it beside keys that a class fills
KIN = Path(__file__).with_name("kin.toml")
PLANS = {
    "by_ratio": by_ratio, "crossing": crossing, "dense_may_turn": dense_may_turn,
    "flags": turned_where_one("full"),
}  # fmt: skip  # by name, in it


def akin(
    like: str,
    full: Mapping[str, Any] | None = None,
    listed: bool = False,
    row: Mapping[str, Any] | str = "",
    ported: bool = False,
    **own: Any,
) -> Model:
    """The conventions of a type that does as a known one, but for its own; `full` says which layers are.

    `listed` says that layers have windows where ``layer_types`` lists them, and nowhere else; `row` that they
    are of kinds that repeat, as for :func:`pe_book.config.layers.repeating`.

    >>> akin("cohere", base=1e5).layout, akin("llama", share_keys=["rotary_pct"]).share_keys
    ('interleaved', ('rotary_pct',))
    >>> from pe_book.config.keys import Keys
    >>> akin("llama", row="lf").plan(Keys({}), 2)
    [('linear', False), ('full', True)]
    """
    if full:
        own["plan"] = every_so_many_full(**full)
    if row:
        own["plan"] = repeating(**({"period": row} if isinstance(row, str) else row))
    if listed:
        own |= {"plan": as_listed, "switched": False}
    own |= {name: PLANS[one] for name, one in own.items() if name == "plan" and isinstance(one, str)}
    own |= {name: Law(*one) for name, one in own.items() if name == "law"}
    lists = {name: tuple(one) for name, one in own.items() if isinstance(one, list)}
    return replace(MODELS[like], ported=ported, **{**own, **lists})


for _name, _said in tomllib.loads(KIN.read_text(encoding="utf-8")).items():
    MODELS[_name] = akin(**_said)


@cache
def class_defaults() -> Mapping[str, Any]:
    """What the classes of transformers have for missing keys, and which names of sizes each reads."""
    return tomllib.loads(DEFAULTS.read_text(encoding="utf-8")) if DEFAULTS.exists() else {}
