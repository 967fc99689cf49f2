"""A statement that one reads about positional encoding, what decides it, and the verdict that follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, NamedTuple

from pe_book.evidence.verdict import Verdict

Decision = Callable[..., Verdict | bool]

TRUE = "true"
CONDITION = "true with a condition"
FALSE = "false"
DISAGREE = "sources disagree"
UNCHECKED = "cannot be checked here"
#: The verdicts, in the order in which a page lists them.
VERDICTS = (FALSE, CONDITION, DISAGREE, TRUE, UNCHECKED)
#: What follows if nothing supports what the record says instead: no page shows it.
UNSUPPORTED = "not supported"

FIELD = re.compile(r"\{([^{}:]+)(?::[^{}]*)?\}")


@dataclass(frozen=True)
class Change:
    """One change under which a claim no longer gets its verdict, and a test makes it."""

    words: str
    """What is changed, as the page says it."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Inputs of the decisions, by name."""
    of: str = ""
    """Or a function of the package, by its dotted name where the decision looks it up."""
    put: Callable[..., Any] | None = None
    """What stands there instead."""


@dataclass(frozen=True)
class Quotation:
    """What somebody else has published, where, and when it was read for the book."""

    where: str
    """The section of a paper, or repository and file."""
    says: str
    """What stands there, word for word or in the book's words."""
    key: str = ""
    """Bibliography key of a paper."""
    read: str = ""
    """The day, as 2026-11-25; empty where none was recorded."""
    verbatim: bool = True
    """Whether these are the words that stand there."""


@dataclass(frozen=True)
class Decided:
    """What decides a claim, in Python; its words stand beside it in TOML."""

    as_stated: Decision
    """Whether the statement holds as it stands."""
    with_condition: Decision | None = None
    """Whether it holds with the condition that the record names."""
    instead: Decision | None = None
    """Whether what the record says instead holds; of two sources, whether the other one is right."""
    fails_with: Change | None = None
    torch: bool = False
    """Whether deciding it needs torch."""


@dataclass(frozen=True)
class Claim:
    """A statement, the correct one, and the decisions on both."""

    key: str
    """C001 to C124; it never changes."""
    said: str
    """The statement, in the book's words."""
    right: str
    """What is right: a field in braces is filled in with the evidence of a decision."""
    told: str
    """The verdict that these words tell; evidence that gives another one stops the build."""
    chapter: str
    """Label of the section that treats it."""
    group: str = ""
    """The name of its module."""
    against: str = ""
    """What another source says: it is right, and the statement is false or right by another convention."""
    judged: Quotation | None = None
    """What the claim rests on, where that was quoted and not computed."""
    decided: Decided | None = None
    """None where nothing here decides it."""


class Judgement(NamedTuple):
    """A verdict with the numbers behind it."""

    verdict: str
    evidence: dict[str, Any]


def judge(claim: Claim, **inputs: Any) -> Judgement:
    """The verdict on a claim, from its decisions alone.

    Parameters
    ----------
    claim : Claim
    **inputs
        What the decisions are given in place of their defaults; each takes those that it names.

    Returns
    -------
    Judgement

    Examples
    --------
    >>> even = Claim("C000", "7 is even", "", FALSE, "", decided=Decided(lambda n=7: n % 2 == 0))
    >>> judge(even).verdict, judge(even, n=8).verdict
    ('false', 'true')
    """
    evidence: dict[str, Any] = {}

    def holds(decision: Decision | None) -> bool:
        if decision is None:
            return False
        taken = {name: value for name, value in inputs.items() if name in signature(decision).parameters}
        found = decision(**taken)
        if isinstance(found, Verdict):
            evidence.update({name: value for name, value in found.evidence.items() if name not in evidence})
        return bool(found)

    decided = claim.decided
    if decided is None:
        return Judgement(UNCHECKED, evidence)
    stated = holds(decided.as_stated)
    if claim.against:
        if stated or not holds(decided.instead):
            return Judgement(UNSUPPORTED, evidence)
        return Judgement(DISAGREE if holds(decided.with_condition) else FALSE, evidence)
    if stated:
        return Judgement(TRUE, evidence)
    if decided.with_condition is not None:
        return Judgement(CONDITION if holds(decided.with_condition) else FALSE, evidence)
    return Judgement(FALSE if decided.instead is None or holds(decided.instead) else UNSUPPORTED, evidence)


def stands(claim: Claim, **inputs: Any) -> Verdict:
    """Whether the evidence gives a claim the verdict that its record tells."""
    found = judge(claim, **inputs)
    return Verdict(found.verdict == claim.told, {"verdict": found.verdict, **found.evidence})


def worded(claim: Claim, evidence: Mapping[str, Any]) -> str:
    """What is right, with its numbers filled in.

    Parameters
    ----------
    claim : Claim
    evidence : mapping
        As :func:`judge` gives it.

    Returns
    -------
    str

    Examples
    --------
    >>> worded(Claim("C000", "", "The gap is {gap:.2f}.", TRUE, ""), {"gap": 0.25})
    'The gap is 0.25.'
    """
    return claim.right.format_map(evidence)


def fields(claim: Claim) -> list[str]:
    """The names of the numbers that the words of a claim ask for.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    list of str

    Examples
    --------
    >>> fields(Claim("C000", "", "{a:.1f} and {b}", TRUE, ""))
    ['a', 'b']
    """
    return FIELD.findall(claim.right)
