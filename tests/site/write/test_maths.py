"""Maths: typeset at build time by the KaTeX whose stylesheet lies in the theme, or refused at its line."""

import re
from pathlib import Path

import pytest

from bookish.write import maths

REPO = Path(__file__).resolve().parents[3]
VENDORED = REPO / "docs" / "_themes" / "executable_book" / "static" / "katex"
VERSION = "0.16.22"


def typeset_checked(tex, typed=None, display=True):
    return maths.typeset_checked(tex, tex if typed is None else typed, display)


# ---- one formula


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\val{bank[0]:.4f}", r"Undefined control sequence: \\val"),
        (r"\sinn x", "Undefined control sequence"),
        (r"a_{", "Expected '}'"),
        (r"x = {{ bank }}", "was not evaluated"),
        (r"a \\ b", "line break"),
        (r"a \tag{1}", "numbers itself"),
        (r"\href{https://example.org}{x}", "in red"),
        ("x % a comment", "commentAtEnd"),
    ],
)
def test_what_a_reader_should_not_see_is_refused(tex, why):
    with pytest.raises(maths.FormulaError, match=why):
        typeset_checked(tex)


def test_a_filled_field_may_leave_two_braces():
    assert "katex" in typeset_checked("10^{{4}}", typed=r"10^{\val}")
    assert "katex" in typeset_checked("10^{{n}}", typed=r"10^{\val}")


# ---- where it breaks


def test_a_display_breaks_between_statements_and_where_the_author_says():
    html = typeset_checked(r"a = b, \qquad c \quad \text{if } d \allowbreak + e")
    assert html.count('<span class="gap two"> </span>') == html.count('<span class="gap one"> </span>') == 1
    assert html.startswith('<span class="katex-display">')
    assert html.count("<wbr>") == 1
    assert r"a = b, \qquad c \quad \text{if } d \allowbreak + e</annotation>" in html


@pytest.mark.parametrize(
    "tex",
    [r"a = b + c", r"\left( a \qquad b \right)", r"\begin{aligned} a \quad b \end{aligned}"],
)
def test_a_display_breaks_nowhere_else(tex):
    html = typeset_checked(tex)
    assert "<wbr>" not in html
    assert 'class="gap' not in html


# ---- the files beside it


def test_script_and_stylesheet_are_of_one_version():
    from sphinxcontrib.katex import katex_version

    css = (VENDORED / "katex.min.css").read_text(encoding="utf-8")
    assert katex_version == VERSION
    assert f'content:"{VERSION}"' in css


# ---- on pages

GOOD = r"""
(sec:good:top)=
# Good $x^2$

Inline $\frac{1}{2}$ and {eq}`eq:good:one`.

$$ \sin^2 x + \cos^2 x = 1 $$ (eq:good:one)

$$ y = x $$

Between ($a_1$), in $b_2$ words, and at the end $c_3$.
"""


def test_pages(book):
    book.page("good", GOOD)
    book.page("index", "(sec:index:top)=\n# Front\n\n```{toctree}\n:numbered:\ngood\n```\n")
    built = book.build(builder="html")
    assert built.code == 0, built.output
    html = (book.root / "out" / "good.html").read_text(encoding="utf-8")
    assert "<mfrac>" in html
    assert "mathjax" not in html.lower()
    # no line begins with the full stop of the one before, or ends with an open bracket
    text = html[html.index("Between ") :][:20000]
    assert text.startswith('Between <span class="tied">(<span class="math')
    assert re.search(r"</span>\),</span> in ", text)
    assert re.search(r'at the end <span class="tied">.*?</span>\.</span></p>', text, re.DOTALL)
    # numbered, with a link to itself, and referred to by its number
    assert re.search(r'<span class="eqno">\(1\.1\)<a class="headerlink" href="#equation-eq-good-one"', html)
    assert re.search(r'href="#equation-eq-good-one">\(?1\.1\)?<', html)
    assert "<title>" in html
