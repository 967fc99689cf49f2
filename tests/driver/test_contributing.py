"""The handbook says what is so: its commands are known, the tests and files that it names are there."""

import re
import shlex
from collections.abc import Iterator

from driver.chapter import FILES, TWIN
from tests.chapters import ROOT, chapters
from tests.driver.commands import COMMANDS

TEXTS = [(ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md", "AUTHORING.md")]
TEXT = "\n".join(TEXTS)
EXAMPLE = {"part": "family", "stem": "rotary", "slug": "rotary"}
LAID_OUT = {path.format(**EXAMPLE) for path in (*FILES, *TWIN)}
COMMAND = re.compile(r"(?:make|\.venv/bin/python)(?: .+)?")
PLACE = re.compile(
    r"(?:pe_book|tests|docs|\.ci)(?:/[\w.<>*…-]+)+/?|[\w.-]+\.(?:md|py|js|json|toml|txt|yml|lock|bib)"
)


def spans() -> list[str]:
    """What stands in code font in a sentence."""
    outside = re.sub(r"^(```+).*?^\1$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", outside)]


def commands() -> list[str]:
    """Every command, without what is said of it."""
    blocks = "".join(re.findall(r"```shell\n(.*?)```", TEXT, re.DOTALL)).splitlines()
    lines = [*blocks, *filter(COMMAND.fullmatch, spans())]
    return [part.strip() for line in lines for part in re.sub(r"\s+#.*", "", line).split("&&")]


def faults(command: str) -> Iterator[str]:
    """Why a command would not run."""
    program, *words = shlex.split(command)
    if program == "make":
        if words and words[0] not in COMMANDS:
            yield f"{command}: there is no such command"
        for name, _, value in (word.partition("=") for word in words[1:]):
            if f"{name}=" not in COMMANDS.get(words[0], f"{name}="):
                yield f"{command}: make help says nothing of {name} there"
            elif name == "P" and value not in {*chapters(), "…"}:
                yield f"{command}: there is no chapter {value}"
    elif words[1] == "pytest":
        gone = [file for file in words[2:] if file.startswith("tests/") and not there(file)]
        yield from (f"{command}: {file} is not there" for file in gone)


def there(place: str) -> bool:
    """Whether a path exists, is a pattern of some that do, or is laid out for the example."""
    pattern = re.sub(r"<\w+>|…", "*", place.rstrip("/"))
    tops = ["."] if "/" in pattern else [".", "docs", "docs/_ext/**", "docs/_themes/**", "tests/**"]
    return place in LAID_OUT or any(next(ROOT.glob(f"{top}/{pattern}"), None) for top in tops)


def test_every_command_and_every_file_is_there():
    assert len(commands()) > 30
    assert [fault for command in commands() for fault in faults(command)] == []
    assert len([*faults("make stub"), *faults("make test P=family/rotory"), *faults("make test T=1")]) == 3
    assert [place for place in spans() if PLACE.fullmatch(place) and not there(place)] == []


def test_each_is_five_screens():
    assert max(len(text.splitlines()) for text in TEXTS) <= 250
