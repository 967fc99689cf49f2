"""The how-to on image patches: places by hand, and a check that knows the axes of a program."""

import numpy as np
import pytest

from tests.howto.cells import cells, run, said

YOURS = "    return turn(heads, places)\n"


@pytest.fixture(scope="module")
def names():
    return run("image-positions", 0, 1)


def test_places_by_hand(names):
    assert names["whole"](2, 3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    centred = names["centred"](2, 4) / (2 * np.pi)
    assert centred[0].tolist() == [-0.5, -0.75]
    np.testing.assert_array_equal(centred, -centred[::-1])


@pytest.mark.parametrize(
    ("program", "prints"),
    [
        ("turn(heads, places)", ["True", "False", "row [0 1 4 5]", "column [2 3 6 7]"]),
        ("turn(heads, np.array(places)[::-1])", ["True", "False", "row [2 3 6 7]", "column [0 1 4 5]"]),
        ("rotate_axes(heads, places, omega)", ["True", "False", "row [0 1 2 3]", "column [4 5 6 7]"]),
        ("turn(heads, np.array(places).sum() * np.ones(2))", ["True", "True"]),  # one number a patch
        ("turn(heads, np.array(places) ** 2)", ["False"]),  # not by differences
    ],
)
def test_the_check_passes_what_the_page_turns_and_tells_a_mistake(program, prints):
    answer, check, _ = cells("image-positions")
    assert YOURS in check
    found = said(answer, check.replace(YOURS, f"    return {program}\n"))
    assert found[1:][: len(prints)] == prints
