"""Programs: the arguments of a plan from a model's config, which names the program that loads the weights.

That program decides how columns pair, how a fused projection lists its heads, whether queries come with a
gate, and what the entries are called.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pe_book.checkpoint.names import Fused, Part
from pe_book.config.classes import MODELS, Model
from pe_book.config.formats import ConfigLike, loaded
from pe_book.config.keys import Keys, even, whole
from pe_book.config.reading import read_config
from pe_book.inputs.checking import one_of
from pe_book.inputs.wording import shown

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num")

# what a params.json is called instead of a model type, which it has not
PARAMS = "params.json"

# how a program lists the heads of its fused projection, by model type
FUSED_BY: dict[str, Fused] = {
    **dict.fromkeys(("falcon", "RefinedWeb", "RefinedWebModel", "internlm2"), "grouped"),
    **dict.fromkeys(("gpt_neox", "gpt_neox_japanese", "persimmon", "fuyu"), "per-head"),
    **dict.fromkeys(("phi3", "phi3_v", "phi4_multimodal", "phi-msft", "dbrx", "qwen"), "concatenated"),
    **dict.fromkeys(("modernbert", "modernbert-decoder", "nomic_bert", "baichuan"), "concatenated"),
    "codegen": "four-blocks",
}  # fmt: skip

# programs whose q_proj makes for each head its query and then its gate, which is not turned, and whose
# layers without a softmax are called linear_attn: they do not turn
GATED = frozenset(("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"))

_OF_META = ("attention.wq.weight", "attention.wk.weight")
_OF_TRANSFORMERS = ("self_attn.q_proj.weight", "self_attn.k_proj.weight")


def relayout_arguments(config: ConfigLike, *, assume: str | None = None) -> dict[str, Any]:
    """What :func:`~pe_book.checkpoint.plan.plan_relayout` has to be told of a model, from its config.

    That is all but `to` and `names`. The `source` is the layout of the code that reads the config, so of a
    checkpoint that this code loads: a ``config.json`` of Llama says halves, as transformers pairs, and the
    ``params.json`` beside the files that Meta released, or Mistral, says neighbours, as their code does.

    Parameters
    ----------
    config
        As for :func:`~pe_book.config.reading.rotary_from_config`, or a ``params.json``.
    assume
        For a model type that is not known here, one that is, such as ``"llama"``, whose program you know to
        pair, slice and fuse alike. Nothing here checks that: ``check_port`` does. For one that is known and
        was not ported, one whose program names and fuses alike: pairs and slice are those of its own type.

    Returns
    -------
    dict
        ``n_heads``, ``n_kv_heads``, ``head_dim``, ``source``, ``rotary_dim``, ``side``, ``model_type``.

    Raises
    ------
    ValueError
        If the model type is not known, no layer turns, layers differ in what turns, or the config does not
        say how many heads there are.

    Examples
    --------
    >>> import pe_book as pe
    >>> pythia = {"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25}
    >>> pe.relayout_arguments(pythia)["rotary_dim"]
    16
    >>> pe.relayout_arguments({"dim": 4096, "n_layers": 32, "n_heads": 32, "norm_eps": 1e-05})["source"]
    'interleaved'

    See Also
    --------
    pe_book.checkpoint.plan.plan_relayout : takes them.
    """
    values = loaded(config)
    if is_params(values):
        if assume is not None:
            raise ValueError(
                f"assume must be left out for a params.json, got {shown(assume)}: it says what it is"
            )
        return params_arguments(values)
    if assume is not None:
        _require_unknown(values, assume)
    reading = read_config(values, assume=assume)
    program = assume or reading.read_as  # what turns stands in the type, if that is known, not in the assumed
    if not MODELS[program].ported:
        cure = "read in its code how it fuses, and name a model_type that does alike"
        got = f"{shown(program)}: {cure}, as assume={_alike(MODELS[program])!r}"
        raise ValueError(f"config must have a model_type whose checkpoints were ported, got {got}")
    turning = [record for record in reading.records if record.kind == "rotary"]
    if not turning:
        kind = reading.records[0].kind if reading.records else "none"
        raise ValueError(f"config must be of a model that turns queries and keys, got one of kind {kind!r}")
    found = {(one.head_dim, one.rotary_dim, one.side, one.layout) for one in turning}
    if len(found) > 1:
        widths = " and ".join(f"{turns} of {head} columns" for head, turns, *_ in sorted(found))
        cure = "make a plan of each kind, with the layers of the others as left in names, one after another"
        raise ValueError(f"config must have one slice in all layers, got {widths}: {cure}")
    ((head_dim, rotary_dim, side, layout),) = found
    n_heads, n_kv_heads = heads_of(reading.values, reading.of_the_class)
    return {
        "n_heads": n_heads, "n_kv_heads": n_kv_heads, "head_dim": head_dim, "source": layout,
        "rotary_dim": rotary_dim, "side": side, "model_type": program,
    }  # fmt: skip


def _require_unknown(values: Mapping[str, Any], assume: str) -> None:
    """Refuse to assume a model type that does not turn, or one in the place of one that is known."""
    turning = [name for name, model in MODELS.items() if model.kind == "rotary"]
    one_of(assume, turning, "assume")
    named = [one.get("model_type") for one in (values, values.get("text_config")) if isinstance(one, Mapping)]
    if known := [name for name in named if isinstance(name, str) and name in MODELS and MODELS[name].ported]:
        raise ValueError(f"assume must be left out for {known[0]!r}, whose program is known, got {assume!r}")


def _alike(model: Model) -> str:
    """A model type that pairs on the same side of a head, and whose checkpoints were ported."""
    way = (model.kind, model.layout, model.side, True)
    return next(name for name, one in MODELS.items() if (one.kind, one.layout, one.side, one.ported) == way)


def heads_of(values: Mapping[str, Any], of_the_class: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """How many heads of queries and of keys a config has, or its class where the config does not say it.

    As many of keys as of queries where neither tells them apart.
    """
    keys = Keys(values, assumed=of_the_class)
    values = keys.values
    n_heads = keys.take(*HEADS, check=whole)
    if n_heads is None:
        raise ValueError(f"config must say how many heads there are, as {HEADS[0]}; it has none")
    if values.get("qk_rope_head_dim") is not None:  # latent attention makes a key for each query
        return n_heads, n_heads
    # Falcon and ChatGLM name groups that count only where a flag says so
    if values.get("multi_query_attention") is False or values.get("new_decoder_architecture") is False:
        return n_heads, 1 if values.get("multi_query") else n_heads
    n_kv_heads = keys.take(*KV_HEADS, check=whole, default=1 if values.get("multi_query") else n_heads)
    if n_heads % n_kv_heads:
        own = " of its class, since the config names none" if {*keys.defaulted} & {*KV_HEADS} else ""
        raise ValueError(
            f"num_key_value_heads must divide num_attention_heads, {n_heads}, got {n_kv_heads}{own}"
        )
    return n_heads, n_kv_heads


def is_params(values: Mapping[str, Any]) -> bool:
    """Whether this is a ``params.json``, as it stands beside the weights that Meta and Mistral release."""
    own = {"dim", "n_layers", "n_heads"} <= values.keys() and "architectures" not in values
    return own and str(values.get("model_type", PARAMS)).startswith(PARAMS)


def params_arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a plan from a ``params.json``: its program takes neighbours as complex numbers."""
    if latent := sorted(key for key in values if key in ("qk_rope_head_dim", "kv_lora_rank", "q_lora_rank")):
        raise ValueError(
            f"config must be a params.json without latent attention, whose rows are not known here, "
            f"got {latent[0]}: take the files for transformers, with their config.json"
        )
    n_heads, n_kv_heads = heads_of(values)
    width, head = whole(values["dim"], "dim"), values.get("head_dim")
    if head is None and width % n_heads:
        raise ValueError(f"dim must be a multiple of n_heads, {n_heads}, got {width}")
    head_dim = even(
        width // n_heads if head is None else head, "dim over n_heads" if head is None else "head_dim"
    )
    return {
        "n_heads": n_heads, "n_kv_heads": n_kv_heads, "head_dim": head_dim, "source": "interleaved",
        "rotary_dim": head_dim, "side": "first", "model_type": values.get("model_type", PARAMS),
    }  # fmt: skip


def fused_by(model_type: str | None, fused: Fused | None) -> Fused | None:
    """How fused projections are listed: as the program does, which `fused` may not contradict."""
    told = FUSED_BY.get(model_type or "")
    if told and fused not in (None, told):
        cure = "leave it out, or leave out model_type where another program wrote the weights"
        raise ValueError(f"fused must be {told!r} for model_type={model_type!r}, got {fused!r}: {cure}")
    return told or fused


def part_by(part: Part, name: str, model_type: str | None) -> Part:
    """What an entry is, where the program says more than the name."""
    if part.named or model_type not in GATED:
        return part
    if "linear_attn" in name.split("."):
        return Part("left", "")
    return part._replace(role="gated query") if part.role == "query" else part


def require_names_of(model_type: str | None, entries: Iterable[str]) -> None:
    """Refuse entries that another program has named, since that one may pair otherwise."""
    if model_type is None:
        return
    of_params = model_type.startswith(PARAMS)
    strange = _OF_TRANSFORMERS if of_params else _OF_META
    name = next((one for one in entries if one.endswith(strange)), None)
    if name is None:
        return
    if of_params:
        wanted, whose, other = "Meta's or Mistral's files", "transformers, where halves", "config.json"
    else:
        wanted, whose, other = f"{model_type} in transformers", "Meta's files, where neighbours", PARAMS
    raise ValueError(
        f"state must have names of {wanted}, got {shown(name)}, as in {whose} are paired: "
        f"read the arguments from the {other} that stands beside these weights"
    )
