"""The pictures of the twenty claims by another path: projections in torch, and a loop over columns."""

import math

import numpy as np
import torch

ROWS, DRAWN, OURS = "rows that are moved", "missed of random rows (%)", "missed of sines and cosines (%)"
LENGTHS = [8, 16, 24, 32, 40, 48, 64, 96, 128]
WIDTH, OFFSET, COLUMNS = 32, 10, 128


def missed(table, n):
    """What lies outside of the span of the rows' columns: the residual of a projection, in percent."""
    before, after = table[:n], table[OFFSET : OFFSET + n]
    directions, sizes, _ = torch.linalg.svd(before, full_matrices=False)
    spanned = directions[:, sizes > 1e-12 * sizes[0]]
    rest = after - spanned @ (spanned.T @ after)
    return 100 * float(torch.linalg.norm(rest) / torch.linalg.norm(after))


def drawn(n):
    table = np.random.default_rng(0).normal(size=(max(LENGTHS) + OFFSET, WIDTH))
    return missed(torch.tensor(table), n)


def ours(n):
    rows = [
        [f(p * 10000 ** (-2 * i / WIDTH)) for i in range(WIDTH // 2) for f in (math.sin, math.cos)]
        for p in range(max(LENGTHS) + OFFSET)
    ]
    return round(missed(torch.tensor(rows, dtype=torch.float64), n), 4)


def quiet(n):
    """Columns whose largest and smallest entry are less than 0.1 apart."""
    found = 0
    for column in range(COLUMNS):
        wave = math.cos if column % 2 else math.sin
        values = [wave(p * 10000 ** (-2 * (column // 2) / COLUMNS)) for p in range(n)]
        found += max(values) - min(values) < 0.1
    return found


RECOMPUTED = {
    "fig:twenty:rows": {
        "rows": len(LENGTHS),
        ROWS: LENGTHS,
        DRAWN: lambda row, p: drawn(int(row[ROWS])),
        OURS: lambda row, p: ours(int(row[ROWS])),
        "facts": {
            "first": lambda f, p: max(drawn(n) for n in LENGTHS if n <= WIDTH),
            "last": lambda f, p: drawn(128),
            "most": 128,
            "ours": lambda f, p: max(ours(n) for n in LENGTHS),
        },
    },
    "fig:twenty:quiet": {
        "rows": 9,
        "words": [10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
        "quiet columns": lambda row, p: quiet(int(row["words"])),
        "facts": {
            "first": 10,
            "most": lambda f, p: quiet(10),
            "last": 5000,
            "least": lambda f, p: quiet(5000),
        },
    },
}
