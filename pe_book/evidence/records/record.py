"""A record: a file of what was measured at length, with the version that it was measured on.

Nothing is refused for its age. Where the code has changed since, whatever shows a record says so.
"""

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pe_book

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ROOMS = ("inputs", "numerics", "why", "sinusoidal", "family", "config", "checkpoint", "nn")


def definitions(*rooms: str) -> tuple[str, ...]:
    """The code of some rooms of the package, as patterns; of all that define something, if none is named.

    >>> definitions("family", "why")
    ('pe_book/family/**/*.py', 'pe_book/why/**/*.py')
    """
    return tuple(f"pe_book/{room}/**/*.py" for room in rooms or ROOMS)


class Record(NamedTuple):
    """One file, and what it was measured on."""

    file: Path
    measured: tuple[str, ...]
    """Patterns of files below the root of the book."""

    def digest(self, root: Path = ROOT) -> str:
        """Of what was measured, as it stands in a copy of the book."""
        return digest(self.measured, root)

    def read(self) -> tuple[dict[str, Any], str]:
        """What was found, and in words of which version, and whether its code has changed since."""
        found = json.loads(self.file.read_text(encoding="utf-8"))
        if not {"version", "digest"} <= set(found):
            raise ValueError(f"{self.file.name} must have a version and a digest, got {', '.join(found)}")
        version, kept = found.pop("version"), found.pop("digest")
        same = kept == self.digest()
        return found, f"pe_book {version} ({STANDS if same else f'digest {kept[:8]}; {CHANGED}'})"

    def write(self, found: dict[str, Any], *, digest: str | None = None) -> None:
        """Replace the record; `digest` is what it was when a long measurement began."""
        whole = {"version": pe_book.__version__, "digest": digest or self.digest(), **found}
        self.file.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


STANDS, CHANGED = "the code that stands here", "the code has changed since"


def digest(patterns: Iterable[str], root: Path = ROOT) -> str:
    """One hash of files: of Python by its statements, whatever is told in comments and docstrings."""
    seen = hashlib.sha256()
    for file in sorted({file for pattern in patterns for file in root.glob(pattern)}):
        if file.is_file() and "__pycache__" not in file.parts:
            seen.update(file.relative_to(root).as_posix().encode())
            seen.update((_statements if file.suffix == ".py" else bytes)(file.read_bytes()))
    return seen.hexdigest()


@cache
def _statements(source: bytes) -> bytes:
    return hashlib.sha256(repr(_plain(ast.parse(source))).encode()).digest()


def _plain(node: object) -> object:
    """A tree without what is empty, since a later Python has more that is, and without docstrings."""
    if isinstance(node, list):
        return [_plain(one) for one in node if not _is_words(one)]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, getattr(node, name, None)) for name in node._fields if name != "ctx"]
    return type(node).__name__, [(name, _plain(value)) for name, value in fields if value not in (None, [])]


def _is_words(node: object) -> bool:
    """A docstring, of an attribute too."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
