"""Where notes contradict each other or themselves: what each side says, and which claim decides."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pe_book.evidence.claims import claim_of
from pe_book.evidence.claims.claim import judge, not_so, worded


@dataclass(frozen=True)
class Contradiction:
    """Three sentences on one contradiction."""

    key: str
    """K1 to K18; it never changes."""
    topic: str
    one: str
    """What one side says."""
    other: str
    """What the other side says."""
    right: str
    """What is right: a field in braces is filled in with the evidence of the claims."""
    claims: tuple[str, ...]
    """The claims that decide it."""


@cache
def contradictions() -> tuple[Contradiction, ...]:
    """Every contradiction, in the order of the keys.

    >>> contradictions()[-1].key
    'K18'
    """
    words = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(Contradiction(key, **one | {"claims": tuple(one["claims"])}) for key, one in words.items())


def settled(found: Contradiction) -> str:
    """What is right, with the numbers of the claims that decide it.

    >>> settled(contradictions()[15])
    'Five, at positions 0 to 4.'
    """
    evidence: dict[str, object] = {}
    for key in found.claims:
        evidence = judge(claim_of(key)).evidence | evidence
    if wrong := not_so(found.right, evidence):
        raise ValueError(f"{found.key} says what its claims do not: {', '.join(wrong)}")
    return worded(found.right, evidence)
