"""What the book knows of a page: one record, filled while the page is read and kept with its metadata."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes

from bookish.run.solutions.marks import Exercise


@dataclass
class Words:
    """A number of words, and the labels whose titles stand beside them once all pages have been read."""

    number: int = 0
    titles: list[str] = field(default_factory=list)


@dataclass
class Record:
    """Each extension writes what it finds; Sphinx forgets and merges records as it does other metadata."""

    front: dict[str, Any] = field(default_factory=dict)  # the front matter
    execution: float | None = None  # seconds, 0 if the kernel was not asked again; None without one
    labels: list[str] = field(default_factory=list)  # in the order of the page
    exercises: list[Exercise] = field(default_factory=list)  # in the order of the page, still without numbers
    figures: list[list[str]] = field(default_factory=list)  # alt text and digest of the data
    pictures: dict[str, str] = field(default_factory=dict)  # label of a figure and its first panel
    counts: dict[str, int] = field(default_factory=dict)  # for the build report
    found: list[list[str]] = field(default_factory=list)  # expression and what it gave
    held: list[str] = field(default_factory=list)  # expressions of held statements
    # label, what is displayed, what became of it, why
    formulas: list[list[str]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)  # objects of the package that its cells and numbers name
    text: str = ""
    main: Words = field(default_factory=Words)  # of the main path (``bookish.write.words``)
    whole: Words = field(default_factory=Words)
    shown: int = 0  # figures, tables and displayed formulas of the main path
    lines: int = 0  # of code that is visible on it
    columns: int = 0  # of the longest line of code
    sections: int = 0  # of the main path
    links: list[tuple[str, str]] = field(default_factory=list)  # title of the section, label that it links to
    claims: list[dict[str, str]] = field(default_factory=list)  # key, words, verdict and chapter of each


def record_of(env: Any, docname: str | None = None) -> Record:
    """The record of a page, by default of the one that is being read."""
    return env.metadata[docname or env.docname].setdefault("record", Record())


def parents(node: Any) -> Iterator[nodes.Element]:
    """A node, and all that it stands in."""
    while node is not None:
        yield node
        node = node.parent


def page_being_read(env: Any) -> Any:
    """What answers questions about the page being read (``run.engine.Client``); None without a kernel."""
    return env.temp_data.get("pe_page")
