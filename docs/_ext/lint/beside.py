"""Numbers that a section gives for itself: ``{given}`` below its heading, lines of number and reason.

Below the title of a page they are given for all of it, so that a section which becomes a page stays as it is.
"""

from __future__ import annotations

from types import NoneType
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kernel.refusals import refuse


class given_here(nodes.Invisible, nodes.Element):
    """What a section gives, until the lint has taken it."""


class GivenHere(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        found = given_here()
        self.set_source_info(found)
        try:
            read = yaml.safe_load("\n".join(self.content))
        except yaml.YAMLError as error:
            read = str(error).splitlines()[0]
        found["numbers"] = read if isinstance(read, dict) else {}
        if not found["numbers"]:
            refuse("PE106", found, what=f"are no list: {read!r}")
        for number, reason in found["numbers"].items():
            if not isinstance(number, int) or not isinstance(reason, str) or len(reason) < 4:
                refuse("PE104", found, number=repr(number), reason=repr(reason))
        return [found]


def take_given(doctree: nodes.document) -> dict[str, dict[int, str]]:
    """What each section gives, by its name in pieces of text, the page itself without a name."""
    taken: dict[str, dict[int, str]] = {}
    for node in list(doctree.findall(given_here)):
        section = node.parent
        above = section.children[1 : section.index(node)]
        if not (
            isinstance(section, nodes.section)
            and isinstance(section.parent, (nodes.section, nodes.document))
            and isinstance(section.parent.parent, (nodes.document, NoneType))
            and all(isinstance(one, (nodes.comment, nodes.target)) for one in above)
        ):
            refuse("PE106", node, what="stand elsewhere than below the title or the heading of a section")
        whole = isinstance(section.parent, nodes.document)
        name = "" if whole else (section["names"] or section["ids"] or [""])[0]
        taken[name] = {n: str(reason) for n, reason in node["numbers"].items() if isinstance(n, int)}
        section.remove(node)
    return taken


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(given_here)
    app.add_directive("given", GivenHere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
