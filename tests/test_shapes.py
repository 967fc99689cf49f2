"""Every line of the definitions that changes a shape says to which, in one style, and it is so."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.shapes import ROOT, comments, documented, missing, modules
from tests.watched import run

REACHED = 0.85  # of the comments, at least; 108 of 118 when this was written

SMALL = '''
def f(x):
    """One thing.

    Parameters
    ----------
    x
        Shape (n, d).
    """
    y = x.T  # {}
    return y
f(np.zeros((2, 3)))
'''


@pytest.mark.parametrize("name", modules())
def test_every_line_that_changes_a_shape_says_to_which(name):
    assert missing(modules()[name].read_text(encoding="utf-8")) == [], "say it as CONTRIBUTING does: # (n, d)"


def test_what_the_comments_and_the_docstrings_say_is_so():
    done = subprocess.run(
        [sys.executable, "-m", "tests.watched"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    seen = json.loads(done.stdout)
    assert seen["wrong"] == {}
    assert len(seen["reached"]) >= REACHED * seen["comments"], "examples reach too few of the comments"


@pytest.mark.parametrize(
    "value",
    [
        "x.reshape(3)", "x.T", "x[None]", "x[:, np.newaxis]", "x[..., None, :]", "np.stack([x, x])", "x @ x",
        "np.abs(x.T).max(axis=0)", "np.repeat(x, 2, axis=0)", "[a.T for a in x]", "np.subtract.outer(x, x)",
        "(\n    x\n    + x.T)", "lambda: x.T", "f(\n    x.T,\n    1)", "f(x)[x.reshape(-1)]",
    ],
)  # fmt: skip
def test_a_line_that_changes_a_shape_needs_one(value):
    assert len(missing(f"def f(x):\n  return {value}\n")) == 1
    line = f"def f(x):\n  y = {value}".replace("x.T,", "x.T,  # (n,)")
    assert missing(line if "# (" in line else f"{line}  # (n,)\n") == []


@pytest.mark.parametrize(
    "statement",
    ["return x[0]", "return np.abs(x.T).max()", "return np.repeat(x, 2)", "return stack(x)",
     "y: dict[str, None] = x", "return float(x @ x)"],
)  # fmt: skip
def test_a_line_whose_value_has_no_new_shape_needs_none(statement):
    assert missing(f"def f(x):\n  {statement}\n") == []
    assert missing("def f(x=y.T):\n  return x\nz = f.T\n") == [], "outside of functions"


@pytest.mark.parametrize(
    "comment",
    [
        "(n)",
        "(n d)",
        "(n,d)",
        "(n, d) each",
        "(n, d), more",
        "(d, ...)",
        "(n, d) @ (d, m)",
        "(seen (twice),)",
    ],
)
def test_another_style_is_refused(comment):
    with pytest.raises(ValueError, match="shape"):
        comments(f"x = 1  # {comment}\n")
    with pytest.raises(ValueError, match="end of its line"):
        comments("# (n, d)\nx = 1\n")


def test_a_reason_stands_two_spaces_on():
    assert comments("x = 1  # (n, d/2), (2p,)  for a reason (good)\n") == {
        1: ([("n", "d/2"), ("2p",)], False)
    }
    assert comments("x = 1  # (n, 2) or (2, n)\n") == {1: ([("n", "2"), ("2", "n")], True)}


@pytest.mark.parametrize(
    "comment", ["(d, n)", "(3, n)", "(..., n)", "(...)", "(n + 1, n)", "(d, n)  so", "(1, n) or (d, 2)"]
)
def test_a_true_comment_is_seen_to_be_so(comment):
    watch = run(SMALL.format(comment))
    assert (watch.reached, watch.wrong) == ({"small:10"}, {})


@pytest.mark.parametrize(
    "comment",
    ["(n, d)", "(d, n, 1)", "(1, d, n)", "(d,)", "(d, d)", "(m, m)", "(2, n)", "(d, 2n)", "(d/2, n)", "()",
     "(p - q, n)", "(..., d)", "(..., d, n, 1)", "(n, d) or (2, 3)", "(n,), (d,)"],
)  # fmt: skip
def test_a_wrong_comment_is_refused(comment):
    assert run(SMALL.format(comment)).wrong.keys() == {"small:10"}


def test_the_docstring_is_refused_too_and_a_whole_number_is_what_its_name_says():
    wrong = run(SMALL.format("(d, n)").replace("Shape (n, d).", "Shape (n, n).")).wrong
    assert wrong.keys() == {"small.f x"}
    source = "def f(x, n):\n  return x.T  # (d, n)\nf(np.zeros((2, 3)), {})\n"
    assert run(source.format(2)).wrong == {}
    assert run(source.format(3)).wrong.keys() == {"small:2"}


def test_letters_last_for_a_call_and_in_a_loop_for_a_round():
    each = "def f(x):\n  return x.T  # (n,)\nf(np.zeros(2)), f(np.zeros(3))\n"
    assert run(each).wrong == {}
    loop = "def f(*xs):\n  for x in xs:\n    y = x.T  # (m,)\n    z = y.T  # ({},)\n"
    loop += "f(np.ones(2), np.ones(3))\n"
    assert run(loop.format("m")).wrong == {}
    assert run(loop.format("2m")).wrong.keys() == {"small:4"}
    lambdas = "def f():\n  g = lambda x: x.T  # (n,)\n  return g(np.ones(2)), g(np.ones(3))\nf()\n"
    assert run(lambdas).wrong == {}


def test_parts_of_a_value_are_looked_at_where_the_value_is_not_of_arrays():
    source = (
        "def f(x, made):\n  made.append(x.T)  # ({})\n  return Exception(x, x @ x)  # ()\nf(np.ones(2), [])\n"
    )
    assert run(source.format("2,")).wrong == {}
    assert run(source.format("3,")).wrong.keys() == {"small:2"}
    pair = "def f(x):\n  return x.T, x @ x  # ({}), ({})\nf(np.ones(2))\n"
    assert run(pair.format("n,", "")).wrong == {}
    assert run(pair.format("", "n,")).wrong.keys() == {"small:2"}


def test_of_a_docstring_the_shapes_that_are_one_are_read():
    text = """Thing.

    Parameters
    ----------
    q, k
        Queries, shape (n_q, d), and keys, shape (n_k, d).
    x
        Shape (n,) or (n, d).
    at
        For x of shape (h, n): numbers.
    a, b
        Shape (d, k) each.

    Returns
    -------
    y
        Shape (n,).
    """
    assert documented(text) == [
        ("q", ("n_q", "d")),
        ("k", ("n_k", "d")),
        ("a", ("d", "k")),
        ("b", ("d", "k")),
    ]
