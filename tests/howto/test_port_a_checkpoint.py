"""The loop over a folder that the how-to shows is the one that ports are proven with."""

import inspect
import textwrap
from pathlib import Path

import pe_book
from pe_book.checkpoint.plan import Plan

PAGE = Path(pe_book.__file__).parents[1] / "docs" / "howto" / "port-a-checkpoint.md"


def test_the_folder_is_ported_by_the_loop_of_the_docstring():
    shown = PAGE.read_text(encoding="utf-8").partition("```{code-block} python\n")[2].partition("```")[0]
    documented = inspect.cleandoc(Plan.apply.__doc__).partition(".. code-block:: python\n\n")[2]
    assert shown == textwrap.dedent(documented.partition("\n\n")[0]) + "\n"
