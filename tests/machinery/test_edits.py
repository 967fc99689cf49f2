"""Edits of forty kinds, some after others: an incremental build equals a clean one byte for byte.

The book is small, the order of each share is random; run one order again with ``PE_SEED``. What breaks a clean build
breaks an incremental one. What a change of a file executes again is counted in run/test_incremental.py.
"""

from __future__ import annotations

import os
import random
import shutil

import pytest

from tests.seeds import seed

SEED = seed()

FILES = {
    "pe_book/edited/__init__.py": '"""Modules that are edited."""\n',
    "pe_book/edited/alpha.py": '"""Alpha."""\n\nSTEP = 3\n\n\ndef alpha(n):\n    return STEP * n\n',
    "pe_book/edited/beta.py": '"""Beta."""\n\nfrom pe_book.edited.alpha import alpha\n\n\ndef beta(n):\n    return alpha(n) + 1\n',
    "pe_book/edited/record.json": '{"measured": 12}\n',
    "docs/data/first.csv": "0.25\n",
    "docs/measured.csv": "0.5\n",
    "docs/listing.txt": "def listed():\n    return 5\n",
}
PAGES = {
    "index": """(sec:index:top)=
# Front

```{toctree}
:caption: Pages
one
two
three
spare
glossary
sources
```

See {ref}`sec:one:top`, {doc}`two`, {prf:ref}`thm:one:first`, {eq}`eq:two:sum` and {numref}`fig:one:line`.
""",
    "one": """(sec:one:top)=
# Page one

```{code-cell} python
from pe_book.edited.alpha import alpha
from pe_book.edited.beta import beta
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line
from pe_book.show.drawing.table import Column, Table

value, other = alpha(2), beta(2)

def line(n):
    frame = Frame({"n": range(n), "value": [alpha(k) for k in range(n)]}, steps=n)
    return Figure(frame, Panel(Line("n", "value")), facts=lambda f: {"last": f["value"][-1]},
                  alt="One line that rises from zero to {last} in {steps} steps.")
```

(sec:one:text)=
## A section of one

The value is {{ value }}, the other {{ other }}, and {holds}`it grows <other > value>`. A {term}`dial` turns. Prose of one.

:::{prf:theorem} First
:label: thm:one:first

All is well.
:::

:::{drawn} line(4)
:name: fig:one:line
A line.
:::

:::{tabled} Table(Column("n", ["a"]), Column("value", [f"{value}"]))
:name: tab:one:values
Values.
:::

{cite:t}`vaswani2017` says so.
""",
    "two": """(sec:two:top)=
# Page two

```{code-cell} python
import json
import pathlib
import numpy as np
try:
    from pe_book.edited.optional import extra
except ImportError:
    extra = 0
measured = float(np.loadtxt("measured.csv"))
files = sorted(pathlib.Path("data").glob("*.csv"))
total = sum(float(file.read_text()) for file in files)
names = {}
exec(pathlib.Path("listing.txt").read_text(), names)
recorded = json.loads(pathlib.Path(json.__file__).read_text() and open("../pe_book/edited/record.json").read())["measured"]
```

Measured: {{ measured }}, in all {{ total }} in {{ len(files) }} files, {{ extra }}, {{ names["listed"]() }}, {{ recorded }}.

$$ a + b = \\val{measured:.2f} $$ (eq:two:sum)

{prf:ref}`thm:one:first` and {numref}`tab:one:values` of {doc}`one`; {cite:t}`vaswani2017`.
""",
    "three": """(sec:three:top)=
# Page three

Nothing is executed here, at the base 10000. A {term}`dial`, and {ref}`sec:one:text`, and {doc}`spare`.
""",
    "spare": """(sec:spare:top)=
# Spare

A page that comes and goes. Its neighbour is {doc}`three`.
""",
    "glossary": """(sec:glossary:top)=
# Glossary

:::{glossary}
dial
  What turns.

wave
  What returns.
:::
""",
    "sources": """(sec:sources:top)=
# Sources

```{bibliography}
```
""",
}


def swap(file: str, old: str, new: str):
    return lambda book: book.change(file, old, new)


def build_twice(*steps):
    def edit(book):
        for step in steps:
            step(book)

    return edit


def write(file: str, text: str):
    def edit(book):
        path = book.root / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return edit


def page(name: str, text: str, **front: str):
    return lambda book: book.page(name, text, **front)


def set_time(file: str, seconds: float):
    """A changed file under a time that says nothing: an hour ago, a day ahead."""

    def edit(book):
        path = book.root / file
        before = path.stat().st_mtime
        path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
        os.utime(path, (before + seconds, before + seconds))

    return edit


def moved(old: str, new: str):
    return lambda book: (book.root / old).rename(book.root / new)


def gone(file: str):
    return lambda book: (book.root / file).unlink()


ONE, TWO, INDEX = "docs/one.md", "docs/two.md", "docs/index.md"
BOX = ":::{{prf:theorem}} {0}\n:label: thm:one:{1}\n\nTrue.\n:::\n\n"
DRAWN = ":::{{drawn}} line({0})\n:name: fig:one:{1}\nAnother line.\n:::\n\n"
HEADING = "(sec:{0}:top)=\n# {1}\n\nText of {1}.\n"
EDITS = {
    "a constant of a module": swap("pe_book/edited/alpha.py", "STEP = 3", "STEP = 4"),
    "a module behind a module": swap("pe_book/edited/beta.py", "+ 1", "+ 2"),
    "a docstring": swap("pe_book/edited/alpha.py", '"""Alpha."""', '"""Alpha, the first."""'),
    "a new function": swap("pe_book/edited/beta.py", "def beta", "def gamma():\n    return 0\n\n\ndef beta"),
    "a module that was missing": write("pe_book/edited/optional.py", "extra = 7\n"),
    "a module that is gone": build_twice(write("pe_book/edited/optional.py", "extra = 8\n"), gone("pe_book/edited/optional.py")),
    "a change under an old time": set_time("pe_book/edited/alpha.py", -3600),
    "a change under a future time": set_time("pe_book/edited/beta.py", 86400),
    "a time without a change": lambda book: os.utime(book.root / "pe_book/edited/beta.py"),
    "a measured file": write("docs/measured.csv", "0.75\n"),
    "one more file of a folder": write("docs/data/second.csv", "0.125\n"),
    "a file of the folder under another name": moved("docs/data/first.csv", "docs/data/again.csv"),
    "code that is read as data": write("docs/listing.txt", "def listed():\n    return 6\n"),
    "a record of the package": write("pe_book/edited/record.json", '{"measured": 13}\n'),
    "prose": swap(ONE, "Prose of one.", "Other prose of one."),
    "prose of a page that executes nothing": swap("docs/three.md", "Nothing is executed here,", "Nothing here,"),
    "the title of a page": swap(ONE, "# Page one", "# The first page"),
    "the title of another page": swap("docs/three.md", "# Page three", "# The third page"),
    "the title of a section": swap(ONE, "## A section of one", "## A renamed section"),
    "a description": swap(TWO, "A page of a small book", "Another page of a small book"),
    "the title in the front matter": swap(TWO, "title: A page", "title: Page two"),
    "a question": swap(ONE, "What is tried out", "What else is tried out"),
    "a theorem before the first": swap(ONE, BOX.format("First", "first")[:30], BOX.format("New", "new") + BOX.format("First", "first")[:30]),
    "the title of a theorem": swap(TWO, "# Page two", "# Page two\n\n" + BOX.format("Two", "two").replace(":one:", ":two:")),
    "a label with its references": build_twice(*(swap(file, "eq:two:sum", "eq:two:total") for file in (TWO, INDEX))),
    "a figure before the first": swap(ONE, ":::{drawn} line(4)", DRAWN.format(3, "short") + ":::{drawn} line(4)"),
    "a figure behind the first": swap(ONE, "{cite:t}`vaswani2017` says", DRAWN.format(6, "more") + "{cite:t}`vaswani2017` says"),
    "a caption": swap(ONE, "A line.\n", "A rising line.\n"),
    "a row of a table": swap(ONE, '["a"]), Column("value", [', '["b", "a"]), Column("value", ["5", '),
    "a term and its references": build_twice(swap("docs/glossary.md", "wave\n", "curve\n"), swap("docs/three.md", "A {term}`dial`,", "A {term}`curve`,")),
    "a new term": swap("docs/glossary.md", ":::{glossary}\n", ":::{glossary}\nhand\n  What points.\n\n"),
    "the year of a source": swap("docs/references.bib", "year = {2017}", "year = {2018}"),
    "a new source": swap("docs/references.bib", "@inproc", "@misc{new2020,\n  author = {New, Ann}, title = {New}, year = {2020}\n}\n@inproc"),
    "the order of pages": build_twice(swap(INDEX, "one\ntwo\n", "two\none\n")),
    "a new page": build_twice(page("fourth", HEADING.format("fourth", "Fourth")), swap(INDEX, "glossary\n", "fourth\nglossary\n")),
    "a page that is gone": build_twice(
        gone("docs/spare.md"), swap(INDEX, "spare\n", ""), swap("docs/three.md", ", and {doc}`spare`", ""),
    ),
    "a page under another name": build_twice(
        page("moving", HEADING.format("moving", "Moving")), swap(INDEX, "glossary\n", "moving\nglossary\n"),
        moved("docs/moving.md", "docs/moved.md"), swap(INDEX, "moving\n", "moved\n"),
    ),
    "the caption of the contents": swap(INDEX, ":caption: Pages", ":caption: All pages"),
    "a fold": swap(ONE, "```{code-cell} python\n", "```{code-cell} python\n:tags: [hide-input]\n"),
    "the code of a cell": swap(ONE, "value, other = alpha(2), beta(2)", "value, other = alpha(5), beta(5)"),
    "the title of the book": swap("pyproject.toml", 'title = "Positional', 'title = "On positional'),
    "a stylesheet": lambda book: (book.root / "docs/_themes/executable_book/static/book.css").write_text("body { margin: 1px }\n"),
}  # fmt: skip
SHARES = 7
BREAKING = {  # what is changed, and what is then said of another page
    "a term renamed in the glossary alone": (swap("docs/glossary.md", "dial\n", "disc\n"), "three", "dial"),
    "a label that pages refer to": (swap(ONE, "sec:one:text", "sec:one:other"), "three", "sec:one:text"),
    "a theorem that pages refer to": (swap(ONE, "thm:one:first", "thm:one:other"), "two", "thm:one:first"),
    "an equation that pages refer to": (swap(TWO, " (eq:two:", " (eq:two:un"), "index", "eq:two:sum"),
    "a figure that pages refer to": (swap(ONE, "fig:one:line", "fig:one:other"), "index", "fig:one:line"),
    "a number that pages share": (swap("docs/given.yml", "\n10000:", "\n10001:"), "three", "10000"),
    "a source that pages cite": (
        swap("docs/references.bib", "{vaswani2017,", "{other2017,"),
        "two",
        "vaswani2017",
    ),
}


def edited_book(book):
    """The book that is edited, as it was built first."""
    theme = book.root / "docs" / "_themes"
    target = theme.resolve()
    theme.unlink()
    shutil.copytree(target, theme)
    for file, text in FILES.items():
        write(file, text)(book)
    for name, text in PAGES.items():
        book.page(name, text)
    built = book.build(builder="html")
    assert built.code == 0, built.output
    return book


@pytest.mark.thorough
@pytest.mark.parametrize("share", range(SHARES))
def test_edits_one_after_another(book, share):
    edited_book(book)
    order = list(EDITS)[share::SHARES]
    random.Random(SEED).shuffle(order)
    differ = {}
    for name in order:
        EDITS[name](book)
        if found := book.differs_from_clean():
            differ[name] = found
    assert not differ, f"PE_SEED={SEED}"


@pytest.fixture(scope="module")
def broken(new_book, tmp_path_factory):
    """What an incremental build says when pages of another kind have each lost what others refer to."""
    book = edited_book(new_book(tmp_path_factory.mktemp("broken")))
    for edit, *_ in BREAKING.values():
        edit(book)
    return book.build()


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_a_clean_build_breaks_an_incremental_one(broken, name):
    _, page, word = BREAKING[name]
    assert word in broken.about(page)
