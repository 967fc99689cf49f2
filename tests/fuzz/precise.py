"""Entries of an encoding in multiple precision, and a few entries of a result to compare them with."""

from typing import Any

import mpmath
import numpy as np
import torch

PRECISE = mpmath.mp.clone()
PRECISE.dps = 60
ENTRIES = 6  # that are compared of each result
U = 2.0**-53


def as_array(result: Any) -> np.ndarray:
    return (
        result.detach().to(torch.float64).numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
    )


def some(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A few indices, first and last among them."""
    size = int(np.prod(shape))
    if size == 0:
        return []
    flat = sorted({0, size - 1, *np.random.default_rng(size).integers(0, size, ENTRIES - 2).tolist()})
    return [tuple(int(i) for i in np.unravel_index(at, shape)) for at in flat]


def omega(pair: int, d_model: int, base: float, ladder: str) -> Any:
    pairs = int(d_model) // 2
    rungs = pairs if ladder == "paper" else max(pairs - 1, 1)
    return PRECISE.power(PRECISE.mpf(float(base)), -PRECISE.mpf(pair) / rungs)


def pair_of(column: int, d_model: int, layout: str) -> tuple[int, bool]:
    """Which pair a column belongs to, and whether it is the cosine."""
    if layout == "interleaved":
        return column // 2, bool(column % 2)
    return column % (int(d_model) // 2), column >= int(d_model) // 2


def entry(position: Any, column: int, d_model: int, base: float, layout: str, ladder: str) -> Any:
    pair, cosine = pair_of(column, d_model, layout)
    angle = PRECISE.mpf(position) * omega(pair, d_model, base, ladder)
    return PRECISE.cos(angle) if cosine else PRECISE.sin(angle)


def as_numbers(values: Any) -> np.ndarray:
    return as_array(values).astype(np.float64)


def rounded_once(true: Any, dtype: str) -> float:
    """The nearest number of a format, by its number of bits."""
    bits, least = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}[dtype]
    if true == 0:
        return 0.0
    exponent = max(int(PRECISE.floor(PRECISE.log(abs(true), 2))), least)
    unit = PRECISE.ldexp(1, exponent - bits + 1)
    return float(PRECISE.nint(true / unit) * unit)


def name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")
