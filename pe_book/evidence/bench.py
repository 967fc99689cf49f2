"""The recorded speeds: what `make bench` measured, on which machine, and with which code.

A page never measures time, because no two builds would agree. It reads this record, which carries a digest of
the code that was measured. When that code changes, the record is out of date and reading it fails.
"""

import ast
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
RECORD = _HERE / "bench.json"
MEASURED = (
    "numerics/cache.py",
    "inputs/pairs.py",
    "numerics/exact.py",
    "numerics/phases.py",
    "numerics/angles.py",
    "sinusoidal/formula.py",
    "numerics/certified.py",
    "numerics/blocks.py",
    "numerics/corrected.py",
    "numerics/compiled.py",
    "sinusoidal/computing.py",
    "evidence/timing.py",
)

ROTARY_RECORD = _HERE / "bench_rotary.json"
ROTARY = (
    "nn/kernels/memory.py",
    "nn/kernels/rotary.py",
    "nn/modules/rotary_cache.py",
    "nn/modules/rotary.py",
    "evidence/rotary_timing.py",
)


def digest(root: Path | None = None, *, files: Sequence[str] = MEASURED) -> str:
    """One hash of the code that is measured: what it does, not how it is commented.

    Parameters
    ----------
    root
        The folder of the package, if not this one.
    files
        Of that folder, if not those whose speed is measured.

    Returns
    -------
    str
        64 hexadecimal digits. Comments, docstrings and line breaks do not change it.

    Examples
    --------
    >>> len(digest())
    64
    """
    seen = hashlib.sha256()
    root = root or _HERE.parent
    for name in files:
        tree = ast.parse((root / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
                body[:] = body[1:] if isinstance(body[0].value, ast.Constant) else body
        seen.update(f"{name}\n{ast.unparse(tree)}\n".encode())
    return seen.hexdigest()


def recorded(part: str, *, record: Path | None = None) -> dict[str, Any]:
    """One part of the record, refused when it was measured with other code.

    Parameters
    ----------
    part
        ``"table"``: building a table, against other ways and other libraries. ``"calls"``: rows here and
        there, and `encode`. ``"adding"``: adding a row to a word, against appending it. ``"rotary"``: turning
        queries and keys, against other libraries.
    record
        The file, if not the one beside this module.

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
    files = ROTARY if part == "rotary" else MEASURED
    record = record or (ROTARY_RECORD if part == "rotary" else RECORD)
    found = json.loads(record.read_text(encoding="utf-8"))
    if part not in found["parts"]:
        raise ValueError(f"part must be one of {', '.join(found['parts'])}, got {part!r}")
    if found["digest"] != digest(files=files):
        raise ValueError(
            f"{record.name} was measured with other code: run `make bench` and commit what it writes"
        )
    return {"machine": found["machine"], "versions": found["versions"], "rows": found["parts"][part]}
