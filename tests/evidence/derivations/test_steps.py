"""What derivations display, read back: random formulas, what can be read in two ways, the pages."""

import re

import pytest
import sympy
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from pe_book.evidence.derivations.rules import _Rule, check_step
from pe_book.evidence.derivations.symbolic import scope_of, sides
from pe_book.evidence.derivations.tokens import NotationError
from tests.evidence.derivations.displayed import derivations, read_back
from tests.pages.sources import pages

P, K, OMEGA, PRIMED, ROW = sympy.symbols("p k omega c' x_1")
SCOPE = scope_of([P, K, OMEGA, PRIMED, ROW])
FUNCTIONS = {"sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "ln": sympy.log, "exp": sympy.exp}


def read(latex):
    (found,) = sides(latex, SCOPE)
    return found


# Random formulas: written by the strategy beside their meaning ---------------------------------------------

names = st.sampled_from(
    [("p ", P), ("k ", K), (r"\omega ", OMEGA), ("c'", PRIMED), ("x_1", ROW), ("x_{1}", ROW)]
)
numbers = st.integers(2, 12).map(lambda n: (str(n), sympy.Integer(n)))


def bracketed(inner):
    pairs = (("(", ")"), (r"\bigl(", r"\bigr)"), (r"\left(", r"\right)"), ("[", "]"))
    return st.builds(lambda pair, one: (pair[0] + one[0] + pair[1], one[1]), st.sampled_from(pairs), inner)


def raised(base, power):
    """A power, unless it is a tower of numbers: nobody writes one, and SymPy would work it out for hours."""
    if (power.is_number and abs(power) > 20) or (base.is_Rational and abs(base.p) + base.q > 10**6):
        reject()
    return base**power


def grown(inner):
    """One step larger: sums, products, quotients, powers, functions with and without brackets."""
    bracket = bracketed(inner)
    factor = names | bracket
    fraction = st.builds(lambda a, b: (rf"\frac{{{a[0]}}}{{{b[0]}}}", a[1] / b[1]), inner, names)
    slash = st.builds(lambda a, b: (f"{a[0]}/{b[0]}", a[1] / b[1]), factor, names | numbers)
    power = st.builds(lambda a, b: (f"{a[0].strip()}^{{{b[0]}}}", raised(a[1], b[1])), factor, inner)
    called = st.builds(
        lambda f, a, n: (f"\\{f}{'' if n == 1 else f'^{n}'}{a[0]}", FUNCTIONS[f](a[1]) ** n),
        st.sampled_from(sorted(FUNCTIONS)), bracket, st.integers(1, 3),
    )  # fmt: skip
    bare = st.builds(
        lambda f, a, b: (rf"\{f} {a[0]}{b[0]}", FUNCTIONS[f](a[1] * b[1])),
        st.sampled_from(sorted(FUNCTIONS)), names | numbers, names | bracket,
    )  # fmt: skip
    product = st.builds(
        lambda n, a, dot, b, f: (f"{n[0]}{a[0]}{dot}{b[0]}\\,{f[0]}", n[1] * a[1] * b[1] * f[1]),
        numbers, factor | power, st.sampled_from([r" \cdot ", r"\,", " "]), factor | fraction, called | bare,
    )  # fmt: skip
    term = product | slash | power | called | bare | fraction | names
    total = st.builds(
        lambda sign, a, b: (f"{a[0]} {sign} {b[0]}", a[1] + b[1] if sign == "+" else a[1] - b[1]),
        st.sampled_from("+-"), term, term,
    )  # fmt: skip
    return total | st.builds(lambda a: (f"-{a[0]}", -a[1]), term) | term


@settings(deadline=None)
@given(st.recursive(names | numbers, grown, max_leaves=12))
def test_what_is_written_is_read(one):
    latex, expected = one
    if expected.has(sympy.zoo, sympy.nan, sympy.oo):
        reject()
    assert read(latex) == expected, latex


@settings(deadline=None)
@given(st.lists(st.lists(names, min_size=2, max_size=2), min_size=2, max_size=2))
def test_matrices_are_read_row_by_row(rows):
    latex = (
        r"\begin{pmatrix}" + r"\\".join("&".join(cell for cell, _ in row) for row in rows) + r"\end{pmatrix}"
    )
    expected = sympy.ImmutableMatrix([[value for _, value in row] for row in rows])
    assert read(latex) == expected
    assert read(latex + r"^\top") == expected.T
    column = sympy.Matrix([P, K])
    assert read(latex + r"\begin{pmatrix} p \\ k \end{pmatrix}") == expected * column
    assert read(rf"{latex}^2 - 2{latex}") == expected**2 - 2 * expected


# What people read in two ways, or not at all ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("latex", "says"),
    [
        (r"\sin p/2", "where does the argument of \\sin end"),
        (r"\sin(p)k", "where does the argument of a function end"),
        (r"\sin p^2", "does the exponent belong to \\sin"),
        (r"\sin^{-1} p", "the inverse"),
        ("p/2k", "what is divided by what"),
        ("p2", "follows a factor"),
        (r"\sin{p + k}", "\\sin has no argument"),
        (r"\frac{p}{k}^2", "all of the fraction"),
        ("p^12", "in braces"),
        ("p^x_1", "in braces"),
        (r"2\frac{1}{2}", "look mixed"),
        ("p--k", "'-' stands where"),
        (r"\frac{p}{k", "'}' is missing"),
        ("p={}", "a side is empty"),
        ("x", "x is not declared"),
        (r"\lambda", "is not declared"),
        ("p < k", "'<' has no meaning here"),
        ("1/0", "divided by zero"),
        (r"\ln 0", "no finite value"),
        (r"1 + \begin{pmatrix} p \end{pmatrix}", "cannot be added"),
        (r"\begin{pmatrix} p & k \end{pmatrix}\begin{pmatrix} p & k \end{pmatrix}", "cannot be multiplied"),
        (r"\begin{pmatrix} p & k \\ p \end{pmatrix}", "equally many"),
    ],
)
def test_what_can_be_read_in_two_ways_or_not_at_all_is_refused(latex, says):
    with pytest.raises(NotationError, match=re.escape(says)):
        sides(latex, SCOPE)


# The derivations of the book --------------------------------------------------------------------------------


def test_every_directive_is_found():
    written = sum(file.read_text(encoding="utf-8").count(":{derived}") for file in pages())
    assert len(derivations()) == written > 0


@pytest.mark.parametrize("shown", derivations(), ids=lambda shown: f"{shown.page} {shown.expression}")
def test_what_is_displayed_is_what_was_checked(shown):
    """The text that the page gets, and nothing else, read back and checked step by step once more."""
    derivation = shown.derivation
    blocks = re.findall(r"^\$\$\n(.*?)\n\$\$$", derivation.markdown(), re.MULTILINE | re.DOTALL)
    again = read_back(derivation, blocks)
    assert (again.lhs, again.start, again.steps) == (derivation.lhs, derivation.start, derivation.steps)
    assert len(blocks) == again.checked + 1
    outside = re.sub(r"\$\$.*?\$\$", "", derivation.markdown(), flags=re.DOTALL)
    equations = [part for part in re.findall(r"\$([^$]+)\$", outside) if "=" in part]
    within = [derivation.given or "", *(step.rule for step in derivation.steps)]
    assert all(any(f"${equation}$" in text for text in within) for equation in equations)


# The rule that a step names is the one that it uses ---------------------------------------------------------


# right by another rule, too: the two results are the formulas for a sum, and a power is an exponential
ALSO_RIGHT = {
    ("the exponent, multiplied out", "$B = e^{\\ln B}$"),
    ("the power, split", "$B = e^{\\ln B}$"),
    ("the two results above", "the cosine and the sine of a sum"),
}


def test_a_step_under_another_rule_is_refused():
    """Each step under each rule of the book that says something else."""
    steps = [(shown.derivation, n) for shown in derivations() for n in range(len(shown.derivation.steps))]
    rules = {str(said(one.steps[n])): one.steps[n] for one, n in steps}
    accepted, refused = set(), 0
    for derivation, n in steps:
        own = derivation.steps[n]
        for other in (other for kind, other in rules.items() if kind != str(said(own))):
            try:
                check_step(other, *derivation.chain[n : n + 2], "here")
                accepted.add((own.rule, other.rule))
            except ValueError:
                refused += 1
    assert accepted == ALSO_RIGHT
    assert refused > 200


def said(step):
    found = _Rule(step)
    return (
        found.says,
        found.kinds if found.says & {"sine", "cosine"} else (),
        [str(one) for one in found.results],
    )
