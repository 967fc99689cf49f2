"""Porting a model: the arguments of a plan from its config, and a check that both programs score alike.

The moving itself is in :mod:`pe_book.checkpoint.plan`. A plan cannot tell whether its arguments are those
of the two programs. Their scores can: :func:`check_port` compares them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.config.keys import Keys, whole
from pe_book.config.reading import read_config
from pe_book.inputs.checking import positive_number, real_array, whole_number
from pe_book.inputs.shapes import Rows
from pe_book.inputs.wording import shown

Turn = Callable[[Rows, NDArray[np.intp]], Any]

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num")
MOST_TOKENS = 4096


def relayout_arguments(config: str | PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`~pe_book.checkpoint.plan.plan_relayout` has to be told of a model, from its config.

    That is all but `to`, `fused` and `names`. The `source` is the layout of the code that reads the config,
    so of a checkpoint that this code loads: the files that Meta released for Llama are interleaved, those
    for transformers are in halves.

    Parameters
    ----------
    config
        As for :func:`~pe_book.config.reading.rotary_from_config`.

    Returns
    -------
    dict
        ``n_heads``, ``n_kv_heads``, ``head_dim``, ``source``, ``rotary_dim``, ``side``.

    Raises
    ------
    ValueError
        If no layer turns, if layers differ in what turns, or if the config does not say how many heads.

    Examples
    --------
    >>> pythia = {"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25}
    >>> relayout_arguments(pythia)["rotary_dim"]
    16

    See Also
    --------
    pe_book.checkpoint.plan.plan_relayout : takes them.
    """
    reading = read_config(config)
    turning = [record for record in reading.records if record.kind == "rotary"]
    if not turning:
        kind = reading.records[0].kind if reading.records else "none"
        raise ValueError(f"config must be of a model that turns queries and keys, got one of kind {kind!r}")
    found = {(one.head_dim, one.rotary_dim, one.side, one.layout) for one in turning}
    if len(found) > 1:
        widths = " and ".join(f"{turns} of {head} columns" for head, turns, *_ in sorted(found))
        raise ValueError(f"config must have one slice in all layers, got {widths}: plan each kind by itself")
    ((head_dim, rotary_dim, side, layout),) = found
    n_heads, n_kv_heads = heads_of(reading.values)
    return {
        "n_heads": n_heads, "n_kv_heads": n_kv_heads, "head_dim": head_dim, "source": layout,
        "rotary_dim": rotary_dim, "side": side,
    }  # fmt: skip


def heads_of(values: Mapping[str, Any]) -> tuple[int, int]:
    """How many heads of queries and of keys a config has; as many where it does not tell them apart.

    >>> heads_of({"num_attention_heads": 32, "num_key_value_heads": 8}), heads_of({"n_head": 16})
    ((32, 8), (16, 16))
    """
    keys = Keys(values)
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
        raise ValueError(f"num_key_value_heads must divide num_attention_heads, {n_heads}, got {n_kv_heads}")
    return n_heads, n_kv_heads


@dataclass(frozen=True)
class PortCheck:
    """Whether two programs score alike; true in a condition where they do.

    Parameters
    ----------
    alike : bool
        Whether no score is off by more than was allowed.
    off : float
        The largest difference of two scores.
    off_together : float
        The same of a query and a key at one position, where turning changes nothing.
    spread : float
        The standard deviation of the old scores.
    rtol : float
        How much of it a score may be off.
    """

    alike: bool
    off: float
    off_together: float
    spread: float
    rtol: float

    def __bool__(self) -> bool:
        """As `alike`."""
        return self.alike

    def __str__(self) -> str:
        """In a line, and where they differ what to look at."""
        if self.alike:
            return f"the scores agree: off by at most {self.off:.1g}, spread {self.spread:.3g}"
        differ = f"the scores differ by up to {self.off:.3g}, spread {self.spread:.3g}"
        if self.off_together <= self.rtol * self.spread:
            where = "at equal positions they agree: the weights belong together"
            cure = "compare source and to, rotary_dim, side, frequencies, direction"
        else:
            where = f"at equal positions by up to {self.off_together:.3g}: queries and keys do not belong"
            cure = "compare n_kv_heads, fused, biases, norms, and factors of the turns"
        return "\n  ".join([differ, where, cure])


def check_port(
    old: tuple[ArrayLike, ArrayLike],
    new: tuple[ArrayLike, ArrayLike],
    *,
    n_heads: int,
    n_kv_heads: int,
    old_turn: Turn,
    new_turn: Turn,
    tokens: int = 16,
    seed: int = 0,
    rtol: float = 1e-4,
) -> PortCheck:
    """Whether the old program with the old weights scores random rows as the new one with the ported ones.

    Parameters
    ----------
    old, new
        The weights of queries and of keys of one layer, before and after: two of shapes
        (n_heads × head_dim, d) and (n_kv_heads × head_dim, d). A bias is one more column of its weight.
    n_heads, n_kv_heads
        How many heads they make.
    old_turn, new_turn
        How each program turns: called with rows of shape (heads, n, head_dim) and positions of shape (n,),
        they return the rows turned. Rows and positions are arrays, so code in torch is given
        ``torch.from_numpy(rows)``; what it returns may be a tensor. A norm between projection and rotation
        belongs in here.
    tokens
        How many random rows are scored, at the positions from 0 on: at least 2. Slow pairs tell programs
        apart at a distance only: take more where frequencies were scaled for long texts.
    seed
        Of these rows.
    rtol
        By how much a score may be off, as a part of their standard deviation. Run programs in float32 at
        least: 16 bits lose more than this.

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
    >>> w_q, w_k = np.random.default_rng(1).normal(size=(2, 8, 5))
    >>> old = lambda rows, positions: pe.rotate(rows, positions)
    >>> new = lambda rows, positions: pe.rotate(rows, positions, layout="halves")
    >>> way = {"n_heads": 2, "source": "interleaved", "to": "halves"}
    >>> moved = tuple(pe.relayout_heads(w, **way) for w in (w_q, w_k))
    >>> sizes = {"n_heads": 2, "n_kv_heads": 2, "old_turn": old, "new_turn": new}
    >>> bool(check_port((w_q, w_k), moved, **sizes)), bool(check_port((w_q, w_k), (w_q, w_k), **sizes))
    (True, False)
    """
    heads = whole_number(n_heads, "n_heads", least=1)
    kv_heads = whole_number(n_kv_heads, "n_kv_heads", least=1, most=heads)
    if heads % kv_heads:
        raise ValueError(f"n_kv_heads must divide n_heads, {heads}, got {kv_heads}")
    n = whole_number(tokens, "tokens", least=2, most=MOST_TOKENS)
    allowed = positive_number(rtol, "rtol")
    before, after = _weights(old, "old", heads, kv_heads), _weights(new, "new", heads, kv_heads)
    if before[0].shape != after[0].shape:
        raise ValueError(f"new must have the shapes of old, {before[0].shape}, got {after[0].shape}")
    rows = np.random.default_rng(whole_number(seed, "seed", least=0)).normal(size=(n, before[0].shape[1]))
    was = _scores(rows, before, (heads, kv_heads), old_turn, "old_turn")
    now = _scores(rows, after, (heads, kv_heads), new_turn, "new_turn")
    gaps, spread = np.abs(was - now), float(was.std())
    if spread == 0:
        raise ValueError("old must have weights whose scores differ from each other, got scores all alike")
    off, together = float(gaps.max()), float(np.diagonal(gaps, axis1=1, axis2=2).max())
    return PortCheck(off <= allowed * spread, off, together, spread, allowed)


def _weights(given: object, name: str, heads: int, kv_heads: int) -> tuple[Rows, Rows]:
    """Weights of queries and of keys, refused unless they make heads of one width from rows of one width."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise TypeError(f"{name} must be two weights, of queries and of keys, got {shown(given)}")
    queries, keys = (real_array(weight, f"{name}[{i}]") for i, weight in enumerate(given))
    if queries.ndim != 2 or not queries.size or queries.shape[0] % heads:
        raise ValueError(f"{name}[0] must have {heads} heads of rows of one width, got shape {queries.shape}")
    wanted = (queries.shape[0] // heads * kv_heads, queries.shape[1])
    if keys.shape != wanted:
        raise ValueError(f"{name}[1] must have shape {wanted}, {kv_heads} heads, got {keys.shape}")
    return queries, keys


def _scores(rows: Rows, weights: tuple[Rows, Rows], heads: tuple[int, int], turn: Turn, name: str) -> Rows:
    """Scores of shape (h, n, n): every query with the key that its group shares."""
    if not callable(turn):
        raise TypeError(f"{name} must be a function of rows and positions, got {shown(turn)}")
    turned = []
    for weight, count in zip(weights, heads, strict=True):
        made = (rows @ weight.T).reshape(len(rows), count, -1).swapaxes(0, 1)  # (count, n, head_dim)
        found = real_array(turn(made, np.arange(len(rows))), f"what {name} returns")
        if found.shape != made.shape:
            raise ValueError(
                f"{name} must return the shape that it is given, {made.shape}, got {found.shape}"
            )
        turned.append(np.repeat(found, heads[0] // count, axis=0))  # (h, n, head_dim)
    scores: Rows = turned[0] @ turned[1].swapaxes(1, 2)  # (h, n, n)
    return scores
