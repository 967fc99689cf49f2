"""What an author typed on a page, piece by piece: with gaps for what the machinery made."""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx import addnodes

from bookish.lint.numerals import GAP, SIZES, counts, findings_in_code, in_maths, numerals, words_in_maths
from bookish.run.record import parents

BARE_DECIMAL = re.compile(r"[-−+]?\d*\.\d+")
BARE_SETTING = re.compile(r"(?:[\w.]+\s*=\s*)?[-−+]?[\d._]*\d")
MADE = ("found", "quoted", "free")  # what only the machinery sets; the words of a held statement are typed
CODE = {"python", "ipython", "ipython3", "shell", "console", "bash"}
CODE |= {"toml", "yaml", "json", "latex", "tex", "bibtex"}
READ = ("alt", "title", "value", "placeholder", "label", "abbr", "summary", "content")  # attributes
PROVED = ("theorem_node", "lemma_node", "proposition_node", "corollary_node", "definition_node", "proof_node")
NOT_TEXT = (
    nodes.doctest_block, nodes.comment, nodes.citation, nodes.system_message, nodes.label,
    nodes.footnote_reference, nodes.docinfo, nodes.target, addnodes.desc_signature, addnodes.index,
)  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """A piece of a page: its text with gaps where nothing is typed, and where it stands."""

    text: str
    line: int | None = None
    by_hand: bool = False
    solves: bool = False  # it stands in the solution of an exercise
    proved: bool = False  # it stands in a theorem or its proof
    checked: frozenset[float] = frozenset()  # the numbers of its check, or of the exercise that it solves
    tex: str | None = None  # a formula, as typed
    caption: bool = False  # of what the page's kernel has drawn or tabled


def numbers_in_check(expression: str) -> set[float]:
    """The numbers in the expression of a held statement: its words may repeat them."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return set()
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            with suppress(ValueError):  # of names
                values.append(ast.literal_eval(node.left) ** ast.literal_eval(node.right))
    return {
        float(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def blank_out(text: str, values: set[float]) -> str:
    """The text with gaps for the numbers that have one of these values."""
    for found in [*numerals(text), *counts(text)]:
        if found.value in values:
            text = text[: found.start] + GAP * (found.end - found.start) + text[found.end :]
    return text


def words_of_html(html: str) -> str:
    """The words of raw HTML or of an SVG, with those that only some readers get to hear."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup(["script", "style"]):
        tag.decompose()
    heard = [
        value
        for tag in soup.find_all(True)
        for key, value in tag.attrs.items()
        if isinstance(value, str) and (key in READ or key.startswith(("aria-", "data-")))
    ]
    return " ".join([soup.get_text(), *heard])


def words_of_picture(node: nodes.image) -> str:
    """What a picture of ours says, if it is an SVG."""
    file = Path(node.document.settings.env.srcdir, node["uri"]) if node.document else Path(node["uri"])
    if file.suffix != ".svg" or not file.is_file():
        return ""
    return words_of_html(file.read_text(encoding="utf-8"))


def typed_text(node: nodes.Node) -> str:
    """What an author typed in a node and the inline nodes in it, with gaps for the rest."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.raw):
        return "" if node.get("made") else words_of_html(node.astext())
    if isinstance(node, nodes.literal):
        bare = BARE_SETTING if any(is_caption(part) for part in parents(node)) else BARE_DECIMAL
        return node.astext() if bare.fullmatch(node.astext()) else findings_in_code(node.astext()) or GAP
    if isinstance(node, (nodes.math, *NOT_TEXT)) or node.get("made") in MADE:
        return GAP
    if isinstance(node, addnodes.pending_xref) and not node.get("refexplicit"):
        return GAP
    text = "".join(typed_text(child) for child in node.children if is_inline(child))
    if isinstance(node, nodes.reference):
        address = node.get("refuri", "")
        return (
            GAP
            if text == address
            else blank_out(text, {n.value for n in numerals(re.sub(r"\D", " ", address))})
        )
    if node.get("made") == "held":
        text = SIZES.sub(lambda size: GAP * len(size[0]), text)
        return GAP + blank_out(text, numbers_in_check(node.get("expr", ""))) + GAP
    if isinstance(node, nodes.abbreviation):
        return f"{text} {node.get('explanation', '')} "
    return text


def is_inline(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.Text, nodes.Inline, nodes.raw))


def is_caption(node: nodes.Node) -> bool:
    """Whether a node holds what an author says below a drawn figure or above a tabled table."""
    if isinstance(node, (nodes.caption, nodes.legend)):
        return "drawn" in node.parent["classes"]
    return isinstance(node, nodes.title) and "tabled" in node.parent["classes"]


def exercises_by_hand(document: nodes.document) -> dict[str, frozenset[float]]:
    """By label, the numbers that an exercise states which is done by hand: its solution types no others."""
    exercises = document.findall(lambda node: type(node).__name__.startswith("exercise") and "label" in node)
    return {node["label"]: frozenset(stated(node)) for node in exercises if node.get("kind") == "by hand"}


def stated(exercise: nodes.Element) -> Iterator[float]:
    """The numbers in its text and formulas, without its fields, whose mistakes tell others."""
    asked = exercise.deepcopy()
    for field in list(
        asked.findall(lambda node: isinstance(node, nodes.Element) and node.get("made") == "answer")
    ):
        field.parent.remove(field)
    for piece in pieces(asked, {}):
        formula = (number for number, _ in in_maths(piece.tex or "", scripts_too=True))
        yield from (number.value for number in (*numerals(piece.text), *counts(piece.text), *formula))


def pieces(node: Any, by_hand: Mapping[str, frozenset[float]], at: Piece = Piece("")) -> Iterator[Piece]:
    """Everything that an author typed in a node, piece by piece, in the order of the page."""
    if isinstance(node, NOT_TEXT) or node.get("made") in MADE or node.get("nb_element"):
        return
    parts = node.children if isinstance(node, addnodes.desc_content) else [node]
    if any("docstring of" in (part.source or "") for part in parts):
        return  # checked as doctests, and by the tests of the package
    at = replace(at, text="", tex=None, line=getattr(node, "line", None) or at.line)
    example = type(node).__name__ == "example_node" and "by-hand" in node["classes"]
    at = replace(at, by_hand=at.by_hand or example or node.get("label") in by_hand)
    if (solved := node.get("target_label")) in by_hand:
        at = replace(at, solves=True, checked=at.checked | by_hand[solved])
    if node.get("made") == "held":
        at = replace(at, checked=at.checked | numbers_in_check(node.get("expr", "")))
    at = replace(
        at, caption=at.caption or is_caption(node), proved=at.proved or type(node).__name__ in PROVED
    )

    if isinstance(node, (nodes.math, nodes.math_block)):
        tex = node.get("typed", node.astext())
        yield replace(at, text=words_in_maths(tex), tex=tex)
        return
    if isinstance(node, nodes.literal_block):
        text, executed = node.astext(), node.astext().lstrip().startswith(">>>")
        if not executed:
            yield replace(at, text=findings_in_code(text) if node.get("language") in CODE else text)
        return
    if isinstance(node, nodes.image):
        said = [node.get("alt", ""), node.get("title", ""), words_of_picture(node)]
        yield replace(at, text=" ".join(said))
    elif isinstance(node, nodes.enumerated_list):
        yield replace(at, text=str(node.get("start", 1)), by_hand=True)
    elif isinstance(node, nodes.meta):
        yield replace(at, text=node.get("content", ""))
    elif isinstance(node, addnodes.toctree):
        for words in [node.get("rawcaption") or "", *(title or "" for title, _ in node["entries"])]:
            yield replace(at, text=words)
    elif not isinstance(node, nodes.Inline) and any(is_inline(child) for child in node.children):
        yield replace(at, text="".join(typed_text(child) for child in node.children if is_inline(child)))
    for child in node.children:
        if isinstance(child, nodes.Element):
            yield from pieces(child, by_hand, at)
