"""A record: a file of what was measured, with a digest of what it was measured on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


class Record(NamedTuple):
    """One file, and how the digest of what it was measured on is made."""

    file: Path
    digest: Callable[..., str]
    """Of the book below a folder: this one, if none is given."""

    def read(self) -> tuple[dict[str, Any], bool]:
        """What was found, and whether that was on what stands here now."""
        found = json.loads(self.file.read_text(encoding="utf-8"))
        return found, found.pop("digest") == self.digest()

    def write(self, found: dict[str, Any], *, digest: str | None = None) -> None:
        """Replace the record; `digest` is what it was when a long measurement began."""
        whole = {"digest": digest or self.digest(), **found}
        self.file.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
