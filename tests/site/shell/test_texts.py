"""The text of each page as Markdown: every kind of node by itself, then the built site."""

import re
from types import SimpleNamespace

import pytest
import sphinx_exercise.nodes
import sphinx_proof.nodes
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx import addnodes

from shell import markdown
from shell.markdown import Markdown
from tests.site.prose import numbers, numbers_of_prose

ENV = SimpleNamespace(
    toc_secnumbers={"part/page": {"": (2, 3), "#below": (2, 3, 1)}},
    toc_fignumbers={
        "part/page": {
            "figure": {"fig": (2, 3, 1)},
            "table": {"tab": (2, 3, 2)},
            "displaymath": {"eq": (2, 3, 4)},
            "theorem": {"thm": (2, 3, 5)},
            "exercise": {"exr": (2, 3, 6)},
        }
    },
)


def text(words):
    return nodes.paragraph("", "", nodes.Text(words))


def made(node):
    return Markdown(ENV, "part/page", lambda target: "AT/" + target).of(node)


def table():
    def row(*cells):
        return nodes.row("", *[nodes.entry("", text(cell)) for cell in cells])

    group = nodes.tgroup("", nodes.thead("", row("a", "b")), nodes.tbody("", row("1|2", "3")), cols=2)
    return nodes.table("", nodes.title("", "Two."), group, ids=["tab"])


def signature():
    parameters = addnodes.desc_parameterlist(
        "", "", addnodes.desc_parameter("", "p"), addnodes.desc_parameter("", "d")
    )
    name = addnodes.desc_signature("", "", addnodes.desc_name("", "encode"), parameters)
    return addnodes.desc("", name, addnodes.desc_content("", text("The rows.")))


KINDS = {
    "text": (text("one *star* and a\nline, $5, <b>"), r"one \*star\* and a line, \$5, \<b>"),
    "emphasis": (nodes.emphasis("", "so"), "*so*"),
    "strong": (nodes.strong("", "so"), "**so**"),
    "literal_strong": (addnodes.literal_strong("", "x"), "**x**"),
    "literal_emphasis": (addnodes.literal_emphasis("", "int"), "*int*"),
    "literal": (nodes.literal("", "a*b"), "`a*b`"),
    "title_reference": (nodes.title_reference("", "d"), "`d`"),
    "math": (nodes.math("", r"T_k\,x"), r"$T_k\,x$"),
    "superscript": (nodes.superscript("", "2"), "^2"),
    "subscript": (nodes.subscript("", "2"), "_2"),
    "reference": (nodes.reference("", "there", refuri="x.html#y"), "[there](AT/x.html#y)"),
    "contents": (
        nodes.reference("", "Order", refuri="x.html", secnumber=(1, 2)),
        "[1.2 Order](AT/x.html)",
    ),
    "number_reference": (addnodes.number_reference("", "Figure 1", refid="f"), "[Figure 1](AT/#f)"),
    "footnote_reference": (nodes.footnote_reference("", "1"), "[^1]"),
    "footnote": (nodes.footnote("", nodes.label("", "1"), text("a"), text("b")), "[^1]: a\n\n    b"),
    "download_reference": (
        addnodes.download_reference("", "data", filename="a/b.csv"),
        "[data](AT/../_downloads/a/b.csv)",
    ),
    "image": (nodes.image("", alt="a wave", uri="x.png"), "(Picture: a wave)"),
    "paragraph": (
        nodes.paragraph("", "", nodes.Text("first"), nodes.bullet_list("", nodes.list_item("", text("x")))),
        "first\n\n- x",
    ),
    "compact_paragraph": (addnodes.compact_paragraph("", "", nodes.Text("x")), "x"),
    "attribution": (nodes.attribution("", "", nodes.Text("x")), "x"),
    "section": (
        nodes.section(
            "",
            nodes.title("", "Top"),
            nodes.section("", nodes.title("", "Below"), text("x"), ids=["below"]),
            ids=["top"],
        ),
        "# 2.3 Top\n\n## 2.3.1 Below\n\nx",
    ),
    "rubric": (nodes.rubric("", "Examples"), "**Examples**"),
    "math_block": (nodes.math_block("", "a = b", ids=["eq"]), "$$\na = b \\tag{2.3.4}\n$$"),
    "literal_block": (nodes.literal_block("", "x = 1", language="ipython3"), "```python\nx = 1\n```"),
    "doctest_block": (nodes.doctest_block("", ">>> 1\n1"), "```pycon\n>>> 1\n1\n```"),
    "block_quote": (nodes.block_quote("", text("a"), text("b")), "> a\n>\n> b"),
    "bullet_list": (
        nodes.bullet_list("", nodes.list_item("", text("a"), text("b")), nodes.list_item("", text("c"))),
        "- a\n\n  b\n- c",
    ),
    "enumerated_list": (nodes.enumerated_list("", nodes.list_item("", text("a"))), "1. a"),
    "definition_list": (
        nodes.definition_list(
            "", nodes.definition_list_item("", nodes.term("", "pair"), nodes.definition("", text("two")))
        ),
        "- **pair**: two",
    ),
    "field_list": (
        nodes.field_list(
            "", nodes.field("", nodes.field_name("", "Returns"), nodes.field_body("", text("x")))
        ),
        "**Returns**\n\nx",
    ),
    "transition": (nodes.transition(), "---"),
    "exercise_enumerable_node": (
        sphinx_exercise.nodes.exercise_enumerable_node("", nodes.title("", "Turn"), text("x"), ids=["exr"]),
        "**Exercise 2.3.6: Turn**\n\nx",
    ),
    "exercise_node": (
        sphinx_exercise.nodes.exercise_node("", nodes.title("", "Turn"), text("x"), ids=["none"]),
        "**Exercise: Turn**\n\nx",
    ),
    "solution_node": (
        sphinx_exercise.nodes.solution_node("", nodes.title("", "Solution to 1"), text("x")),
        "**Solution to 1**\n\nx",
    ),
    "admonition": (nodes.admonition("", nodes.title("", "Note well"), text("x")), "**Note well**\n\nx"),
    "note": (nodes.note("", text("x")), "**Note**\n\nx"),
    "seealso": (addnodes.seealso("", text("x")), "**See also**\n\nx"),
    "figure": (
        nodes.figure(
            "",
            nodes.raw("", '<div role="img" aria-label="2 &lt; 3 waves"><svg/></div>', format="html"),
            nodes.caption("", "Waves."),
            nodes.legend(
                "", nodes.raw("", '<details class="data-twin"><a href="w.csv">w</a>', format="html")
            ),
            ids=["fig"],
        ),
        "**Figure 2.3.1.** Waves.\n\nPicture: 2 < 3 waves\n\nData: [w.csv](AT/w.csv)",
    ),
    "address": (nodes.raw("", '<span id="old"></span>', format="html"), ""),
    "raw": (nodes.raw("", '<p class="cell-source">Source: x</p>', format="html"), ""),
    "table": (table(), "**Table 2.3.2.** Two.\n\n| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"),
    "citation": (nodes.citation("", nodes.label("", "V17"), text("Attention.")), "- **V17**: Attention."),
    "desc": (signature(), "# `encode(p, d)`\n\nThe rows."),
    "theorem": (
        sphinx_proof.nodes.theorem_node(
            "", nodes.title("", " (Shift)"), text("x"), ids=["thm"], realtype="theorem", countertype="theorem"
        ),
        "**Theorem 2.3.5 (Shift).**\n\nx",
    ),
    "proof": (sphinx_proof.nodes.proof_node("", nodes.admonition("", text("Proof. x"))), "Proof. x"),
    "cell": (
        nodes.container("", HideCodeCellNode("", nodes.literal_block("", "x", language="ipython3"))),
        "```python\nx\n```",
    ),
    "link to a cell": (nodes.inline("", "how it was computed", classes=["computed"]), ""),
    "mark of an exercise": (nodes.inline("", "by hand", classes=["exercise-mark"]), "(by hand)"),
    "words for listeners": (nodes.inline("", "column ", classes=["visually-hidden"]), ""),
    "mark": (nodes.comment("", "not for readers"), ""),
}


def test_a_bar_ends_no_cell():
    words = nodes.paragraph("", "a | b, ", nodes.math("", r"|x| \le \|y\|"))
    cell = Markdown(ENV, "part/page", lambda target: target).cell(nodes.entry("", words))
    assert cell == r"a \| b, $\vert x\vert  \le \Vert y\Vert $"


def test_empty_lines_within_code_stay():
    assert markdown.tidy("a\n\n\n\nb\n\n```python\nx\n\n\ny\n```\n") == "a\n\nb\n\n```python\nx\n\n\ny\n```"


class Fold(nodes.General, nodes.Element):
    """Named like the node of page.folds."""


Fold.__name__ = "fold"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_node(kind):
    node, expected = KINDS[kind]
    assert made(node) == expected


def test_a_fold_is_open():
    summary = nodes.paragraph("", "Why it converges")
    assert made(Fold("", summary, text("x"), classes=["depth"])) == "**In depth: Why it converges**\n\nx"


def test_every_method_is_tested():
    methods = {name.removeprefix("on_") for name in vars(Markdown) if name.startswith("on_")}
    assert methods - {"answer", "claim_box", "claim_lines", "fold", "title", "stub_says"} <= KINDS.keys()
    assert {*markdown.WRAPPED, markdown.NAMED[0]} <= KINDS.keys()


@pytest.mark.parametrize(
    "node", [nodes.line_block("", nodes.line("", "a poem")), nodes.raw("", "<video></video>", format="html")]
)
def test_what_has_no_words_is_refused(node, monkeypatch):
    said = []
    monkeypatch.setattr(markdown, "refuse", lambda code, where, **fields: said.append(code))
    made(node)
    assert said == ["PE912"]


# ---------------------------------------------------------------- the built site

TEXT = re.compile(r'<link rel="alternate" type="text/markdown" [^>]*href="([^"]+)"')
LEFT = re.compile(
    r"^(?:`{3,}|:{3,})\{|\{(?:ref|term|cite|py|math|holds|eval|numref|eq)\b[^}`]*\}`|\{\{.*[a-z].*\}\}|\\val\b",
    re.M,
)


@pytest.fixture(scope="module")
def written(pages):
    """Each page that was written from a text, with its text."""
    found = [(page, TEXT.search(page.read_text(encoding="utf-8").partition("</head>")[0])) for page in pages]
    return [
        (page, (page.parent / link[1]).read_text(encoding="utf-8"))
        for page, link in found
        if link is not None
    ]


def test_every_page_of_the_book_has_a_text(site, written):
    listed = re.findall(
        r"\]\((?:https?://[^)]*/)?([^):]+)\.md\)", (site / "llms.txt").read_text(encoding="utf-8")
    )
    assert sorted(listed) == sorted(page.relative_to(site).with_suffix("").as_posix() for page, _ in written)
    assert len(listed) > 20


def test_no_text_has_source_left_in_it(written):
    left = {}
    for page, text in written:
        prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S)  # blocks of code
        if page.stem != "refusals":  # whose subject it is
            prose = re.sub(r"\$\$.*?\$\$|(?<!\\)\$[^$]*\$|(`+)(?!\{).+?\1", "", prose, flags=re.S)
            left |= {f"{page.stem}: {found[0]}": 1 for found in LEFT.finditer(prose)}
    assert list(left) == []


def test_every_number_of_a_page_is_in_its_text(written):
    missing = {}
    for page, text in written:
        gone = numbers_of_prose(page) - numbers(text)
        if gone:
            missing[page.name] = sorted(gone)
    assert missing == {}


def test_the_list_of_texts(site):
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert lines[2].startswith("> ")
    entries = [line for line in lines if line.startswith("- ")]
    assert all(re.fullmatch(r"- \[[^]]+\]\([^)]+\.md\): .{40,}", line) for line in entries), entries
    assert next(line for line in lines if line.startswith("## ")) == "## The book"
    assert "Allow: /" in (site / "robots.txt").read_text(encoding="utf-8")
