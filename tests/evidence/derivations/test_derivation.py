"""Derivations: a chain that does not hold, or that can be read in two ways, cannot be built."""

import re

import pytest
import sympy

from pe_book.evidence.derivations.derivation import Derivation, Step
from pe_book.evidence.derivations.equality import close_at_random_points

p, k, w = sympy.symbols("p k omega", real=True)
b, d, i = sympy.symbols("B d i", positive=True)
n = sympy.symbols("n", integer=True, positive=True)
z = sympy.symbols("z")
SYMBOLS = (p, k, w, b, d, i, n, z)

ROTATION = r"\begin{pmatrix} \cos k & \sin k \\ -\sin k & \cos k \end{pmatrix}"
PAIR = r"\begin{pmatrix} \sin p \\ \cos p \end{pmatrix}"
SHIFTED = r"\begin{pmatrix} \sin(p+k) \\ \cos(p+k) \end{pmatrix}"
EXPANDED = r"\begin{pmatrix} \sin p\,\cos k + \cos p\,\sin k \\ \cos p\,\cos k - \sin p\,\sin k \end{pmatrix}"


def derive(start, *steps, symbols=SYMBOLS, **rest):
    steps = [step if isinstance(step, Step) else Step(step, "a slip") for step in steps]
    return Derivation(start, steps, symbols=symbols, **rest)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (r"\sin(p+k)", r"\sin p\,\cos k - \cos p\,\sin k"),  # a wrong sign
        (SHIFTED, EXPANDED.replace(r"p\,\cos k", r"k\,\cos k", 1)),  # a wrong letter in one entry
        ("B^{-2i/d}", r"e^{-\frac{i}{d}\ln B}"),  # the factor 2 lost
        ("(n+1)^2", "n^2 + 3n + 1"),  # another number
        (r"\sqrt{p^2}", "p"),  # only for p >= 0
        (r"\ln(z^2)", r"2\ln z"),  # only on one branch
        (r"\cos p", r"\cos p + \frac{1}{100000000000000000000}"),
    ],
)
def test_what_does_not_hold_is_refused(start, end):
    with pytest.raises(ValueError, match=re.escape("step 1 (a slip) is wrong")):
        derive(start, end)


def test_what_sympy_cannot_show_is_refused():
    # true for every whole number, but no simplification finds it
    with pytest.raises(ValueError, match=r"step 1 \(a slip\) is undecided"):
        derive(r"\sin^2\bigl(\pi n(n+1)(n+2)/3\bigr)", "0")


def test_nothing_that_cannot_be_evaluated_is_accepted():
    with pytest.raises(ValueError, match="start: a part has no finite value"):
        derive(r"\ln(0p)", r"\ln(0k)")
    f = sympy.Function("f")
    with pytest.raises(ValueError, match="could be evaluated"):
        close_at_random_points(f(p), f(2 * p))


def test_shapes_must_agree():
    with pytest.raises(TypeError, match=r"step 1 \(a slip\) changes the shape from \(2, 1\) to None"):
        derive(PAIR, r"\sin p")
    with pytest.raises(TypeError, match="changes the shape"):
        derive(PAIR, rf"{PAIR}^\top")


def test_every_step_has_a_reason():
    with pytest.raises(ValueError, match="has no rule"):
        derive("p + p", Step("2p", " "))
    with pytest.raises(ValueError, match="at least one step"):
        derive("p")


@pytest.mark.parametrize("slip", ["p", "x", "-2p"])
def test_the_left_hand_side_equals_the_start(slip):
    assert derive("p + p", "2p", lhs="2p").markdown().startswith("$$\n2p = p + p\n$$")
    with pytest.raises(ValueError, match=r"left-hand side is wrong|lhs: x is not declared"):
        derive("p + p", "2p", lhs=slip)


def square(index, at):
    if index > at["n"]:
        raise IndexError(index)
    return float(index**2)


def test_an_indexed_name_is_what_the_package_computes():
    def indexed(lhs, start="(n-1)^2", given="of all $s_i = i^2$"):
        return derive(start, "n^2 - 2n + 1", lhs=lhs, given=given, symbols=(n, i), names={"s": square})

    assert indexed("s_{n-1}").checked == 1
    for slip in ("s_{n-2}", "s_n", "-s_{n-1}", "s_{i-1}"):
        with pytest.raises(ValueError, match="the left-hand side is wrong"):
            indexed(slip)
    with pytest.raises(ValueError, match="the equation in given is wrong: s_i is not i"):
        indexed("s_{n-1}", given="of all $s_i = i^3$")
    with pytest.raises(ValueError, match=r"the left-hand side: .* could be evaluated at 0 points"):
        indexed("s_{n+1}")
    with pytest.raises(ValueError, match="s is not declared"):
        indexed("s")


# Formulas in words ------------------------------------------------------------------------------------------


def test_an_equation_in_a_rule_has_to_hold():
    derive("B", Step(r"e^{\ln B}", r"$B = e^{\ln B}$"))
    with pytest.raises(ValueError, match=r"the equation in step 1 .* is wrong: B is not e\^\{-\\ln B\}"):
        derive("B", Step(r"e^{\ln B}", r"$B = e^{-\ln B}$"))
    with pytest.raises(ValueError, match=r"is wrong: \\sin\^2 p \+ \\cos\^2 p is not 2"):
        derive("1", Step("1", r"$1 = \sin^2 p + \cos^2 p = 2$"))


def test_a_new_name_in_a_rule_means_what_the_rule_says():
    rule = r"with $c = \cos p$ and $s' = \sin p$"
    assert derive(
        r"\cos^2 p - \sin^2 p", Step("c^2 - s'^2", rule), Step(r"\cos 2p", "the double angle")
    ).checked
    for slip in (rule.replace(r"\cos", r"\sin"), rule.replace("p$ and", "k$ and"), rule.replace("=", "= -2")):
        with pytest.raises(ValueError, match=r"step 1 .* is wrong"):
            derive(r"\cos^2 p - \sin^2 p", Step("c^2 - s'^2", slip))


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("with $c = p$", "says what c is, and no formula after it uses that"),
        ("with $q$ first", "q is not declared"),
        ("with $p = 2", "between two dollars"),
    ],
)
def test_what_a_rule_cannot_say(rule, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        derive("p", Step("p", rule))


def test_markdown_shows_every_step_with_its_rule():
    text = derive(
        EXPANDED,
        Step(SHIFTED, "the addition formulas"),
        Step(ROTATION + PAIR, "as a matrix"),
        lhs=SHIFTED,
        given="by definition",
    ).markdown()
    assert text.count("$$") == 6
    assert text.startswith(f"by definition:\n\n$$\n{SHIFTED} = {EXPANDED}\n$$")
    assert text.index("the addition formulas:") < text.index("as a matrix:")
    assert text.endswith(f"$$\n{{}} = {ROTATION + PAIR}\n$$")
    assert "\n\n\n" not in text
