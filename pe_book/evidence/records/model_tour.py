"""The recorded insides of four small decoders: one text of letters, on its way from word to output.

Pages read this record, so that they need no torch; ``make tour`` trains the decoders anew.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.records.record import HERE, Record

Array = NDArray[np.float64]
MEASURED = (
    "pe_book/evidence/length_generalisation/decoder.py",
    "pe_book/evidence/length_generalisation/heads.py",
    "pe_book/evidence/length_generalisation/members.py",
    "pe_book/evidence/length_generalisation/tasks.py",
    "pe_book/evidence/length_generalisation/tour.py",
    "pe_book/evidence/length_generalisation/training.py",
    "pe_book/nn/functional/windows.py",
    "pe_book/nn/modules/*.py",
)
SYMBOLS = "ABCDEFGHIJKLMNOP"
"""The letters that stand for the 16 symbols."""
RECORD = Record(HERE / "model_tour.json", MEASURED)


class Inside(NamedTuple):
    """One trained decoder, and what becomes of the text in it."""

    run: dict[str, Any]
    """Its settings, by the names of a run of the study."""
    right: list[float]
    """The share of right answers over many texts: at places of the trained length, and past it."""
    looks: list[list[float]]
    """The same for the mean weight of the word asked for, of each layer."""
    cut: float
    """By how much a probability differs, at most, where the texts are cut short behind it."""
    words: Array
    """The row of each symbol, (16, width)."""
    positions: Array
    """The row of each position, (n, width)."""
    weights: Array
    """What each query gives to each key, (layers, n, n)."""
    output: Array
    """The probability of each symbol, (n, 16)."""


class Tour(NamedTuple):
    """What the record says."""

    text: str
    """Letters, one for each of the 16 symbols."""
    back: int
    """How many words back the word lies that is asked."""
    steps: int
    """For which each decoder was trained."""
    texts: int
    """Over which shares and means are taken."""
    decoders: list[Inside]
    standing: str
    """Of what it is, in words."""

    def inside(self, width: int, layers: int) -> Inside:
        """The decoder of a shape."""
        asked = (width, layers)
        return next(one for one in self.decoders if (one.run["width"], one.run["layers"]) == asked)


def packed(rows: Iterable[Iterable[float]]) -> list[str]:
    """Each row as a line of whole thousandths.

    >>> packed([[0.25, -1, 0.0004]])
    ['250 -1000 0']
    """
    return [" ".join(str(round(1000 * float(one))) for one in row) for row in rows]


def unpacked(lines: list[str]) -> Array:
    """The rows again, with zeros behind one that is shorter.

    >>> unpacked(["1000", "250 750"]).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """
    rows = [np.array(line.split(), dtype=float) / 1000 for line in lines]
    longest = max(map(len, rows))
    return np.stack([np.pad(row, (0, longest - len(row))) for row in rows])


def recorded(record: Record = RECORD) -> Tour:
    """The record, and of what it is."""
    found, standing = record.read()
    decoders = []
    for one in found.pop("decoders"):
        rows = {name: unpacked(one[name]) for name in ("words", "positions", "output")}
        decoders.append(Inside(**one | rows | {"weights": np.stack([*map(unpacked, one["weights"])])}))
    return Tour(**found, decoders=decoders, standing=standing)
