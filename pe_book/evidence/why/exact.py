"""Attention in fractions: what the layer of powers of two makes of whole numbers, without rounding."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

Vector = tuple[int, ...]
Exact = tuple[Fraction, ...]

#: The vectors of the chapter's example.
THREE_WORDS: Mapping[str, Vector] = MappingProxyType({"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)})

#: One word that is looked up and two that it is met with; the axes are finance and water.
BANKS: Mapping[str, Vector] = MappingProxyType({"river": (0, 2), "money": (2, 0), "bank": (1, 1)})


def rows_of(sentence: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> list[Vector]:
    """The vectors of the words of a sentence, in its order.

    >>> rows_of("lion killed")
    [(1, 1), (0, 1)]
    """
    return [vectors[word] for word in sentence.split()]


def powers_of_two(rows: Sequence[Sequence[int]]) -> list[Exact]:
    """What stands in place of the powers of e: 2 to the dot product of each row with each row.

    Entry j of tuple i belongs to the score that word i gives to word j.

    >>> [int(power) for power in powers_of_two([(1, 0), (0, 1), (1, 1)])[0]]
    [2, 1, 2]
    """
    return [tuple(Fraction(2) ** sum(a * b for a, b in zip(x, y, strict=True)) for y in rows) for x in rows]


def exact_attention(rows: Sequence[Sequence[int]], *, causal: bool = False) -> list[Exact]:
    """Attention of whole-number rows to themselves with weights 2^(x·y), as fractions.

    Where it is causal, each row sees itself and the rows before it.

    >>> exact_attention([(1, 0), (0, 1)], causal=True)[1]
    (Fraction(1, 3), Fraction(2, 3))
    """
    outputs = []
    for place, powers in enumerate(powers_of_two(rows)):
        seen = place + 1 if causal else len(rows)
        weights, columns = powers[:seen], zip(*rows[:seen], strict=True)
        outputs.append(
            tuple(
                sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) / sum(weights)
                for column in columns
            )
        )
    return outputs
