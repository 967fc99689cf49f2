"""What counts as a typed number, what may be typed, and what a page that computes may not type."""

from dataclasses import replace

import pytest

from bookish.lint.computed import names_behind, settings, typed_rows
from bookish.lint.numbers import BY_HAND, PageLint, shared_numbers
from bookish.lint.numerals import counts, in_maths, numerals
from bookish.lint.pieces import Piece
from bookish.run.cells import from_text, tree_of
from bookish.run.refusals import with_field_names
from bookish.run.values import evaluated_inline


def prose(text: str, *given: int, **stands) -> list[str]:
    """The codes of what is wrong with a text."""
    return [code for code, _ in PageLint(given).prose(Piece(text, **stands))]


def maths(tex: str, *given: int, **stands) -> list[str]:
    """The codes of what is wrong with a formula."""
    return [code for code, _ in PageLint(given).maths(Piece("", tex=tex, **stands))]


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
    "off by .0464": ".0464",
    "the 43rd row": "43rd",
    "In tables 43 words fail": "43",
    "43M multiplications": "43M",
    "from 43–44": "43",
    "16k tokens": "16k",
    "60,611.4 of them": "60,611.4",
}


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_in_prose(text):
    assert NUMBERS[text] in [found.written for found in numerals(text)]
    assert "PE301" in prose(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seven heads", 7),
        ("twenty-one pairs", 21),
        ("three hundred and five rows", 305),
        ("a dozen words", 12),
        ("two thousand three hundred and five steps", 2305),
        ("three million tokens", 3_000_000),
    ],
)
def test_counts_in_words(text, value):
    assert [found.value for found in counts(text)] == [value]
    assert prose(text) == ["PE302"]
    assert prose(text, value) == []


def test_words_that_count_nothing():
    assert prose("one or two heads, one of the heads, two or three rows, half the width") == []


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
    assert prose(text, 3, 4, 12, 512, caption=True) == ["PE308"]


@pytest.mark.parametrize("tex", ["n = 1", "T_{10}", "10^4", "10^{6}", "0.5", "x/16", "2^{24}"])
def test_no_number_of_a_formula_in_a_caption_is_typed(tex):
    assert set(maths(tex, 4, 6, 10, 16, 24, caption=True)) == {"PE308"}


def test_what_a_caption_may_say():
    assert prose("One or two rows in float32, of GPT-2, zero at first", caption=True) == []
    for tex in (r"x^2", r"\pi/2", r"10^{\val}", r"T_{\val}", "x_1", "W_Q", r"n = \val"):
        assert maths(tex, caption=True) == [], tex


def test_a_caption_prints_the_settings_of_its_own_figure():
    cells = from_text("```{code-cell}\nimport pe_book as pe\nn, d, k = 50, 8, 3\nx = pe.encode(n, d)\n```\n")
    assert settings(cells) == {"n", "d", "k"}
    assert names_behind("show.rows(x)", cells) >= {"n", "d"}
    assert "k" not in names_behind("show.rows(x)", cells)


# ---------------------------------------------------------------- maths


@pytest.mark.parametrize(
    "tex",
    [
        "0.0464", r"0.0464\pi", "|0.0464|", "={0.0464}", "x^{0.5}", "a_{0.5}", ".0464",
        "x = 12", r"x \sim 3", r"x \to 4", r"x \equiv 5", r"x \ne 3", r"x \ll 7", "x = {7}", "|x| = 3", r"3 \le x",
        "2^{43}", r"\frac{464}{10000}", r"43\pi", r"\sin 355", r"k \le 7,", r"a = 5 \\ b", "3 < k", "n=100", r"\begin{pmatrix} 43 & 0 \end{pmatrix}", r"10{,}001",
    ],
)  # fmt: skip
def test_numbers_in_maths(tex):
    assert maths(tex) != []
    assert set(maths(tex)) <= {"PE306", "PE307"}


@pytest.mark.parametrize(
    "tex",
    [
        "x^3", "x^{12}", "x_{12}", "x_{12,43}", r"\mathbb{R}^{43}", r"2\pi", r"3\omega", r"\tfrac12", r"\sqrt3/2", "4ac",
        "10000^{2i/d}", r"10^{\val}", r"x = \val", "k = 1", "p = 9i", "a = 7/8", "n_{12} = m", r"x = 5\cdot y", r"\hspace{12pt}x", r"\begin{array}{cc} a \\[4pt] b \end{array}",
    ],
)  # fmt: skip
def test_structure_in_maths(tex):
    assert maths(tex) == []


def test_given_in_maths():
    assert maths("2^{43} = n", 43) == []
    assert [found.written for found, _ in in_maths(r"\text{in 43 cases}")] == []


# ---------------------------------------------------------------- given


def test_the_file_of_given_numbers():
    listed = shared_numbers()
    assert {10000, 512, 2017} <= listed.keys()
    assert all(isinstance(number, int) and number > BY_HAND for number in listed)
    assert all(set(entry) == {"what", "source"} for entry in listed.values())


def test_what_is_given_and_not_used_is_told():
    page = PageLint([22, 43])
    assert list(page.prose(Piece("43 rows"))) == []
    assert page.unused() == [22]


def test_small_integers_are_free_where_a_hand_works():
    assert prose("7 hours and nine words", by_hand=True) == []
    assert prose("7 hours and nine words") == ["PE301", "PE302"]
    assert prose("10 hours", by_hand=True) == ["PE301"]


def test_a_solution_by_hand_types_what_its_exercise_states():
    page = PageLint([22])
    solution = Piece("22 rows of 6, and one more: 7", solves=True, checked=frozenset([6.0]))
    assert [fields["number"] for _, fields in page.prose(solution)] == ["22", "7"]
    assert list(page.prose(replace(solution, text="6 rows of width 512, and one more"))) == []


def test_decimals_cannot_be_given():
    assert prose("1.0 and .5", 1) == ["PE301", "PE301"]


def test_rows_of_a_table():
    def typed(code):
        return list(typed_rows(tree_of(code), {512}))

    assert typed("Table(Column('a', ['width']), Column('b', ['0.0464', 0.0465]))") == ["0.0465", "0.0464"]
    assert typed("Table(Column('b', [43, 512, 9]))") == ["43"]
    assert typed("Table.of_rows(('a', 'b'), [('width', '0.0464')])") == ["0.0464"]
    assert typed("Table.of_rows(('a', 'b'), rows=[('width', 43)])") == ["43"]
    assert typed("Table(Column('a', ['float32', '3']), Column('b', [f'{x:.4f}', f'{b:.4f}']))") == []
    assert typed("show.table(128, 0.5)") == []


def test_a_sentence_of_the_catalogue_names_its_fields_for_readers():
    assert with_field_names("the fold {title!r} has {{holds}}") == "the fold ‹title› has {holds}"
