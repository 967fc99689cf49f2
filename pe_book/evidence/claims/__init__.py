"""Statements that one reads about positional encoding, each with what decides it and its verdict.

The words of a claim stand in TOML, what decides it in the module beside it; a group of claims is one of each.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pe_book.evidence.claims import claim as records
from pe_book.evidence.claims.claim import Claim, Quotation
from pe_book.evidence.verdict import Verdict

#: The groups, in the order of their claims, with what each is about.
GROUPS = {
    "order": "Order, attention, parallelism",
    "attempts": "Counting, normalising",
    "sines": "Sines and cosines",
    "formula": "The formula and its tables",
    "waves": "Waves, heatmap, uniqueness",
    "shift": "The shift matrix",
    "integration": "Adding, and code",
    "models": "Longer texts, comparisons, models",
    "links": "Who wrote it, and links",
}


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim, in the order of the keys.

    >>> claims()[0].key, claims()[-1].key
    ('C001', 'C124')
    """
    found = []
    for group in GROUPS:
        words = tomllib.loads(Path(__file__).with_name(f"{group}.toml").read_text(encoding="utf-8"))
        module = import_module(f"{__name__}.{group}")
        changes = module.FAILS_WITH
        decided = {key: replace(one, fails_with=changes[key]) for key, one in module.DECIDED.items()}
        if stray := (decided.keys() | changes.keys()) - words.keys():
            raise ValueError(
                f"{group}.py decides {', '.join(sorted(stray))}, of which {group}.toml has no words"
            )
        for key, one in words.items():
            judged = Quotation(**one.pop("judged")) if "judged" in one else None
            found.append(Claim(key, **one, group=group, judged=judged, decided=decided.get(key)))
    return tuple(sorted(found, key=lambda claim: claim.key))


def stands(key: str, **inputs: Any) -> Verdict:
    """Whether the evidence gives a claim the verdict that its record tells.

    `inputs` are given to its decisions in place of their defaults. The evidence is that of the decisions,
    with the verdict under ``"verdict"``.

    >>> bool(stands("C045")), bool(stands("C045", base=100.0))
    (True, False)
    """
    return records.stands(claim_of(key), **inputs)


def claim_of(key: str) -> Claim:
    """One claim by its key, such as ``"C045"``; a ValueError if there is no such claim.

    >>> claim_of("C004").said
    'Three words in any order give identical outputs.'
    """
    for found in claims():
        if found.key == key:
            return found
    raise ValueError(f"key must be one of {claims()[0].key} to {claims()[-1].key}, got {key!r}")
