"""Tables of the side page on what rotation costs: the format of an angle, and times."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pe_book.numerics.rounding import round_to, spacing
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.formula import frequencies


def off_in_float32(length: int, d: int = 128) -> float:
    """How far off an angle is at the last 64 positions of a text, at most, where all of it is in float32."""
    m, omega = np.arange(length - 64, length, dtype=np.float64)[:, np.newaxis], frequencies(d)
    held = round_to(round_to(omega, "float32") * m, "float32")
    return float(np.abs(held - m * omega).max())


def angles_held(lengths: Sequence[int], d: int = 128) -> Table:
    """How well angles near the end of a text are held in two formats."""
    omega = frequencies(d)
    rows = []
    for length in lengths:
        m = np.arange(length - 64, length, dtype=np.float64)[:, np.newaxis]
        coarse = float(np.abs(round_to(omega, "bfloat16") * m - m * omega).max())
        off = off_in_float32(length, d)
        rows.append((f"{length:,}", float(spacing(length - 1, "bfloat16")), coarse, off))
    lengths_shown, apart, in_bfloat16, in_float32 = zip(*rows, strict=True)
    return Table(
        Column("tokens", lengths_shown, align="r"),
        Column("bfloat16: numbers apart by, in tokens", apart, "{:,.0f}"),
        Column("bfloat16 frequency: angle off by, in radians", in_bfloat16, "{:,.0f}"),
        Column("float32: angle off by, in radians", in_float32, "{:.4f}"),
    )


def speeds(rows: Sequence[dict[str, Any]], threads: int = 1) -> Table:
    """Recorded times of turning queries and keys, as ratios to copying them once, and errors in bfloat16."""
    found = {(row["method"], row["rows"], row["dtype"]): row for row in rows if row["threads"] == threads}
    methods = list(dict.fromkeys(row["method"] for row in rows if row["off"] is not None))
    columns = {
        "float32": (2048, "float32"),
        "bfloat16": (2048, "bfloat16"),
        "one token, float32": (1, "float32"),
    }
    return Table(
        Column("turned by", methods),
        *(
            Column(name, [found[method, *what]["over_floor"] for method in methods], "{:.1f}")
            for name, what in columns.items()
        ),
        Column(
            "bfloat16: off by, in ‰",
            [1000 * found[method, 2048, "bfloat16"]["off_share"] for method in methods],
            "{:,.1f}",
        ),
    )
