"""Which columns each library pairs, from `libraries.toml`, and which rows the record of the parity ran."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence.records.parity import Agreement, Parity
from pe_book.inputs.checking import Layout
from pe_book.show.drawing.table import Column, Table

OTHER: dict[Layout, Layout] = {"halves": "interleaved", "interleaved": "halves"}


class Library(NamedTuple):
    """A library and one of its defaults; libraries.toml says what each field holds."""

    name: str
    called: list[str]
    pairs: Layout
    flag: str
    file: str
    other: str = ""
    files: str = ""
    at: str = ""
    run: str = ""
    run_other: str = ""
    called_by: str = ""


def libraries() -> list[Library]:
    """Every row, in the order of the file.

    >>> next(one.flag for one in libraries() if one.name == "MLX")
    '`traditional=False`'
    """
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return [Library(**row) for row in tomllib.loads(text)["library"]]


def members(one: Library) -> dict[str, Layout]:
    """The comparisons that run a row, each with what it has to pair.

    >>> next(members(one) for one in libraries() if one.name == "MLX")
    {'mlx': 'halves', 'mlx, traditional=True': 'interleaved'}
    """
    return {run: pairs for run, pairs in ((one.run, one.pairs), (one.run_other, OTHER[one.pairs])) if run}


def runs(one: Library, parity: Parity) -> list[Agreement]:
    """What of a row the record has run; a row that the record contradicts, or has not, is refused."""
    recorded = {row.member: row for row in parity.of("rows")}
    for member, pairs in members(one).items():
        seen = recorded[member].layout if member in recorded else "nothing"
        if not seen.startswith(pairs):
            raise ValueError(
                f"libraries.toml: {one.name} pairs {pairs} by {member!r}, which ran and paired {seen}"
            )
    return [recorded[member] for member in members(one)]


def pairing(parity: Parity) -> Table:
    """Every library by its flag: what it pairs, what the other value is, and how the row is known."""
    rows = [(one, runs(one, parity)) for one in libraries()]
    return Table(
        Column("library", [f"**{one.name}** [{', '.join(one.called)}]{{.also}}" for one, _ in rows]),
        Column("pairing", [one.pairs for one, _ in rows]),
        Column("by default", [one.flag for one, _ in rows]),
        Column("for the other", [one.other or None for one, _ in rows]),
        Column("weights", [one.files or None for one, _ in rows]),
        Column("read in", [f"`{one.file}`, {one.at or found[0].version}" for one, found in rows]),
        Column("checked", [checked(one, found) for one, found in rows]),
    )


def checked(one: Library, found: list[Agreement]) -> str:
    """How a row is known."""
    if not found:
        return "by reading"
    if one.at:  # what was run is not what was read
        return f"by running the reader of {found[0].library} {found[0].version}"
    return "by running" + ", both pairings" * (len(found) > 1)
