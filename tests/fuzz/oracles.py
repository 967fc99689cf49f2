"""What a result has to be: that of the same numbers in plain form, and what no definition is tested for.

The values of plain calls are held by the tests of the definitions. Here is asked whether the form in which
numbers come changes them, and whether they are right at the ends of float64.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import torch

from tests.fuzz.surface import surface

LARGEST = np.finfo(float).max
PRECISE = mpmath.mp.clone()


def arrays(answer: Any) -> list[np.ndarray]:
    """The arrays of an answer, and its numbers as arrays without an axis."""
    if isinstance(answer, tuple | list):
        return [array for part in answer for array in arrays(part)]
    if isinstance(answer, Mapping):
        return arrays(list(answer.values()))
    if isinstance(answer, torch.Tensor):
        if answer.is_meta:  # it has a shape and no values
            return []
        answer = (answer.detach().double() if answer.is_floating_point() else answer.detach()).numpy()
    return [np.asarray(answer)] if isinstance(answer, np.ndarray | float | np.generic) else []


def plain(name: str, value: Any) -> Any:
    """The same numbers as Python has them, or in whole numbers or floats of 64 bits, one behind the other."""
    if isinstance(value, torch.Tensor) and name.startswith("nn."):
        return value.detach().double() if value.is_floating_point() else value.detach().clone()
    if isinstance(value, np.number):
        return value.item() if value.dtype.itemsize <= 8 else float(value)
    if not isinstance(value, np.ndarray | torch.Tensor | list | range):
        return value
    array = np.asarray(value)
    if array.dtype == object:
        array = np.array(array.tolist())
    if array.dtype.kind not in "iuf":
        return value
    return np.array(array, np.float64 if array.dtype.kind == "f" else np.int64)


def of_plain_numbers(name: str, result: Any, given: dict[str, Any]) -> str:
    """Whether a function says something else of the same numbers in plain form, which it may refuse."""
    if given.get("in_place"):
        return ""
    try:
        other = {key: value if key == "out" else plain(name, value) for key, value in given.items()}
        again = surface()[name](**other)
    except (ValueError, TypeError, RuntimeError):
        return ""
    off = 2.0**-7 if name.startswith("nn.") else 1e-9
    for found, wanted in zip(arrays(result), arrays(again), strict=True):
        if found.shape != wanted.shape:
            return f"shape {found.shape}, and {wanted.shape} of plain numbers"
        if found.dtype.kind in "fiu" and wanted.dtype.kind in "fiu":
            size = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
            if not np.allclose(found, wanted, rtol=off, atol=off * size, equal_nan=True):
                return "other numbers than of plain numbers"
    return ""


def numbers(values: Any) -> np.ndarray:
    """Numbers with some digits to spare."""
    return np.asarray(values, dtype=np.longdouble)


def scaleless(name: str, parameter: str) -> Callable[..., str]:
    """What has no scale is the same of numbers that are a power of two larger."""

    def same(result: Any, **given: Any) -> str:
        rows = np.asarray(given[parameter], dtype=np.float64)
        shift = 300 - int(np.frexp(np.abs(rows).max())[1])
        other = np.ldexp(rows, shift)
        if not np.array_equal(np.ldexp(other, -shift), rows):
            return ""  # the smallest numbers did not come along
        again = surface()[name](**{**given, parameter: other})
        return "" if np.allclose(again, result, rtol=1e-9, atol=1e-14) else f"{again} at another scale"

    return same


def weighed(result: Any, *, q: Any, k: Any, bias: Any = None, scale: Any = None, **_: Any) -> str:
    query, key = numbers(q), numbers(k)
    scores = query @ np.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    added = scores + numbers(0.0 if bias is None else bias)
    if max(np.abs(scores).max(initial=0), np.abs(added[np.isfinite(added)]).max(initial=0)) > LARGEST:
        return "took a score beyond float64"
    right = (result >= 0).all() and np.allclose(result.sum(axis=-1), 1, rtol=0, atol=1e-12)
    return "" if right else "rows do not sum to 1"


def normed(result: Any, **_: Any) -> str:
    mean, square = result.mean(axis=-1), np.square(result).mean(axis=-1)
    right = np.allclose(square, 1, rtol=1e-9) and np.allclose(mean, 0, atol=1e-9)
    return "" if right else "not mean 0 and variance 1"


def rms_normed(result: Any, **_: Any) -> str:
    return "" if np.allclose(np.square(result).mean(axis=-1), 1, rtol=1e-9) else "not 1"


def angles(result: Any, **_: Any) -> str:
    right = np.allclose(np.diag(result), 1, rtol=0, atol=1e-12) and np.abs(result).max() <= 1
    return "" if right else "no cosines"


def halved(result: Any, *, n_heads: Any, bias_max: Any = 8.0) -> str:
    full = 2 ** (int(n_heads).bit_length() - 1)  # the heads of the largest power of two come first
    due = np.exp2(-float(bias_max) * np.arange(1, full + 1) / full)
    return "" if np.allclose(result[:full], due, rtol=1e-12, atol=0) else "other slopes"


def falls(result: Any, *, r1: Any, r2: Any, queries: Any, keys: Any) -> str:
    height, rate = (numbers(one)[:, np.newaxis, np.newaxis] for one in (r1, r2))
    distance = np.abs(numbers(queries)[..., :, np.newaxis] - numbers(keys)[..., np.newaxis, :])
    wanted = -height * np.log1p(rate * distance[..., np.newaxis, :, :])  # (..., h, n_q, n_k)
    return "" if np.allclose(result, wanted.astype(float), rtol=1e-12, atol=1e-300) else "another fall"


def closest(result: Any, *, x: Any) -> str:
    rows = numbers(x)
    rows = rows.reshape(len(rows), -1)
    gap = np.sqrt(np.square(rows[result.second] - rows[result.first]).sum())
    if not np.isclose(float(gap), result.gap, rtol=1e-12):
        return f"gap {result.gap!r}, not {float(gap)!r}"
    all_gaps = [np.sqrt(np.square(rows[j] - rows[i]).sum()) for j in range(len(rows)) for i in range(j)]
    return "" if result.gap <= float(min(all_gaps)) * (1 + 1e-12) else "not the closest"


def turned(result: Any, *, x: Any, **_: Any) -> str:
    lengths, found = (np.hypot(*numbers(rows).T) for rows in (x, result))
    return (
        ""
        if np.allclose(found.astype(float), lengths.astype(float), rtol=1e-12, atol=1e-320)
        else "changed lengths"
    )


def narrowed(result: Any, *, std: Any, cut: Any) -> str:
    with PRECISE.workdps(700):  # of the difference from 1 a narrow cut leaves the last digits
        c = PRECISE.mpf(float(cut))
        left = 1 - 2 * c * PRECISE.npdf(c) / (2 * PRECISE.ncdf(c) - 1) if c < 100 else PRECISE.mpf(1)
        true = float(std) * (c / PRECISE.sqrt(3) if c < 1e-100 else PRECISE.sqrt(left))
        right = abs(result - true) <= 1e-13 * true + 2.0**-1070
        return "" if right else f"is {result!r}, not {float(true)!r}"


def shared(result: Any, *, number: Any, d_model: int) -> str:
    square = Fraction(float(number)) ** 2
    true = float(square / (square + int(d_model)))
    return "" if np.isclose(result, true, rtol=1e-12, atol=1e-300) else f"not {true!r}"


SCALELESS = {
    "why.descent.condition_number": "features",
    "family.learned.measures.mean_cosine": "weight",
    "family.learned.measures.neighbour_distance": "weight",
    "family.learned.measures.share_by_offset": "scores",
}
ORACLES: dict[str, Callable[..., str]] = {
    **{name: scaleless(name, parameter) for name, parameter in SCALELESS.items()},
    "why.order_blindness.attention_weights": weighed,
    "why.norms.layer_norm": normed,
    "why.norms.rms_norm": rms_normed,
    "why.norms.share_of_squares": shared,
    "family.learned.initialisation.narrowed_std": narrowed,
    "family.learned.measures.cosines": angles,
    "family.score_bias.alibi_slopes": halved,
    "family.score_bias.kerple.kerple_bias": falls,
    "numerics.rounding.closest_pair": closest,
    "family.doors.turn": turned,
}
