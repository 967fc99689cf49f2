"""A written page as clean Markdown: what was evaluated is filled in, formulas are LaTeX, folds are open.

Every kind of node has its method here. One that has none is refused: a page loses nothing without being told.
"""

import re
from collections.abc import Iterator
from html import unescape
from itertools import count, repeat
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx_proof.nodes import NODE_TYPES

from bookish.run.refusals import refuse
from bookish.write.nodes import number_of

LANGUAGES = {"ipython3": "python", "myst-ansi": "text", "default": "text", "none": "text"}
ALT = re.compile(r'role="img"[^>]*?aria-label="([^"]*)"|aria-label="([^"]*)"[^>]*?role="img"')
DATA = re.compile(r'href="([^"]+\.csv)"')
TAGS = re.compile(r"<[^>]+>")
PICTURES = re.compile(r"<(?:svg|img(?! alt=\"\")|video|audio|canvas|iframe|object|embed)\b")
MARKS = re.compile(r"([\\*`$]|<(?=[A-Za-z/]))")
BREAK = re.compile(r"\\allowbreak(?![A-Za-z])\s*")  # where a line of a page may end; MathJax does not know it
TWICE = re.compile(r"\{\{([^{}\\]*)\}\}")  # braces around a number that was filled in
MATHS = re.compile(r"(?<!\\)(\$[^$]*(?<!\\)\$)")
FENCED = re.compile(r"(^(?:`{3,})[^\n`]*\n.*?^`{3,}$)", re.DOTALL | re.MULTILINE)
WRAPPED = {"emphasis": "*", "literal_emphasis": "*", "strong": "**", "literal_strong": "**"}
NAMED = ("note", "tip", "hint", "important", "warning", "caution")
# links to a cell, words for listeners in the header of a table, that header in a cell, what an explorer is
SILENT = {"computed", "visually-hidden", "of-column", "on-screen"}
NOTHING = {
    "comment", "index", "toctree", "target", "system_message", "substitution_definition", "meta", "colspec",
}  # fmt: skip
# these are what they hold
INLINE = {
    "inline", "abbreviation", "desc_sig_name", "desc_sig_operator", "desc_sig_space", "desc_sig_keyword",
    "desc_sig_punctuation", "label",
}  # fmt: skip
BLOCKS = {
    "document", "container", "compound", "claim_how", "HideCodeCellNode", "legend", "glossary",
    "proof_node", "definition", "desc_content",
}  # fmt: skip
STATEMENTS = {cls.__name__ for cls in NODE_TYPES.values()}


class Markdown:
    """One page. `link` turns the address that a page has for another into the one that the text gives."""

    def __init__(self, env: Any, docname: str, link: Any):
        self.env, self.docname, self.link = env, docname, link
        self.level = 0

    def of(self, node: nodes.Node) -> str:
        name = type(node).__name__
        if name in NOTHING:
            return ""
        if name in INLINE and isinstance(node, nodes.Element):
            classes = node["classes"]
            words = "" if SILENT & set(classes) else self.inside(node)
            return f"({words})" if "exercise-mark" in classes else words
        if name in BLOCKS:
            return self.blocks(node)
        if name in STATEMENTS:
            return self.statement(node)
        if name in WRAPPED:
            return self.wrapped(node, WRAPPED[name])
        if name in NAMED:
            return self.box(name.title(), node, ())
        if method := getattr(self, f"on_{name.lower()}", None):
            return str(method(node))
        refuse("PE912", node if node.line else self.docname, kind=name, text=node.astext()[:80])
        return node.astext()

    def inside(self, node: nodes.Node) -> str:
        return "".join(self.of(child) for child in node.children)

    def blocks(self, node: nodes.Node, skipped: tuple[type, ...] = ()) -> str:
        parts = (self.of(child).strip("\n") for child in node.children if not isinstance(child, skipped))
        return "\n\n".join(part for part in parts if part.strip())

    def line(self, node: nodes.Node) -> str:
        return " ".join(self.inside(node).split())

    def number(self, kind: str, node: nodes.Element) -> str:
        found = (number_of(self.env, self.docname, name, kind) for name in node["ids"])
        return next(filter(None, found), "")

    def box(self, head: str, node: nodes.Node, skipped: tuple[type, ...] = (nodes.title,)) -> str:
        """What stands below a line of its own; its title is said there."""
        return f"**{head}**\n\n{self.blocks(node, skipped)}"

    # ---- in a line

    def on_text(self, node: nodes.Text) -> str:
        return MARKS.sub(r"\\\1", re.sub(r"\s+", " ", node.astext()))

    def wrapped(self, node: nodes.Node, mark: str) -> str:
        text = self.inside(node)
        core = text.strip()
        return text.replace(core, f"{mark}{core}{mark}", 1) if core else text

    def on_literal(self, node: nodes.Node) -> str:
        text = " ".join(node.astext().split())
        return f"`` {text} ``" if "`" in text else f"`{text}`"

    on_title_reference = on_literal

    def on_math(self, node: nodes.Node) -> str:
        return f"${' '.join(tex_of(node).split())}$"

    def on_superscript(self, node: nodes.Node) -> str:
        return f"^{self.inside(node)}"

    def on_subscript(self, node: nodes.Node) -> str:
        return f"_{self.inside(node)}"

    def on_reference(self, node: nodes.Element) -> str:
        number = ".".join(map(str, node.get("secnumber") or ()))  # in a list of contents
        text = f"{number} {self.line(node)}".strip()
        target = node.get("refuri") or ("#" + node["refid"] if "refid" in node else "")
        return self.linked(text, target) if target and text else text

    on_number_reference = on_reference

    def on_footnote_reference(self, node: nodes.Element) -> str:
        return f"[^{node.astext()}]"

    def on_download_reference(self, node: nodes.Element) -> str:
        up = "../" * self.docname.count("/")
        return self.linked(self.line(node), up + "_downloads/" + node["filename"])

    def linked(self, text: str, target: str) -> str:
        """Words with a link, or alone where the text can give no address."""
        address = self.link(target)
        return f"[{text}]({address})" if address else text

    def on_image(self, node: nodes.Element) -> str:
        return f"(Picture: {node.get('alt', '')})"

    # ---- blocks

    def on_paragraph(self, node: nodes.Element) -> str:
        """Its line; a list or a formula that stands within it has lines of its own."""
        parts = [""]
        for child in node.children:
            if isinstance(child, (nodes.Sequential, nodes.math_block, nodes.literal_block)):
                parts += [self.of(child), ""]
            else:
                parts[-1] += self.of(child)
        return "\n\n".join(part if "\n" in part else " ".join(part.split()) for part in parts if part.strip())

    on_attribution = on_compact_paragraph = on_stub_says = on_paragraph

    def on_section(self, node: nodes.section) -> str:
        own_heading = bool(node.children) and isinstance(node[0], nodes.title)
        self.level += own_heading
        made = self.blocks(node)
        self.level -= own_heading
        return made

    def on_title(self, node: nodes.Element) -> str:
        anchor = "" if self.level == 1 else "#" + node.parent["ids"][0] if node.parent["ids"] else ""
        number = number_of(self.env, self.docname, anchor)
        return f"{self.heading(self.level)} {number} {self.line(node)}".replace("  ", " ")

    def on_rubric(self, node: nodes.Element) -> str:
        level = node.get("heading-level")
        return f"{self.heading(level + 1)} {self.line(node)}" if level else f"**{self.line(node)}**"

    def heading(self, level: int) -> str:
        return "#" * min(level, 6)

    def on_math_block(self, node: nodes.Element) -> str:
        number = self.number("displaymath", node)
        tag = f" \\tag{{{number}}}" if number else ""
        return f"$$\n{tex_of(node).strip()}{tag}\n$$"

    def on_literal_block(self, node: nodes.Element) -> str:
        language = node.get("language", "text")
        text = node.astext().strip("\n")
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        return f"{fence}{LANGUAGES.get(language, language)}\n{text}\n{fence}"

    def on_doctest_block(self, node: nodes.Element) -> str:
        return f"```pycon\n{node.astext().strip()}\n```"

    def on_block_quote(self, node: nodes.Element) -> str:
        return "\n".join(f"> {line}".rstrip() for line in self.blocks(node).split("\n"))

    def items(self, node: nodes.Element, marks: Iterator[str]) -> str:
        pairs = zip(node.children, marks, strict=False)
        return "\n".join(mark + indented(self.blocks(child), len(mark)) for child, mark in pairs)

    def on_bullet_list(self, node: nodes.Element) -> str:
        return self.items(node, repeat("- "))

    on_claim_lines = on_bullet_list

    def on_enumerated_list(self, node: nodes.Element) -> str:
        return self.items(node, (f"{number}. " for number in count(node.get("start", 1))))

    def on_definition_list(self, node: nodes.Element) -> str:
        made = []
        for item in node.children:
            terms = ", ".join(self.line(term) for term in item.findall(nodes.term))
            made.append(f"- **{terms}**: {indented(self.blocks(item, (nodes.term,)), 2)}")
        return "\n".join(made)

    def on_field_list(self, node: nodes.Element) -> str:
        return "\n\n".join(self.box(self.line(field[0]), field[1], ()) for field in node.children)

    def on_transition(self, node: nodes.Element) -> str:
        return "---"

    # ---- boxes, figures, tables

    def statement(self, node: nodes.Element) -> str:
        words = self.line(node[0]).strip("() ") if isinstance(node[0], nodes.title) else ""
        head = f"{node['realtype'].title()} {self.number(node['countertype'], node)}".strip()
        return self.box(f"{head}{f' ({words})' * bool(words)}.", node)

    def on_exercise_enumerable_node(self, node: nodes.Element) -> str:
        head = f"Exercise {self.number('exercise', node)}".strip()
        return self.box(f"{head}: {self.line(node[0])}", node)

    on_exercise_node = on_exercise_enumerable_node

    def on_answer(self, node: nodes.Element) -> str:
        """What is asked; what is said to a mistake would give the answer away."""
        return f"- {self.line(node[0])}: ____"

    def on_solution_node(self, node: nodes.Element) -> str:
        return self.box(self.line(node[0]), node)

    def on_fold(self, node: nodes.Element) -> str:
        head = "In depth: " * ("depth" in node["classes"]) + node[0].astext()
        rest = (self.of(child).strip("\n") for child in node.children[1:])
        return "\n\n".join([f"**{head}**", *(part for part in rest if part.strip())])

    def on_admonition(self, node: nodes.Element) -> str:
        if node.children and isinstance(node[0], nodes.title):
            return self.box(self.line(node[0]), node)
        return self.blocks(node)

    on_claim_box = on_admonition

    def on_seealso(self, node: nodes.Element) -> str:
        return self.box("See also", node, ())

    def on_figure(self, node: nodes.Element) -> str:
        captions = [child for child in node.children if isinstance(child, nodes.caption)]
        head = [f"**Figure {self.number('figure', node)}.**", *map(self.line, captions)]
        return "\n\n".join([" ".join(head), self.blocks(node, (nodes.caption,))])

    def on_raw(self, node: nodes.Element) -> str:
        """The words of a picture, and where its data are."""
        text = node.astext()
        if "html" not in node.get("format", "").split() or 'class="cell-source"' in text or not text.strip():
            return ""
        if "data-twin" in text and (data := DATA.search(text)):
            return "Data: " + self.linked(data[1].rpartition("/")[2], data[1])
        if alt := ALT.search(text):
            return "Picture: " + MARKS.sub(r"\\\1", unescape(alt[1] or alt[2]))
        if not TAGS.sub("", text).strip() and not PICTURES.search(text):  # a place for an address
            return ""
        refuse("PE912", self.docname, kind="raw HTML", text=" ".join(text.split())[:80])
        return ""

    def on_table(self, node: nodes.table) -> str:
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        number = self.number("table", node)
        head = [f"**Table {number}.**" * bool(number), self.line(title) if title else ""]
        rows = [[self.cell(entry) for entry in row.children] for row in node.findall(nodes.row)]
        if not next(node.findall(nodes.thead), None):
            rows.insert(0, [""] * len(rows[0]))
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + " --- |" * len(rows[0]))
        return "\n\n".join(filter(None, [" ".join(filter(None, head)), "\n".join(lines)]))

    def cell(self, entry: nodes.Element) -> str:
        """A bar would end the cell: in a formula it becomes a command, elsewhere it is escaped."""
        parts = MATHS.split(" ".join(self.blocks(entry).split()))
        for place, part in enumerate(parts):
            in_maths = part.replace("\\|", "\\Vert ").replace("|", "\\vert ")
            parts[place] = in_maths if place % 2 else part.replace("|", "\\|")
        return "".join(parts)

    def on_citation(self, node: nodes.Element) -> str:
        return f"- **{node[0].astext()}**: {self.blocks(node, (nodes.label,))}"

    def on_footnote(self, node: nodes.Element) -> str:
        return f"[^{node[0].astext()}]: {indented(self.blocks(node, (nodes.label,)), 4)}"

    # ---- the programming interface

    def on_desc(self, node: addnodes.desc) -> str:
        signatures = [part for part in node.children if isinstance(part, addnodes.desc_signature)]
        heads = [f"`{' '.join(part.astext().split())}`" for part in signatures]
        self.level += 1
        made = self.blocks(node, (addnodes.desc_signature,))
        self.level -= 1
        return "\n\n".join(filter(str.strip, [f"{self.heading(self.level + 1)} {', '.join(heads)}", made]))


def tex_of(node: nodes.Node) -> str:
    """A formula without what only the page's own typesetting knows."""
    return TWICE.sub(r"{\1}", BREAK.sub(" ", node.astext()))


def indented(text: str, width: int) -> str:
    """The lines after the first, moved in; empty ones stay empty."""
    return re.sub(r"\n(?=[^\n])", "\n" + " " * width, text)


def tidy(text: str) -> str:
    """One empty line between blocks; those within code stay."""
    parts = FENCED.split(text.strip())
    return "".join(part if place % 2 else re.sub(r"\n{3,}", "\n\n", part) for place, part in enumerate(parts))


def markdown(doctree: nodes.document, env: Any, docname: str, link: Any) -> str:
    """The text of a page."""
    return tidy(Markdown(env, docname, link).of(doctree)) + "\n"
