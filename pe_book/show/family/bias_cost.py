"""Tables of the how-to on biases: what a mask costs attention, and what making a bias costs."""

from collections.abc import Sequence
from typing import Any

from pe_book.show.drawing.table import Column, Table

MASKS = {
    "(1, h, 1, n)": ("(1, h, 1, n)", "every key"),
    "(1, h, n, n)": ("(1, h, n, n)", "every key"),
    "(h, n, n)": ("(h, n, n)", "every key"),
    "(1, h, n, n), causal": ("(1, h, n, n), -inf ahead", "keys behind"),
    "(h, n, n), causal": ("(h, n, n), -inf ahead", "keys behind"),
    "one more column, is_causal": ("none: one more column", "keys behind"),
}
WAYS = {
    "vector of offsets": "this book: one number for each offset",
    "into a buffer": "this book, into a buffer",
    "into a buffer, causal": "this book, into a buffer, -inf ahead",
    "into a buffer, compiled": "this book, into a buffer, compiled",
    "into new memory": "this book, into new memory",
    "at positions": "this book, at any positions",
    "transformers": "transformers",
    "x-transformers": "x-transformers",
}


def masks(rows: Sequence[dict[str, Any]]) -> Table:
    """Recorded times of attention with a mask, as ratios to attention that sees the same keys without one."""
    found = {row["method"]: row for row in rows if row["dtype"] == "float32"}
    return Table(
        Column("mask", [shape for shape, _ in MASKS.values()]),
        Column("queries see", [seen for _, seen in MASKS.values()]),
        Column("time, × without a mask", [found[method]["over_floor"] for method in MASKS], "{:.2f}"),
    )


def making(rows: Sequence[dict[str, Any]]) -> Table:
    """Recorded times of making a bias of consecutive positions, as ratios to filling as much memory."""
    found = {row["method"]: row["over_floor"] for row in rows}
    return Table(
        Column("made by", list(WAYS.values())),
        *(
            Column(f"{kind}, × filling", [found[f"{kind}, {way}"] for way in WAYS], "{:.2f}")
            for kind in ("ALiBi", "T5")
        ),
    )
