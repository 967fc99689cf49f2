"""A block of ``>>>`` lines on a page is run in the page's kernel and must print what it shows."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from bookish.run.record import page_being_read
from bookish.run.refusals import refuse

EXCUSE = re.compile(r"#\s*doctest:.*\+(SKIP|IGNORE_EXCEPTION_DETAIL)")


def run(page: Any, block: str, where: Any) -> None:
    """Run a block, and refuse one that fails or would not be run in full."""
    if excuse := EXCUSE.search(block):
        return refuse("PE213", where, why=f"it says +{excuse[1]}")
    answer = page.evaluate_in_kernel("doctest", block=block, page=where[0])
    if output := answer.get("error") or answer.get("value"):
        refuse("PE212", where, output=output)


def refuse_unread(app: Sphinx, doctree: nodes.document) -> None:
    """Blocks that look like doctests and that nothing has run; docstrings are run by pytest."""
    unread = "its first line does not begin with >>>, or MyST does not read it"
    for block in doctree.findall(lambda node: isinstance(node, (nodes.literal_block, nodes.doctest_block))):
        inside = block.parent
        while inside is not None and not isinstance(inside, addnodes.desc):
            inside = inside.parent
        if inside is None and not block.get("made") and re.search(r"^\s*>>>", block.astext(), re.MULTILINE):
            refuse("PE213", block, why=unread if page_being_read(app.env) else "the page has no kernel")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", refuse_unread)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
