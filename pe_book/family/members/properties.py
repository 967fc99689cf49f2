"""What a member of the family has and does: every answer comes from running it, none from its description."""

from functools import cache
from typing import NamedTuple

from pe_book.family.members import members, predicates
from pe_book.family.members.places import TOKENS, Member, of_a_member
from pe_book.family.members.predicates import Beyond, Call, equal


class Properties(NamedTuple):
    """What :func:`measure` found."""

    parameters: int
    """Learned numbers of one layer."""
    bounded: bool | None
    """Whether what comes in stops growing as the text does."""
    distinct: tuple[int, int] | None
    """How many positions (input) or offsets are told apart, of how many."""
    difference: bool
    """Whether weights stay as they are when all positions move on."""
    beyond: Beyond
    """What one token past the training length does; ``"moves"`` if it changes what earlier words are told."""
    cache: bool
    """Whether a cached key stays right, and one step of decoding gives what the whole text gives."""
    square: bool
    """Whether a number for every query and key is handed over."""
    call: Call
    """What the attention call has to be given, ``"own code"`` if it has to give its weights away."""
    direction: bool
    """Whether two equal words score each other differently, with W_Q = W_K."""
    order: bool
    """Whether, without a mask, a text read backwards comes out as another, with W_Q = W_K."""
    maskless: bool
    """Whether equal words have other weights at another place where nothing is masked."""
    counts: bool
    """Whether equal words come out different, under a causal mask."""
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

    Returns
    -------
    Properties
        The answers.

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
