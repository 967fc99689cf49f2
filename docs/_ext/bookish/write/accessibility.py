"""For every reader: names of rows and columns, known ARIA roles, plain folds; responsive code and tables.

On a phone code breaks between its words, and table cells say what they hold.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

from docutils import nodes
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from bookish.run.package import PACKAGE

# the translator puts each word of code in a span; a long one may break behind a dot and the like
WORD = re.compile(r'<span class="pre">([^<]+)</span>')
FILE = re.compile(rf"(?<=<code>){PACKAGE}/[^<]+")  # on the pages of sources
ADDRESS = re.compile(r"(?<=>)(?:https?://[^<\s]+|[\w.-]+/[\w.-]+#\d+)(?=</a>)")  # or a thread of a repository
BEHIND = re.compile(r"(?<=[._/(,:=|\[-])(?=[\w&])(?<=[\w)\]][._/(,:=|\[-])|(?<=\w)(?=#\d)")
NUMBER = re.compile(r"[-−+±<>≤≥≈~]?\s*[\d.,  ]*\d[\d.,  ]*(?:\s?[×·]\s?[\d.,]+)*(?:e[-−+]?\d+)?\s?[%‰×]?")
HUMP = re.compile(r"(?<=[a-z]{3})(?=[A-Z][a-z]{2})")  # between the words of a name such as PositionalEncoding
TAG = re.compile(r"<[^>]+>")
NARROW = 32  # characters of code that every phone shows
SHORT, LONG = 12, 24  # characters up to which a word is whole, from which a name breaks between its words
WORDY = 24  # characters from which a cell is text that wraps
BRIEF = 9  # characters up to which a cell stays on one line, such as 10 → 20


def with_breaks(html: str) -> str:
    """The same page, whose long words of code may break behind a dot, an underscore and the like."""
    for address in (FILE, ADDRESS):
        html = address.sub(lambda found: BEHIND.sub("<wbr>", found[0]), html)
    return WORD.sub(word_html, html)


def word_html(word: re.Match[str]) -> str:
    letters = len(unescape(word[1]))
    if letters <= SHORT:
        return f'<span class="pre whole">{HUMP.sub("<wbr>", word[1])}</span>'
    breaks = BEHIND.sub("<wbr>", word[1])
    return f'<span class="pre">{HUMP.sub("<wbr>", breaks) if letters > LONG else breaks}</span>'


class Lines(HtmlFormatter[str]):
    """Code whose long lines are elements: on a phone they go on below, deeper than they began."""

    def wrap(self, source: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        yield from super().wrap((of, element(line) if of else line) for of, line in source)


def element(line: str) -> str:
    words = unescape(TAG.sub("", line))
    if len(words) <= NARROW:
        return line
    deep = len(words) - len(words.lstrip(" "))
    style = f' style="--deep: {deep}"' if deep else ""
    return f'<span class="line"{style}>{line}</span>'


def named(name: str) -> Markup:
    return Markup(BEHIND.sub("<wbr>", str(escape(name))))


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The body of a page, and the names in an index."""
    if "body" in context:
        context["body"] = with_breaks(heard(context["body"]))
    for _, names in context.get("genindexentries", ()):
        names[:] = [
            (named(n), [links, [(named(m), *of) for m, *of in below], *kind])
            for n, (links, below, *kind) in names
            if links or n != "module"  # each stands below its own name
        ]


def kind_of(cell: nodes.entry) -> str:
    """Numbers stay on one line; text wraps, in a column wide enough to be read."""
    words = " ".join(cell.astext().split())
    if NUMBER.fullmatch(words) or len(words) <= BRIEF:
        return "number"
    return "wordy" if len(words) >= WORDY and not list(cell.findall(nodes.math)) else ""


def name_cells(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A class for each cell of numbers or of text, for the style sheet."""
    for cell in doctree.findall(nodes.entry):
        if kind := kind_of(cell):
            cell["classes"].append(kind)


def label_cells(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Where rows are cards each cell says the header of its column."""
    for table in (one for one in doctree.findall(nodes.table) if "cards" in one["classes"]):
        heads = [cell.astext() for cell in next(table.findall(nodes.thead))[0]]
        for row in next(table.findall(nodes.tbody)):
            for head, cell in list(zip(heads, row, strict=True))[1:]:
                if cell.astext():
                    cell[0].insert(0, nodes.inline("", head, classes=["of-column"]))
                else:
                    cell["classes"].append("empty")


# what writers of docutils and MyST-NB put on a page, and what it is for somebody who listens to it
SCOPES = {'<th class="head': '<th scope="col" class="head', '<th class="stub': '<th scope="row" class="stub'}
ENTRY = re.compile(r'(<div class="citation" id="[^"]*") role="doc-biblioentry">')
FOLD = re.compile(
    r'<summary aria-label="Toggle hidden content">\s*'
    r'<p class="collapsed admonition-title">(.*?)</p>\s*'
    r'<p class="expanded admonition-title">.*?</p>\s*</summary>',
    re.DOTALL,
)
PROOF = re.compile(r'(<div class="proof admonition" id="proof-\d+">\s*<p>)(Proof\.) ')


def name_rows_and_columns(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The first column heads the rows where it names them; a header without words gets one for listeners."""
    for group in doctree.findall(nodes.tgroup):
        for head in group.findall(nodes.thead):
            for number, cell in enumerate(head[0]):
                say(cell, "column" if cell.astext().strip() or number else "row")
        if names_rows(group):
            next(iter(group.findall(nodes.colspec)))["stub"] = 1
            for body in group.findall(nodes.tbody):
                for row in body:
                    say(row[0], "row")


def say(cell: nodes.entry, word: str) -> None:
    """Put a word for listeners into a header that is empty, or a formula, which some do not count as text."""
    texts = [text for text in cell.findall(nodes.Text) if not isinstance(text.parent, nodes.math | nodes.raw)]
    if "".join(texts).strip():
        return
    hidden = nodes.inline("", f"{word} ", classes=["visually-hidden"])
    if cell.children and isinstance(cell[0], nodes.paragraph):
        cell[0].insert(0, hidden)
    else:
        cell.insert(0, nodes.paragraph("", "", hidden))


def names_rows(group: nodes.tgroup) -> bool:
    """Whether each cell of the first column is there and unlike the others."""
    rows = [row for body in group.findall(nodes.tbody) for row in body]
    first = [row[0].astext().strip() for row in rows]
    return len(first) > 1 and all(first) and len(set(first)) == len(first)


def heard(html: str) -> str:
    """The same page with roles and names that are valid and say something."""
    for written, meant in SCOPES.items():
        html = html.replace(written, meant)
    html = ENTRY.sub(r'\1 role="listitem">', html)
    html = FOLD.sub(r"<summary>\1</summary>", html)
    return PROOF.sub(r"\1<em>\2</em> ", html)


def setup(app: Sphinx) -> None:
    PygmentsBridge.html_formatter = Lines
    app.connect("doctree-resolved", name_cells)
    app.connect("doctree-resolved", label_cells, priority=995)  # the search has read the cells by then
    app.connect("html-page-context", mend, priority=900)
    app.connect("doctree-resolved", name_rows_and_columns, priority=900)  # tables of the build report, too
