"""One line is changed in a page that builds; the build must fail and say where and why."""

from __future__ import annotations

import re

import pytest

from kernel.refusals import catalogue

PLAIN = """(sec:small:top)=
# River and Bank

```{code-cell} python
:tags: [hide-input]
import pe_book as pe
d_model = 6
river, bank = pe.encode([0, 1], d_model)
```

```{code-cell} python
total = bank[0] ** 2 + bank[1] ** 2
assert total > 0.99
```

(sec:small:numbers)=
## Numbers

The third number is {{ bank[2]:.4f }}. In maths it is $\\val{bank[2]:.4f}$ and $x^{12}$.
The width is 6, and the row {holds}`is bounded <abs(bank).max() <= 1>`. A model has one or two heads.
The paper prints {quoted}`27.3 <vaswani2017, Table 2>`, and {ref}`this section <sec:small:numbers>` follows {cite:t}`vaswani2017`.

$$ \\sin^2 x + \\cos^2 x = 1 $$ (eq:small:circle)

```python
>>> round(float(bank[0]), 4)
0.8415
```

:::{prf:theorem} Small
:label: thm:small:one

Nothing is large.
:::

:::{depth-start} A deeper look
:label: dep:small:deep
:::

Whoever opens it sees $x$.

```{code-cell} python
inside = pe.encode(1, d_model)
```

(sec:small:inside)=
### Inside

More of it.

:::{depth-end}
:::

```{code-cell} python
outside = pe.encode(2, d_model)
```

See {ref}`dep:small:deep`.

:::{exercise} Add one
:label: exr:small:one

Do it.

{stub}`exr:small:one`
:::

:::{solution-start} exr:small:one
:label: sol:small:one
:class: dropdown
:::

```{code-cell} python
def successor(n):
    # begin solution
    return n + 1
    # end solution
assert successor(1) == 2
```

:::{solution-end}
:::
"""
SHOWN = """(sec:small:top)=
# The width is 6

```{code-cell} python
:tags: [hide-input]
import pe_book as pe
import sympy
from pe_book.evidence.derivations.derivation import Derivation, Step
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line
from pe_book.show.drawing.table import Column, Table

words, width = 2, 6
river, bank = pe.encode(range(words), width)

def picture(row, alt=None):
    frame = Frame({"dimension": range(len(row)), "value": row}, first=row[0], last=row[-1], tests=1)
    alt = alt or "The numbers of the row run from {first:.4f} to {last:.4f}, one line."
    return Figure(frame, Panel(Line("dimension", "value")), alt=alt)

def explored(element):
    shown = picture(bank)
    return Figure(shown.frame, *shown.panels, alt=shown.template, explorer=element)

same = "A line through the six numbers of a row, drawn for {tests} test."
x = sympy.Symbol("x", real=True)
```

:::{drawn} picture(bank)
:name: fig:small:bank
The row of the second word, in {{ bank.size }} dimensions.
:::

:::{drawn} picture(river)
:name: fig:small:river
The row of the first word.
:::

:::{drawn} picture(pe.encode(2, width))
:name: fig:small:third
The row of the third word, {{ width }} dimensions wide, $x^2$.
:::

:::{tabled} Table(Column("dimension", [0]), Column("value", [bank[0]], "{:.4f}"))
:name: tab:small:bank
The first number, of `pe.encode(1, 6)`.
:::

:::{derived} Derivation("(x + 1)^2", steps=[Step("x^2 + 2x + 1", "expand the square")], symbols=[x])
:::
"""
CHAPTER = """(sec:small:top)=
# A chapter

:::{first-screen}
:needs: {ref}`the end <sec:small:end>`, and a pencil
read this page.
:::

A short main path.

(sec:small:end)=
## The end

Nothing follows.
"""
GIVEN = "{6: width of the example}"
NUMBER = "The third number is {{ bank[2]:.4f }}."
CELL = "assert total > 0.99"

# what the catalogue plants, and what Sphinx and MyST refuse by themselves: line that builds, line that must not, words
PLANTED = {
    f"{code} {planted['name']}": (planted["passes"], planted["refused"], [code, *planted["says"]])
    for code, entry in catalogue().items()
    for planted in entry.get("planted", ())
    if "passes" in planted
} | {
    "PE127 a main path that is too long": ("A short main path.", "A longer path. " * 801, ["PE127", "2,4", "2,400"]),
    "unknown citation": ("{cite:t}`vaswani2017`", "{cite:t}`planted2017`", ["planted2017"]),
    "dead reference": ("<sec:small:numbers>", "<sec:small:planted>", ["planted", "undefined label"]),
    "nested cell": ("Nothing is large.\n", "```{code-cell} python\nplanted_word\n```\n", ["code-cell"]),
    "cell inside a solution": (":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n",
        "::::{solution} exr:small:one\n:label: sol:small:two\n\n```{code-cell} python\nplanted_word\n```\n::::\n\n"
        ":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n", ["code-cell"]),
}  # fmt: skip


def page_name(fault: str) -> str:
    return "p-" + re.sub(r"[^a-z0-9]+", "-", fault.lower())


def template_with(line: str) -> str:
    """The page on which a line stands that is to be changed; most stand on the plain one."""
    return CHAPTER if line in CHAPTER or line == "form: new" else SHOWN if line in SHOWN else PLAIN


def page_of(book, name: str, template: str, good: str = "", bad: str = "") -> None:
    if template is CHAPTER:
        path = book.page(f"why/{name}", template, front="form: new\n")
    else:
        path = book.page(name, template, given=GIVEN)
    text = path.read_text(encoding="utf-8")
    assert good in text, f"{good!r} is not on the page"
    path.write_text(text.replace(good, bad, 1).replace("small:", f"{name}:"), encoding="utf-8")


@pytest.fixture(scope="module")
def messages(new_book, tmp_path_factory) -> dict[str, str]:
    """One strict build of all pages, broken and whole: what it said about each."""
    book = new_book(tmp_path_factory.mktemp("planted"))
    page_of(book, "plain", PLAIN)
    page_of(book, "chapter", CHAPTER)
    for fault, (good, bad, _) in PLANTED.items():
        page_of(book, page_name(fault), template_with(good), good, bad)
    names = ["plain", "shown", "chapter", *(page_name(fault) for fault in PLANTED)]
    listed = [name if (book.root / "docs" / f"{name}.md").exists() else f"why/{name}" for name in names]
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\n" + "\n".join(listed) + "\n```\n")
    book.page("sources", "(sec:sources:top)=\n# Sources\n\n```{bibliography}\n```\n")
    book.change("docs/index.md", "plain\n", "sources\nplain\n")
    built = book.build("-j", "2", builder="html")
    assert "build finished with problems" in built.output, built.output[-3000:]
    about: dict[str, str] = dict.fromkeys(names, "")
    where = re.compile(
        rf"{re.escape(str(book.root / 'docs'))}/(?:\w+/)?([\w-]+)\.md(?::\d+)?: (?:WARNING|ERROR|CRITICAL)"
    )
    page = ""
    for line in built.output.splitlines():
        if found := where.search(line):
            page = found[1]
        elif line.startswith(("/", "reading sources", "writing output")):
            page = ""
        if page:
            about[page] = about.get(page, "") + line + "\n"
    return about


@pytest.mark.parametrize("page", ["plain", "shown", "chapter"])
def test_the_passing_twin(messages, page):
    assert messages[page] == ""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted(messages, fault):
    """The page that differs by one line from a passing one is named, with the reason."""
    message = messages[page_name(fault)]
    assert message, f"{fault} went unnoticed"
    for word in PLANTED[fault][2]:
        assert word in message, f"{word!r} is not in the message\n{message}"


def test_same_alt_for_different_data(book):
    book.page("index", SHOWN, given=GIVEN)
    book.change("docs/index.md", ":::{drawn} picture(bank)", ":::{drawn} picture(bank, same)")
    book.change("docs/index.md", ":::{drawn} picture(river)", ":::{drawn} picture(river, same)")
    built = book.build()
    assert built.code != 0
    assert "PE507" in built.output


def test_wrong_formula_in_the_package(book):
    book.page("index", PLAIN.partition("(sec:small:numbers)")[0] + "The width is 6.", given=GIVEN)
    book.change("docs/index.md", CELL, "assert abs(bank[2] - 0.046399) < 5e-7")
    assert book.build().code == 0
    book.change("pe_book/numerics/exact.py", "context.log(base) / rungs", "context.log(base) / rungs / 2")
    built = book.build()
    assert built.code != 0
    assert built.executed == ["index"]
    assert "AssertionError" in built.output
    assert "0.046399" in built.output
