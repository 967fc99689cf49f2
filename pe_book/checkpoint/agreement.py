"""A check that the attention of two programs is alike, before and after weights were moved between them.

The moving itself is in :mod:`pe_book.checkpoint.plan`. A plan cannot tell whether its arguments are those
of the two programs. Their scores and outputs can: :func:`check_port` compares them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import positive_number, real_array, whole_number
from pe_book.inputs.shapes import Rows
from pe_book.inputs.wording import shown

Turn = Callable[[Rows, NDArray[np.intp]], Any]

MOST_TOKENS = 4096


@dataclass(frozen=True)
class PortCheck:
    """Whether the attention of two programs is alike; true in a condition where it is.

    Parameters
    ----------
    alike : bool
        Whether no score and no output is off by more than was allowed.
    off : float
        The largest difference of two scores.
    off_together : float
        The same of a query and a key at one position, where turning changes nothing.
    spread : float
        The standard deviation of the old scores.
    off_output, spread_output : float
        The same two of the outputs: values, averaged by the softmax of the scores, of spread 1 in it so that
        no key takes all.
    rtol : float
        How much of its spread a score or an output may be off.
    """

    alike: bool
    off: float
    off_together: float
    spread: float
    off_output: float
    spread_output: float
    rtol: float

    def __bool__(self) -> bool:
        """As `alike`."""
        return self.alike

    def __str__(self) -> str:
        """In a line, and where they differ what to look at."""
        if self.alike:  # the bound: what rounding leaves is another number on another processor
            spreads = f"{self.spread_output:.3g} and {self.spread:.3g}"
            return (
                f"the outputs agree, and so do the scores: within {self.rtol:g} of their spreads, {spreads}"
            )
        outputs = f"{self.off_output:.1g}, spread {self.spread_output:.3g}"
        if self.off <= self.rtol * self.spread:
            differ = f"the outputs differ by up to {outputs}, and the scores agree"
            return "\n  ".join([differ, "values were moved, or are not those of the old program",
                                "compare fused, n_kv_heads, and whether keys are values"])  # fmt: skip
        differ = f"the scores differ by up to {self.off:.3g}, spread {self.spread:.3g}"
        if self.off_together <= self.rtol * self.spread:
            where = "at equal positions they agree: the weights belong together"
            cure = "compare source and to, rotary_dim, side, frequencies, direction"
        else:
            where = f"at equal positions by up to {self.off_together:.3g}: queries and keys do not belong"
            cure = "compare n_kv_heads, fused, biases, norms, and factors of the turns"
        return "\n  ".join([differ, where, cure])


def check_port(
    old: tuple[ArrayLike, ArrayLike, ArrayLike],
    new: tuple[ArrayLike, ArrayLike, ArrayLike],
    *,
    n_heads: int,
    n_kv_heads: int,
    old_turn: Turn,
    new_turn: Turn,
    tokens: int = 16,
    seed: int = 0,
    rtol: float = 1e-4,
) -> PortCheck:
    """Whether the old program with the old weights attends to random rows as the new one with the new.

    Parameters
    ----------
    old, new
        The weights of queries, keys and values of one layer, before and after, of shapes
        (n_heads × head_dim, d), (n_kv_heads × head_dim, d) and (n_kv_heads × any width, d). A bias is
        one more column of its weight. Where a program takes keys for values, too, give it the keys twice.
    n_heads, n_kv_heads
        How many heads they make.
    old_turn, new_turn
        How each program turns: called with rows of shape (heads, n, head_dim) and positions of shape (n,),
        they return the rows turned. Rows and positions are arrays, so code in torch is given
        ``torch.from_numpy(rows)``; what it returns may be a tensor. A norm between projection and rotation
        belongs in here.
    tokens
        How many random rows are attended to, at the positions from 0 on: at least 2. Slow pairs tell programs
        apart at a distance only: take more where frequencies were scaled for long texts.
    seed
        Of these rows.
    rtol
        By how much a score or an output may be off, as a part of their standard deviation. Run programs in
        float32 at least: 16 bits lose more than this.

    Returns
    -------
    PortCheck

    Raises
    ------
    ValueError, TypeError
        If weights do not make the heads, or a turn returns another shape or what is not finite.

    Examples
    --------
    >>> import pe_book as pe
    >>> w_q, w_k, w_v = np.random.default_rng(1).normal(size=(3, 8, 5))
    >>> old = lambda rows, positions: pe.rotate(rows, positions)
    >>> new = lambda rows, positions: pe.rotate(rows, positions, layout="halves")
    >>> way = {"n_heads": 2, "source": "interleaved", "to": "halves"}
    >>> moved = *(pe.relayout_heads(w, **way) for w in (w_q, w_k)), w_v
    >>> sizes = {"n_heads": 2, "n_kv_heads": 2, "old_turn": old, "new_turn": new}
    >>> unmoved = w_q, w_k, w_v
    >>> bool(pe.check_port(unmoved, moved, **sizes)), bool(pe.check_port(unmoved, unmoved, **sizes))
    (True, False)
    """
    heads = whole_number(n_heads, "n_heads", least=1)
    kv_heads = whole_number(n_kv_heads, "n_kv_heads", least=1, most=heads)
    if heads % kv_heads:
        raise ValueError(f"n_kv_heads must divide n_heads, {heads}, got {kv_heads}")
    n = whole_number(tokens, "tokens", least=2, most=MOST_TOKENS)
    allowed = positive_number(rtol, "rtol")
    before, after = _weights(old, "old", heads, kv_heads), _weights(new, "new", heads, kv_heads)
    for i in (0, 2):
        if before[i].shape != after[i].shape:
            raise ValueError(f"new must have the shapes of old, {before[i].shape}, got {after[i].shape}")
    rows = np.random.default_rng(whole_number(seed, "seed", least=0)).normal(size=(n, before[0].shape[1]))
    was, values = _made(rows, before, (heads, kv_heads), old_turn, "old_turn")
    now, new_values = _made(rows, after, (heads, kv_heads), new_turn, "new_turn")
    gaps, spread = np.abs(was - now), float(was.std())
    if spread == 0:
        raise ValueError("old must have weights whose scores differ from each other, got scores all alike")
    wanted = _averaged(values, was / spread)
    if (wide := float(wanted.std())) == 0:
        raise ValueError("old must have values that differ from each other, got outputs all alike")
    off, together = float(gaps.max()), float(np.diagonal(gaps, axis1=1, axis2=2).max())
    out = float(np.abs(wanted - _averaged(new_values, now / spread)).max())
    alike = off <= allowed * spread and out <= allowed * wide
    return PortCheck(alike, off, together, spread, out, wide, allowed)


def _weights(given: object, name: str, heads: int, kv_heads: int) -> tuple[Rows, Rows, Rows]:
    """Weights of queries, keys and values, refused unless they make heads from rows of one width."""
    if not isinstance(given, tuple | list) or len(given) != 3:
        got = f"{len(given)} of them" if isinstance(given, tuple | list) else shown(given)
        raise TypeError(f"{name} must be three weights, of queries, keys and values, got {got}")
    queries, keys, values = (real_array(weight, f"{name}[{i}]") for i, weight in enumerate(given))
    if queries.ndim != 2 or not queries.size or queries.shape[0] % heads:
        raise ValueError(f"{name}[0] must have {heads} heads of rows of one width, got shape {queries.shape}")
    wanted = (queries.shape[0] // heads * kv_heads, queries.shape[1])
    if keys.shape != wanted:
        raise ValueError(f"{name}[1] must have shape {wanted}, {kv_heads} heads, got {keys.shape}")
    if values.ndim != 2 or not values.size or values.shape[0] % kv_heads or values.shape[1] != wanted[1]:
        raise ValueError(
            f"{name}[2] must have {kv_heads} heads of width {wanted[1]}, got shape {values.shape}"
        )
    return queries, keys, values


def _made(
    rows: Rows, weights: tuple[Rows, Rows, Rows], heads: tuple[int, int], turn: Turn, name: str
) -> tuple[Rows, Rows]:
    """Scores of shape (h, n, n), every query with the key that its group shares, and values for each head."""
    if not callable(turn):
        raise TypeError(f"{name} must be a function of rows and positions, got {shown(turn)}")
    made: list[Rows] = []
    for weight, count in zip(weights, (*heads, heads[1]), strict=True):
        found = (rows @ weight.T).reshape(len(rows), count, -1).swapaxes(0, 1)  # (count, n, w)
        if len(made) < 2:  # values do not turn
            shape, found = found.shape, real_array(turn(found, np.arange(len(rows))), f"what {name} returns")
            if found.shape != shape:
                raise ValueError(f"{name} must return the shape that it is given, {shape}, got {found.shape}")
        made.append(np.repeat(found, heads[0] // count, axis=0))  # (h, n, w)
    queries, keys, values = made
    return queries @ keys.swapaxes(1, 2), values  # (h, n, n), (h, n, v)


def _averaged(values: Rows, scores: Rows) -> Rows:
    parts = np.exp(scores - scores.max(axis=-1, keepdims=True))  # (h, n, n)
    outputs: Rows = parts / parts.sum(axis=-1, keepdims=True) @ values  # (h, n, v)
    return outputs
