"""Claims, contradictions and the table of changes, as the pages of the evidence show them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from pe_book.evidence.claims import GROUPS, claim_of, claims
from pe_book.evidence.claims.changes import CHANGES
from pe_book.evidence.claims.changes import Table as Recorded
from pe_book.evidence.claims.claim import VERDICTS, Claim, Decision, Judgement, judge, typed, worded
from pe_book.evidence.claims.contradictions import contradictions, settled
from pe_book.evidence.claims.links import READING
from pe_book.show.drawing.table import Column, Table
from pe_book.show.drawing.texts import in_print

POWER = re.compile(r"(\d(?:\.\d+)?)e([+-]\d+)")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Told(NamedTuple):
    """Statements with what is right, for the directive that shows them."""

    entries: tuple[dict[str, Any], ...]

    def records(self) -> list[dict[str, Any]]:
        """What the directive is given: texts in Markdown, and names."""
        return list(self.entries)


def judged(chosen: Iterable[Claim]) -> list[tuple[Claim, Judgement]]:
    """Claims with their judgements, by verdict and then by key."""
    found = [(claim, judge(claim)) for claim in chosen]
    rank = {verdict: place for place, verdict in enumerate(VERDICTS)}
    return sorted(found, key=lambda pair: (rank.get(pair[1].verdict, -1), pair[0].key))


def group(name: str) -> Told:
    """All claims of a group, by verdict."""
    return Told(tuple(_entry(*pair) for pair in judged(one for one in claims() if one.group == name)))


def index() -> Told:
    """Every claim in the order of the keys."""
    return Told(tuple(_entry(claim, judge(claim)) for claim in claims()))


def only(key: str) -> Told:
    """One claim."""
    return Told((_entry(claim_of(key), judge(claim_of(key))),))


def settled_contradictions() -> Told:
    """The contradictions of the notes, each with its three sentences."""
    return Told(
        tuple(
            {
                **{"key": one.key, "said": one.topic, "one": one.one, "other": one.other},
                **{"right": printed(settled(one)), "typed": typed(one.right), "claims": list(one.claims)},
            }
            for one in contradictions()
        )
    )


def printed(text: str) -> str:
    """Numbers as people write them: with the sign for minus, and powers of ten.

    >>> printed("it is off by 5.4e-09")
    'it is off by 5.4 · 10⁻⁹'
    """

    def power(found: re.Match[str]) -> str:
        ten = f"10{str(int(found[2])).translate(RAISED)}"
        return ten if found[1] == "1" else f"{found[1]} · {ten}"

    return in_print(POWER.sub(power, text))


def counts() -> Table:
    """How many claims have each verdict, group by group."""
    found = [(claim.group, judge(claim).verdict) for claim in claims()]
    columns = [Column(verdict, [found.count((name, verdict)) for name in GROUPS]) for verdict in VERDICTS]
    together = [sum(one == name for one, _ in found) for name in GROUPS]
    return Table(Column("group", list(GROUPS.values())), *columns, Column("together", together))


def changes(recorded: Recorded) -> Table:
    """The ten changes, and the claims that fail under each."""
    keys = [recorded.failing[change.name] for change in CHANGES]
    return Table(
        Column("change", [change.name for change in CHANGES]),
        Column("claims that fail", [len(failing) for failing in keys]),
        Column("what is changed", [change.words for change in CHANGES]),
        Column("which", [", ".join(_link(key) for key in failing) for failing in keys]),
    )


def reading_list() -> Table:
    """The links of the notes, each with what became of it."""
    return Table(
        Column("claim", [_link(key) for _, _, key in READING]),
        Column("found", [found for _, found, _ in READING]),
        Column("link", [link for link, _, _ in READING]),
    )


def _link(key: str) -> str:
    return f"{{ref}}`{key} <cla:claims:{key.lower()}>`"


def _where(decision: Decision, claim: Claim) -> str:
    """The full name of a decision; one of a line stands in the table of its group."""
    if decision.__name__ == "<lambda>":
        return f"pe_book.evidence.claims.{claim.group}.DECIDED"
    return f"{decision.__module__}.{decision.__name__}"


def _entry(claim: Claim, found: Judgement) -> dict[str, Any]:
    decided = claim.decided
    tried = (decided.as_stated, decided.because, decided.with_condition, decided.instead) if decided else ()
    judged_by = claim.judged
    return {
        "key": claim.key,
        "said": claim.said,
        "against": claim.against,
        "right": printed(worded(claim.right, found.evidence)),
        "typed": typed(claim.right),
        "verdict": found.verdict,
        "told": claim.told,
        "group": claim.group,
        "chapter": claim.chapter,
        "decisions": list(dict.fromkeys(_where(one, claim) for one in tried if one)),
        "change": decided.fails_with.said if decided and decided.fails_with else "",
        "judged": judged_by
        and {name: getattr(judged_by, name) for name in ("where", "says", "key", "read", "verbatim")},
    }
