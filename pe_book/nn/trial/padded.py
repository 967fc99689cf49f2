"""An attention head with random weights that reads padded words, however it numbers their positions."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.production import position_ids
from pe_book.why.order_blindness import attention

Array = NDArray[np.float64]
Positions = Callable[[NDArray[np.int64]], NDArray[np.int64]]
Model = Callable[[Array, NDArray[np.int64]], Array]


def columns(mask: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the columns: what ``arange`` says of a batch, whatever its mask."""
    return np.arange(np.shape(mask)[-1])


def one_head(
    seed: int, positions_of: Positions = position_ids, *, hide: bool = True, rotary: bool = False
) -> Model:
    """A model of one attention head of width 16 with random weights and without a causal mask.

    It takes words of shape (n, 16) and a mask of shape (n,). `positions_of` numbers the tokens of a mask,
    `hide` hides padding, and with `rotary` queries and keys are turned instead of rows added to words.

    >>> one_head(0)(np.zeros((3, 16)), np.array([0, 1, 1])).shape
    (3, 16)
    """
    weights = np.random.default_rng(seed).normal(size=(3, 16, 16)) / 4

    def model(words: Array, mask: NDArray[np.int64]) -> Array:
        places = positions_of(mask)
        x = words if rotary else words + encode(places, 16)
        bias = np.where((np.asarray(mask) == 0) & hide, -np.inf, 0.0)
        q, k, v = (x @ w for w in weights)
        if rotary:
            q, k = rotate(q, places), rotate(k, places)
        return attention(q, k, v, bias=bias)

    return model


def moved_by_padding(seed: int, positions_of: Positions, *, rotary: bool = False) -> float:
    """By what part of its norm the output for the last of three words moves behind two masked pads.

    `seed` is of the head and of the words; the others are those of :func:`one_head`.

    >>> moved_by_padding(0, position_ids) < 1e-12 < 0.1 < moved_by_padding(0, columns)
    True
    """
    words = np.random.default_rng([seed, 1]).normal(size=(5, 16))
    mask, model = np.array([0, 0, 1, 1, 1]), one_head(seed, positions_of, rotary=rotary)
    alone = model(words[2:], mask[2:])[-1]
    return float(np.linalg.norm(model(words, mask)[-1] - alone) / np.linalg.norm(alone))
