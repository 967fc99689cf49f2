"""The everyday names of the package, each with the line that says what it is."""

import inspect
import re

import pe_book
from pe_book.show.table import Table


def everyday_names() -> Table:
    """What ``import pe_book as pe`` offers: each name, and what it is."""
    rows = []
    for name in dir(pe_book):
        function = getattr(pe_book, name)
        if not inspect.isfunction(function):  # pe.nn has a page of its own
            continue
        summary = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
        module = function.__module__
        rows.append((f"{{py:func}}`pe.{name} <{module}.{name}>`", in_markdown(summary)))
    return Table(("name", "what it is"), rows)


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
