"""One line is changed in a page that builds; the build must fail and say where and why."""

from __future__ import annotations

import re

import pytest

PLAIN = """(sec:small:top)=
# River and Bank

```{code-cell} python
:tags: [remove-input, remove-output]
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
:tags: [remove-input, remove-output]
import pe_book as pe
import sympy
from pe_book.show.derivation import Derivation, Step
from pe_book.show.figure import Figure, canvas
from pe_book.show.table import Table

river, bank = pe.encode([0, 1], 6)

def picture(row, alt=None):
    fig, ax = canvas(2.0)
    ax.plot(row)
    alt = alt or f"The numbers of the row run from {row[0]:.4f} to {row[-1]:.4f}, one line."
    return Figure.of(fig, alt=alt, columns=("dimension", "value"), rows=list(enumerate(row)))

same = "A line through the six numbers of a row, drawn for 1 test."
x = sympy.Symbol("x", real=True)
```

:::{drawn} picture(bank)
:name: fig:small:bank
The row of the second word.
:::

:::{drawn} picture(river)
:name: fig:small:river
The row of the first word.
:::

:::{tabled} Table(header=("dimension", "value"), rows=[("0", f"{bank[0]:.4f}")])
:name: tab:small:bank
The first number.
:::

:::{derived} Derivation((x + 1) ** 2, steps=[Step(x**2 + 2 * x + 1, "expand the square")])
:::
"""
GIVEN = "{6: width of the example}"
NUMBER = "The third number is {{ bank[2]:.4f }}."
CELL = "assert total > 0.99"

# what is planted: (line that builds, line that must not, words of the message)
PLANTED = {
    "failing assertion": (CELL, 'assert total > 1.5, "planted word"', ["AssertionError", "planted word", "total = bank[0]"]),
    "raising cell": (CELL, "bank.planted_word", ["AttributeError", "planted_word", "Traceback"]),
    "stderr of a cell": (CELL, "import sys; sys.stderr.write('planted word')", ["stderr", "planted word"]),
    "stderr of a hidden cell": ("d_model = 6\n", "d_model = 6; import warnings; warnings.warn('planted word')\n", ["stderr", "planted word"]),
    "typed decimal": (NUMBER, "The third number is 0.0464.", ["0.0464", "typed in prose"]),
    "typed decimal beside a word": (NUMBER, "The third number is about 4.64 or so.", ["decimal 4.64"]),
    "typed integer": ("The width is 6,", "The width is 6 or 48,", ["integer 48"]),
    "typed integer in groups": ("The width is 6,", "The width is 6 or 60,611,", ["60,611"]),
    "given, but not used": ("The width is 6,", "The width is small,", ["given 6 is used nowhere"]),
    "count in words": ("A model has one or two heads.", "A model reads seven tokens.", ["seven tokens"]),
    "number beside a relation in maths": ("$x^{12}$", "$x = 12$", ["12", "relation"]),
    "decimal beside a relation in maths": ("$x^{12}$", "$x \\approx 0.0464$", ["0.0464", "relation"]),
    "evaluated literal": (NUMBER, "The third number is {{ 0.0464 }}.", ["names no variable", "0.0464"]),
    "unknown name": (NUMBER, "It is {{ planted_word:.4f }}.", ["NameError", "planted_word"]),
    "unknown name in maths": ("$\\val{bank[2]:.4f}$", "$\\val{planted_word:.4f}$", ["NameError", "planted_word"]),
    "field left in maths": ("$\\val{bank[2]:.4f}$", "${{ bank[2]:.4f }}$", ["bank[2]"]),
    "eval left in maths": ("$\\val{bank[2]:.4f}$", "${eval}`bank[2]`$", ["bank[2]"]),
    "unknown macro": ("$x^{12}$", "$\\planted{2}$", ["planted"]),
    "statement that does not hold": ("abs(bank).max() <= 1", "abs(bank).max() <= 0.5", ["is bounded", "does not hold", "<= 0.5"]),
    "statement without a check": ("is bounded <abs(bank).max() <= 1>", "is bounded", ["has no check"]),
    "statement that names nothing": ("<abs(bank).max() <= 1>", "<1 < 2>", ["names no variable"]),
    "quoted without a source": ("{quoted}`27.3 <vaswani2017, Table 2>`", "{quoted}`27.3`", ["has no source"]),
    "unknown citation": ("{cite:t}`vaswani2017`", "{cite:t}`planted2017`", ["planted2017"]),
    "dead reference": ("<sec:small:numbers>", "<sec:small:planted>", ["planted", "undefined label"]),
    "failing doctest": ("0.8415\n", "0.8414\n", ["doctest", "0.8414", "0.8415"]),
    "wrong step": ("x**2 + 2 * x + 1", "x**2 - 2 * x + 1", ["expand the square"]),
    "short alt": ("picture(river)", 'picture(river, "too short 1")', ["alt"]),
    "alt that repeats the caption": ("picture(river)\n:name: fig:small:river\nThe row of the first word.",
        "picture(river, same)\n:name: fig:small:river\nA line through the six numbers of a row, drawn for 1 test.", ["alt", "caption"]),
    "bare image": (CELL, "from IPython.display import SVG, display; display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))",
        ["bare image", "{drawn}"]),
    "no caption": ("The row of the first word.\n", "", ["no caption"]),
    "heading without a label": ("## Numbers", "## Numbers\n\n## Planted", ["Planted", "no label"]),
    "malformed label": ("thm:small:one", "thm_planted:one", ["thm_planted:one", "kind:chapter:slug"]),
    "removed cell": ("[remove-input, remove-output]", "[remove-cell]", ["remove-cell", "is refused"]),
    "skipped cell": ("[remove-input, remove-output]", "[skip-execution]", ["skip-execution", "is refused"]),
    "excused exception": ("[remove-input, remove-output]", "[raises-exception]", ["raises-exception", "is refused"]),
    "nested cell": ("Nothing is large.\n", "```{code-cell} python\nplanted_word\n```\n", ["code-cell"]),
    "cell inside a solution": (":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n",
        "::::{solution} exr:small:one\n:label: sol:small:two\n\n```{code-cell} python\nplanted_word\n```\n::::\n\n"
        ":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n", ["code-cell"]),
    "solution without an end mark": ("    # end solution\n", "", ["end solution"]),
    "numbered amsmath environment": ("$$ \\sin^2 x + \\cos^2 x = 1 $$ (eq:small:circle)", "\\begin{align}\nx &= y\n\\end{align}", ["\\begin{"]),
    "American spelling": ("Nothing is large.", "The neighbor is normalized.", ["neighbor", "British"]),
    "empty word": ("Nothing is large.", "Obviously nothing is large.", ["Obviously"]),
    "missing key": ("minutes: 1\n", "", ["PE101", "minutes"]),
    "unknown key": ("minutes: 1\n", "minutes: 1\nplanted: 2\n", ["PE102", "planted"]),
    "wrong status": ("status: draft", "status: planted", ["'planted'", "draft, complete"]),
    "reason left out": ("{6: width of the example}", "{6: ''}", ["is not an integer with its reason"]),
}  # fmt: skip


def slug(fault: str) -> str:
    return "p-" + re.sub(r"[^a-z]+", "-", fault.lower())


def page_of(book, name: str, template: str, good: str = "", bad: str = "") -> None:
    path = book.page(name, template, given=GIVEN)
    text = path.read_text(encoding="utf-8")
    assert good in text, f"{good!r} is not on the page"
    path.write_text(text.replace(good, bad, 1).replace("small:", f"{name}:"), encoding="utf-8")


@pytest.fixture(scope="module")
def said(new_book, tmp_path_factory) -> dict[str, str]:
    """One strict build of all pages, broken and whole: what it said about each."""
    book = new_book(tmp_path_factory.mktemp("planted"))
    page_of(book, "plain", PLAIN)
    page_of(book, "shown", SHOWN)
    for fault, (good, bad, _) in PLANTED.items():
        page_of(book, slug(fault), SHOWN if good in SHOWN else PLAIN, good, bad)
    names = ["plain", "shown", *(slug(fault) for fault in PLANTED)]
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\n" + "\n".join(names) + "\n```\n")
    book.page("sources", "(sec:sources:top)=\n# Sources\n\n```{bibliography}\n```\n")
    book.change("docs/index.md", "plain\n", "sources\nplain\n")
    built = book.build("-j", "2", builder="html")
    assert "build finished with problems" in built.said, built.said[-3000:]
    about: dict[str, str] = dict.fromkeys(names, "")
    where = re.compile(
        rf"{re.escape(str(book.root / 'docs'))}/([\w-]+)\.md(?::\d+)?: (?:WARNING|ERROR|CRITICAL)"
    )
    page = ""
    for line in built.said.splitlines():
        if found := where.search(line):
            page = found[1]
        elif line.startswith(("/", "reading sources", "writing output")):
            page = ""
        if page:
            about[page] = about.get(page, "") + line + "\n"
    return about


@pytest.mark.parametrize("twin", ["plain", "shown"])
def test_the_passing_twin(said, twin):
    assert said[twin] == ""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted(said, fault):
    """The page that differs by one line from a passing one is named, with the reason."""
    message = said[slug(fault)]
    assert message, f"{fault} went unnoticed"
    for word in PLANTED[fault][2]:
        assert word in message, f"{word!r} is not in the message\n{message}"


def test_same_alt_for_different_data(book):
    book.page("index", SHOWN, given=GIVEN)
    book.change("docs/index.md", "picture(bank)", "picture(bank, same)")
    book.change("docs/index.md", "picture(river)", "picture(river, same)")
    built = book.build()
    assert built.code != 0
    assert "PE507" in built.said


def test_wrong_formula_in_the_package(book):
    book.page("index", PLAIN.partition("(sec:small:numbers)")[0] + "The width is 6.", given=GIVEN)
    book.change("docs/index.md", CELL, "assert abs(bank[2] - 0.046399) < 5e-7")
    assert book.build().code == 0
    book.change("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / rungs / 2")
    built = book.build()
    assert built.code != 0
    assert built.executed == ["index"]
    assert "AssertionError" in built.said
    assert "0.046399" in built.said
