"""What is compared with other libraries: every member gives our numbers and theirs, in one layout.

A member stands in a file ``members/<library>.py`` and is found by its decorator; nothing lists
it. It imports its library when it is called, so that the files can be read without it.
"""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from pe_book.evidence.records.parity import Agreement
from tests.parity.libraries import version

HERE = Path(__file__).parent
HEADS, LENGTH, HEAD_DIM = 2, 128, 64
POSITIONS = np.arange(LENGTH)
HALF_ULP = 2.0**-24  # of float32, relative
FREQUENCIES_IN_FLOAT32 = 16 * HALF_ULP  # a power with an exponent in float32, a quotient, a ramp

EXACT = 2.0**-40  # of sums in float64 that are of order 1

Kind = Literal["rows", "frequencies", "biases", "attention"]
RELATIVE = ("frequencies", "biases")
Pair = tuple[np.ndarray, np.ndarray]


class Member(NamedTuple):
    """One comparison: what of ours, with what of a library."""

    name: str
    library: str
    kind: Kind
    layout: str
    bound: float
    compare: Callable[[], Pair]

    def difference(self) -> float:
        """The largest: of rows and outputs absolute, being of order 1; of the others relative."""
        ours, theirs = (np.asarray(side, dtype=np.float64) for side in self.compare())
        assert ours.shape == theirs.shape, f"{self.name}: ours has shape {ours.shape}, theirs {theirs.shape}"
        apart = np.abs(ours - theirs)
        if self.kind in RELATIVE:
            apart = np.divide(apart, np.abs(ours), out=np.where(apart, np.inf, 0.0), where=ours != 0)
        assert not np.isnan(apart).any(), f"{self.name}: something is not a number"
        return float(apart.max())

    def agree(self) -> float:
        """The largest difference, refused when it is above the bound."""
        found = self.difference()
        said = f"{self.name}: {found:.2g} apart from {self.library}, {self.bound:.2g} are to be expected"
        assert found <= self.bound, said
        return found

    def row(self, difference: float) -> Agreement:
        """What a record says of it."""
        rounded = (float(f"{one:.1e}") for one in (difference, self.bound))
        return Agreement(self.name, self.library, version(self.library), self.kind, self.layout, *rounded)


_FOUND: list[Member] = []


def member(
    name: str, *, library: str, layout: str, kind: Kind = "rows", reach: float = LENGTH - 1,
    bound: float | None = None,
) -> Callable[[Callable[[], Pair]], Callable[[], Pair]]:  # fmt: skip
    """Register a comparison; its bound, if none is given, is what float32 does at positions up to `reach`.

    A comparison of whole attention has to give one: :data:`EXACT` where the library computes in float64,
    :func:`weights_in_float32` where it does so but for its softmax or its biases.
    """
    if bound is None:
        assert kind != "attention", f"{name}: a bound has to be given"
        bound = rows_in_float32(reach) if kind == "rows" else FREQUENCIES_IN_FLOAT32

    def register(compare: Callable[[], Pair]) -> Callable[[], Pair]:
        _FOUND.append(Member(name, library, kind, layout, bound, compare))
        return compare

    return register


@cache
def members() -> tuple[Member, ...]:
    """All of them, in the order of the files and of their lines."""
    for file in sorted((HERE / "members").glob("*.py")):
        importlib.import_module(f"tests.parity.members.{file.stem}")
    names = [one.name for one in _FOUND]
    assert len(set(names)) == len(names), "two members have one name"
    return tuple(sorted(_FOUND, key=home))  # a test may have imported one of the files before


def home(one: Member) -> str:
    """The file of a comparison, where it is a function with some arguments given that of the function."""
    return getattr(one.compare, "func", one.compare).__module__


def rows_in_float32(reach: float) -> float:
    """What float32 may do to a pair of entries of at most 1 at positions up to `reach`.

    An angle is off by the rounding of the frequency and of the product, a turned pair by its length times as
    much and by the roundings of sine, cosine, products and sum.
    """
    return float(np.sqrt(2) * HALF_ULP * (2 * reach + 4))


def weights_in_float32(largest_score: float, keys: int) -> float:
    """What float32 may do to an output whose values are of order 1, by the largest score and number of keys.

    A score, and what is added to it, are off by half an ulp of the largest each; the weight of a key by as
    much, relative, and its row by as much again, which has `keys` terms to sum.
    """
    return float(HALF_ULP * (4 * largest_score + keys + 4))


def rows(*shape: int, seed: int = 0) -> np.ndarray:
    """Entries in [-1, 1] that float32 holds exactly; heads by positions by width if no shape is given."""
    shape = shape or (HEADS, LENGTH, HEAD_DIM)
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def tensor(values: np.ndarray):
    """The same in torch, with an axis for the batch in front."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))[None]


def array(batch) -> np.ndarray:
    """A batch of one in float64, without its axis."""
    return batch.detach().double().numpy()[0]
