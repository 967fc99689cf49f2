"""What each claim says and what the book says of it, words beside their checks, as somebody has seen it.

`make page P=evidence/claims/models RECORD=yes` records one page, `python -m tests.evidence.claims.said` all.

A number in these words comes from the evidence; a wrong one could stand under a right verdict.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pe_book.evidence.claims import claims
from pe_book.evidence.claims.claim import Claim, judge, worded

FILE = Path(__file__).with_name("said.txt")


def seen() -> dict[str, str]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {key: words for key, _, words in (line.partition(" ") for line in lines)}


def line_of(claim: Claim, evidence: Mapping[str, Any]) -> str:
    said = f"{claim.said} {claim.against and f'({claim.against}) '}=> "
    return " ".join((said + worded(claim.right, evidence, checks=True)).split())


def record(said: Mapping[str, str]) -> None:
    """Write down the lines of some claims, by their keys, and leave the others."""
    lines = sorted({**seen(), **said}.items())
    FILE.write_text("".join(f"{key} {words}\n" for key, words in lines), encoding="utf-8")


if __name__ == "__main__":
    record({claim.key: line_of(claim, judge(claim).evidence) for claim in claims()})
