"""The recorded study of longer texts: every run of its protocol, and how each does at five lengths.

A page reads this record, since the study takes hours; a miniature of it runs in each build.
"""

from typing import Any

from pe_book.evidence.records.record import HERE, Record

MEASURED = (
    "pe_book/evidence/length_generalisation/decoder.py",
    "pe_book/evidence/length_generalisation/members.py",
    "pe_book/evidence/length_generalisation/protocol.py",
    "pe_book/evidence/length_generalisation/tasks.py",
    "pe_book/evidence/length_generalisation/training.py",
    "pe_book/nn/functional/score_bias.py",
    "pe_book/nn/functional/relative.py",
    "pe_book/nn/functional/windows.py",
    "pe_book/nn/modules/*.py",
)
RECORD = Record(HERE / "length_generalisation.json", MEASURED)


def recorded() -> tuple[dict[str, Any], str]:
    """What was found, and of which version."""
    return RECORD.read()
