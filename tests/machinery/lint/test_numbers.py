"""What counts as a typed number, what may be typed, and what has to be computed."""

from __future__ import annotations

import re

import pytest

from kernel.cells import from_text
from kernel.refusals import catalogue, with_field_names
from kernel.values import evaluated_inline
from lint.computed import typed_rows
from lint.decisions import why_it_decides_nothing
from lint.given import Given, entry_errors, shared_numbers
from lint.numbers import PageLint
from lint.numerals import counts, in_maths, numerals, value_of_words
from lint.origins import PageBindings as Cells
from lint.origins import tree_of
from lint.pieces import Piece


def codes(complaints) -> list[str]:
    return [code for code, _ in complaints]


class Kernel:
    """A page whose kernel answers with one text."""

    def __init__(self, answer):
        self.answer = answer

    def evaluate_in_kernel(self, kind, **asked):
        return {"value": self.answer}


@pytest.mark.parametrize(
    ("printed", "shown", "raised"),
    [
        ("6e-07", "6\u202f·\u202f10", "−7"),
        ("1e-10", "10", "−10"),
        ("-2.5e+20", "−2.5\u202f·\u202f10", "20"),
        ("0.25", "0.25", None),
        ("1e", "1e", None),
    ],
)
def test_a_power_of_ten_is_raised(printed, shown, raised):
    inline = evaluated_inline(Kernel(printed), "value", ("page", 1))
    assert inline[0].astext() == shown
    assert [child.astext() for child in inline[1:]] == ([] if raised is None else [raised])


# ---------------------------------------------------------------- prose

NUMBERS = {
    "it took 43ms": "43ms",
    "3.5x faster": "3.5x",
    "a share of 1/43": "43",
    "2^43 rows": "43",
    "below 2⁻⁵³ of it": "2⁻⁵³",
    "after 10⁶ steps": "10⁶",
    "a rank-43 matrix": "43",
    "Rank-43 matrices": "43",
    "off by .0464": ".0464",
    "the 43rd row": "43rd",
    "In tables 43 words fail": "43",
    "from 43–44": "43",
    "16k tokens": "16k",
    "60,611.4 of them": "60,611.4",
}


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_in_prose(text):
    assert NUMBERS[text] in [found.written for found in numerals(text)]
    assert "PE301" in codes(PageLint({16: "bits"}).prose(text))


@pytest.mark.parametrize(
    "text",
    [
        "Tables 12 and 13, sections 3.2 to 3.5, equations 7, 8 and 9",
        "issue 391, pull request 1105, #4711, §12",
        "GPT-2, ViT-B/16, Llama-3-8B within, Qwen2.5-7B, stable-audio-3 and 3-D",
        "arXiv:1706.03762, version 1.2 and v1.2.3, Python 3.11",
        "m² and ω₁₂",
    ],
)
def test_names_in_prose(text):
    assert list(numerals(text)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seven heads", 7),
        ("twenty-one pairs", 21),
        ("three hundred and five rows", 305),
        ("a dozen words", 12),
    ],
)
def test_counts_in_words(text, value):
    assert [found.value for found in counts(text)] == [value]
    assert codes(PageLint({}).prose(text)) == ["PE302"]
    assert codes(PageLint({value: "of the example"}).prose(text)) == []


@pytest.mark.parametrize(
    "text", ["one or two heads", "one of the heads", "two or three rows", "half the width"]
)
def test_words_that_count_nothing(text):
    assert codes(PageLint({}).prose(text)) == []


def test_value_of_words():
    words = {
        "two thousand and seventeen": 2017,
        "hundred": 100,
        "three million": 3_000_000,
        "forty-three": 43,
    }
    assert {text: value_of_words(text) for text in words} == words


# ---------------------------------------------------------------- captions


@pytest.mark.parametrize(
    "text",
    [
        "512 positions",
        "the base 10000",
        "1 word",
        "the row of word 0",
        "four curves",
        "three of them",
        "a dozen",
    ],
)
def test_no_number_of_a_caption_is_typed(text):
    given = PageLint({512: "width", 4: "curves", 3: "curves", 12: "rows"})
    assert codes(given.prose(Piece(text, caption=True))) == ["PE308"]


@pytest.mark.parametrize("tex", ["n = 1", "T_{10}", "10^4", "10^{6}", "0.5", "x/16", "2^{24}"])
def test_no_number_of_a_formula_in_a_caption_is_typed(tex):
    given = PageLint({10: "offset", 16: "columns", 24: "bits", 4: "steps", 6: "steps"})
    assert set(codes(given.maths(Piece("", tex=tex, caption=True)))) == {"PE308"}


def test_what_a_caption_may_say():
    assert (
        codes(PageLint({}).prose(Piece("One or two rows in float32, of GPT-2, zero at first", caption=True)))
        == []
    )
    for tex in (r"x^2", r"\pi/2", r"10^{\val}", r"T_{\val}", "x_1", "W_Q", r"n = \val"):
        assert codes(PageLint({}).maths(Piece("", tex=tex, caption=True))) == [], tex


def test_a_caption_prints_the_settings_of_its_own_figure():
    cells = Cells(
        from_text("```{code-cell}\nimport pe_book as pe\nn, d, k = 50, 8, 3\nx = pe.encode(n, d)\n```\n")
    )
    assert cells.is_setting("n:,")
    assert not cells.is_setting("x.shape[0]")
    assert not cells.is_setting("k + n")
    assert cells.names_behind("show.rows(x)") >= {"n", "d"}
    assert "k" not in cells.names_behind("show.rows(x)")


# ---------------------------------------------------------------- maths


@pytest.mark.parametrize(
    "tex",
    [
        "0.0464", r"0.0464\pi", "|0.0464|", "={0.0464}", "x^{0.5}", "a_{0.5}", ".0464",
        "x = 12", r"x \sim 3", r"x \to 4", r"x \equiv 5", r"x \ne 3", r"x \ll 7", "x = {7}", "|x| = 3", r"3 \le x",
        "2^{43}", r"\frac{464}{10000}", r"43\pi", r"\sin 355", r"\begin{pmatrix} 43 & 0 \end{pmatrix}", r"10{,}001",
    ],
)  # fmt: skip
def test_numbers_in_maths(tex):
    assert set(codes(PageLint({}).maths(tex))) <= {"PE306", "PE307"}
    assert codes(PageLint({}).maths(tex)) != []


@pytest.mark.parametrize(
    "tex",
    [
        "x^3", "x^{12}", "x_{12}", "x_{12,43}", r"\mathbb{R}^{43}", r"2\pi", r"3\omega", r"\tfrac12", r"\sqrt3/2", "4ac",
        "10000^{2i/d}", r"10^{\val}", r"x = \val", r"\hspace{12pt}x", r"\begin{array}{cc} a \\[4pt] b \end{array}",
    ],
)  # fmt: skip
def test_structure_in_maths(tex):
    assert codes(PageLint({}).maths(tex)) == []


def test_given_in_maths():
    assert codes(PageLint({43: "rows of the example"}).maths("2^{43} = n")) == []
    assert [found.written for found, _ in in_maths(r"\text{in 43 cases}")] == []


# ---------------------------------------------------------------- given


def use(page: PageLint, text: str, section: str = "", *, by_hand: bool = False) -> list[str]:
    return codes(page.prose(Piece(text, section=section, by_hand=by_hand)))


def test_the_file_of_given_numbers():
    assert list(entry_errors(shared_numbers())) == []
    assert {10000, 512, 2017} <= shared_numbers().keys()
    assert list(entry_errors({7: {"what": "x", "source": "y"}, 43: "rows", 44: {"what": "x"}})) != []


def test_what_the_field_shares_is_free():
    page = PageLint({})
    assert use(page, "base 10000, width 512, in 2017") == []
    assert list(page.given.unrelated_uses()) == []


def test_a_shared_number_with_many_meanings_needs_its_word():
    page = PageLint({})
    use(page, "numbers of 16 bits")
    assert list(page.given.unrelated_uses()) == []
    use(page, "16 heads failed")
    assert [found.number for found in page.given.unrelated_uses()] == [16]


def test_a_page_does_not_list_what_is_shared():
    page = PageLint({512: "d_model", 64: "rows of a block", 43: "rows"})
    use(page, "512 and 43, 64 rows of a block")
    assert page.given.listed_needlessly() == [512]


def test_small_integers_are_free_where_a_hand_works():
    assert use(PageLint({}), "7 hours and nine words", by_hand=True) == []
    assert use(PageLint({}), "7 hours and nine words") == ["PE301", "PE302"]
    assert use(PageLint({}), "10 hours", by_hand=True) == ["PE301"]


def test_one_reason_does_not_cover_everything():
    page = PageLint({22: "position of the example"})
    for section in ("a", "b"):
        use(page, "22 heads failed", section)
    assert list(page.given.unrelated_uses()) == []  # near enough to where it was said
    use(page, "the token 22", "c")
    assert [found.section for found in page.given.unrelated_uses()] == ["a", "b"]


def test_decimals_cannot_be_given():
    given = Given({1: "one"})
    assert not any(given.allows(found) for found in numerals("1.0 and .5"))


# ---------------------------------------------------------------- where a number comes from

CELLS = """
```{code-cell} python
import math
import numpy as np
import pe_book as pe
from pe_book.show.drawing.table import Column, Table
from fractions import Fraction as F
bank = pe.encode(1, 6)
y = 0.0464
x = bank[0]
bank.round(3)
width = 43
known = 512
a, b = 0.0464, bank[1]
def f():
    return 0.0464
def g(n):
    total = 0
    for i in range(n):
        total += np.sin(i)
    return total
rows = []
rows.append(0.0464)
found = []
for p in range(3):
    found.append(pe.encode(p, 6))
said = "0.0464 of them"
rate = 0.5
dropped = bank * rate
unused = 99
pe.encode(width, 6)
```
"""
AFTERWARDS = "```{code-cell} python\ny = bank[2]\n```\n"


@pytest.fixture(scope="module")
def cells():
    return Cells(from_text(CELLS))


@pytest.mark.parametrize(
    "typed",
    [
        "y", "y:.4f", "float('0.0464')", "[0.0464][0]", "y + 0", "float(y) if x else 0", "f()", "rows[0]", "a", "said",
        "round(y, 2)", "np.array([y])[0]", "1 - rate", "rate:.0%", "unused", "f'{y}'", "sum([y, y])",
    ],
)  # fmt: skip
def test_typed_values(cells, typed):
    assert cells.what_is_typed(typed) != ""


@pytest.mark.parametrize(
    "computed",
    [
        "x", "x:.4f", "abs(bank).max()", "b", "found[0][2]", "g(3)", "np.pi", "math.sqrt(2)", "known // 2", "dropped[0]",
        "width", "known", "len(rows)", "np.exp(1)", "10000 ** 0.5", "F(1, 3) * x", "7",
    ],
)  # fmt: skip
def test_computed_values(cells, computed):
    assert cells.what_is_typed(computed, given={512}) == ""


def test_a_name_is_what_was_bound_last():
    page = Cells(from_text(CELLS + AFTERWARDS))
    assert page.what_is_typed("y", 1) != ""
    assert page.what_is_typed("y", 2) == ""


@pytest.mark.parametrize("check", ["width == 43", "y < 1", "rows == rows[:1]", "known > 500"])
def test_checks_of_literals(cells, check):
    assert cells.decides_nothing(check)


@pytest.mark.parametrize(
    "check", ["x > 0", "bank[0] < bank[1]", "len(rows) == 1", "g(2) > 0", "known % 2 == 0", "f() < 1"]
)
def test_checks_of_something(cells, check):
    assert not cells.decides_nothing(check)


def test_rows_of_a_table(cells):
    def typed(code):
        return list(typed_rows(cells, tree_of(code), 1, ()))

    assert typed("Table(Column('a', ['width']), Column('b', ['0.0464']))") != []
    assert typed("Table(Column('b', [43]))") != []
    assert typed("Table(Column('b', values=rows))") != []
    assert typed("Table.of_rows(('a', 'b'), [('width', '0.0464')])") != []
    assert typed("Table.of_rows(('a', 'b'), rows=[('width', 43)])") != []
    assert typed("Table(Column('a', ['float32', '3']), Column('b', [f'{x:.4f}', f'{b:.4f}']))") == []
    assert typed("Table.of_rows(('a', 'b'), [('float32', f'{x:.4f}'), ('3', f'{b:.4f}')])") == []
    assert typed("show.table(128, 0.5)") == []


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize(
    "check",
    [
        "x == x", "x is x", "bank[0] <= bank[0]", "len(x) >= 0", "0 <= len(x)", "abs(x) > -1", "x.size >= 0", "x**2 >= 0",
        "1 < 2", "x > 0 or True", "True or x > 0", "x > 0 or not x > 0", "differ", "not differ", "bool(differ)",
        "a.b", "exact and x > 0", "flags[0]", "np.allclose(x, x)", "0 < 1 < x", "norm(x) >= 0",
    ],
)  # fmt: skip
def test_what_decides_nothing(check):
    assert why_it_decides_nothing(check) != ""


@pytest.mark.parametrize(
    "check",
    [
        "x == y", "len(x) > 0", "abs(x) < 1e-9", "np.allclose(x, y)", "verdicts.exact(bank)", "0 < x < 1", "x > 0 and y > 0",
        "all(a < b for a, b in pairs)", "not np.isclose(x, y)", "set(x) <= set(y)", "{1, 2} < set(x)", "'far' in words", "x.any()",
    ],
)  # fmt: skip
def test_what_decides(check):
    assert why_it_decides_nothing(check) == ""


# ---------------------------------------------------------------- places, on pages

HEAD = "(sec:{name}:top)=\n# A page\n\n{text}\n"
CELL = """```{code-cell} python
import pe_book as pe
from pe_book.show.drawing.table import Column, Table
bank = pe.encode(1, 6)
differ = bool(bank[0] > 0)
```

"""
ASKS = re.compile(r"bank|differ|Table")  # no other page needs a kernel
PLACES = {
    "held": "{holds}`is off by 0.0464 <bank.size > 0>`",
    "held count": "{holds}`fails for seven heads <bank.size > 0>`",
    "link": "[off by 0.0464](https://example.org/a)",
    "ref": "{ref}`off by 0.0464 <sec:NAME:top>`",
    "doc": "{doc}`off by 0.0464 <index>`",
    "image": "![off by 0.0464](picture.svg)",
    "figure": ":::{figure} picture.svg\n:alt: off by 0.0464\nA word.\n:::",
    "heading": "(sec:NAME:two)=\n## Off by 0.0464",
    "field list": ":off by 0.0464: 0.0464",
    "function": "```{py:function} f(x)\n:no-index:\n\nIs off by 0.0464.\n```",
    "raw html": "<p>off by 0.0464</p>",
    "raw inline": "0<b>.0464</b>",
    "raw": "```{raw} html\n<p title='0.0464'>off</p>\n```",
    "parsed literal": "```{parsed-literal}\noff by 0.0464\n```",
    "text block": "```text\noff by 0.0464\n```",
    "markup": "**0**.0464",
    "literal": "It is `0.0464`.",
    "cell of a table": "| a |\n|---|\n| 0.0464 |",
    "found class": "[0.0464]{.found}",
    "found division": ":::{container} found\n0.0464\n:::",
    "held class": ":::{note}\n:class: held found\n0.0464\n:::",
    "words in maths": "$x \\text{ off by 0.0464}$",
    "toctree": "```{toctree}\n:caption: Off by 0.0464\n```",
    "toctree title": "```{toctree}\nOff by 0.0464 <https://example.org>\n```",
    "abbreviation": "{abbr}`MHA (off by 0.0464)`",
    "definition": "word\n: off by 0.0464",
    "footnote": "Word[^1].\n\n[^1]: Off by 0.0464.",
    "table": ":::{tabled} Table(Column('a', ['x']), Column('b', ['0.0464']))\n:name: tab:NAME:one\nA word.\n:::",
    "free without a reason": "{free}`0.0464`",
}
MORE = {
    "bare name": ("{holds}`differ <differ>`", "PE363"),
    "tautology": ("{holds}`differ <bank is bank>`", "PE363"),
    "field of a literal": ("{{ [0.0464][0] if differ else 0 }}", "PE361"),
    "field in maths": ("$\\val{float('0.0464') if differ else 0}$", "PE361"),
    "needless": ("It is 512.", "PE351"),
}
FREE = {
    "free": "{free}`43rd <name of the benchmark>`",
    "free in words": "{free}`seven heads <as in the name of the benchmark>`",
    "held number": "{holds}`stays below 0.9 <abs(bank[1]) < 0.9>`",
    "number in the address": "[transformers, 4711](https://example.org/issues/4711)",
    "by hand": ":::{exercise} [by hand, level 1, 5 min] Add 7\n:label: exr:NAME:one\nAdd 7 to 8.\n:::\n\n"
    ":::{solution} exr:NAME:one\n:label: sol:NAME:one\nFrom 3 to 9 words.\n:::",
    "example by hand": ":::{prf:example} One\n:label: ex:NAME:one\n:class: by-hand\nAdd 7 to 8.\n:::",
}


@pytest.fixture(scope="module")
def messages(new_book, tmp_path_factory):
    """One build of a page for each place: what it said of each."""
    book = new_book(tmp_path_factory.mktemp("numbers"))
    (book.root / "docs" / "picture.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    pages = {**PLACES, **{key: text for key, (text, _) in MORE.items()}, **FREE}
    names = {key: "p-" + key.replace(" ", "-") for key in pages} | {"front": "front", "meta": "meta"}
    for key, text in pages.items():
        given = "{512: width of the model}" if key == "needless" else "{}"
        text = CELL * bool(ASKS.search(text)) + text.replace("NAME", names[key])
        book.page(names[key], HEAD.format(name=names[key], text=text), given=given)
    path = book.page("front", HEAD.format(name="front", text="A word."))
    path.write_text(path.read_text().replace("description: A page", "description: Off by 0.0464, a page"))
    meta = book.page("meta", HEAD.format(name="meta", text="A word."))
    meta.write_text(
        meta.read_text().replace("needs:", "myst: {html_meta: {keywords: off by 0.0464}}\nneeds:", 1)
    )
    entries = "\n".join(names.values())
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{entries}\n```\n")
    built = book.build(strict=False)
    return {key: re.findall(r"WARNING: (.*)", built.about(name)) for key, name in names.items()}


@pytest.mark.parametrize("place", [*PLACES, "front", "meta"])
def test_places(messages, place):
    text = " ".join(messages[place])
    assert re.search(r"PE30[12]|PE341|PE371", text), text
    assert "0.0464" in text or "seven heads" in text


@pytest.mark.parametrize("what", MORE)
def test_refused_on_a_page(messages, what):
    assert any(message.startswith(MORE[what][1]) for message in messages[what]), messages[what]


@pytest.mark.parametrize("what", FREE)
def test_free_on_a_page(messages, what):
    assert [message for message in messages[what] if message.startswith("PE3")] == []


def test_a_sentence_of_the_catalogue_names_its_fields_for_readers():
    assert with_field_names("the fold {title!r} has {{holds}}") == "the fold ‹title› has {holds}"


def test_every_code_is_in_the_catalogue():
    own = {
        "PE301",
        "PE302",
        "PE303",
        "PE304",
        "PE305",
        "PE306",
        "PE307",
        "PE308",
        "PE309",
        "PE310",
        "PE341",
        "PE351",
        "PE352",
    }
    assert own | {"PE361", "PE362", "PE363", "PE371", "PE372"} <= catalogue().keys()
