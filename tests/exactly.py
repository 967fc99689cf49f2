"""The printed formula in multiple precision, with nothing of ours."""

from typing import Any

import mpmath
import numpy as np


def angle(position: Any, pair: int, d_model: int, base: float = 10000.0, ladder: str = "paper") -> Any:
    """Of one pair, in radians."""
    rungs = d_model // 2 if ladder == "paper" else max(d_model // 2 - 1, 1)
    with mpmath.workprec(300):
        return mpmath.mpf(position) * mpmath.mpf(base) ** (-mpmath.mpf(pair) / rungs)


def wave(
    position: Any, pair: int, d_model: int, base: float = 10000.0, ladder: str = "paper"
) -> tuple[Any, Any]:
    """Sine and cosine of one pair."""
    with mpmath.workprec(300):
        turned = angle(position, pair, d_model, base, ladder)
        return mpmath.sin(turned), mpmath.cos(turned)


def waves(position: Any, d_model: int, base: float = 10000.0, ladder: str = "paper") -> list[tuple[Any, Any]]:
    """Sine and cosine of every pair."""
    return [wave(position, pair, d_model, base, ladder) for pair in range(d_model // 2)]


def row(position: Any, d_model: int, base: float = 10000.0, ladder: str = "paper") -> np.ndarray:
    """One row in float64, the columns interleaved."""
    return np.array(waves(position, d_model, base, ladder), float).ravel()
