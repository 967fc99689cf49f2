"""The everyday names of the package, from its catalogue: what each is, and where its page is."""

import inspect
import re
from importlib import import_module

from pe_book.catalogue import catalogue
from pe_book.show.drawing.table import Column, Table


def everyday_names() -> Table:
    """What ``import pe_book as pe`` offers: each name, what it is, where it brings position in, its page."""
    names = [record for record in catalogue() if record.numpy]  # pe.nn has a page of its own
    return Table(
        Column("name", [f"{{py:func}}`pe.{r.name} <{r.numpy}.{r.name}>`" for r in names]),
        Column("what it is", [in_markdown(summary(f"{r.numpy}", r.name)) for r in names]),
        Column("position enters at", ["—" if r.place == "none" else r.place for r in names]),
        Column("page", [f"{{doc}}`/{r.page}`" for r in names]),
    )


def summary(module: str, name: str) -> str:
    """The first line of a docstring.

    >>> summary("pe_book.sinusoidal.formula", "wavelengths")
    'The number of tokens after which each (sin, cos) pair has turned once.'
    """
    text = inspect.getdoc(getattr(import_module(module), name)) or ""
    return text.partition("\n\n")[0].replace("\n", " ")


def in_markdown(text: str) -> str:
    """A line of a docstring as MyST inline markup.

    >>> in_markdown("The row of :math:`p`, as ``float64``; see :func:`encode`.")
    'The row of $p$, as `float64`; see `encode`.'
    >>> in_markdown("The encoding of :cite:t:`vaswani2017`.")
    'The encoding of {cite:t}`vaswani2017`.'
    """
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    text = re.sub(r":cite:(\w):`([^`]*)`", r"{cite:\1}`\2`", text)
    text = re.sub(r"(?<!\{cite):\w+:`~?([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")
