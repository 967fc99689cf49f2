"""Records in JSON of what was measured at length elsewhere, each with a digest of what it was measured on."""

import json
from pathlib import Path
from typing import Any


def read(record: Path) -> tuple[dict[str, Any], str]:
    """What a record holds, and the digest that it was written with."""
    found = json.loads(record.read_text(encoding="utf-8"))
    digest = found.pop("digest")
    return found, digest


def write(record: Path, digest: str, found: dict[str, Any]) -> None:
    """Replace a record."""
    record.write_text(json.dumps({"digest": digest, **found}, indent=1) + "\n", encoding="utf-8")
