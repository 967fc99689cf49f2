"""The recorded speeds: what `make bench` measured, on which machine, and with which code.

A page never measures time, because no two builds would agree. It reads this record, which carries a digest of
the code that was measured. When that code changes, the record is out of date and reading it fails.
"""

from functools import partial
from typing import Any

from pe_book.evidence.records.code import digest
from pe_book.evidence.records.record import HERE, Record

MEASURED = (
    "pe_book.sinusoidal.kept",
    "pe_book.pairs",
    "pe_book.sinusoidal.exact",
    "pe_book.sinusoidal.phases",
    "pe_book.sinusoidal.angles",
    "pe_book.sinusoidal.formula",
    "pe_book.sinusoidal.certified",
    "pe_book.sinusoidal.blocks",
    "pe_book.sinusoidal.settled",
    "pe_book.sinusoidal.compiled",
    "pe_book.sinusoidal.computing",
    "pe_book.evidence.timing",
)
ROTARY = (
    "pe_book.nn.memory",
    "pe_book.nn.turning",
    "pe_book.nn.turn_table",
    "pe_book.nn.rotating",
    "pe_book.evidence.rotary_timing",
)
RECORD = Record(HERE / "bench.json", partial(digest, MEASURED))
ROTARY_RECORD = Record(HERE / "bench_rotary.json", partial(digest, ROTARY))


def recorded(part: str, *, record: Record | None = None) -> dict[str, Any]:
    """One part of the record, refused when it was measured with other code.

    Parameters
    ----------
    part
        ``"table"``: building a table, against other ways and other libraries. ``"calls"``: rows here and
        there, and `encode`. ``"adding"``: adding a row to a word, against appending it. ``"rotary"``: turning
        queries and keys, against other libraries.
    record
        The record, if not the one beside this module.

    Returns
    -------
    dict
        ``machine`` and ``versions``, text; ``rows``, a list of dicts, times in milliseconds.

    Raises
    ------
    ValueError
        If there is no such part, or the code has changed since.

    Examples
    --------
    >>> sorted(recorded("table"))
    ['machine', 'rows', 'versions']
    """
    record = record or (ROTARY_RECORD if part == "rotary" else RECORD)
    found, present = record.read()
    if part not in found["parts"]:
        raise ValueError(f"part must be one of {', '.join(found['parts'])}, got {part!r}")
    if not present:
        name = record.file.name
        raise ValueError(f"{name} was measured with other code: run `make bench` and commit what it writes")
    return {"machine": found["machine"], "versions": found["versions"], "rows": found["parts"][part]}
