"""The how-to on M-RoPE: positions by hand, and a check that sees texts which leak or are misplaced."""

import numpy as np
import pytest

from tests.howto.cells import cells, run, said


@pytest.fixture(scope="module")
def names():
    return run("mrope-positions", 0, 1, 2)


def test_positions_by_hand(names):
    assert names["places"].T.tolist() == [
        [0, 1, 2, 2, 2, 2, 2, 2, 5, 6, 0, 1, 2, 3, 3, 3, 3, 5],
        [0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 0, 1, 2, 3, 3, 4, 4, 5],
        [0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 3, 4, 5],
    ]
    assert names["order"].tolist() == [*range(10), *range(8)]


@pytest.mark.parametrize(
    ("right", "wrong", "prints"),
    [
        ("", "", ["True", "True", "True", "7 10"]),
        ("np.equal.outer(text, text)", "np.ones(2 * [len(text)])", ["True", "False", "True"]),  # texts leak
        ("np.tril(same)", "np.greater_equal.outer(*2 * [at[:, 0]])", ["False"]),  # a mask by time
        ("for t in texts]\n", "for t in texts]\neach[1][4:, 1:] += 10\n", ["True", "True"]),
        ("[2, 3, 3], base=1e6", "[2, 3, 3], base=1e4", ["True", "True", "False"]),
    ],
)
def test_the_check_of_the_page_passes_and_sees_a_mistake(right, wrong, prints):
    page = "\n".join(cells("mrope-positions")[:3])
    assert right in page
    assert said(page.replace(right, wrong))[5:][: len(prints)] == prints


def test_words_do_not_tell_the_two_arrangements_apart_and_an_image_does():
    assert said(*cells("mrope-positions")[:4])[-2:] == ["True", "False"]


def test_one_number_a_token_is_not_what_an_image_has(names):
    counted = np.repeat(np.arange(18)[:, None], 3, 1)
    assert not np.allclose(
        names["attend"](*(names[x] for x in "qkv"), counted, names["text"]), names["packed"]
    )
