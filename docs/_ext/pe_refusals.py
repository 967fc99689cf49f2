"""What a build refuses: one catalogue, from which messages, the contributors' page and the tests are made.

Each refusal has a code, a sentence, a cure, and where one line can show it a line that passes beside one that
does not (``refusals.toml``).
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.util import logging

log = logging.getLogger(__name__)

FILE = Path(__file__).with_name("refusals.toml")


@cache
def catalogue() -> dict[str, dict[str, Any]]:
    """Code to sentence, cure and examples."""
    read: dict[str, dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return read


def message(code: str, **fields: Any) -> str:
    """What a build says: code, what is wrong, and how to mend it."""
    entry = catalogue()[code]
    return f"{code} {entry['sentence'].format(**fields)}. {entry['cure'].format(**fields)}"


def refuse(code: str, where: Any, **fields: Any) -> None:
    """Fail the build with one entry of the catalogue, at a page, (page, line) or node."""
    log.warning("%s", message(code, **fields), location=where)
