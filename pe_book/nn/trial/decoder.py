"""A decoder of one head with random weights, as a server drives it: padded, packed, and token by token."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array, whole_number
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.production import packed_positions, position_ids
from pe_book.why.order_blindness import attention

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


def positions(new: Array, real: Array, lengths: ArrayLike | None) -> Whole:
    """Of each new token, from the mask of those, the mask of all, and the lengths in a packed row."""
    if lengths is not None:
        return packed_positions(lengths)[np.newaxis]
    return position_ids(real)[:, real.shape[1] - new.shape[1] :]


def owners(lengths: ArrayLike) -> Whole:
    """The number of the sentence to which each token of a packed row belongs."""
    return np.repeat(np.arange(np.size(lengths)), np.asarray(lengths, dtype=np.int64))


class Decoder:
    """One causal attention head over :math:`x_j + PE(p_j)`, where the position of each token is derived.

    What derives them, `positions` and `owners`, is given, so that a decoder can be mistaken.

    >>> words = np.random.default_rng(1).normal(size=(1, 3, 16))
    >>> bool(np.allclose(Decoder()(words[:, :2]), Decoder()(words)[:, :2]))  # nobody sees what follows
    True
    """

    def __init__(
        self,
        *,
        positions: Callable[[Array, Array, ArrayLike | None], Whole] = positions,
        owners: Callable[[ArrayLike], Whole] = owners,
        d_model: int = 16,
        seed: int = 0,
    ) -> None:
        self.positions, self.owners = positions, owners
        width = whole_number(d_model, "d_model", least=2)
        self.weights = np.random.default_rng(seed).normal(size=(3, width, width)) / np.sqrt(width)

    def __call__(
        self,
        x: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
        cache: dict[str, NDArray[np.float64]] | None = None,
    ) -> Array:
        """The output for each token of `x`, shape (batch, n, d_model).

        `mask`, shape (batch, n), has 1 for a token and 0 for padding; without it all are tokens. `lengths`
        says how many tokens each of several sentences has that share every row. `cache` holds what earlier
        calls left, an empty dictionary at first, and this call adds its own.
        """
        rows = real_array(x, "x")
        batch, n, width = rows.shape
        new = np.ones((batch, n)) if mask is None else real_array(mask, "mask")
        kept = cache if cache else {"mask": np.ones((batch, 0)), "k": rows[:, :0], "v": rows[:, :0]}
        real = np.hstack([kept["mask"], new])
        before = real.shape[1] - n
        columns = np.tile(np.arange(before, before + n), (batch, 1))
        q, k, v = ((rows + encode(self.positions(new, real, lengths), width)) @ w for w in self.weights)
        k, v = np.concatenate([kept["k"], k], axis=1), np.concatenate([kept["v"], v], axis=1)
        if cache is not None:
            cache.update(mask=real, k=k, v=v)
        seen = (real[:, np.newaxis] == 1) & (np.arange(before + n) <= columns[:, :, np.newaxis])
        if lengths is not None:
            owner = self.owners(lengths)
            seen &= owner[:, np.newaxis] == owner
        seen |= np.arange(before + n) == columns[:, :, np.newaxis]  # padding, which would see nothing
        return attention(q, k, v, bias=np.where(seen, 0.0, -np.inf))


MISTAKES: dict[str, tuple[str, dict[str, Any]]] = {
    "ignores the cache": ("resumes", {"positions": lambda new, real, many: positions(new, new, many)}),
    "numbers the columns": (
        "skips_padding",
        {"positions": lambda new, real, many: positions(new, real >= 0, many)},
    ),
    "goes on by the column": (
        "clock_per_row",
        {"positions": lambda new, real, many: positions(new, real + (real.shape != new.shape) > 0, many)},
    ),
    "runs on in a packed row": (
        "restarts",
        {"positions": lambda new, real, many: positions(new, real, None)},
    ),
    "cuts no mask": ("restarts", {"owners": lambda lengths: np.zeros(np.sum(lengths))}),
}
"""How a decoder can mistake a position, each with the test of the chapter that a module would fail."""
