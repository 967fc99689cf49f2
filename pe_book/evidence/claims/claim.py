"""A statement that one reads about positional encoding, what decides it, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from string import Formatter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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

#: The tolerances of the claims, relative to the size of what is compared where that is above 1: what float64
#: and float32 lose, and what a fit by least squares leaves. No decision has one of its own.
ROUNDING, FLOAT32, FITTED = 1e-12, 1e-6, 1e-9


@dataclass(frozen=True)
class Change:
    """One change under which a claim no longer gets its verdict, and a test makes it."""

    words: str
    """What is changed, as the page says it; a field is an input."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Inputs of the decisions, by name."""
    of: str = ""
    """Or a function of the package, by its dotted name where the decision looks it up."""
    put: Callable[..., Any] | None = None
    """What stands there instead."""

    @property
    def said(self) -> str:
        """The words with the inputs filled in."""
        return worded(self.words, self.inputs)


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
    """Whether what the statement says is so, whatever its reason."""
    with_condition: Decision | None = None
    """Whether it holds with the condition that the record names."""
    instead: Decision | None = None
    """Whether what the record says instead holds; of two sources, whether the other one is right."""
    because: Decision | None = None
    """Of a statement that gives a reason: whether the reason brings it about, wherever it is given."""
    torch: bool = False
    """Whether deciding it needs torch."""
    fails_with: Change | None = None


def given(decision: Callable[..., Verdict], *values: Any, **inputs: Any) -> Decision:
    """The decision on these inputs, which no change of a claim sets."""
    return lambda: decision(*values, **inputs)


@dataclass(frozen=True)
class Claim:
    """A statement, the correct one, and the decisions on both."""

    key: str
    """C001 to C124, without C047 and C106, which C045 and C104 say as well; it never changes."""
    said: str
    """The statement, in the book's words."""
    right: str
    """What is right: a field in braces is filled in with the evidence of a decision, or with a setting of it;
    ``{of one size <ratio < 2>}`` has words that the evidence decides."""
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
    """The verdict on a claim, from its decisions alone; of `inputs` each takes those that it names.

    >>> even = Claim("C000", "7 is even", "", FALSE, "", decided=Decided(lambda n=7: n % 2 == 0))
    >>> judge(even).verdict, judge(even, n=8).verdict
    ('false', 'true')
    """
    evidence: dict[str, Any] = {}

    def holds(decision: Decision | None) -> bool:
        if decision is None:
            return False
        settings = {name: one.default for name, one in signature(decision).parameters.items()}
        settings |= {name: value for name, value in inputs.items() if name in settings}
        found = decision(**settings)
        shown = {name: value for name, value in settings.items() if isinstance(value, (str, int, float))}
        for given in (found.evidence if isinstance(found, Verdict) else {}, shown):
            evidence.update({name: value for name, value in given.items() if name not in evidence})
        return bool(found)

    verdict = _verdict(claim, holds)
    wrong = not_so(claim.right, evidence) if verdict == claim.told else []
    return Judgement(f"{UNSUPPORTED}: {', '.join(wrong)}" if wrong else verdict, evidence)


def _verdict(claim: Claim, holds: Callable[[Decision | None], bool]) -> str:
    decided = claim.decided
    if decided is None:
        return UNCHECKED
    stated = holds(decided.as_stated) and (decided.because is None or holds(decided.because))
    if claim.against:
        if stated or not holds(decided.instead):
            return UNSUPPORTED
        return DISAGREE if holds(decided.with_condition) else FALSE
    if stated:
        return TRUE
    if decided.with_condition is not None:
        return CONDITION if holds(decided.with_condition) else FALSE
    return FALSE if decided.instead is None or holds(decided.instead) else UNSUPPORTED


def stands(claim: Claim, **inputs: Any) -> Verdict:
    """Whether the evidence gives a claim the verdict that its record tells."""
    found = judge(claim, **inputs)
    return Verdict(found.verdict == claim.told, {"verdict": found.verdict, **found.evidence})


class _Filled(Formatter):
    """A field is filled in; of words with a check, the words are left, with `checks` the check as well."""

    def __init__(self, checks: bool) -> None:
        self.checks = checks

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        words, _, check = field_name.partition(" <")
        if not check:
            return kwargs[field_name], field_name
        return f"[{field_name}]" if self.checks else words, field_name


def worded(text: str, evidence: Mapping[str, Any], *, checks: bool = False) -> str:
    """The words of a claim with the numbers of its evidence; with `checks` what decides words, too.

    >>> text = "The gap is {gap:.2f}, {less than a half <gap < 1 / 2>}."
    >>> worded(text, {"gap": 0.25}), worded(text, {"gap": 0.25}, checks=True)
    ('The gap is 0.25, less than a half.', 'The gap is 0.25, [less than a half <gap < 1 / 2>].')
    """
    return _Filled(checks).vformat(text, (), evidence)


def fields(text: str) -> list[str]:
    """The fields of the words of a claim, with the words that a check decides.

    >>> fields("{a:.1f} and {b}, {more <b > a>}")
    ['a', 'b', 'more <b > a>']
    """
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


def typed(text: str) -> str:
    """The words of a claim without its fields.

    >>> typed("It is {a:.1f}, {more <b > a>} than 3.")
    'It is ▯, ▯ than 3.'
    """
    return "▯".join(words for words, *_ in Formatter().parse(text))


def not_so(text: str, evidence: Mapping[str, Any]) -> list[str]:
    """The decided words of a claim that the evidence does not give.

    >>> not_so("{a half <gap == 1 / 2>} and {more <gap > 0>}", {"gap": 0.25})
    ['a half <gap == 1 / 2>']
    """
    checks = {name: name.partition(" <")[2].removesuffix(">") for name in fields(text) if " <" in name}
    given = {name.replace(" ", "_"): value for name, value in evidence.items()}
    return [held for held, check in checks.items() if not eval(check, {"__builtins__": {}}, given)]


def equal(found: ArrayLike, due: ArrayLike, within: float = ROUNDING) -> bool:
    """Whether numbers are the same up to one of the tolerances of the claims.

    >>> equal([1e-13, 1e3], [0, 1e3 + 1e-10]), equal(3e-12, 0), equal(1e3, 1e3 + 3e-9)
    (True, False, False)
    """
    return bool(np.allclose(found, due, rtol=within, atol=within))
