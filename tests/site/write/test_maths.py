"""Maths: typeset at build time by the KaTeX whose stylesheet lies in the theme, or refused at its line."""

import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from bookish.write import maths
from tests.evidence.derivations.displayed import derivations
from tests.site.conftest import page_of

REPO = Path(__file__).resolve().parents[3]
VENDORED = REPO / "docs" / "_themes" / "executable_book" / "static" / "katex"
VERSION = "0.16.22"
PAGE = "sinusoidal/shift.html"


def typeset_checked(tex, typed=None):
    return maths.typeset_checked(tex, typed or tex, True)


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


@pytest.mark.parametrize(
    ("tex", "held"),
    [
        ("P(k + 1) + f(g(x), y)", "P({k + 1}) + f({g(x), y})"),
        ("f((a + b) c + d + e + g + h + i + j + k + l)", "f(({a + b}) c + d + e + g + h + i + j + k + l)"),
        (
            r"x_{i(j)} + \left(a\right) + \big(b\big) + (\frac{a}{b})",
            r"x_{i(j)} + \left(a\right) + \big(b\big) + ({\frac{a}{b}})",
        ),
    ],
)
def test_short_brackets_of_a_formula_in_the_text_do_not_break(tex, held):
    assert maths.unbroken(tex) == held


# ---- the files beside it


def test_script_and_stylesheet_are_of_one_version():
    from sphinxcontrib.katex import katex_version

    css = (VENDORED / "katex.min.css").read_text(encoding="utf-8")
    assert katex_version == VERSION
    assert f'content:"{VERSION}"' in css


# ---- on pages


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("Between (", "), in words", ["Between ", "(a_1),", " in words"]),
        ("at the end ", ".", ["at the end ", "a_1.", ""]),
        ("a ", " b", ["a ", "a_1", " b"]),
    ],
)
def test_no_line_begins_with_the_full_stop_of_a_formula_or_ends_with_its_bracket(before, after, left):
    page = new_document("page")
    page += nodes.paragraph("", "", nodes.Text(before), nodes.math("", "a_1"), nodes.Text(after))
    maths.tie(SimpleNamespace(builder=SimpleNamespace(format="html")), page, "page")
    assert [part.astext() for part in page[0]] == left
    assert ("tied" in page[0][1]["classes"]) == (len(left[1]) > 3)


def test_a_formula_is_numbered_with_a_link_to_itself_and_referred_to_by_its_number(site):
    text = page_of(site, PAGE).read_text(encoding="utf-8")
    assert '<span class="eqno">(2.3.2)<a class="headerlink" href="#equation-eq-shift-pair"' in text
    assert 'href="#equation-eq-shift-pair">(2.3.2)<' in text
    assert "<mfrac>" in text
    assert "mathjax" not in text.lower()


SET = re.compile(r'<annotation encoding="application/x-tex">(.*?)</annotation>', re.DOTALL)
DISPLAYED = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)


def test_what_the_site_displays_of_a_derivation_is_what_was_checked(site):
    """By the annotation that KaTeX keeps."""
    text = page_of(site, PAGE).read_text(encoding="utf-8")
    following = map(unescape, SET.findall(text))
    shown = [one.derivation.markdown() for one in derivations() if f"{one.page}.html" == PAGE]
    displayed = [formula for derivation in shown for formula in DISPLAYED.findall(derivation)]
    assert len(displayed) > 4
    assert [one for one in displayed if one not in following] == []
