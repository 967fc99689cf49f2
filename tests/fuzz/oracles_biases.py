"""What a bias on scores has to be, entry by entry, by the formula of its paper."""

from collections.abc import Callable
from typing import Any

import torch

from tests.fuzz.precise import PRECISE, as_array, as_numbers, some


def _ladder(heads: int, most: float) -> list[float]:
    """As in the authors' code: the power of two below, then every other slope of twice as many."""
    below = 1 << (heads.bit_length() - 1)
    first = [2.0 ** (-most * i / below) for i in range(1, below + 1)]
    return first if below == heads else first + _ladder(2 * below, most)[::2][: heads - below]


def _near(found: Any, true: Any, result: Any) -> bool:
    """Within the digits of the format of the result."""
    digits = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 1e-2}
    return bool(abs(found - true) <= digits.get(result.dtype, 1e-12) * abs(true) + 1e-300)


def slopes(result: Any, *, n_heads: int, bias_max: Any, **_: Any) -> str:
    found = as_array(result).tolist()
    wanted = _ladder(int(n_heads), float(bias_max))
    if len(found) != len(wanted):
        return f"{len(found)} heads"
    off = [h for h, pair in enumerate(zip(found, wanted, strict=True)) if not _near(*pair, result)]
    return f"head {off[0]} has {found[off[0]]!r}, not {wanted[off[0]]!r}" if off else ""


def _by_entry(result: Any, queries: Any, keys: Any, formula: Callable[[int, float, float], Any]) -> str:
    """A few entries; of a head, of the position of a query and of a key the formula makes one."""
    rows, places, others = as_array(result), as_numbers(queries), as_numbers(keys)
    if rows.shape[-2:] != (places.shape[-1], others.shape[-1]):
        return f"shape {rows.shape}"
    if places.ndim > 1 or others.ndim > 1:
        return ""
    for index in some(rows.shape):
        h, i, j = index[-3:]
        true = formula(h, float(places[i]), float(others[j]))
        if not _near(float(rows[index]), true, result):
            return f"entry {index} is {float(rows[index])!r}, not {float(true)!r}"
    return ""


def alibi(result: Any, *, slopes: Any, queries: Any, keys: Any, **_: Any) -> str:
    slope = as_numbers(slopes).tolist()
    return _by_entry(result, queries, keys, lambda h, i, j: -slope[h] * abs(i - j))


def alibi_by_keys(result: Any, *, slopes: Any, keys: Any, **_: Any) -> str:
    slope, places = as_numbers(slopes).tolist(), as_numbers(keys)
    last = float(places.max(initial=0)) if places.ndim == 1 else 0.0
    return _by_entry(result, [0], keys, lambda h, _, j: slope[h] * (j - last))


def falls(result: Any, *, r1: Any, r2: Any, queries: Any, keys: Any, **_: Any) -> str:
    height, rate = as_numbers(r1).tolist(), as_numbers(r2).tolist()
    return _by_entry(
        result,
        queries,
        keys,
        lambda h, i, j: -height[h] * PRECISE.log1p(PRECISE.mpf(rate[h]) * abs(PRECISE.mpf(i) - j)),
    )
