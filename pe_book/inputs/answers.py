"""What an exercise in code says of what came back: of another kind than is due, or how an array differs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from types import GenericAlias, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.pairs import columns

IN_HALVES = "in halves, all sines before all cosines; expected each sine beside its cosine"
COARSE = 4 * float(np.finfo(np.float32).eps)  # of the largest number: what float32 loses
SINGLE = "; so far off are numbers that were in float32 on the way: compute in float64 throughout"
ALIKE = 1e-3  # of right numbers in another order, which may be less precise
KINDS = {int: "a whole number", float: "a number in float64", bool: "True or False", dict: "a dictionary"}


def answer(solve: Callable[..., Any]) -> Callable[..., Any]:
    """The function that somebody writes, which says when what it returns is of another kind than is due.

    What holds the same is taken: a list for a tuple, a number of numpy for one of Python, whole numbers in
    any array. The function's annotation says what it has to return.

    >>> @answer
    ... def two_rows(n) -> np.ndarray:
    ...     return [[0] * n, [1] * n]
    >>> two_rows(3)
    Traceback (most recent call last):
        ...
    AssertionError: two_rows returns a list, expected an array of numpy in float64
    """
    due = get_type_hints(solve)["return"]

    @wraps(solve)
    def told(*given: Any, **named: Any) -> Any:
        came = solve(*given, **named)
        try:
            return _taken(came, due)
        except TypeError:
            said = f"{solve.__name__} returns {_came(came)}, expected {_due(due)}{_cure(came, _due(due))}"
        raise AssertionError(said)

    return told


def _taken(came: Any, due: Any) -> Any:
    """What came, as the kind that is due; a TypeError where it is another."""
    if isinstance(due, UnionType):
        return came if came is None else _taken(came, get_args(due)[0])
    kind, parts = _kind(due), get_args(due)
    if kind is tuple:
        if (isinstance(came, Sequence) or getattr(came, "ndim", 0) > 0) and len(came) == len(parts):
            return tuple(map(_taken, came, parts))
    elif kind in (bool, int, float):
        if isinstance(came, np.generic) and not _as_precise(np.asarray(came), np.dtype(float)):
            raise TypeError(came)
        one = came.item() if getattr(came, "ndim", None) == 0 else came
        if kind is int and isinstance(one, float) and one.is_integer():
            one = int(one)
        if isinstance(one, bool) == (kind is bool) and isinstance(one, (kind, int)):
            return kind(one)
    elif kind is np.ndarray:
        if isinstance(came, np.ndarray) and _as_precise(came, _dtype(due)):
            return came
    elif isinstance(came, kind):
        return {name: _taken(one, parts[1]) for name, one in came.items()} if parts else came
    raise TypeError(came)


def _as_precise(came: NDArray[Any], due: np.dtype[Any]) -> bool:
    """Whether an array holds numbers to the digits that are due; every kind of number holds whole ones."""
    if came.dtype.kind == "f":
        return came.itemsize >= due.itemsize or bool((came == came.round()).all())
    return came.dtype.kind in "biu"


def _kind(due: Any) -> Any:
    kind = get_origin(due) or due
    return get_origin(getattr(kind, "__value__", None)) or kind  # NDArray is an alias from numpy 2.5 on


def _dtype(due: GenericAlias | type) -> np.dtype[Any]:
    last = [np.float64, *get_args(due)][-1]
    found: np.dtype[Any] = np.dtype(*(get_args(last) or [last]))
    return found


def _due(due: Any) -> str:
    kind, parts = _kind(due), get_args(due)
    if isinstance(due, UnionType):
        return f"{_due(parts[0])} or None"
    if kind is np.ndarray:
        return f"an array of numpy in {_dtype(due)}"
    if kind is tuple:
        return f"a tuple of {_listed(map(_due, parts))}"
    if kind is dict and parts:
        return f"a dictionary with {_due(parts[1])} below its names"
    return KINDS.get(kind) or _named(kind)


def _came(came: Any) -> str:
    if came is None:
        return "None"
    if isinstance(came, tuple):
        return f"a tuple of {_listed(map(_came, came))}"
    if isinstance(came, dict):
        return f"a dictionary with {_listed(dict.fromkeys(map(_came, came.values())))} below its names"
    if isinstance(came, np.ndarray):
        return f"an array of numpy in {came.dtype}"
    if isinstance(came, np.floating | float):
        return f"the number {came:.4g} in {np.asarray(came).dtype}"
    return _named(type(came))


def _cure(came: Any, due: str) -> str:
    """What would do, where numbers are less precise than is due."""
    coarse = any(name in _came(came) for name in ("in float32", "in float16"))
    return ": compute in float64, numpy's default" if coarse and "float64" in due else ""


def _named(kind: type) -> str:
    name = "torch tensor" if hasattr(kind, "detach") else kind.__name__
    return f"a{'n' * (name[0] in 'aeiou')} {name}"


def _listed(words: Iterable[str]) -> str:
    """Some words in a row, the last behind an *and*."""
    *first, last = [*words] or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def difference(came: NDArray[Any], due: ArrayLike, within: float = 1e-8) -> str:
    """In words, how an array that came differs from the one that is due; empty where it does not.

    What came is an array as `answer` lets through; `within` says how far a number may be off.

    >>> due = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> difference(due, due)
    ''
    >>> difference(due.T, due)
    'the right numbers come transposed, rows where columns are expected'
    >>> difference(2 * due, due)
    'the number at [1, 1] is 6, expected 3'
    """
    wanted = np.asarray(due)
    for words, other in _orders(wanted):
        if _near(came, other, ALIKE) and not _near(came, wanted, ALIKE):
            return f"the right numbers come {words}"
    if came.shape != wanted.shape:
        return f"an array of the shape {came.shape} comes back, expected the shape {wanted.shape}"
    if _near(came, wanted, within):
        return ""
    gap = np.abs(came - wanted)
    place = np.unravel_index(np.nan_to_num(gap, nan=np.inf).argmax(), gap.shape)
    at, digits = ", ".join(map(str, place)), 4
    while digits < 17 and f"{came[place]:.{digits}g}" == f"{wanted[place]:.{digits}g}":
        digits += 1
    said = f"the number at [{at}] is {came[place]:.{digits}g}, expected {wanted[place]:.{digits}g}"
    return said + SINGLE * _single(came, wanted)


def _single(came: NDArray[Any], due: NDArray[Any]) -> bool:
    """Whether numbers are as far off as float32 leaves them, or were in float32 on the way."""
    size = max(1.0, float(np.abs(due).max()))
    held = bool((came == came.astype(np.float32)).all())
    return _near(came, due, COARSE * size) or (held and _near(came, due, ALIKE * size))


def _orders(due: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """The same numbers in orders that people take for the right one."""
    if due.ndim == 2:
        yield "transposed, rows where columns are expected", due.T
    d = due.shape[-1] if due.ndim else 1
    if d % 2 == 0:
        sines, cosines = columns(d, "interleaved")
        halves = [*sines, *cosines]
        yield IN_HALVES, due[..., halves]
        yield "with sine and cosine of each pair exchanged", due[..., np.arange(d) ^ 1]
        if due.shape == (d, d):
            yield IN_HALVES, due[halves][:, halves]


def _near(came: NDArray[Any], due: NDArray[Any], within: float) -> bool:
    return came.shape == due.shape and bool((np.abs(came - due) <= within).all())
