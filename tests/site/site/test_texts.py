"""The text of each page as Markdown: every kind of node by itself, then the built site."""

import re
from types import SimpleNamespace

import pytest
import sphinx_exercise.nodes
import sphinx_proof.nodes
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx import addnodes

from bookish.site import markdown
from bookish.site.markdown import Markdown
from bookish.write.folds import fold
from tests.site.notebooks.inspected import LEFT
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
    "math": (nodes.math("", r"T_k\,x"), r"$T_k\,x$"),
    "reference": (nodes.reference("", "there", refuri="x.html#y"), "[there](AT/x.html#y)"),
    "contents": (
        nodes.reference("", "Order", refuri="x.html", secnumber=(1, 2)),
        "[1.2 Order](AT/x.html)",
    ),
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
    "section": (
        nodes.section(
            "",
            nodes.title("", "Top"),
            nodes.section("", nodes.title("", "Below"), text("x"), ids=["below"]),
            ids=["top"],
        ),
        "# 2.3 Top\n\n## 2.3.1 Below\n\nx",
    ),
    "math_block": (nodes.math_block("", "a = b", ids=["eq"]), "$$\na = b \\tag{2.3.4}\n$$"),
    "literal_block": (nodes.literal_block("", "x = 1", language="ipython3"), "```python\nx = 1\n```"),
    "block_quote": (nodes.block_quote("", text("a"), text("b")), "> a\n>\n> b"),
    "bullet_list": (
        nodes.bullet_list("", nodes.list_item("", text("a"), text("b")), nodes.list_item("", text("c"))),
        "- a\n\n  b\n- c",
    ),
    "definition_list": (
        nodes.definition_list(
            "", nodes.definition_list_item("", nodes.term("", "pair"), nodes.definition("", text("two")))
        ),
        "- **pair**: two",
    ),
    "exercise_enumerable_node": (
        sphinx_exercise.nodes.exercise_enumerable_node("", nodes.title("", "Turn"), text("x"), ids=["exr"]),
        "**Exercise 2.3.6: Turn**\n\nx",
    ),
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
    "table": (table(), "**Table 2.3.2.** Two.\n\n| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"),
    "desc": (signature(), "# `encode(p, d)`\n\nThe rows."),
    "theorem": (
        sphinx_proof.nodes.theorem_node(
            "", nodes.title("", " (Shift)"), text("x"), ids=["thm"], realtype="theorem", countertype="theorem"
        ),
        "**Theorem 2.3.5 (Shift).**\n\nx",
    ),
    "cell": (
        nodes.container("", HideCodeCellNode("", nodes.literal_block("", "x", language="ipython3"))),
        "```python\nx\n```",
    ),
    "link to a cell": (nodes.inline("", "how it was computed", classes=["computed"]), ""),
    "words for listeners": (nodes.inline("", "column ", classes=["visually-hidden"]), ""),
}


def test_a_bar_ends_no_cell():
    words = nodes.paragraph("", "a | b, ", nodes.math("", r"|x| \le \|y\|"))
    cell = Markdown(ENV, "part/page", lambda target: target).cell(nodes.entry("", words))
    assert cell == r"a \| b, $\vert x\vert  \le \Vert y\Vert $"


def test_empty_lines_within_code_stay():
    assert markdown.tidy("a\n\n\n\nb\n\n```python\nx\n\n\ny\n```\n") == "a\n\nb\n\n```python\nx\n\n\ny\n```"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_node(kind):
    node, expected = KINDS[kind]
    assert made(node) == expected


def test_a_fold_is_open():
    summary = nodes.paragraph("", "Why it converges")
    assert made(fold("", summary, text("x"), classes=["depth"])) == "**In depth: Why it converges**\n\nx"


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
            left |= {f"{page.stem}: {found[0]}": 1 for found in LEFT["source of the page"].finditer(prose)}
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
