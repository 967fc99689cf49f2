"""Derivations: a chain that does not hold cannot be built."""

import re

import pytest
import sympy
from sympy import I, Matrix, cos, exp, log, sin, sqrt

from pe_book.evidence.derivation import Derivation, Step

p, k, w = sympy.symbols("p k omega", real=True)
b, d, i = sympy.symbols("b d i", positive=True)
n = sympy.symbols("n", integer=True, positive=True)
z = sympy.symbols("z")
f = sympy.Function("f")

ROTATION = Matrix([[cos(k * w), sin(k * w)], [-sin(k * w), cos(k * w)]])
PAIR = Matrix([sin(p * w), cos(p * w)])
SHIFTED = Matrix([sin((p + k) * w), cos((p + k) * w)])
EXPANDED = Matrix(
    [sin(p * w) * cos(k * w) + cos(p * w) * sin(k * w), cos(p * w) * cos(k * w) - sin(p * w) * sin(k * w)]
)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (SHIFTED, EXPANDED),
        (EXPANDED, ROTATION * PAIR),
        (ROTATION.T * ROTATION, sympy.eye(2)),
        (ROTATION.det(), 1),
        (exp(I * p), cos(p) + I * sin(p)),
        (b ** (-2 * i / d), exp(-2 * i / d * log(b))),
        (sympy.Sum(z, (z, 1, n)), n * (n + 1) / 2),
        (1 - 2 * sin(p / 2) ** 2, cos(p)),
        (2 - 2 * cos(p), 4 * sin(p / 2) ** 2),
        ((n + 1) ** 2, n**2 + 2 * n + 1),
        (sympy.diff(sin(p * w), p), w * cos(p * w)),
        (sympy.exp(z) ** 2, sympy.exp(2 * z)),
    ],
)
def test_what_holds_is_accepted(start, end):
    assert Derivation(start, [Step(end, "as it is")]).checked == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (sin(p + k), sin(p) * cos(k) - cos(p) * sin(k)),  # a wrong sign
        (SHIFTED, ROTATION.T * PAIR),  # the shift the other way
        (SHIFTED, Matrix([EXPANDED[1], EXPANDED[0]])),  # rows exchanged
        (b ** (-2 * i / d), b ** (2 * i / d)),
        (b ** (-2 * i / d), exp(-i / d * log(b))),  # the factor 2 lost
        (sympy.Sum(z, (z, 1, n)), n * (n - 1) / 2),
        (sqrt(p**2), p),  # only for p >= 0
        (sqrt(z**2), z),
        (log(z**2), 2 * log(z)),  # only on one branch
        (cos(p), cos(p) + sympy.Rational(1, 10**20)),
        (sympy.Integer(1), sympy.Float(1) + sympy.Float("1e-12")),
        ((-1) ** n, -1),
    ],
)
def test_what_does_not_hold_is_refused(start, end):
    with pytest.raises(ValueError, match=re.escape("step 1 (a slip) is wrong")):
        Derivation(start, [Step(end, "a slip")])


def test_the_message_names_step_rule_and_both_sides():
    steps = [Step(EXPANDED, "the addition formulas"), Step(ROTATION.T * PAIR, "as a matrix")]
    with pytest.raises(ValueError, match=r"step 2 \(as a matrix\) is wrong: .*cos.* is not .*sin"):
        Derivation(SHIFTED, steps)


def test_what_sympy_cannot_show_is_refused():
    # true for every integer by Fermat's little theorem, but no simplification finds it
    with pytest.raises(ValueError, match="undecided"):
        Derivation(sympy.Mod(n**7 - n, 7, evaluate=False), [Step(0 * n, "Fermat")])


def test_nothing_that_cannot_be_evaluated_is_accepted():
    with pytest.raises(ValueError, match="could be evaluated"):
        Derivation(f(p), [Step(f(2 * p), "hope")])


def test_shapes_must_agree():
    with pytest.raises(TypeError, match=r"step 1 \(one\) changes the shape from \(2, 1\) to None"):
        Derivation(PAIR, [Step(sin(p), "one")])
    with pytest.raises(TypeError, match="changes the shape"):
        Derivation(PAIR, [Step(PAIR.T, "lying down")])


def test_only_expressions_are_taken():
    with pytest.raises(TypeError, match="start is 'x'"):
        Derivation("x", [Step(p, "no")])
    with pytest.raises(TypeError, match="unevaluated matrix"):
        Derivation(sympy.MatrixSymbol("A", 2, 2), [Step(sympy.eye(2), "no")])


def test_every_step_has_a_reason():
    with pytest.raises(ValueError, match="has no rule"):
        Derivation(p + p, [Step(2 * p, " ")])
    with pytest.raises(ValueError, match="at least one step"):
        Derivation(p, [])


def test_markdown_shows_every_step_with_its_rule():
    text = Derivation(
        SHIFTED,
        [Step(EXPANDED, "the addition formulas"), Step(ROTATION * PAIR, "as a matrix")],
        lhs=r"T_k\,v",
        given="by definition",
    ).markdown()
    assert text.count("$$") == 6
    assert text.startswith("by definition:\n\n$$\nT_k\\,v = ")
    assert text.index("the addition formulas:") < text.index("as a matrix:")
    assert sympy.latex(EXPANDED) in text
    assert "\n\n\n" not in text


def test_latex_can_keep_a_better_order_of_terms():
    step = Step(2 * p, "collected", latex=r"p\cdot 2")
    assert r"{} = p\cdot 2" in Derivation(p + p, [step]).markdown()
