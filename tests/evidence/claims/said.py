"""What the book says of each claim, as somebody has seen it.

`python -m tests.evidence.claims.said` writes it anew.

A number in these words comes from the evidence; a wrong one could stand under a right verdict.
"""

from pathlib import Path

from pe_book.evidence.claims import claims
from pe_book.evidence.claims.claim import judge, worded

FILE = Path(__file__).with_name("said.txt")


def seen() -> dict[str, str]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {key: words for key, _, words in (line.partition(" ") for line in lines)}


def line_of(words: str) -> str:
    return " ".join(words.split())


if __name__ == "__main__":
    said = {claim.key: line_of(worded(claim, judge(claim).evidence)) for claim in claims()}
    FILE.write_text("".join(f"{key} {words}\n" for key, words in said.items()), encoding="utf-8")
