"""The recorded speeds: what `make bench` measured, on which machine, and with which code.

A page never measures time, because no two builds would agree. It reads this record, which carries a digest of
the code that was measured. When that code changes, the record is out of date and reading it fails.
"""

from functools import partial
from typing import Any

from pe_book.evidence.records.code import digest
from pe_book.evidence.records.record import HERE, Record

MEASURED = (
    "pe_book.numerics.cache",
    "pe_book.inputs.pairs",
    "pe_book.numerics.exact",
    "pe_book.numerics.phases",
    "pe_book.numerics.angles",
    "pe_book.sinusoidal.formula",
    "pe_book.numerics.certified",
    "pe_book.numerics.blocks",
    "pe_book.numerics.corrected",
    "pe_book.numerics.compiled",
    "pe_book.sinusoidal.computing",
    "pe_book.evidence.timing",
)
ROTARY = (
    "pe_book.nn.kernels.memory",
    "pe_book.nn.kernels.rotary",
    "pe_book.nn.modules.rotary_cache",
    "pe_book.nn.modules.rotary_steps",
    "pe_book.nn.modules.rotary",
    "pe_book.evidence.rotary_decode",
    "pe_book.evidence.rotary_timing",
)
BIAS = (
    "pe_book.family.score_bias",
    "pe_book.family.score_bias.t5",
    "pe_book.nn.offsets",
    "pe_book.nn.functional.score_bias",
    "pe_book.nn.functional.t5",
    "pe_book.nn.kernels.toeplitz",
    "pe_book.nn.modules.score_bias",
    "pe_book.nn.modules.score_bias_learned",
    "pe_book.nn.modules.score_bias_form",
    "pe_book.evidence.bias_timing",
)
RECORD = Record(HERE / "bench.json", partial(digest, MEASURED))
ROTARY_RECORD = Record(HERE / "bench_rotary.json", partial(digest, ROTARY))
BIAS_RECORD = Record(HERE / "bench_bias.json", partial(digest, BIAS))
_RECORDS = {
    **dict.fromkeys(("rotary", "decode"), ROTARY_RECORD),
    **dict.fromkeys(("masks", "biases", "step"), BIAS_RECORD),
}


def recorded(part: str, *, record: Record | None = None) -> dict[str, Any]:
    """One part of the record, refused when it was measured with other code.

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
    record = record or _RECORDS.get(part, RECORD)
    found, present = record.read()
    if part not in found["parts"]:
        raise ValueError(f"part must be one of {', '.join(found['parts'])}, got {part!r}")
    if not present:
        name = record.file.name
        raise ValueError(f"{name} was measured with other code: run `make bench` and commit what it writes")
    return {"machine": found["machine"], "versions": found["versions"], "rows": found["parts"][part]}
