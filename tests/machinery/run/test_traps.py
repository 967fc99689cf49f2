"""Traps of the tools below, each with the behaviour that this book relies on instead."""

import json

import pytest

PLAIN = "(sec:{name}:top)=\n# Page\n\n"
CELL = "```{{code-cell}} python\n:tags: [{tags}]\n{code}\n```\n\n"
HIDDEN = "hide-input"


STREAM = "import sys, time\nfor piece in ('one ', 'line', '\\n', 'another'):\n    sys.stdout.write(piece)\n    sys.stdout.flush()\n    time.sleep(0.4)"
FIELDS = """
(sec:fields:value)=
## A heading with {{ x:.3f }}

| head {{ x:.2f }} | other |
|---|---|
| {{ n }} | $y = \\val{x:.3f}$ |

:::{note} A title with {{ x:.1f }}
{{ big:,.1f }} in an admonition.
:::

:::{prf:theorem} Title {{ x:.3f }}
:label: thm:fields:one

Value {{ x:.4f }} and $x = \\val{n:d}$.
:::

```{math}
:label: eq:fields:one
y = \\val{x:.3f}
```

A footnote[^1].

[^1]: In it {{ x:.5f }}.
"""
PAGES = {
    "hidden": CELL.format(tags=HIDDEN, code="x = 1") + CELL.format(tags=HIDDEN, code="x = x + 1")
    + "It is {{ x }}.\n\n" + CELL.format(tags=HIDDEN, code="x = 9") + "Now {{ x }}.\n",
    "stream": CELL.format(tags=HIDDEN, code=STREAM),
    "fields": CELL.format(tags=HIDDEN, code="x = 1 / 8; n = -3; big = 606114 / 10") + FIELDS,
}  # fmt: skip


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    """One page for each trap, read by two processes."""
    book = new_book(tmp_path_factory.mktemp("traps"))
    for name, text in PAGES.items():
        book.page(name, PLAIN.format(name=name) + text)
    listed = "\n".join(PAGES)
    book.page("index", PLAIN.format(name="index") + f"```{{toctree}}\n{listed}\n```\n")
    done = book.build("-j", "2", builder="html")
    assert done.code == 0, done.output
    return book


def found(book, page: str) -> list[str]:
    return [value for _, value in book.findings()[page]["found"]]


def test_hidden_cells_run_in_their_place(built):
    assert found(built, "hidden") == ["2", "9"]


def test_streams_are_whole(built):
    """What a cell prints arrives in pieces; where they are cut depends on the clock."""
    record = json.loads((built.root / "doctrees" / "executions" / "stream.json").read_text())
    assert [output["text"] for output in record["cells"]["1"][1]] == ["one line\nanother"]


def test_fields_everywhere(built):
    values = ["0.125", "0.12", "−3", "0.1", "60,611.4", "0.125", "0.1250", "0.12500"]
    assert found(built, "fields") == values
    page = (built.root / "out" / "fields.html").read_text(encoding="utf-8")
    assert "y = {0.125}" in page, "the filled formula is kept as the annotation of its MathML"


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
