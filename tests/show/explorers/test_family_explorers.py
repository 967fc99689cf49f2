"""The explorers of biases and of rows past a table's end without a browser: their numbers beside Python's."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.family.learned import BEYOND, lookup
from pe_book.show.family.moved_biases import last_word
from pe_book.why.order_blindness import attention_weights
from tests.show.scripts import asked, script

MATHS = script("bias-maths.js")
SIZES = {"n_buckets": 6, "max_distance": 10, "bidirectional": False}
WINDOWS = [(1, 0), (4, 1), (3, 4), (10, 0)]


@pytest.fixture(scope="module")
def given():
    return last_word().given


def python_of(kind, setting, words):
    """What is added for each key of each query, from the package."""
    places = range(words)
    behind = np.where(np.tri(words, dtype=bool), 0, -np.inf)
    if kind == "slope":
        return pe.alibi_bias([setting["slope"]], places, places)[0] + behind
    if kind == "table":
        numbers = np.array(setting["numbers"], float)[:, None]
        return pe.t5_bias(numbers, places, places, max_distance=10, bidirectional=False)[0] + behind
    seen = pe.window_mask(places, places, window=setting["window"], sinks=setting["sinks"])
    return np.where(seen, 0, -np.inf)


def test_slopes_and_buckets_are_those_of_python(given):
    for heads in range(1, 17):
        found = asked("biases.slopes(heads)", MATHS, heads=heads)
        np.testing.assert_allclose(found, pe.alibi_slopes(heads), rtol=1e-14)
    far = list(range(30))
    found = asked("far.map((n) => biases.bucket(n, begins))", MATHS, far=far, begins=given["begins"])
    assert found == pe.t5_bucket(-np.array(far), **SIZES).tolist()


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        *(("slope", {"slope": slope}) for slope in (0.5, 0.125, 2**-8)),
        ("table", {}),
        *(("window", {"window": window, "sinks": sinks}) for window, sinks in WINDOWS),
    ],
)
def test_the_scripts_add_what_python_adds(given, kind, changed):
    setting, words = {**given, **changed}, given["words"]
    right, equal = python_of(kind, setting, words), np.zeros((words, 1))
    rows = asked("places.map((i) => biases.row(kind, setting, i))", MATHS, kind=kind, setting=setting,
                 places=list(range(words)))  # fmt: skip
    # JSON has no infinity: a key that is not seen comes back as null
    points = np.array([[-np.inf if p is None else p for p in row["points"]] for row in rows])
    np.testing.assert_array_equal(points == -np.inf, right == -np.inf)
    np.testing.assert_allclose(np.exp(points), np.exp(right), rtol=1e-12)
    weights = np.array([row["weights"] for row in rows], dtype=float)  # null: no number
    np.testing.assert_allclose(weights, attention_weights(equal, equal, bias=right), rtol=0, atol=1e-12)


# ---- rows past a table's end


@pytest.mark.parametrize(("rows", "length"), [(5, 8), (5, 5), (5, 12), (4, 9), (2, 3)])
@pytest.mark.parametrize("rule", BEYOND)
def test_each_position_reads_the_row_that_the_package_looks_up(rule, rows, length):
    table = np.arange(rows, dtype=float)[:, np.newaxis]
    found = asked(
        "past.places(rule, rows, length)", script("past-maths.js"), rule=rule, rows=rows, length=length
    )
    if rule == "refuse" and length > rows:
        assert found == [None] * length
    else:
        assert found == pytest.approx(lookup(table, np.arange(length), beyond=rule).ravel().tolist())
