"""What no definition of this part takes silently, and what it says of it: one table of all, one of inputs."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pe_book.sinusoidal import adding, distance, precision, production, shift, waves
from pe_book.sinusoidal.adding import reading, subspaces
from pe_book.sinusoidal.distance import blending, offsets, spread
from pe_book.sinusoidal.precision import recipes
from pe_book.sinusoidal.shift import fitting, planes
from pe_book.sinusoidal.waves import aliasing, digits

EYE, ROWS = np.eye(4), np.arange(1.0, 25).reshape(6, 4)
SKEW = [[0.0, 1], [-1, 0]]
TABLE = recipes.recipe(range(5), 4).astype("float32")

# A valid call of every function: arrays as "a", positions as "p", whole numbers as "n", real ones as "r".
VALID: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (shift.shift, {"x": ROWS, "k": 3}, "ap"),
    (shift.shift_matrix, {"k": 3, "d_model": 4}, "rn"),
    (shift.generator, {"d_model": 4}, "n"),
    (fitting.fit_shift, {"source": ROWS, "target": ROWS, "rcond": 0.0}, "aar"),
    (fitting.relative_residual, {"matrix": EYE, "source": ROWS, "target": ROWS}, "aaa"),
    (fitting.gradient_descent, {"source": ROWS, "target": ROWS, "steps": 3, "start": EYE}, "aara"),
    (fitting.shift_residual, {"table": ROWS, "k": 1}, "an"),
    (fitting.shift_errors, {"matrix": EYE, "positions": [1, 2], "k": 1}, "apr"),
    (planes.rotation_planes, {"matrix": SKEW}, "a"),
    (distance.kernel, {"offsets": [1, 2], "frequencies": [1.0, 0.1]}, "pa"),
    (distance.similarity, {"offsets": [1, 2], "d_model": 4}, "pn"),
    (distance.wide_limit, {"offsets": [1, 2], "base": 100.0}, "pr"),
    (distance.first_rise, {"values": [3.0, 2, 2.5]}, "a"),
    (offsets.margin, {"n": 5, "d_model": 4}, "nn"),
    (distance.relative_part, {"matrix": EYE}, "a"),
    (spread.common_component, {"x": ROWS}, "a"),
    (spread.effective_ranks, {"x": ROWS, "energy": 0.9, "threshold": 0.1}, "arr"),
    (blending.blend, {"first": [1, 2], "second": [3, 4], "fraction": 0.5, "d_model": 4}, "pprn"),
    (blending.blend_pairs, {"offset": 1, "fraction": 0.5, "d_model": 4}, "rrn"),
    (waves.column_range, {"n": 5, "d_model": 4}, "nn"),
    (waves.quiet_columns, {"n": 5, "d_model": 4, "threshold": 0.1}, "nnr"),
    (waves.waking_length, {"d_model": 4, "threshold": 0.1}, "nr"),
    (waves.turning_pairs, {"n": 5, "d_model": 4}, ".n"),
    (digits.digits, {"number": 5, "radix": 10, "places": 10**4}, ".nn"),
    (digits.read_dials, {"position": 7, "d_model": 8, "reading_error": 0.05}, "rnr"),
    (offsets.offset_distance, {"offsets": [1, 2], "d_model": 4}, "pn"),
    (offsets.closest_offset, {"n": 5, "d_model": 4}, "nn"),
    (aliasing.alias, {"frequencies": [1.0, 10.0]}, "a"),
    (aliasing.multiplied, {"positions": [1, 2], "d_model": 4}, "pn"),
    (adding.score_terms, {"words": ROWS, "places": ROWS, "w_q": EYE, "w_k": EYE}, "aaaa"),
    (adding.tied, {"w": ROWS}, "a"),
    (
        subspaces.separate_projections,
        {"words": [[1.0, 1]], "places": [[0.0, 1]], "a": [[2.0], [0]], "b": [[0.0], [5]]},
        "aaaa",
    ),
    (subspaces.principal_angles, {"u": EYE, "v": ROWS, "cut": 1e-10}, "aar"),
    (adding.projection_counts, {"d_model": 4, "d_place": 3}, "nn"),
    (subspaces.closest_sums, {"words": ROWS, "places": ROWS}, "aa"),
    (adding.loudness, {"word_std": 1.0, "d_model": 4, "place_std": 0.5}, "rnr"),
    (reading.principal_variances, {"places": ROWS}, "a"),
    (reading.recovered_place, {"places": ROWS, "word_std": 1.0}, "ar"),
    (reading.recovered_word, {"places": ROWS, "word_std": 1.0}, "ar"),
    (precision.error, {"table": TABLE, "start": 0, "dtype": "float32"}, "an"),
    (
        recipes.encode_rounded,
        {"positions": [1], "d_model": 4, "rounded": "table", "dtype": "float16"},
        "pn",
    ),
    (recipes.recipe, {"positions": [1, 2], "d_model": 4}, "pn"),
    (recipes.recipe_frequencies, {"d_model": 4}, "n"),
    (production.position_ids, {"mask": [1, 1, 0]}, "a"),
    (production.packed_positions, {"lengths": [3, 2]}, "a"),
]
ARGUMENTS = [
    pytest.param(function, arguments, name, kind, id=f"{function.__name__}-{name}")
    for function, arguments, kinds in VALID
    for name, kind in zip(arguments, kinds, strict=False)
    if kind != "."
]
OF_ARRAYS = [case for case in ARGUMENTS if case.values[3] in "ap"]


def refused(function: Callable[..., Any], arguments: dict[str, Any], name: str, bad: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ValueError, TypeError)) as caught:
            function(**{**arguments, name: bad})
    said = str(caught.value)
    assert name in said
    assert len(said) < 300
    return said


def test_every_public_function_is_in_the_table() -> None:
    listed = {function for function, _, _ in VALID} | {precision.first_collision}
    for module in (shift, distance, waves, adding, precision, production):
        for name, value in vars(module).items():
            if getattr(value, "__module__", "") == module.__name__ and callable(value) and name[0] != "_":
                assert value in listed or isinstance(value, type), name
    for function, arguments, _ in VALID:
        function(**arguments)


@pytest.mark.parametrize(("function", "arguments", "name", "kind"), ARGUMENTS)
def test_numbers_of_any_length_are_refused_in_few_words(
    function: Any, arguments: Any, name: str, kind: str
) -> None:
    for huge in (10**400, 10**5000, -(10**5000)):
        bad = np.full_like(arguments[name], huge, dtype=object).tolist() if kind in "ap" else huge
        assert "e+" in refused(function, arguments, name, bad)


@pytest.mark.parametrize(("function", "arguments", "name", "kind"), ARGUMENTS)
def test_what_is_no_number_is_refused_by_name(function: Any, arguments: Any, name: str, kind: str) -> None:
    for bad in ("three", {}, np.nan, 1j) + (() if name in ("places", "d_place", "place_std") else (None,)):
        if not (kind == "a" and bad is None and name == "start"):
            refused(function, arguments, name, bad)


@pytest.mark.parametrize(("function", "arguments", "name", "kind"), OF_ARRAYS)
def test_a_mask_is_not_lost(function: Any, arguments: Any, name: str, kind: str) -> None:
    values = np.asarray(arguments[name])
    assert "masked array" in refused(
        function, arguments, name, np.ma.array(values, mask=np.ones_like(values))
    )


@pytest.mark.parametrize(("function", "arguments", "name", "kind"), OF_ARRAYS)
def test_tensors_are_taken_or_refused_with_the_cure(
    function: Any, arguments: Any, name: str, kind: str
) -> None:
    torch = pytest.importorskip("torch")
    values = np.asarray(arguments[name])
    tensor = torch.from_numpy(values.copy())
    if name not in ("mask", "lengths"):
        tensor = tensor.double()
    wanted, found = function(**arguments), function(**{**arguments, name: tensor})
    assert repr(found) == repr(wanted)
    for bad, cure in (
        (tensor.double().clone().requires_grad_(), ".detach()"),
        (tensor.bfloat16(), ".float()"),
        (torch.empty(values.shape, device="meta"), "on the CPU"),
        (tensor.to_sparse(), ".to_dense()"),
    ):
        assert cure in refused(function, arguments, name, bad)


@pytest.mark.parametrize(
    ("function", "arguments", "name", "kind"), [c for c in ARGUMENTS if c.values[3] == "p"]
)
def test_positions_beyond_float64_are_refused_in_every_container(
    function: Any, arguments: Any, name: str, kind: str
) -> None:
    for bad in (
        2.0**60,
        [1, 2**53 + 2],
        np.array([2.0**54]),
        [1.5, 2**60],
        np.array([2.0**60], np.longdouble),
    ):
        assert "2**53" in refused(function, arguments, name, bad)


ONLY_COUNTED = (adding.projection_counts, adding.loudness)  # nothing is made of that size
SIZES = [
    case
    for case in ARGUMENTS
    if case.values[2] in ("d_model", "n", "places")
    and case.values[3] == "n"
    and case.values[0] not in ONLY_COUNTED
]


@pytest.mark.parametrize(("function", "arguments", "name", "kind"), SIZES)
def test_no_size_is_tried_before_it_is_refused(
    function: Any, arguments: Any, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tried(*_: Any, **__: Any) -> None:
        raise AssertionError("tried")

    for maker in ("arange", "empty", "zeros"):
        monkeypatch.setattr(np, maker, tried)
    for size in (2**31, 10**12, 10**30):
        refused(function, arguments, name, size)
