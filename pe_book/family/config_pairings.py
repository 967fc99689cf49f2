"""Who pairs how: for each model type that turns, which columns of a head form pairs and which of them turn.

Read off :mod:`pe_book.family.config_models`, in the form of a table.
"""

from typing import NamedTuple

from pe_book.checking import Layout
from pe_book.family.config_models import MODELS
from pe_book.family.rotary import Side


class Pairing(NamedTuple):
    """How the code of one ``model_type`` pairs the columns of a head: one row of a table."""

    model_type: str
    layout: Layout
    """Where no key says it."""
    layout_key: str
    """The key that decides it where it stands; empty where none does."""
    share: float
    """Of the head that turns, where the config names neither a share nor a width."""
    side: Side
    """Which columns of the head turn, where not all do."""
    base: float
    """Where the config names none."""


def pairings() -> tuple[Pairing, ...]:
    """Every ``model_type`` that turns and is known here, with its pairs and its slice, by name.

    >>> next(row for row in pairings() if row.model_type == "gptj")[1:]
    ('interleaved', '', 1.0, 'first', 10000.0)
    """
    return tuple(
        Pairing(name, one.layout, one.layout_key, one.share, one.side, one.base)
        for name, one in sorted(MODELS.items())
        if one.kind == "rotary"
    )
