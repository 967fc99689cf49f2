"""What each claim says and what the book says of it, words beside their checks, as somebody has seen it.

`python -m tests.evidence.claims.said` writes it anew.

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


if __name__ == "__main__":
    said = {claim.key: line_of(claim, judge(claim).evidence) for claim in claims()}
    FILE.write_text("".join(f"{key} {words}\n" for key, words in said.items()), encoding="utf-8")
