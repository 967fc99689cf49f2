"""``python -m pe_book config FILE``: what a model's ``config.json`` means for position.

Exit status 0 if nothing wrong was found, whatever the notes say; 1 with warnings, which need a look; 2 if
the command line cannot be read; 3 with errors, with which the model should not be run; 4 if the file is
refused, as it is no config or of a model that is not known.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pe_book.config.checking import check_config
from pe_book.config.formats.files import MOST_BYTES, decoded, parsed
from pe_book.config.formats.words import plain

REFUSED = 4
STATUSES = (
    "exit status: 0 nothing wrong found, whatever the notes say; 1 warnings, which need a look; 2 this "
    "command line cannot be read; 3 errors, with which the model should not be run; 4 the file is refused: "
    "no config, of a model_type that is not known, or with a value that no code could take"
)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command with these words, or with those of the command line, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m pe_book", description="Positional encodings of models.")
    commands = parser.add_subparsers(dest="command", required=True)
    what = "what a model's config.json means for position"
    config = commands.add_parser("config", help=what, description=f"{what}.", epilog=STATUSES)
    config.add_argument("file", help="a config.json; - for standard input")
    asks = "how many tokens the model is asked to read, as 32768 or 32k, k being 1024"
    config.add_argument("--length", type=tokens, help=asks)
    assumes = "a model_type whose code to assume where that of the file is not known"
    config.add_argument("--assume", metavar="TYPE", help=assumes)
    config.add_argument("--json", action="store_true", help="the report as JSON, with every frequency")
    asked = parser.parse_args(words)
    try:
        given = from_standard_input() if asked.file == "-" else asked.file
        report = check_config(given, length=asked.length, assume=asked.assume)
    except (ValueError, TypeError, OverflowError) as error:
        print(plain(f"{asked.file}: {error}"), file=sys.stderr)
        return REFUSED
    if asked.assume not in (None, report.reading.read_as):
        told = f"{report.reading.model_type} is known here, and was read as itself: --assume {asked.assume}"
        print(plain(f"{asked.file}: {told} changed nothing"), file=sys.stderr)
    try:
        print(json.dumps(report.as_dict(), indent=1) if asked.json else report, flush=True)
    except BrokenPipeError:  # who reads has enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at its end
    return report.status


def from_standard_input() -> Mapping[str, Any]:
    """A config that is piped in, read as far as a config can be long."""
    source = getattr(sys.stdin, "buffer", None)
    found = source.read(MOST_BYTES + 1) if source else sys.stdin.read(MOST_BYTES + 1).encode()
    return parsed(decoded(found, "standard input"), "standard input")


def tokens(word: str) -> int:
    """A number of tokens as it is typed: k stands for 1024, and M for 1024 times that.

    >>> tokens("32768"), tokens("32,768"), tokens("32k"), tokens("1M"), tokens("1.5e5")
    (32768, 32768, 32768, 1048576, 150000)
    """
    found = re.fullmatch(r"([0-9]+(?:[,_][0-9]{3})*|[0-9]+(?:\.[0-9]+)?[eE][0-9])([kKmM]?)", word.strip())
    number = float(re.sub("[,_]", "", found[1])) if found else 0.0
    if not found or not number or number % 1:
        raise argparse.ArgumentTypeError(f"a whole number above 0, as 32768 or 32k, would do; got {word!r}")
    return int(number) * {"": 1, "k": 1024, "m": 1024 * 1024}[found[2].lower()]


if __name__ == "__main__":
    sys.exit(main())
