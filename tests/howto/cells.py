"""The code of the how-to pages, as a reader copies it."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pe_book

FOLDER = Path(pe_book.__file__).parents[1] / "docs" / "howto"
PAGES = sorted(file.stem for file in FOLDER.glob("*.md") if file.stem != "index")
BLOCK = re.compile(r"```\{code-(cell|block)\} python\n((?::tags: [^\n]*\n)?)(.*?)```", re.DOTALL)


def text(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


def cells(page: str) -> list[str]:
    """The cells that a reader sees."""
    return [
        code
        for kind, tags, code in BLOCK.findall(text(page))
        if kind == "cell" and "remove-input" not in tags
    ]


def blocks(page: str) -> list[str]:
    """Listings that no kernel runs."""
    return [code for kind, _, code in BLOCK.findall(text(page)) if kind == "block"]


def printed(source: str) -> list[str]:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def names(*sources: str) -> dict[str, Any]:
    """The names after code was run here."""
    found: dict[str, Any] = {}
    exec("\n".join(sources), found)
    return found


def said(*sources: str) -> list[str]:
    """What code prints that is run here."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        names(*sources)
    return out.getvalue().splitlines()


def run(page: str, *numbers: int) -> dict[str, Any]:
    """The names after some cells of a page were run here."""
    return names(*(cells(page)[number] for number in numbers))
