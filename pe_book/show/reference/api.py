"""The everyday names of the package, from its catalogue: what each is, and where its page is."""

import inspect
import re
from importlib import import_module

from pe_book.catalogue import catalogue
from pe_book.show.table import Table


def everyday_names() -> Table:
    """What ``import pe_book as pe`` offers: each name, what it is, where it brings position in, its page."""
    rows = []
    for record in catalogue():
        if record.numpy is None:  # torch alone has it; pe.nn has a page of its own
            continue
        function = getattr(import_module(record.numpy), record.name)
        summary = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
        name = f"{{py:func}}`pe.{record.name} <{record.numpy}.{record.name}>`"
        place = "—" if record.place == "none" else record.place
        rows.append((name, in_markdown(summary), place, f"{{doc}}`/{record.page}`"))
    return Table(("name", "what it is", "position enters at", "page"), rows)


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
