"""The tables of the recorded parity by another path: the record read as plain JSON."""

import json
from pathlib import Path

RECORDS = Path(__file__).parents[3] / "pe_book" / "evidence" / "records"
FOUND = json.loads((RECORDS / "parity.json").read_text(encoding="utf-8"))


def compared(kind, layout):
    """Columns of a table of agreements, each cell looked up by the name in its row."""
    found = {row["member"]: row for row in FOUND["agreements"] if row["kind"] == kind}
    names = [name for _, name in sorted((-row["difference"], name) for name, row in found.items())]

    def field(key):
        return lambda row, p: found[row["compared"]][key]

    return {
        "compared": names,
        "largest difference": field("difference"),
        "bound": field("bound"),
        layout: field("layout"),
        "library": lambda row, p: "{library} {version}".format_map(found[row["compared"]]),
    }


CALLS = {f"`{row['call']}`" if row["call"].endswith(")") else row["call"]: row for row in FOUND["defects"]}


def of_call(key):
    return lambda row, p: CALLS[row["call"]][key]


def answer(key):
    """A number where the text is one, else the text."""

    def of_row(row, p):
        text = CALLS[row["call"]][key]
        return float(text) if text.lstrip("-")[0].isdigit() and " " not in text else text

    return of_row


RECOMPUTED = {
    "tab:parity:rows": compared("rows", "its layout"),
    "tab:parity:frequencies": compared("frequencies", "it lists frequencies"),
    "tab:parity:biases": compared("biases", "how it has them"),
    "tab:parity:attention": compared("attention", "its layout, and what it divides"),
    "tab:parity:defects": {
        "call": list(CALLS),
        "it gives": answer("gives"),
        "right": answer("right"),
        "asked for": of_call("asked"),
        "library": lambda row, p: "{library} {version}".format_map(CALLS[row["call"]]),
    },
}
