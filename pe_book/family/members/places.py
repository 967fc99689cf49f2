"""What a member of the family is: where it enters, what is learned, and what it hands to attention.

A transformer of one layer without weight matrices: queries, keys and values are the words themselves, cut
into heads. A member changes them, adds to their scores, hides keys, or does nothing. What is then handed to
one attention call is all that properties are measured from.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import matrices, whole_number
from pe_book.inputs.wording import shown
from pe_book.why.order_blindness import attention_weights

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Positions = NDArray[np.int64]
TOKENS = 64  # of the text whose numbers are counted


class Handed(NamedTuple):
    """What one attention call is given."""

    q: Array
    """Shape (h, n_q, d)."""
    k: Array
    """Shape (h, n_k, d)."""
    v: Array
    """Shape (h, n_k, d)."""
    told: Array
    """Codes, cosines and sines, or what is added to scores, by which position came in."""
    bias: Array | None = None
    """Added to scores; its shape says what the call costs."""
    mask: Mask | None = None
    """True where a key is seen, shape (n_q, n_k)."""
    scale: float | None = None
    """What dot products are multiplied by, instead of 1/√d."""
    after: Callable[[Array], Array] | None = None
    """From the weights to what is added to the output; then the weights have to be at hand."""

    def scores(self) -> Array:
        """Before the softmax, shape (h, n_q, n_k), minus infinity for what is hidden."""
        scale = self.q.shape[-1] ** -0.5 if self.scale is None else self.scale
        found = self.q @ np.swapaxes(self.k, -1, -2) * scale  # (h, n_q, n_k)
        if self.bias is not None:
            found = found + self.bias
        return found if self.mask is None else np.where(self.mask, found, -np.inf)

    def weights(self, seen: Mask | None = None) -> Array:
        """The attention table, shape (h, n_q, n_k); `seen` hides more keys, as a causal mask does."""
        hide = np.where(np.ones(1, bool) if self.mask is None else self.mask, 0.0, -np.inf)
        hide = hide if seen is None else np.where(seen, hide, -np.inf)
        shape = (*self.q.shape[:2], self.k.shape[1])
        bias = np.broadcast_to(hide, shape) + (0 if self.bias is None else self.bias)  # (h, n_q, n_k)
        return attention_weights(self.q, self.k, bias=bias, scale=self.scale)

    def output(self, seen: Mask | None = None) -> Array:
        """What each query gets, shape (h, n_q, d)."""
        table = self.weights(seen)
        averaged = table @ self.v  # (h, n_q, d)
        return averaged if self.after is None else averaged + self.after(table)


Hands = Callable[[Array, Array, Positions, Positions], Handed]


@dataclass(frozen=True)
class Member:
    """One way of telling a transformer where a word is."""

    name: str
    place: str
    """The first of the four doors that it opens, as ``pe_book.family.doors`` names them, or ``"nowhere"``."""
    hands: Hands
    """From the words of queries and of keys, shape (h, n, d), and their positions."""
    source: str = ""
    """Bibliography key, or empty if nobody's."""
    definitions: tuple[str, ...] = ()
    """The functions that compute it, as their paths below ``pe_book``."""
    module: str | None = None
    """The torch module that one would use, as a path; None if the book has none."""
    options: Mapping[str, float] = field(default_factory=dict)
    learned: Mapping[str, Array] = field(default_factory=dict)
    """What training sets, for one layer; here random numbers stand for it."""
    width: int = 512
    heads: int = 8
    length: int = 512
    """The longest text in training, in tokens."""

    @property
    def parameters(self) -> int:
        """How many learned numbers one layer has."""
        return sum(array.size for array in self.learned.values())

    def handed(self, words: ArrayLike, keys: ArrayLike, queries: ArrayLike | None = None) -> Handed:
        """What the member makes of a text.

        Parameters
        ----------
        words
            One row for each key, shape (n, width).
        keys
            Their positions, whole numbers of at least 0, in order.
        queries
            Positions of the keys that ask, all of them if not given: ``[7]`` is one step of decoding.

        Raises
        ------
        ValueError
            If shapes do not fit, or the member has no code for a position.
        """
        rows, at = matrices(words, "words"), np.asarray(keys)
        asking = at if queries is None else np.asarray(queries)
        if rows.shape != (at.size, self.width) or at.ndim != 1:
            raise ValueError(
                f"words must have shape (n, {self.width}) and keys shape (n,), got shapes {rows.shape} and "
                f"{at.shape}"
            )
        for places, name in ((at, "keys"), (asking, "queries")):
            if not np.issubdtype(places.dtype, np.integer) or places.min(initial=0) < 0:
                raise ValueError(f"{name} must hold whole positions of at least 0, got {shown(places)}")
        if not np.isin(asking, at).all():
            raise ValueError(f"queries must be among the positions of keys, got {shown(asking)}")
        cut = rows.reshape(len(rows), self.heads, -1).swapaxes(0, 1)  # (h, n, d)
        order = np.argsort(at)
        mine = order[np.searchsorted(at, asking, sorter=order)]
        return self.hands(cut[:, mine], cut, asking, at)


Found = TypeVar("Found")


def of_a_member(predicate: Callable[[Member], Found]) -> Callable[[Member], Found]:
    """The predicate, refusing by name what it cannot be asked of."""

    @wraps(predicate)
    def asked(member: Member) -> Found:
        if not isinstance(member, Member):
            raise TypeError(f"member must be one of members(), got {shown(member)}")
        if member.length < 4 * TOKENS:
            raise ValueError(f"member must be trained for at least {4 * TOKENS} tokens, got {member.length}")
        return predicate(member)

    return asked


Code = Callable[[Positions, int], Array]
Turn = Callable[[Array, Positions], Array]
Bias = Callable[[Array, Array, Positions, Positions], Array]
After = Callable[[Array, Positions, Positions], Array]


def added(code: Code) -> Hands:
    """Codes that are added to the words, and so to queries, keys and values.

    `code` makes rows of shape (n, width) of positions and the length of the text, or (n, 1) for one number
    that is added to every column.
    """

    def hands(q: Array, k: Array, queries: Positions, keys: Positions) -> Handed:
        seq_len = int(max(keys.max(), queries.max())) + 1
        width = q.shape[0] * q.shape[-1]

        def per_head(positions: Positions) -> Array:
            rows = np.broadcast_to(code(positions, seq_len), (len(positions), width))  # (n, width)
            return rows.reshape(len(rows), q.shape[0], -1).swapaxes(0, 1)  # (h, n, d)

        rows = k + per_head(keys)
        return Handed(q + per_head(queries), rows, rows, np.asarray(code(keys, seq_len)))

    return hands


def turned(turn: Turn, angles: Callable[[Positions], Array]) -> Hands:
    """Queries and keys that are changed by their own positions; `angles` gives the numbers it takes."""

    def hands(q: Array, k: Array, queries: Positions, keys: Positions) -> Handed:
        return Handed(turn(q, queries), turn(k, keys), k, angles(keys))

    return hands


def biased(bias: Bias, *, scale: float | None = None, after: After | None = None) -> Hands:
    """Numbers that are added to scores, and from weights and positions what is added to the outputs."""

    def hands(q: Array, k: Array, queries: Positions, keys: Positions) -> Handed:
        found = bias(q, k, queries, keys)
        late = None if after is None else lambda table: after(table, queries, keys)
        return Handed(q, k, k, found, bias=found, scale=scale, after=late)

    return hands


def hidden(mask: Callable[[Positions, Positions], Mask]) -> Hands:
    """Keys that are hidden."""

    def hands(q: Array, k: Array, queries: Positions, keys: Positions) -> Handed:
        seen = mask(queries, keys)
        return Handed(q, k, k, seen.astype(np.float64), mask=seen)

    return hands


def untold(q: Array, k: Array, queries: Positions, keys: Positions) -> Handed:
    """Nothing is done."""
    return Handed(q, k, k, np.zeros(0))


def sizes(width: int, heads: int, length: int) -> tuple[int, int, int]:
    """Width, heads and length, refused where heads do not divide the width into an even number of columns."""
    d, h = whole_number(width, "width", least=2, most=2**16), whole_number(heads, "heads", least=1)
    if d % (2 * h):
        raise ValueError(f"width must be an even number of columns for each of {h} heads, got {d}")
    return d, h, whole_number(length, "length", least=2)
