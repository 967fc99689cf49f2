"""Who pairs how: for each model type that turns, which columns of a head form pairs and which of them turn.

Read off :mod:`pe_book.config.classes`, in the form of a table.
"""

from typing import NamedTuple

from pe_book.config.classes import MODELS
from pe_book.config.formats.params import LLAMA_4, META, MISTRAL
from pe_book.config.reading import rotary_from_config
from pe_book.family.rotary import Side
from pe_book.inputs.checking import Layout

# model types that transformers has no class for: the code stood beside the weights
BESIDE_THE_WEIGHTS = frozenset({
    LLAMA_4, META, MISTRAL, "RefinedWebModel", "baichuan", "chatglm", "internlm2", "kimi_k2", "minicpm",
    "phi-msft", "phi3_v", "phi4mm", "qwen",
})  # fmt: skip
# keys that only code beside the weights reads, though transformers has a class for the type as well
UNREAD_BY_TRANSFORMERS = frozenset({"rotary_emb_interleaved"})

#: Enough of a config that layers of every kind appear.
SMALL = {
    "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 12,
    "sliding_window": 16,
}  # fmt: skip


class Pairing(NamedTuple):
    """How the code of one ``model_type`` pairs the columns of a head: one row of a table."""

    model_type: str
    layout: Layout
    """Where no key says it."""
    layout_key: str
    """The key that decides it where it stands; empty where none does."""
    share: float
    """Of the head that turns, where the config names neither a share nor a width."""
    side: Side
    """Which columns of the head turn, where not all do."""
    base: float
    """Where the config names none."""
    beside_weights: bool
    """Whether the code stood beside the weights, and transformers has no class of that name."""
    some_still: bool
    """Whether whole layers do not turn where the config has a window and leaves the rest to its type."""


def pairings() -> tuple[Pairing, ...]:
    """Every ``model_type`` that turns and is known here, with its pairs and its slice, by name.

    >>> next(row for row in pairings() if row.model_type == "gptj")[1:]
    ('interleaved', '', 1.0, 'first', 10000.0, False, False)
    """
    kinds = {
        name: {layer.kind for layer in rotary_from_config(SMALL | {"model_type": name})}
        for name, one in sorted(MODELS.items())
        if one.kind == "rotary"
    }
    turning = {name: MODELS[name] for name, found in kinds.items() if found & {"rotary", "learned rotary"}}
    return tuple(
        Pairing(
            name, one.layout, one.layout_key, one.share, one.side, one.base,
            beside_weights=name in BESIDE_THE_WEIGHTS,
            some_still="none" in kinds[name],
        )
        for name, one in turning.items()
    )  # fmt: skip
