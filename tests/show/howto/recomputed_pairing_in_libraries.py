"""The table of libraries: its words from the file as it is written, what was run from the record alone."""

import json
import tomllib
from pathlib import Path

from pe_book.evidence.records.record import HERE
from pe_book.show.reference import libraries

FILE = Path(libraries.__file__).with_name("libraries.toml")
LISTED = {one["name"]: one for one in tomllib.loads(FILE.read_text(encoding="utf-8"))["library"]}
RECORD = json.loads((HERE / "parity.json").read_text(encoding="utf-8"))
RAN = {one["member"]: one for one in RECORD["agreements"]}


def one_of(row):
    """The entry of a row: its name stands between two stars."""
    return LISTED[row["library"].split("**")[1]]


def how(one):
    """What the record says of a row."""
    found = [RAN[one[key]] for key in ("run", "run_other") if key in one]
    if "at" in one and found:
        return f"by running the reader of {found[0]['library']} {found[0]['version']}"
    return ["by reading", "by running", "by running, both pairings"][len(found)]


RECOMPUTED = {
    "tab:pairing:libraries": {
        "library": [f"**{name}** [{', '.join(one['called'])}]{{.also}}" for name, one in LISTED.items()],
        "pairing": lambda r, p: one_of(r)["pairs"],
        "by default": lambda r, p: one_of(r)["flag"],
        "for the other": lambda r, p: one_of(r).get("other"),
        "weights": lambda r, p: one_of(r).get("files"),
        "read in": lambda r, p: "`{file}`, {at}".format(**{"at": version_of(one_of(r))} | one_of(r)),
        "checked": lambda r, p: how(one_of(r)),
    }
}


def version_of(one):
    """Of the library that was run; a row with a version of its own has no need of it."""
    return RAN[one["run"]]["version"] if "run" in one else ""
