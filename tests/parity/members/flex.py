"""FlexAttention of torch: a bias as a function of the score and of two positions, forward on a CPU."""

import numpy as np

from pe_book.family import score_bias
from pe_book.family.score_bias import t5, windows
from pe_book.why import order_blindness
from tests.parity.heads import batch
from tests.parity.register import EXACT, member

HEADS, LENGTH, HEAD_DIM, WINDOW = 4, 40, 8, 7
PLACES = np.arange(LENGTH)
HIDDEN = np.where(np.tri(LENGTH, dtype=bool), 0.0, -np.inf)


def contents() -> list[np.ndarray]:
    """Queries, keys and values with entries in [-1, 1]."""
    drawn = np.random.default_rng(3)
    return [drawn.uniform(-1, 1, (HEADS, LENGTH, HEAD_DIM)) for _ in range(3)]


def compared(name: str, layout: str):
    return member(f"{name} in FlexAttention", library="torch", layout=layout, kind="attention", bound=EXACT)


def flexed(score_mod, **options: object) -> np.ndarray:
    """What FlexAttention gives, not compiled."""
    import warnings

    from torch.nn.attention.flex_attention import flex_attention

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*without torch.compile")
        out = flex_attention(*map(batch, contents()), score_mod=score_mod, **options)
    return out.numpy()[0]


@compared("ALiBi", "score_mod, key index minus query index")
def alibi():
    import torch

    slopes = torch.from_numpy(score_bias.alibi_slopes(HEADS))

    def score_mod(score, _, head, query, key):
        return torch.where(query >= key, score + slopes[head] * (key - query), -torch.inf)

    bias = score_bias.alibi_bias(slopes.numpy(), PLACES, PLACES) + HIDDEN
    return order_blindness.attention(*contents(), bias=bias), flexed(score_mod)


@compared("T5's bias", "score_mod, a table of buckets; scale 1")
def t5_bias():
    import torch

    table = np.random.default_rng(4).uniform(-2, 2, (32, HEADS))
    of_offset = torch.from_numpy(t5.t5_bucket(np.arange(1 - LENGTH, LENGTH)))
    weight = torch.from_numpy(table)

    def score_mod(score, _, head, query, key):
        return score + weight[of_offset[key - query + LENGTH - 1], head]

    ours = order_blindness.attention(*contents(), bias=t5.t5_bias(table, PLACES, PLACES), scale=1)
    return ours, flexed(score_mod, scale=1.0)


@compared("a window", "mask_mod, query index minus key index")
def window():
    from torch.nn.attention.flex_attention import create_block_mask

    def mask_mod(_, head, query, key):
        return (query >= key) & (query - key < WINDOW)

    seen = windows.window_mask(PLACES, PLACES, window=WINDOW)
    ours = order_blindness.attention(*contents(), bias=np.where(seen, 0.0, -np.inf))
    blocks = create_block_mask(mask_mod, None, None, LENGTH, LENGTH, device="cpu")
    return ours, flexed(None, block_mask=blocks)
