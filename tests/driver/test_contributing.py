"""CONTRIBUTING says what is so: its commands are known, the tests and files that it names are there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

import book
from driver.chapter import FILES, TWIN
from tests.chapters import ROOT, chapters

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = {"part": "family", "stem": "rotary", "slug": "rotary"}
LAID_OUT = {path.format(**EXAMPLE) for path in (*FILES, *TWIN)}
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )?(?:make|python|\.venv/bin/python)(?: .+)?")
PLACE = re.compile(
    r"(?:pe_book|tests|docs|\.ci)(?:/[\w.<>*…-]+)+/?|[\w.-]+\.(?:md|py|js|json|toml|txt|yml|lock|bib)"
)
BUILT = ("docs/_build/",)


def spans(text: str) -> list[str]:
    """What stands in code font in a sentence."""
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", outside)]


def commands(text: str) -> list[str]:
    """Every command, without what is said of it."""
    blocks = "".join(re.findall(r"```shell\n(.*?)```", text, re.DOTALL)).splitlines()
    lines = [*blocks, *(span for span in spans(text) if COMMAND.fullmatch(span))]
    return [part.strip() for line in lines for part in re.sub(r"\s+#.*", "", line).split("&&")]


def wrong(text: str) -> list[str]:
    """What is not so."""
    places = [span for span in spans(text) if PLACE.fullmatch(span) and not span.startswith(BUILT)]
    gone = [f"{place} is not there" for place in places if not there(place)]
    return [why for command in commands(text) for why in [*faults(command)][:1]] + gone


def faults(command: str) -> Iterator[str]:
    """Why a command would not run."""
    program, *words = (word for word in shlex.split(command) if not word.startswith("PE_RECORD="))
    if program == "make":
        for name, _, value in (word.partition("=") for word in words[1:]):
            if f"{name}=" not in book.COMMANDS.get(words[0], ""):
                yield f"{command}: make help says nothing of {name} there"
            elif name == "P" and value not in chapters():
                yield f"{command}: there is no chapter {value}"
        if words and words[0] not in book.COMMANDS:
            yield f"{command}: there is no such command"
    elif words[0] != "-m":
        yield from (f"{command}: {word} is not there" for word in words[:1] if not there(word))
    elif words[1] != "ruff":
        files = words[2 : words.index("-k")] if "-k" in words else words[2:]
        yield from (f"{command}: {file} is not there" for file in files if not there(file))
        if words[1] != "pytest" or ("-k" in words and not selects(*words[2:])):
            yield f"{command}: no test is run"


def there(place: str) -> bool:
    """Whether a path exists, is a pattern of some that do, or is laid out for the example."""
    if place in LAID_OUT:
        return True
    pattern = re.sub(r"<\w+>|…", "*", place.rstrip("/"))
    tops = (
        ["docs/_ext/**", "docs/_static/**", "docs/_themes/**", "docs", "pe_book/**", "tests/**", "."]
        if "/" not in pattern
        else ["."]
    )
    return any(next(ROOT.glob(f"{top}/{pattern}"), None) for top in tops)


@cache
def selects(*words: str) -> bool:
    """Whether pytest finds a test."""
    asked = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_every_command_and_every_file_is_there():
    assert len(commands(TEXT)) > 30
    assert wrong(TEXT) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("make stubs ", "make stub "),
        ("make test P=family/rotary", "make test P=family/rotory"),
        ("pytest tests/nn/test_parity.py", "pytest tests/nn/test_parities.py"),
        ("`pe_book/evidence/family/rotary.py`", "`pe_book/evidence/family/rotory.py`"),
    ],
)
def test_what_is_not_so_is_seen(was, now):
    assert TEXT.count(was) >= 1
    assert len(wrong(TEXT.replace(was, now, 1))) == 1
