"""The script of fields without a browser: what it reads, and how it judges, beside a judge in Python."""

from decimal import Decimal
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.seeds import examples_drawn
from tests.show.typed import fields, judged, pages, read, verdict

STATIC = Path(__file__).resolve().parents[2] / "docs" / "_static"


def number(value, decimals=4, wrong=(), **more):
    entry = (lambda x: x) if decimals is None else lambda x: [x, decimals]
    return {"k": "number", "v": [[entry(value)]], "w": [[[entry(one)]] for one in wrong], **more}


LIST = {"k": "list", "v": [[0, 3, 1, 4]], "w": [[[0, 1, 2, 3]], [[3, 1]]]}
LONG = {"k": "list", "v": [[255, 2559, 25599]], "w": []}
PADDED = {"k": "list", "v": [[0, 1, 2, None, None]], "w": [[[1, 2, 3, 4, 5]]]}
SLOPES = {"k": "list", "v": [[[0.25, 3], [0.0625, 4]]], "w": []}
CORNER = {"k": "list", "v": [[[0.5, 3], [3**0.5 / 2, 3]]], "w": []}
BANK = {"k": "list", "v": [[[x, 3] for x in (0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0)]], "w": []}
SIX = {"k": "list", "v": [[0, 3, 1, 4, 2, 5]], "w": []}
ROOTS = {"k": "matrix", "v": [[[0, 3], [3**0.5, 3]], [[0.5, 3], [1, 3]]], "w": []}
MATRIX = {"k": "matrix", "v": [[2, 1, 0], [3, 2, 1]], "w": [[[2, 3, 4], [1, 2, 3]]]}
RAGGED = {"k": "matrix", "v": [[[0, 1]], [[-0.5, 1], [0, 1]]], "w": []}
CHOICE = {"k": "choice", "c": ["yes", "no", "both"], "v": 1, "w": [2]}
SCORE = number(0.0463992, wrong=[0.5])
GOLDEN = [
    *(("right", text, SCORE) for text in [".0464", "4.64E-2", " 0.04640 "]),
    *(("right", text, number(2**-0.5)) for text in ["√2/2", "1/√2", "2^(-1/2)"]),
    *(("right", text, number(3.14159265 / 6)) for text in ["π/6", "PI / 6", "0.5236"]),
    *(("right", text, number(-1, None)) for text in ["−1", "–1", "- 1"]),
    *(("right", text, number(30, None, u="degrees")) for text in ["30°", "30 degrees"]),
    ("right", "π/6 rad", number(30, 2, u="degrees")),
    ("right", "30 deg", number(3.14159265 / 6, u="radians")),
    ("right", "4 Tokens", number(4, None, u="tokens")),
    ("right", "2π/3", number(2.0943951)),
    ("right", "-2^2", number(-4, None)),
    *(("right", text, number(0.90929743)) for text in ["sin(2)", "sin 2", "SIN(2)", "2 sin(1) cos(1)"]),
    *(("right", text, number(0.5)) for text in ["cos(π/3)", "cos 60°", "exp(-ln 2)", "tan(45°)/2"]),
    *(("right", text, number(3008, None)) for text in ["3,008", "3008", "3008.0"]),
    ("not", "3,009", number(3008, None)),
    *(("unread", text, number(3.142, 3)) for text in ["3,142", "sin", "sin()"]),
    ("right", "1,234.50", number(1234.5, 2)),
    *(("unread", text, SCORE) for text in ["", "0,0464", "1/0", "1/2π", "(1", "1.2.3", "√−1", "2 3", "30°"]),
    ("rounded", "0.0463", SCORE),
    ("rounded", "4.63e-2", SCORE),
    *(("few", text, SCORE) for text in ["0.046", "0.05"]),
    ("rounded", "0.04", SCORE),
    ("not", "0.0", SCORE),
    *(("few", text, BANK) for text in ["0.84 0.54 0.05 1.00 0.00 1.00", "0.841 0.540 0.046 0.999 0.00 1"]),
    ("not", "0.84 0.54 0.05 1.00 0 1.00", BANK),
    ("close", "0.0466", SCORE),
    ("not", "−0.0464", SCORE),
    ("mistake", "1/2", SCORE),
    ("not", "22.4", number(22, None)),
    *(("right", text, LIST) for text in ["0, 3, 1, 4", "[0 3 1 4]", "0; 3; 1; 4"]),
    ("reversed", "4 1 3 0", LIST),
    ("mistake", "3, 1", LIST),
    ("shape", "0,3; 1,4; 2,5", LIST),
    *(("right", text, LONG) for text in ["255, 2,559, 25,599", "255 2559 25599", "[255,2559,25599]"]),
    ("not", "255, 2,559, 25,598", LONG),
    *(("right", text, PADDED) for text in ["0 1 2 2 2", "0, 1, 2, 0, 7"]),
    *(("not", text, PADDED) for text in ["0 1 1 2 2", "0 1 2 -1 0"]),
    ("mistake", "1 2 3 4 5", PADDED),
    ("shape", "0 1 2", PADDED),
    ("not", "0 3 4 1", LIST),
    *(("right", text, SLOPES) for text in ["1/4, 1/16", "2^-2 2^-4"]),
    *(("unread", text, SLOPES) for text in ["0,25; 0,0625", "0,25, 0,0625", "()"]),
    ("shape", "0,25; 0,0625; 1", SLOPES),
    ("few", "0.25, 0.06", SLOPES),
    *(("right", text, MATRIX) for text in ["2 1 0\n3 2 1", "[[2,1,0],[3,2,1]]", "(2 1 0) (3 2 1)\n"]),
    ("mistake", "2 3 4; 1 2 3", MATRIX),
    ("shape", "2 1 0; 3 2", MATRIX),
    ("not", "2 1 0; 3 2 2", MATRIX),
    ("right", "(0), (−1/2, 0)", RAGGED),
    ("shape", "0 0; -1/2 0", RAGGED),
    *(("right", text, CORNER) for text in ["[1/2, √(3)/2]", "((1/2), sqrt((1+2))/2)"]),
    *(("right", text, SIX) for text in ["(0,3), (1,4), (2,5)", "0,3; 1,4; 2,5"]),
    ("right", "1 - 3, 2 √3", {"k": "list", "v": [[-2, [12**0.5, 3]]], "w": []}),
    ("right", "0 √3\n1/2 1", ROOTS),
    ("unread", "0 1,73\n0,5 1", ROOTS),
    ("right", "no", CHOICE),
    ("mistake", "both", CHOICE),
    ("not", "yes", CHOICE),
    ("unread", None, CHOICE),
]


def test_the_script_judges_as_the_table_says():
    said = judged([(text, given) for _, text, given in GOLDEN])
    found = [(how, text) for (how, *_), (_, text, _) in zip(said, GOLDEN, strict=True)]
    assert found == [(wanted, text) for wanted, text, _ in GOLDEN]


# ---------------------------------------------------------------- reading, beside sympy

WHOLE = st.integers(1, 40)
SIGN = st.sampled_from([("", 1), ("-", -1), ("−", -1), ("+", 1)])


@st.composite
def written_numbers(draw):
    """A number as people write it, and its exact value."""
    sign, factor = draw(SIGN)
    a, b = draw(WHOLE), draw(WHOLE)
    text, value = draw(
        st.sampled_from(
            [
                (f"{a}/{b}", sympy.Rational(a, b)),
                (f"√{a}/{b}", sympy.sqrt(a) / b),
                (f"{a}√{b}", a * sympy.sqrt(b)),
                (f"sqrt({a})/{b}", sympy.sqrt(a) / b),
                (f"{a}π/{b}", a * sympy.pi / b),
                (f"pi / {a}", sympy.pi / a),
                (f"{a} * pi", a * sympy.pi),
                (f"2^-{a}", sympy.Rational(1, 2**a)),
                (f"{a}.{b:02}e-{b}", sympy.Rational(f"{a}.{b:02}") / sympy.Integer(10) ** b),
                (f"({a} + 1/{b}) * 2", 2 * (a + sympy.Rational(1, b))),
                (f"{a} − {b}/2", a - sympy.Rational(b, 2)),
            ]
        )
    )
    whole = f"{sign}({text})" if sign and "−" in text else sign + text
    return whole, float((factor * value).evalf(30))


@examples_drawn(25)
@given(st.lists(written_numbers(), min_size=20, max_size=40))
def test_numbers_are_read_as_sympy_computes_them(numbers):
    found = read([text for text, _ in numbers])
    for (text, value), one in zip(numbers, found, strict=True):
        assert one == pytest.approx(value, rel=1e-12), text


@examples_drawn(25)
@given(
    st.lists(written_numbers(), min_size=1, max_size=6),
    st.sampled_from(["{}", "({})", "[{}]", "({})", " {{ {} }} "]),
    st.sampled_from([", ", ",", "; ", " "]),
    st.booleans(),
)
def test_lists_are_read_as_sympy_computes_them(numbers, around, between, in_pairs):
    """Between brackets, and in groups of two: the numbers are the same."""
    texts = [text for text, _ in numbers]
    if in_pairs:
        texts = [f"({between.join(texts[at : at + 2])})" for at in range(0, len(texts), 2)]
    text = around.format(between.join(texts))
    asked = {"k": "list", "v": [[[value, 6] for _, value in numbers]], "w": []}
    assert judged([(text, asked)])[0][0] == "right", text


# ---------------------------------------------------------------- judging, beside exact decimals


@st.composite
def decimals_near(draw):
    """A value, the decimals asked for, and a decimal near it that somebody types."""
    decimals = draw(st.integers(0, 6))
    value = draw(st.floats(-50, 50).filter(lambda x: abs(x) > 1e-4))
    written = draw(st.integers(0, decimals + 2))
    steps = draw(st.integers(-7, 7))
    return f"{round(Decimal(value), written) + steps * Decimal(1).scaleb(-written):f}", value, decimals


def on_an_edge(text, value, decimals):
    """Whether floating point may say either of two things."""
    off = abs(Decimal(text) - Decimal(value))
    units = [off.scaleb(places) for places in (-Decimal(text).as_tuple().exponent, decimals)]
    edges = [abs(one - edge) for one in units for edge in (Decimal("0.5"), 1, 5)]
    return min([*edges, abs(off * 10 - abs(Decimal(value)))]) < Decimal("1e-6")


@examples_drawn(40)
@given(st.lists(decimals_near(), min_size=20, max_size=40))
def test_decimals_are_judged_as_exact_ones_are(cases):
    said = judged([(text, number(value, decimals)) for text, value, decimals in cases])
    for case, (how, *_) in zip(cases, said, strict=True):
        assert on_an_edge(*case) or how == verdict(*case), case


def test_what_is_off_is_counted_by_its_kind():
    said = judged([("0.84 0.54 0.05 1.00 0 0.9", BANK), ("0.84, 0.54, 0.046, 0.999, 0.002, 1", BANK)])
    assert said[0][1] == (
        "Not yet. Wrong: 2 of 6, first: number 5. Right so far, but too few digits: 3 of 6, first: number 1."
    )
    assert said[1][1] == "Right so far, but too few digits: 1 of 6, first: number 1."
    assert judged([("0.05", SCORE), ("3", SCORE)]) == [
        ["few", "Right so far, but too few digits."],
        ["not", "Not yet."],
    ]


def test_an_edge_counts_as_right():
    assert [how for how, *_ in judged([(text, number(0.125, 2)) for text in ("0.12", "0.13")])] == [
        "right"
    ] * 2


# ---------------------------------------------------------------- the pages


def test_every_page_that_demands_fields_has_them():
    assert len(pages()) >= 9
    for page in pages():
        found = fields(page)
        text = (STATIC.parent / f"{page}.md").read_text(encoding="utf-8")
        assert len(found) == text.count("{answer}"), page
        assert all(one.mistakes for one in found), page
