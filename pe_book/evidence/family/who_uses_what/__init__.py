"""Decides what the page on models says: how many do what, who learns a table, what tells two gaps apart."""

import numpy as np

from pe_book.census import census
from pe_book.evidence.family.who_uses_what.listed import rows
from pe_book.evidence.verdict import Verdict
from pe_book.family.doors.models import Model, models
from pe_book.family.relative.deberta import deberta_bias
from pe_book.why.order_blindness import attention

#: An example of the paper of DeBERTa, by the numbers of its words: 0 is a gap, and *new* stands before both.
GAPS = (1, 2, 0, 3, 4, 5, 2, 0)


def having(*words: str, origin: str = "") -> int:
    """How many rows of the list have all these words in their encoding, or come from such a source.

    >>> having("rotary", "sink logit") < having("rotary") < having()
    True
    """
    return sum({*words} <= {*one.encoding} and origin in ("", one.origin) for one in rows())


def alone(word: str) -> int:
    """How many rows have this word alone in their encoding."""
    return sum(one.encoding == (word,) for one in rows())


def pairing(layout: str) -> int:
    """How many rows pair so in some layer."""
    return sum(f"{layout}, " in one.pairs for one in rows())


def ran() -> int:
    """How many model types the census ran."""
    return sum(not one.not_run for one in census().types.values())


def learns_rows(found: Model) -> bool:
    """Whether a model learns a row for each position, at whichever depth it is added.

    >>> [one.name for one in models() if one.year == 2020 and learns_rows(one)]
    ['GPT-3', 'DeBERTa']
    """
    return "input" in found.doors and not found.sinusoidal and bool(found.shapes)


def rows_alone(found: Model) -> bool:
    """Whether these rows are all that tells it positions."""
    return learns_rows(found) and found.doors == ("input",)


def in_years(first: int, last: int) -> tuple[Model, ...]:
    """The models of the list that were made public in some years."""
    return tuple(found for found in models() if first <= found.year <= last)


def tells_gaps_apart(*, relative: bool = True) -> Verdict:
    """Whether one layer tells the two gaps of a sentence apart, by DeBERTa's relative terms or by nothing.

    Words, matrices and vectors of offsets are drawn. Nothing is masked, and no position is added.
    """
    rng, at, width = np.random.default_rng(0), np.arange(len(GAPS)), 64
    drawn = rng.normal(size=(max(GAPS) + 1, width))[list(GAPS)]
    q, k, v = (drawn @ w for w in rng.normal(0, width**-0.5, (3, width, width)))
    as_keys, as_queries = rng.normal(size=(2, 2 * len(GAPS), width))
    bias = np.zeros((len(GAPS), len(GAPS)))
    if relative:
        bias = deberta_bias(q, k, as_keys, as_queries, at, at, convention="paper")
    one, other = attention(q, k, v, bias=bias, scale=(3 * width) ** -0.5)[np.asarray(GAPS) == 0]
    apart = float(np.linalg.norm(one - other) / np.linalg.norm(one))
    return Verdict(apart > 1e-9, {"apart": 100 * apart})
