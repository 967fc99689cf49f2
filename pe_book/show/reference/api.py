"""The everyday names of the package, each with the line that says what it is."""

import inspect
import re

import pe_book
from pe_book.show.table import Column, Table


def everyday_names() -> Table:
    """What ``import pe_book as pe`` offers: each name, and what it is."""
    everything = {name: getattr(pe_book, name) for name in dir(pe_book)}
    functions = {name: f for name, f in everything.items() if inspect.isfunction(f)}  # nn has its own page
    links = [f"{{py:func}}`pe.{name} <{f.__module__}.{name}>`" for name, f in functions.items()]
    summaries = [
        (inspect.getdoc(f) or "").partition("\n\n")[0].replace("\n", " ") for f in functions.values()
    ]
    return Table(Column("name", links), Column("what it is", [in_markdown(line) for line in summaries]))


def in_markdown(text: str) -> str:
    """A line of a docstring as MyST inline markup.

    Examples
    --------
    >>> in_markdown("The row of :math:`p`, as ``float64``; see :func:`encode`.")
    'The row of $p$, as `float64`; see `encode`.'
    """
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")
