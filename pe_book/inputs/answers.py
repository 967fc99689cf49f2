"""What an exercise in code says of an array that came back: how it differs from the one that is due."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.pairs import columns

IN_HALVES = "in halves, all sines before all cosines, due is one beside the other"
ALIKE = 1e-3  # of right numbers in another order, which may be less precise


def difference(came: Any, due: ArrayLike, within: float = 1e-8) -> str:
    """In words, how what came differs from what is due; empty where it does not.

    Parameters
    ----------
    came
        What a solution returned, whatever it is.
    due : array_like
        The right numbers.
    within : float
        How far a number may be off.

    Returns
    -------
    str
        A part of a sentence: what came, and what is due.

    Examples
    --------
    >>> due = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> difference(due, due)
    ''
    >>> difference(due.T, due)
    'the right numbers come transposed, as rows what is due as columns'
    >>> difference(due.tolist(), due)
    'a list comes back, due is an array of numpy with the shape (2, 2)'
    >>> difference((due + 0.1).astype("float32"), due + 0.1).partition(" and ")[0]
    'the numbers are float32'
    """
    wanted = np.asarray(due)
    if not isinstance(came, np.ndarray | np.generic):
        kind = "torch tensor" if hasattr(came, "detach") else type(came).__name__
        return f"a {kind} comes back, due is an array of numpy with the shape {wanted.shape}"
    found: NDArray[Any] = np.asarray(came)
    if found.dtype.kind not in "biuf":
        return f"an array of {found.dtype} comes back, due are numbers of {wanted.dtype}"
    for words, other in _orders(wanted):
        if _near(found, other, ALIKE) and not _near(found, wanted, ALIKE):
            return f"the right numbers come {words}"
    if found.shape != wanted.shape:
        return f"an array of the shape {found.shape} comes back, due is the shape {wanted.shape}"
    if _near(found, wanted, within):
        return ""
    gap = np.abs(found - wanted)
    rounded = wanted.astype(found.dtype)
    if found.dtype.itemsize < wanted.dtype.itemsize and _near(found, rounded, 4 * _unit(found)):
        off = f"the numbers are {found.dtype} and up to {gap.max():.0e} off"
        return f"{off}, due is {wanted.dtype}: look for what has rounded them"
    place = np.unravel_index(np.nan_to_num(gap, nan=np.inf).argmax(), gap.shape)
    at, digits = ", ".join(map(str, place)), 4
    while digits < 17 and f"{found[place]:.{digits}g}" == f"{wanted[place]:.{digits}g}":
        digits += 1
    return f"the number at [{at}] is {found[place]:.{digits}g}, due is {wanted[place]:.{digits}g}"


def _orders(due: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """The same numbers in orders that people take for the right one."""
    if due.ndim == 2:
        yield "transposed, as rows what is due as columns", due.T
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


def _unit(numbers: NDArray[Any]) -> float:
    """The rounding unit at the largest of these numbers."""
    largest = float(np.abs(numbers).max(initial=1))
    return largest * float(np.finfo(numbers.dtype).eps) if numbers.dtype.kind == "f" else 0.0
