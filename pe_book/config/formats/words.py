"""Where the book explains a report, and how its lines are laid out and safe to print."""

import itertools
import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

KEPT = "\N{NO-BREAK SPACE}"
MOST_TOLD = 40  # findings, or keys in a list; of more the rest is counted


def address(page: str, title: str) -> str:
    """Where a page of the book is read: its address on the site, if one is set, else its title alone."""
    site = os.environ.get("PE_SITE_URL", "")
    return (
        f"{site.rstrip('/')}/{page}" if site else f'"{title}", a chapter of the book that pe_book comes from'
    )


def plain(line: str) -> str:
    r"""A line as a terminal may show it: what is no letter or sign is written out.

    >>> plain("llama\x1b[2J")
    'llama\\x1b[2J'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)


def by_block(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Keys by the block they stand in, those of no block first; the blocks themselves are no keys."""
    found: dict[str, dict[str, Any]] = {"": {}}
    blocks = {key.rpartition(".")[0] for key in values}
    for key, value in values.items():
        block, _, name = key.rpartition(".")
        if key not in blocks and key != "model_type":
            found.setdefault(block, {})[name] = value
    return found


def ranges(layers: Sequence[int]) -> str:
    """Runs of layers as a reader writes them, and of many the first and the last.

    >>> ranges([0, 1, 2, 5])
    '0-2, 5'
    """
    alike = itertools.groupby(enumerate(layers), lambda counted: counted[1] - counted[0])
    runs = [[run for _, run in group] for _, group in alike]
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(told if len(told) < 6 else [*told[:3], "…", told[-1]])


def beside(value: Any) -> str:
    """What stands at a key, if that is short."""
    if isinstance(value, list | tuple | Mapping):
        return ""
    return f" = {f'{value:.10g}' if isinstance(value, float) else value}"[:63]


def wrapped(name: str, words: list[str], indent: str = "") -> Iterator[str]:
    """What is told of a name, with commas, or without a name as a sentence; broken at 72 columns.

    >>> list(wrapped("used", ["head_dim = 64", "rope_theta = 10000"]))
    ['used head_dim = 64, rope_theta = 10000']
    """
    if words:
        if name and len(words) > MOST_TOLD:
            words = [*words[:MOST_TOLD], f"and {len(words) - MOST_TOLD} more"]
        told = ", ".join(word.replace(" ", KEPT) for word in words) if name else " ".join(words)
        whole = f"{name.rstrip()} {told}".strip()
        kept = textwrap.TextWrapper(72, indent, f"{indent}  ", break_long_words=False, break_on_hyphens=False)
        yield from (line.replace(KEPT, " ") for line in kept.wrap(whole))
