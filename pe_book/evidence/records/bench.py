"""The recorded speeds: what `make bench` measured, on which machine, and with which version of the code.

A page never measures time, because no two builds would agree. It reads this record and prints of what it is.
"""

from typing import Any

from pe_book.evidence.records.record import HERE, Record

TABLE = (
    "pe_book/inputs/pairs.py",
    "pe_book/numerics/*.py",
    "pe_book/sinusoidal/computing.py",
    "pe_book/sinusoidal/formula.py",
)
ROTARY = (
    "pe_book/nn/kernels/memory.py",
    "pe_book/nn/kernels/rotary.py",
    "pe_book/nn/modules/rotary*.py",
)
BIAS = (
    "pe_book/family/score_bias/__init__.py",
    "pe_book/family/score_bias/t5.py",
    "pe_book/nn/offsets.py",
    "pe_book/nn/functional/score_bias.py",
    "pe_book/nn/functional/t5.py",
    "pe_book/nn/kernels/toeplitz.py",
    "pe_book/nn/modules/score_bias*.py",
)
RECORD = Record(HERE / "bench.json", TABLE)
ROTARY_RECORD = Record(HERE / "bench_rotary.json", ROTARY)
BIAS_RECORD = Record(HERE / "bench_bias.json", BIAS)
_RECORDS = {
    **dict.fromkeys(("rotary", "decode"), ROTARY_RECORD),
    **dict.fromkeys(("masks", "biases", "step"), BIAS_RECORD),
}


def recorded(part: str, *, record: Record | None = None) -> dict[str, Any]:
    """One part of the record.

    Parameters
    ----------
    part
        ``"table"``: building a table, against other ways and other libraries. ``"calls"``: rows here and
        there, and `encode`. ``"adding"``: adding a row to a word, against appending it. ``"rotary"``: turning
        queries and keys, against other libraries. ``"decode"``: the same in a step of 32 layers. ``"masks"``:
        attention with masks of several shapes. ``"biases"``: making a bias on scores, beside other libraries.
        ``"step"``: the same for one query.
    record
        The record, if not the one beside this module.

    Returns
    -------
    dict
        ``machine`` and ``versions``, text, first that of the package; ``rows``, a list of dicts, times in
        milliseconds.

    Raises
    ------
    ValueError
        If there is no such part.

    Examples
    --------
    >>> sorted(recorded("table"))
    ['machine', 'rows', 'versions']
    """
    found, standing = (record or _RECORDS.get(part, RECORD)).read()
    if part not in found["parts"]:
        raise ValueError(f"part must be one of {', '.join(found['parts'])}, got {part!r}")
    versions = f"{standing}, {found['versions']}"
    return {"machine": found["machine"], "versions": versions, "rows": found["parts"][part]}
