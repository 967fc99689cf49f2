"""Displays, read with numbers for letters: what holds, what does not, and what can be read in two ways."""

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from pe_book.evidence.derivations import trial
from pe_book.evidence.derivations.displays import Index
from pe_book.evidence.derivations.tokens import NotationError
from pe_book.evidence.derivations.trial import FalseError, Letters, letters_of, tried, try_formula

REPO = Path(__file__).resolve().parents[3]
ROOM = REPO / "pe_book" / "evidence"
DRAW = np.random.default_rng(7)
MATRIX = DRAW.normal(size=(4, 4))


def turn(k):
    return np.array([[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])


LETTERS = {
    "d": 8, "p": 0.7, "k": -3, "i": Index(2, range(4)), "j": Index(1, range(4)), "n": 4, "x": 0.4, "B": 5.0,
    r"\omega": np.array([1.0, 0.5, 0.25, 0.125]), "a": MATRIX, "M": MATRIX, "I": np.eye(2), "T": turn,
    "u": MATRIX[:, :1], "v": MATRIX[:, 1:2], "q": MATRIX[2], "z": 1 + 2j, r"\pi": np.array([2, 0, 3, 1]),
    "PE": lambda p: np.ravel([[np.sin(w * p), np.cos(w * p)] for w in (1.0, 0.5, 0.25, 0.125)]),
    "f": lambda x: 2 * x, r"\text{base}": 10.0, "K^r": np.arange(4), "a'": 3.0, "d_k": 4,
    "s": lambda k: sum(np.cos(k * w) for w in (1.0, 0.5, 0.25, 0.125)), "pos": 5.0,
}  # fmt: skip


def state(latex, **letters):
    return try_formula(latex, Letters(LETTERS | letters))


# A formula that holds, beside one that an author writes by mistake.
PAIRS = [
    (r"T_a T_b = T_{a+b}", r"T_a T_b = T_{a-b}", {"a": 2, "b": 5}),
    (r"T_{-k} = T_k^{-1} = T_k^\top", r"T_{-k} = T_k", {}),
    (r"\begin{pmatrix} \cos k & \sin k \\ -\sin k & \cos k \end{pmatrix} = T_k",
     r"\begin{pmatrix} \cos k & -\sin k \\ \sin k & \cos k \end{pmatrix} = T_k", {}),
    (r"\det T_k = 1", r"\det T_k = -1", {}),
    (r"s(k) = \sum_{i=0}^{d/2-1} \cos k\omega_i", r"s(k) = \sum_{i=1}^{d/2-1} \cos k\omega_i", {}),
    (r"s(k) = \sum_i \cos k\omega_i", r"s(k) = \sum_i \sin k\omega_i", {}),
    (r"PE(p) = (\sin\omega_0 p, \cos\omega_0 p, \dots, \cos\omega_{d/2-1} p)",
     r"PE(p) = (\sin\omega_0 p, \cos\omega_0 p, \dots, \sin\omega_{d/2-1} p)", {}),
    (r"i = 0, 1, \dots, d/2 - 1", r"i = 0, 1, \dots, d/2", {}),
    (r"\lVert u - v\rVert^2 = u^\top u - 2u^\top v + v^\top v", r"\lVert u - v\rVert = u^\top u", {}),
    (r"\langle q, q\rangle = \lVert q\rVert^2", r"\langle q, q\rangle = \lVert q\rVert", {}),
    (r"u \cdot v = \sum_j a_{j0} a_{j1}", r"u \cdot v = \sum_j a_{0j} a_{1j}", {}),
    (r"a_{ij} = M_{2,1}", r"a_{ij} = M_{1,2}", {}),
    (r"f(M_\pi) = f(M)_\pi", r"f(M_\pi) = f(M)", {}),
    (r"\operatorname{Re}(z \bar z) = |z|^2", r"\operatorname{Re}(z z) = |z|^2", {}),
    (r"e^{\mathrm{i} k} = \cos k + \mathrm{i}\sin k", r"e^{-\mathrm{i} k} = \cos k + \mathrm{i}\sin k", {}),
    (r"\lfloor d/3 \rfloor = 2", r"\lfloor d/3 \rfloor = 3", {}),
    (r"\min(d, n + 1) = 5", r"\max(d, n + 1) = 5", {}),
    (r"\frac1{\ln B}\int_{1}^{B} \frac{1}{x}\,dx = 1", r"\int_{1}^{B} \frac{1}{x}\,dx = 1", {}),
    (r"\begin{cases} 0 & \text{if } k \le 0, \\ k & \text{otherwise.} \end{cases} = 0",
     r"\begin{cases} 0 & \text{if } k \ge 0, \\ k & \text{otherwise.} \end{cases} = 0", {}),
    (r"\cos 60° = \tfrac12", r"\sin 60° = \tfrac12", {}),
    (r"\sin x = \val{0.3894}", r"\sin x = \val{0.3884}", {}),
    (r"2\sin x = \val{0.389} + \val{0.389}", r"2\sin x = \val{0.389} + \val{0.392}", {}),
    (r"37 \cdot \val{15} = \val{555}", r"37 \cdot \val{15} = \val{556}", {}),
    (r"(1, 2) + (2, 1) = (3, 3)", r"(1, 2) + (2, 1) = (3, 4)", {}),
    (r"\begin{aligned} d &= 2n, \\ n &= d - n \\ &< d \end{aligned}",
     r"\begin{aligned} d &= 2n, \\ n &= d - n \\ &> d \end{aligned}", {}),
    (r"d = 8 \quad\text{and}\quad n = 4", r"d = 8 \quad\text{and}\quad n = 5", {}),
    (r"d, n > k", r"d, k > n", {}),
    (r"\text{base}^{-2i/d} = 10^{-1/2}", r"\text{base}^{2i/d} = 10^{-1/2}", {}),
    (r"K^r_3 = a'", r"K^r_2 = a'", {}),
    (r"pos/\sqrt{d_k} = \tfrac52", r"pos/d_k = \tfrac52", {}),
    (r"-x^2 < 0 \le |x| \ne k", r"x^2 < 0", {}),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "letters"), PAIRS)
def test_what_holds_is_read_and_what_does_not_is_refused(right, wrong, letters):
    assert state(right, **letters) == "read"
    with pytest.raises(FalseError):
        state(wrong, **letters)


@pytest.mark.parametrize(
    ("latex", "says"),
    [
        (r"\sum_i \omega_i + \omega_i = 2", "go on after +"),
        (r"\sum_m m = 3", "over what"),
        (r"\sum_{m, k} m = 3", r"\sum needs its limits, as in \sum_{j=0}^{n-1}"),
        (r"q q = 1", "two rows stand beside each other"),
        (r"q^\top q = 1", "only a matrix"),
        (r"\lVert M\rVert = 1", "several lengths"),
        (r"\sin x \approx 0.4", "how near"),
        (r"T = I", "of what is T the function"),
        (r"y + d = 3", "y is not declared"),
        (r"= 3", "a side is empty"),
        (r"M + I = M", "cannot be added"),
        (r"\omega_{1/2} = 1", "no whole number"),
        (r"\omega_{-1} = 1", "no entry"),
        (r"\begin{pmatrix} q \\ q \end{pmatrix} = M", "row or a column"),
        (r"M^{1/2} = M", "whole numbers only"),
    ],
)
def test_what_has_two_readings_or_none_is_not_guessed(latex, says):
    with pytest.raises(NotationError, match=re.escape(says)):
        state(latex)


def test_a_new_name_is_bound_by_its_definition_and_checked_where_it_comes_again():
    letters = Letters(LETTERS)
    said = [r"\theta_i = k\omega_i", r"\theta_2 = k/4", r"g(x) = x^2", r"g(3) = 9", r"w = (1, 2)", r"w_1 = 2"]
    assert [try_formula(one, letters) for one in said] == ["defines", "read"] * 3
    with pytest.raises(FalseError, match="k = -3"):
        try_formula(r"\theta_i = d", letters)
    assert try_formula("y_0 = 3, \\quad y_0 = d - 5", letters) == "read"


def test_only_a_display_by_itself_states_what_has_no_relation():
    assert state("2d", **{"=": 17}) == ""
    assert state(r"\displaystyle 2d", **{"=": 16}) == "read"
    with pytest.raises(FalseError, match="what it states is 17"):
        state(r"\displaystyle 2d", **{"=": 17})


def test_the_message_shows_both_values_and_the_draw():
    with pytest.raises(FalseError, match=re.escape("d + k is 5, n is 4, with d = 8, k = -3, n = 4")):
        state("d + k = n")


class Home:
    """Letters of a page that is none."""

    UNREAD: ClassVar = {"ex:a:one": 1}

    @staticmethod
    def letters(draw):
        return {"n": int(draw.integers(1, 9))}


def test_every_formula_of_a_place_is_told_apart(monkeypatch):
    monkeypatch.setattr(trial, "letters_of", lambda page: Home if page == "a/page" else None)
    formulas = ["n", "2n = n + n", "m = 2n", "n^2 = 2n", "y > 0", "y < 1"]
    found = tried("a/page", "ex:a:one", formulas)
    assert [state for state, _ in found] == ["", "read", "defines", "wrong", "unread", "new"]
    assert tried("a/page", "thm:a:one", ["m = 2n"]) == [("new", "what it defines is not declared")]
    assert [state for state, _ in tried("a/other", "thm:a:one", ["n > 0"])] == ["new"]


def test_letters_stand_beside_a_page_and_name_what_is_there():
    homes = [file for file in ROOM.glob("*/letters/*.py") if file.name != "__init__.py"]
    assert len(homes) > 15
    listed = (REPO / "docs" / "labels.lock").read_text(encoding="utf-8")
    for file in homes:
        page = f"{file.parents[1].name}/{file.stem.replace('_', '-')}"
        home = letters_of(page)
        assert home is not None, page
        assert (REPO / "docs" / f"{page}.md").exists()
        assert [
            label
            for label in {*getattr(home, "AT", ()), *getattr(home, "UNREAD", ())}
            if f"\n{label} {page}\n" not in listed
        ] == [], page
