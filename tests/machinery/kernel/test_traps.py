"""Traps of the tools below, each with the behaviour that this book relies on instead."""

from __future__ import annotations

import os
import shutil

PLAIN = "(sec:{name}:top)=\n# Page\n\n"
CELL = "```{{code-cell}} python\n:tags: [{tags}]\n{code}\n```\n\n"
HIDDEN = "hide-input"


def text_of(book, page="index"):
    return book.findings()[page]["text"]


def test_hidden_cells_run_in_their_place(book):
    cells = CELL.format(tags="hide-input", code="x = 1") + CELL.format(tags=HIDDEN, code="x = x + 1")
    book.page(
        "index",
        PLAIN.format(name="index")
        + cells
        + "It is {{ x }}.\n\n"
        + CELL.format(tags=HIDDEN, code="x = 9")
        + "Now {{ x }}.\n",
    )
    assert book.build().code == 0
    assert [value for _, value in book.findings()["index"]["found"]] == ["2", "9"]


def test_a_hidden_cell_at_the_end_is_executed(book):
    book.page(
        "index", PLAIN.format(name="index") + CELL.format(tags=HIDDEN, code="assert False, 'planted word'")
    )
    built = book.build()
    assert built.code != 0
    assert "planted word" in built.output


def test_streams_are_whole(book):
    """What a cell prints arrives in pieces; where they are cut depends on the clock."""
    code = "import sys, time\nfor piece in ('one ', 'line', '\\n', 'another'):\n    sys.stdout.write(piece)\n    sys.stdout.flush()\n    time.sleep(0.4)"
    book.page("index", PLAIN.format(name="index") + CELL.format(tags="hide-input", code=code))
    assert book.build().code == 0
    assert "one line\nanother" in text_of(book)


def test_fields_everywhere(book):
    book.page(
        "index",
        PLAIN.format(name="index")
        + CELL.format(tags=HIDDEN, code="x = 1 / 8; n = -3; big = 606114 / 10")
        + """
(sec:index:value)=
## A heading with {{ x:.3f }}

| head {{ x:.2f }} | other |
|---|---|
| {{ n }} | $y = \\val{x:.3f}$ |

:::{note} A title with {{ x:.1f }}
{{ big:,.1f }} in an admonition.
:::

:::{prf:theorem} Title {{ x:.3f }}
:label: thm:index:one

Value {{ x:.4f }} and $x = \\val{n:d}$.
:::

```{math}
:label: eq:index:one
y = \\val{x:.3f}
```

A footnote[^1].

[^1]: In it {{ x:.5f }}.
""",
    )
    built = book.build(builder="html")
    assert built.code == 0, built.output
    values = [value for _, value in book.findings()["index"]["found"]]
    assert values == ["0.125", "0.12", "−3", "0.1", "60,611.4", "0.125", "0.1250", "0.12500"]
    html = (book.root / "out" / "index.html").read_text(encoding="utf-8")
    assert "y = {0.125}" in html, "the filled formula is kept as the annotation of its MathML"


def test_equations_keep_their_anchors(book):
    book.page(
        "index",
        PLAIN.format(name="index") + "$$\n\\begin{aligned} a &= b \\end{aligned}\n$$ (eq:index:one)\n",
    )
    pages = []
    for _ in range(2):
        shutil.rmtree(book.root / "out", ignore_errors=True)
        assert book.build("-E", builder="html").code == 0
        pages.append((book.root / "out" / "index.html").read_bytes())
    assert b"eq-index-one" in pages[0] or b"equation-eq-index-one" in pages[0]
    assert pages[0] == pages[1]


def test_theorems_survive_parallel_reads(book):
    names = [f"p{i}" for i in range(6)]
    book.page(
        "index",
        PLAIN.format(name="index")
        + "```{toctree}\n"
        + "\n".join(names)
        + "\n```\n\n"
        + " ".join(f"{{prf:ref}}`thm:{n}:one`" for n in names),
    )
    for name in names:
        book.page(
            name, PLAIN.format(name=name) + f":::{{prf:theorem}} One\n:label: thm:{name}:one\n\nTrue.\n:::\n"
        )
    built = book.build("-j", "2", builder="html")
    assert built.code == 0, built.output
    assert "Theorem" in (book.root / "out" / "index.html").read_text()


def test_pages_that_need_torch_can_be_left_out(book):
    book.page(
        "index",
        PLAIN.format(name="index")
        + "```{toctree}\nplain\nheavy\n```\n\nSee {ref}`sec:heavy:top` and {doc}`heavy`.\n",
    )
    book.page("plain", PLAIN.format(name="plain"))
    book.page(
        "heavy", PLAIN.format(name="heavy") + CELL.format(tags=HIDDEN, code="import torch"), needs="torch"
    )
    (book.root / "docs" / "labels.lock").write_text("sec:heavy:top heavy\n")
    built = book.build(builder="html", PE_TORCH="no")
    assert built.code == 0, built.output
    assert {file.name for file in (book.root / "out").glob("*.html")} >= {"index.html", "plain.html"}
    assert not (book.root / "out" / "heavy.html").exists()
    assert "left out, since they need torch: heavy" in built.output


def test_one_page_alone(book):
    book.page("index", PLAIN.format(name="index") + "```{toctree}\nplain\nother\n```\n")
    book.page(
        "plain",
        PLAIN.format(name="plain")
        + "See {ref}`sec:other:top`, {ref}`sec:plain:top` and {cite:t}`vaswani2017`.\n",
    )
    book.page("other", PLAIN.format(name="other"))
    built = book.build("-D", "pe_only=plain", builder="html")
    assert built.code == 0, built.output
    assert (book.root / "out" / "plain.html").exists()
    assert not (book.root / "out" / "other.html").exists()


def test_figures_write_their_data(book):
    code = (
        "from pe_book.show.drawing.figure import Figure\nfrom pe_book.show.drawing.frame import Frame\n"
        "from pe_book.show.drawing.panel import Panel\nfrom pe_book.show.drawing.plots import Line\n"
        "frame = Frame({'a': [1, 2], 'b': [0.5, 0.25]}, end=2)\n"
        "shown = Figure(frame, Panel(Line('a', 'b')), alt='One line that falls, drawn from one to {end}.')"
    )
    book.page(
        "reference/page",
        PLAIN.format(name="page")
        + CELL.format(tags=HIDDEN, code=code)
        + ":::{drawn} shown\n:name: fig:page:one\nA line.\n:::\n",
    )
    book.page("index", PLAIN.format(name="index") + "```{toctree}\nreference/page\n```\n")
    built = book.build(builder="html")
    assert built.code == 0, built.output
    assert (book.root / "out" / "_data" / "fig-page-one.csv").read_text() == "a,b\n1,0.5\n2,0.25\n"
    html = (book.root / "out" / "reference" / "page.html").read_text()
    assert 'href="../_data/fig-page-one.csv"' in html
    assert 'aria-label="One line that falls, drawn from one to 2' in html


def test_a_failed_page_is_not_taken_for_good(book):
    """The driver drops what a failed build left behind, so the next one fails again until the cause is mended."""
    book.page("index", PLAIN.format(name="index") + "The number 48.\n")
    environment = {**os.environ, "PE_BOOK_NO_VENV": "1"}
    import subprocess
    import sys

    command = [sys.executable, str(book.root / "docs" / "_ext" / "book.py"), "page", "index"]
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode != 0, done.stdout + done.stderr
    book.change("docs/index.md", "The number 48.", "No number.")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
