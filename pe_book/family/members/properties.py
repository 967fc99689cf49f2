"""What a member of the family has and does: every answer comes from running it, none from its description."""

from functools import cache
from typing import NamedTuple

from pe_book.family.members import members, predicates
from pe_book.family.members.places import TOKENS, Member, of_a_member
from pe_book.family.members.predicates import Beyond, Call, equal


class Properties(NamedTuple):
    """What :func:`measure` found: what the predicates of these names say, and what is counted."""

    parameters: int
    """Learned numbers of one layer."""
    bounded: bool | None
    distinct: tuple[int, int] | None
    difference: bool
    beyond: Beyond
    """What one token past the training length does; ``"moves"`` if it changes what earlier words are told."""
    cache: bool
    square: bool
    call: Call
    """What the attention call has to be given, ``"own code"`` if it has to give its weights away."""
    direction: bool
    order: bool
    maskless: bool
    counts: bool
    numbers: tuple[int, ...]
    """Shape of the numbers in which position comes in, for 64 tokens and one layer."""
    growth: float
    """By what they are multiplied for 128 tokens."""


@of_a_member
def measure(member: Member) -> Properties:
    """Every property of one member.

    Parameters
    ----------
    member
        One of :func:`~pe_book.family.members.members`, or one of your own, trained for 256 tokens or more.

    Examples
    --------
    >>> from pe_book.family.members import members
    >>> found = measure(members()["learned table"])
    >>> found.beyond, found.distinct, found.difference
    ('refuses', (512, 512), False)
    """
    numbers = [equal(member, n).told for n in (TOKENS, 2 * TOKENS)]
    return Properties(
        parameters=member.parameters,
        bounded=predicates.bounded(member),
        distinct=predicates.distinct(member),
        difference=predicates.difference(member),
        beyond=predicates.beyond(member),
        cache=predicates.cache(member),
        square=predicates.square(member),
        call=predicates.call(member),
        direction=predicates.direction(member),
        order=predicates.order(member),
        maskless=predicates.maskless(member),
        counts=predicates.counts(member),
        numbers=numbers[0].shape,
        growth=numbers[1].size / max(numbers[0].size, 1),
    )


@cache
def matrix() -> dict[str, Properties]:
    """The properties of every member at its usual sizes.

    Returns
    -------
    dict of str to Properties
        In the order of :func:`~pe_book.family.members.members`.

    Examples
    --------
    >>> [name for name, found in matrix().items() if found.beyond != "goes on"]
    ['count over length', 'learned table']
    """
    return {name: measure(one) for name, one in members().items()}
