"""Programs of the kinds that go around, in the book's words: three for a table, and seventeen listings."""

from __future__ import annotations

import math
import sys
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.outcome import PASSED

Rows = NDArray[np.float64]


def entry_by_entry(seq_len: int, d_model: int, base: float = 10000.0) -> Rows:
    """A table of zeros whose cells are filled one by one; at an odd width the last column stays as it is.

    >>> entry_by_entry(2, 3)[1].round(4).tolist()
    [0.8415, 0.5403, 0.0]
    """
    table = np.zeros((seq_len, d_model))
    for position, pair in product(range(seq_len), range(d_model // 2)):
        angle = position / base ** (2 * pair / d_model)
        table[position, 2 * pair], table[position, 2 * pair + 1] = math.sin(angle), math.cos(angle)
    return table


def list_of_pairs(position: float, d_model: int, base: float = 10000.0) -> list[float]:
    """A list that grows by one pair at a time, so that an odd width comes out one short.

    >>> len(list_of_pairs(1, 7))
    6
    """
    entries = []
    for pair in range(d_model // 2):
        angle = position / base ** (2 * pair / d_model)
        entries += [math.sin(angle), math.cos(angle)]
    return entries


def slices(seq_len: int, d_model: int, dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
    """Frequencies as exp of a log, then two assignments to every second column; an odd width is an error.

    >>> slices(2, 4)[1].round(3).tolist()
    [0.841, 0.54, 0.01, 1.0]
    """
    table = np.zeros((seq_len, d_model), dtype)
    positions = np.arange(seq_len, dtype=dtype)[:, None]
    step = dtype(-math.log(10000.0) / d_model)
    angles = positions * np.exp(np.arange(0, d_model, 2, dtype=dtype) * step)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


#: Seventeen listings of a lecture in their order, each by what it is about and the lines that decide whether
#: it runs: what it imports, what it needs when it is executed. Bodies of functions do not run.
LISTINGS = (
    ("count", "def counted(n): return list(range(1, n + 1))\ncounted(4)"),
    ("divide by the last", "def divided(n): return [p / (n - 1) for p in range(n)]\ndivided(3)"),
    ("plot both waves", "import numpy as np\nnp.sin(np.linspace(0, 4 * np.pi, 1000))"),
    ("one sine", "import math\ndef one(p): return math.sin(p)\none(1)"),
    ("plot five positions", "import numpy as np\nnp.sin(np.array([0, 1, 2, 3, 4]))"),
    (
        "three pairs",
        "def pairs(p): return [f(p / i) for i in (1, 2, 3) for f in (math.sin, math.cos)]\npairs(1)",
    ),
    ("one row", "import math\ndef row(p, d): return [math.sin(p), math.cos(p)] * (d // 2)\nrow(0, 6)"),
    ("a table", "import torch\nimport math\ndef table(n, d): return torch.zeros(n, d)\ntable(50, 128)"),
    ("a model", "class Model(nn.Module): pass"),
    ("frequencies", "def omegas(d): return [10000 ** (-2 * i / d) for i in range(d // 2)]\nomegas(512)"),
    ("a matrix in numpy", "def matrix(k, d): return np.zeros((d, d))\nmatrix(10, 128)"),
    ("a matrix in torch", "def moved(k, d): return torch.zeros(d, d)\nmoved(3, 512)"),
    ("a learned table", "learned = nn.Embedding(max_seq_len=512, d_model=512)"),
    ("between positions", "def between(p, q, a): return (1 - a) * p + a * q\nbetween(1, 2, 0.5)"),
    ("a class, and its model", "import torch.nn as nn\nclass Encoding(nn.Module): pass\nEncoding()"),
    ("a heatmap", "def heatmap(n, d): return plt.figure()"),
    ("a checklist", "✓ Use a buffer"),
)


def said_by(listings: tuple[tuple[str, str], ...] = LISTINGS) -> dict[str, str]:
    """What Python says of each listing, run in one session and in their order: passes, or the error.

    >>> said_by((("a name", "x"), ("a sum", "1 + 1")))
    {'a name': 'NameError', 'a sum': 'passes'}
    """
    names: dict[str, Any] = {}
    said = {}
    for about, lines in listings:
        try:
            exec(lines, names)
            said[about] = PASSED
        except Exception:  # the name of the error is the answer
            said[about] = type(sys.exception()).__name__
    return said
