"""How long a page is: words, minutes, sections, columns of code. A build tells them and refuses none.

The main path is what somebody reads who opens nothing: prose and captions. Code, tables, folds, exercises,
sources and the first-screen box are not on it. A formula counts as one word.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

from bookish.run.provenance import SHOW_NODES
from bookish.run.record import Words, record_of
from bookish.write.folds import fold

log = logging.getLogger(__name__)

LIMITS = {"main": 2400, "minutes": 25, "sections": 8, "columns": 60}  # beyond, it is looked at again
WORDS_A_MINUTE = 150  # plain non-fiction is read at 238 (Brysbaert, 2019)
SHOWN_A_MINUTE = 2  # figures, tables and displayed formulas
LINES_A_MINUTE = 20  # of visible code
BOXED = ("new", "revised")  # forms whose pages have a first-screen box
SOURCE = "cell_code_source"
NO_WORDS = (
    nodes.literal_block, nodes.doctest_block, nodes.table, nodes.raw, nodes.comment, nodes.target,
    nodes.system_message, nodes.title_reference, nodes.footnote_reference, addnodes.toctree, addnodes.index,
)  # fmt: skip
OFF_THE_PATH = (fold, solution_node, exercise_node, exercise_enumerable_node)
ENDS = re.compile(r"Exercises|Sources")  # sections
SHOWN = (nodes.figure, nodes.table, nodes.math_block)
TITLES = ("std:ref", "std:doc")  # references that say the title of what they lead to
MADE = {"std:numref": 2, "prf:ref": 2, "math:eq": 1, "cite:t": 6, "cite:p": 4}  # words of other references


@dataclass(frozen=True)
class Length:
    main: int  # words of the main path
    whole: int  # words
    minutes: int
    sections: int
    columns: int  # of the longest line of code


def left_out(node: nodes.Element, main: bool) -> bool:
    if isinstance(node, NO_WORDS) or node.get("nb_element") or "opening" in node["classes"]:
        return True
    if not main:
        return False
    section = isinstance(node, nodes.section) and node.children and isinstance(node[0], nodes.title)
    return isinstance(node, OFF_THE_PATH) or bool(section and ENDS.search(node[0].astext()))


def words_written(node: nodes.Element) -> int:
    """The words that the build writes beside those of an author: numbers, and links to what was computed."""
    numbered = isinstance(node, (nodes.title, nodes.math_block))  # 3.1, (4)
    named = isinstance(node, nodes.figure) or "realtype" in node  # Figure 1, Theorem 1
    return numbered + 2 * named + 4 * ("expr" in node and isinstance(node, SHOW_NODES))


def words_of(node: nodes.Node, main: bool) -> Words:
    """The words that stand in a part of a page, and the labels whose titles will stand there."""
    if isinstance(node, nodes.Text):
        return Words(len(node.astext().split()))
    if isinstance(node, (nodes.math, nodes.math_block)):
        return Words(1 + words_written(node))
    if not isinstance(node, nodes.Element) or left_out(node, main):
        return Words()
    if isinstance(node, addnodes.pending_xref) and not node.get("refexplicit"):
        kind = f"{node['refdomain']}:{node['reftype']}"
        if kind in TITLES:
            return Words(0, [node["reftarget"]])
        if kind in MADE:
            return Words(MADE[kind])
    found = Words(words_written(node))
    for child in node.children:
        more = words_of(child, main)
        found.number += more.number
        found.titles += more.titles
    return found


def count_words(app: Sphinx, doctree: nodes.document) -> None:
    record = record_of(app.env)
    record.main, record.whole = words_of(doctree, main=True), words_of(doctree, main=False)
    record.shown = sum(1 for _ in on_the_path(doctree, lambda node: isinstance(node, SHOWN)))
    record.lines = sum(len(code_of(node)) for node in on_the_path(doctree, is_code))
    code = (node for node in doctree.findall(nodes.literal_block) if "output" not in node["classes"])
    record.columns = max((len(line) for node in code for line in node.astext().splitlines()), default=0)
    below = next(doctree.findall(nodes.section), doctree).children
    record.sections = sum(isinstance(part, nodes.section) and not left_out(part, main=True) for part in below)


def on_the_path(node: nodes.Element, wanted: Callable[[nodes.Node], bool]) -> Iterator[nodes.Element]:
    for child in node.children:
        if isinstance(child, nodes.Element) and wanted(child):
            yield child
        elif isinstance(child, nodes.Element) and not left_out(child, main=True):
            yield from on_the_path(child, wanted)


def is_code(node: nodes.Node) -> bool:
    """Whether a node is a cell whose code everybody sees, or a block of code."""
    if isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code":
        return "hide_mode" not in node and any(part.get("nb_element") == SOURCE for part in node.children)
    return isinstance(node, (nodes.literal_block, nodes.doctest_block))


def code_of(node: nodes.Element) -> list[str]:
    """The lines of a cell or a block that are not blank, without what a cell puts out."""
    cell = node.get("nb_element") == "cell_code"
    text = (
        "".join(part.astext() for part in node.children if part.get("nb_element") == SOURCE) if cell else ""
    )
    return [line for line in (text or node.astext()).splitlines() if line.strip()]


def length_of(env: Any, docname: str) -> Length:
    """How long a page is; complete once all pages have been read."""
    record, titles = record_of(env, docname), env.domains.standard_domain.labels

    def number(words: Words) -> int:
        return words.number + sum(len(titles[one][2].split()) if one in titles else 1 for one in words.titles)

    main = number(record.main)
    needed = minutes(main, record.shown, record.lines)
    return Length(main, number(record.whole), needed, record.sections, record.columns)


def minutes(words: int, shown: int, lines: int) -> int:
    """Whole minutes, above ten in steps of five."""
    needed = math.ceil(words / WORDS_A_MINUTE + shown / SHOWN_A_MINUTE + lines / LINES_A_MINUTE)
    return needed if needed <= 10 else 5 * math.ceil(needed / 5)


def tell(app: Sphinx, exception: Exception | None) -> None:
    """Say of a chapter that was built alone how long it is, and what should be looked at again."""
    for page in () if exception else app.config.pe_only.split():
        if record_of(app.env, page).front.get("form") in BOXED:
            length = asdict(length_of(app.env, page))
            over = [f"{name} over {most:,}" for name, most in LIMITS.items() if length[name] > most]
            said = ", ".join(f"{name} {number:,}" for name, number in length.items())
            said += ", where the title of another page counts as one word"
            log.info("%s: %s. For information, refuses nothing: %s", page, said, ", ".join(over) or "nothing")


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", count_words, priority=870)
    app.connect("build-finished", tell)
