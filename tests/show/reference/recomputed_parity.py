"""The tables of the recorded parity by another path: the record read as plain JSON."""

import json

import numpy as np

from pe_book.evidence.records import bench

FOUND = json.loads((bench.HERE / "parity.json").read_text(encoding="utf-8"))


def columns(rows, **headers):
    """Columns of a table, each a field of the record, and the library with its version."""
    found = {header: np.array([row[field] for row in rows], object) for field, header in headers.items()}
    return found | {"library": np.array(["{library} {version}".format_map(row) for row in rows])}


def compared(kind, layout):
    rows = [row for row in FOUND["agreements"] if row["kind"] == kind]
    rows.sort(key=lambda row: (-row["difference"], row["member"]))
    headers = {"member": "compared", "difference": "largest difference", "bound": "bound"}
    return columns(rows, **headers, layout=layout)


def answer(text):
    """A number where the text is one, else the text."""
    return float(text) if text.lstrip("-")[0].isdigit() and " " not in text else text


RECOMPUTED = {
    "tab:parity:rows": compared("rows", "its layout"),
    "tab:parity:frequencies": compared("frequencies", "it lists frequencies"),
    "tab:parity:biases": compared("biases", "how it has them"),
    "tab:parity:attention": compared("attention", "its layout, and what it divides"),
    "tab:parity:defects": columns(
        [
            {
                **row,
                "call": f"`{row['call']}`" if row["call"].endswith(")") else row["call"],
                **{field: answer(row[field]) for field in ("gives", "right")},
            }
            for row in FOUND["defects"]
        ],
        call="call", gives="it gives", right="right", asked="asked for",
    ),
}  # fmt: skip
