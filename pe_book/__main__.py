"""``python -m pe_book config FILE``: what a model's ``config.json`` means for position.

Exit status 0 if nothing deserves a second look, 1 with findings, 2 if the file cannot be read as a config.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from pe_book.family.checking_a_config import check_config


def main(words: Sequence[str] | None = None) -> int:
    """Run the command with these words, or with those of the command line, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m pe_book", description="Positional encodings of models.")
    commands = parser.add_subparsers(dest="command", required=True)
    config = commands.add_parser("config", help="what a model's config.json means for position")
    config.add_argument("file", help="a config.json; - for standard input")
    config.add_argument("--length", type=int, help="how many tokens the model is asked to read")
    config.add_argument("--json", action="store_true", help="the report as JSON, with every frequency")
    asked = parser.parse_args(words)
    try:
        report = check_config(json.load(sys.stdin) if asked.file == "-" else asked.file, length=asked.length)
    except (ValueError, TypeError, OverflowError) as error:
        print(f"{asked.file}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_dict(), indent=1) if asked.json else report)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
