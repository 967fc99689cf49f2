"""The explorer of biases without a browser: slopes, buckets, points and weights beside Python's."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.show.family.moved_biases import last_word
from pe_book.why.order_blindness import attention_weights
from tests.show.scripts import asked, script, with_planted

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


def drifted(given, text=MATHS):
    """What the script has another way than Python."""
    wrong = set()
    for heads in range(1, 17):
        if not np.allclose(
            asked("biases.slopes(heads)", text, heads=heads), pe.alibi_slopes(heads), rtol=1e-14
        ):
            wrong.add("slopes")
    far = list(range(30))
    found = asked("far.map((n) => biases.bucket(n, begins))", text, far=far, begins=given["begins"])
    if found != pe.t5_bucket(-np.array(far), **SIZES).tolist():
        wrong.add("buckets")
    settings = [("slope", {**given, "slope": m}) for m in (0.5, 0.125, 2**-8)] + [("table", dict(given))]
    settings += [("window", {**given, "window": w, "sinks": s}) for w, s in WINDOWS]
    for kind, setting in settings:
        words = given["words"]
        right = python_of(kind, setting, words)
        weights = attention_weights(np.zeros((words, 1)), np.zeros((words, 1)), bias=right)
        # JSON has no infinity: a key that is not seen comes back as null
        rows = asked("places.map((i) => biases.row(kind, setting, i))", text, kind=kind, setting=setting,
                     places=list(range(words)))  # fmt: skip
        points = np.array([[-np.inf if p is None else p for p in row["points"]] for row in rows])
        if not np.array_equal(points == -np.inf, right == -np.inf) or not np.allclose(
            np.exp(points), np.exp(right), rtol=1e-12
        ):
            wrong.add("points")
        found_weights = np.array([row["weights"] for row in rows], dtype=float)  # null: no number
        if not np.allclose(found_weights, weights, rtol=0, atol=1e-12):
            wrong.add("weights")
    return wrong


def test_the_scripts_add_what_python_adds(given):
    assert drifted(given) == set()


@pytest.mark.parametrize(
    ("stands", "planted", "where"),
    [
        ("-slope * (i - j)", "slope * (i - j)", "points"),
        ("i - j < window", "i - j <= window", "points"),
        ("begin <= distance", "begin < distance", "buckets"),
        ("2 * (i - full) + 1", "2 * (i - full)", "slopes"),
        ("power / sum", "power", "weights"),
    ],
)
def test_another_formula_is_noticed(given, stands, planted, where):
    assert where in drifted(given, with_planted(MATHS, stands, planted))
