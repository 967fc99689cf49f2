"""The explorers of the sinusoidal chapters without a browser: values beside Python's frame and package."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.show.sinusoidal.distance import BASES as CHOSEN
from pe_book.show.sinusoidal.distance import WIDTHS as CHOSEN_WIDTHS
from pe_book.show.sinusoidal.distance import near_and_far
from pe_book.sinusoidal.distance import first_rise
from pe_book.sinusoidal.shift.fitting import shift_errors
from pe_book.sinusoidal.waves import column_range
from tests.show.scripts import asked, script, with_planted

MATHS = script("sinusoid-maths.js")
WIDTHS = ((2, 10000), (6, 10000), (6, 100), (8, 1000), (128, 500000))
SHIFTS = ((10, 6, 10000), (-7, 6, 100), (0, 4, 10000), (20, 8, 1000))


def close(found, right, atol=1e-12):
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol=0, atol=atol)


def drifted(text=MATHS):
    """What the script has another way than Python."""
    wrong = set()
    for width, base in WIDTHS:
        rates = asked("sinusoid.frequencies(width, base)", text, width=width, base=base)
        if not np.allclose(rates, pe.frequencies(width, base=base), rtol=1e-14, atol=0):
            wrong.add("frequencies")
        places = [0, 1, 2.25, 6, 60, 99]
        rows = asked("places.map((p) => sinusoid.row(p, rates))", text, places=places, rates=rates)
        if not close(rows, pe.encode(places, width, base=base)):
            wrong.add("entries")
        ask = "sinusoid.ranges([...Array(n).keys()].map((p) => sinusoid.row(p, rates)))"
        moves = asked(ask, text, n=20, rates=rates)
        far = asked("far.map((k) => sinusoid.alike(k, rates))", text, far=[0, 1, 6, 11, 60], rates=rates)
        if not close(far, pe.similarity([0, 1, 6, 11, 60], width, base=base) / (width / 2)):
            wrong.add("alike")
        if base == 10000 and not close(moves, column_range(20, width)):
            wrong.add("ranges")
    for k, width, base in SHIFTS:
        rates = pe.frequencies(width, base=base).tolist()
        found = asked("sinusoid.shift(k, rates)", text, k=k, rates=rates)
        if not close(found, pe.shift_matrix(k, width, base=base)):
            wrong.add("shift")
        ask = "sinusoid.product(sinusoid.shift(3, rates), sinusoid.shift(k, rates))"
        both = asked(ask, text, k=k, rates=rates)
        if not close(both, pe.shift_matrix(k + 3, width, base=base)):
            wrong.add("product")
        if any(missed_otherwise(text, k, width) for k in (k, 3) if base == 10000):
            wrong.add("missed")
    a, b = [[1, 2], [3, 4]], [[0, 1], [5, -1]]
    if asked("sinusoid.product(a, b)", text, a=a, b=b) != (np.array(a) @ b).tolist():
        wrong.add("product")
    return wrong


def missed_otherwise(text, k, width):
    """Whether a random matrix misses rows by another amount than the package says."""
    rates, draw = pe.frequencies(width).tolist(), np.random.default_rng(width)
    matrix, places = draw.normal(size=(width, width)), [0, 7, 31]
    ask = "places.map((p) => sinusoid.missed(matrix, p, k, rates))"
    found = asked(ask, text, matrix=matrix.tolist(), places=places, k=k, rates=rates)
    return not close(found, shift_errors(matrix, places, k))


def test_the_scripts_compute_as_python_does():
    assert drifted() == set()


@pytest.mark.parametrize(
    ("stands", "planted", "where"),
    [
        ("(-2 * i) / width", "(-i) / width", "frequencies"),
        ("column % 2 ? Math.cos", "column % 2 ? Math.sin", "entries"),
        ("Math.floor(column / 2)", "Math.floor((column + 1) / 2) % frequencies.length", "entries"),
        ("- Math.min(...entries)", "+ Math.min(...entries)", "ranges"),
        ("line(cos, sin), line(-sin, cos)", "line(cos, -sin), line(sin, cos)", "shift"),
        ("x * here[j]", "x * there[j]", "missed"),
        ("sum + Math.cos(k * rate)", "sum + Math.sin(k * rate)", "alike"),
        (", 0) / frequencies.length", ", 0)", "alike"),
    ],
)
def test_another_formula_is_noticed(stands, planted, where):
    assert where in drifted(with_planted(MATHS, stands, planted))


def test_every_choice_of_width_and_base_rises_within_reach_and_one_base_rises_latest():
    given = near_and_far(128, 10000, 60).given
    k = range(given["reach"] + 1)
    rises = {(d, b): first_rise(pe.similarity(k, d, base=b)) for d in CHOSEN_WIDTHS for b in CHOSEN}
    assert None not in rises.values()
    there = {b: rises[given["asked"], b] for b in CHOSEN}
    assert [b for b in CHOSEN if there[b] == max(there.values())] == [given["latest"]]
