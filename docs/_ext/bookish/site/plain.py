r"""A page in plain words: formulas as they would be typed, `T_k P(p)` for `T_k\,P(p)`; used by the search."""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes

from bookish.write.answers.field import answer_asked, answer_said

NAMES = """
alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau
phi varphi chi psi omega Gamma Delta Theta Lambda Pi Sigma Phi Psi Omega cdot times le leq ge
geq ne neq approx dots ldots cdots infty sum prod int top to mapsto in pm sqrt circ equiv sim ll
gg partial ell lVert rVert lfloor rfloor lceil rceil langle rangle neg forall exists colon star
Vert
"""
LETTERS = """
α β γ δ ε ε ζ η θ κ λ μ ν ξ π ρ σ τ φ φ χ ψ ω Γ Δ Θ Λ Π Σ Φ Ψ Ω · × ≤ ≤ ≥ ≥ ≠ ≠ ≈ … … … ∞ ∑ ∏ ∫
T → ↦ ∈ ± √ ∘ ≡ ~ ≪ ≫ ∂ ℓ ‖ ‖ ⌊ ⌋ ⌈ ⌉ ⟨ ⟩ ¬ ∀ ∃ : ⋆ ‖
"""
SYMBOLS = dict(zip(NAMES.split(), LETTERS.split(), strict=True))
# what these enclose is kept, they are not
WRAPPERS = {
    "text", "textbf", "textit", "mathrm", "operatorname", "mathbf", "mathsf", "mathbb", "mathcal",
    "mathit", "boldsymbol", "bar", "hat", "tilde", "vec", "overline", "underline", "substack",
    "underbrace", "overbrace", "boxed",
}  # fmt: skip
SILENT = {
    "left", "right", "middle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "Bigg", "quad",
    "qquad", "displaystyle", "textstyle", "scriptstyle", "limits", "nolimits", "hline", "phantom",
    "allowbreak", "nobreak", "mid",
}  # fmt: skip
FRACTIONS = {"frac", "tfrac", "dfrac", "cfrac"}
TOKEN = re.compile(
    r"\\(?:begin|end)\{[a-zA-Z]+\*?\}(?:\{[clr|@{}\s]*\})?|\\\\(?:\[[^\]]*\])?|\\[A-Za-z]+|\\.|\s+|.",
    re.DOTALL,
)
LONG = re.compile(r"[\s+\-−·/×=]")


def plain_maths(tex: str) -> str:
    """A formula as one would type it into a search."""
    text = "".join(pieces(iter(TOKEN.findall(tex))))
    text = re.sub(r"\s+", " ", text).replace(" /", "/")
    return re.sub(r" ([,.;:)\]])", r"\1", re.sub(r"([(\[]) ", r"\1", text)).strip()


def argument(tokens: Iterator[str]) -> str:
    """What the next token comes to, or all up to the closing brace where it is an opening one."""
    token = next((token for token in tokens if not token.isspace()), "")
    return " ".join("".join(piece(token, tokens)).split())


def bracketed(text: str) -> str:
    return f"({text})" if LONG.search(text) else text


def pieces(tokens: Iterator[str]) -> Iterator[str]:
    """What the tokens up to a closing brace come to."""
    for token in tokens:
        if token == "}":
            return
        yield from piece(token, tokens)


def piece(token: str, tokens: Iterator[str]) -> Iterator[str]:
    if token == "{":
        yield from pieces(tokens)
    elif token in ("_", "^"):
        inside = argument(tokens)
        yield token + (inside if len(inside) == 1 or inside.isalnum() else f"({inside})") + " "
    elif token.startswith(("\\begin", "\\end", "\\\\")) or token in ("&", "~") or token.isspace():
        yield " "
    elif token.startswith("\\"):
        yield from command(token[1:], tokens)
    else:
        yield token


def command(name: str, tokens: Iterator[str]) -> Iterator[str]:
    if name in FRACTIONS:
        yield f" {bracketed(argument(tokens))}/{bracketed(argument(tokens))}"
    elif name == "sqrt":
        yield f" √{bracketed(argument(tokens))}"
    elif name in WRAPPERS:
        yield argument(tokens)
    elif name in SILENT or name in ",;:! >":
        yield " "
    elif not name[0].isalpha():
        yield name.replace("|", "‖")
    else:
        yield f" {SYMBOLS[name]}" if name in SYMBOLS else f" {name} "


# ---------------------------------------------------------------- the words of a node

NOT_WORDS = (
    nodes.raw, nodes.comment, nodes.system_message, addnodes.index, addnodes.toctree, nodes.target,
    answer_said,
)  # fmt: skip
BLOCKS = (
    nodes.paragraph, nodes.title, nodes.caption, nodes.entry, nodes.term, nodes.literal_block,
    nodes.math_block, nodes.list_item, nodes.rubric, nodes.field_name, answer_asked,
)  # fmt: skip
LINK_TO_CELL = "computed"


def is_silent(node: nodes.Node) -> bool:
    """What a reader does not read: files, marks, and the link that says how something was computed."""
    return isinstance(node, NOT_WORDS) or (isinstance(node, nodes.inline) and LINK_TO_CELL in node["classes"])


def plain_parts(node: nodes.Node, left_out: tuple[type, ...] = ()) -> Iterator[str]:
    if is_silent(node):
        return
    if isinstance(node, (nodes.math, nodes.math_block)):
        text = plain_maths(node.astext())
        yield f" {text} " if isinstance(node, nodes.math_block) else text
    elif isinstance(node, nodes.Text):
        yield node.astext()
    else:
        for child in node.children:
            if not isinstance(child, left_out):
                yield from plain_parts(child, left_out)
        if isinstance(node, BLOCKS):
            yield " "


def plain(node: nodes.Node, left_out: tuple[type, ...] = ()) -> str:
    """The words of a node on one line."""
    return " ".join("".join(plain_parts(node, left_out)).split())
