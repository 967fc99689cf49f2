"""What gradient descent needs to fit a line to a code: four codes that differ in scale alone."""

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.why.descent import curvature, with_constant
from pe_book.why.first_attempts import count, over_maximum


def training_codes() -> Mapping[str, NDArray[np.float64]]:
    """The codes whose training the chapter compares, by name: one number for each word.

    >>> training_codes()["4 words, counted"]
    array([1., 2., 3., 4.])
    """
    hundred = count(100)
    return {
        "4 words, counted": count(4),
        "100 words, counted": hundred,
        "100 words, standardised": (hundred - hundred.mean()) / hundred.std(),
        "4 words, pos / 512": over_maximum(4, maximum=512),
    }


def line(code: ArrayLike) -> NDArray[np.float64]:
    """The targets of the training: a line from 1 to 2, which every code beside a constant can fit.

    >>> line([10.0, 20.0, 30.0])
    array([1. , 1.5, 2. ])
    """
    return np.linspace(1, 2, len(np.asarray(code)))


def loss_after(updates: ArrayLike, code: ArrayLike) -> NDArray[np.float64]:
    """The loss of a straight line fitted to a code, as part of the first, at the best fixed step.

    What :func:`~pe_book.why.descent.descend` finds after so many updates, in closed form: along a direction
    of curvature c one update multiplies the error by 1 - step * c.

    >>> loss_after([0, 1], training_codes()["100 words, standardised"]).round(12)
    array([1., 0.])
    """
    features = with_constant(code)
    flattest, *_, steepest = curvature(features)
    directions, singular, _ = np.linalg.svd(features, full_matrices=False)
    parts = (directions.T @ line(code)) ** 2
    shrink = np.abs(1 - 2 / (flattest + steepest) * singular**2 / len(features))
    losses: NDArray[np.float64] = (shrink ** (2 * np.asarray(updates)[:, None])) @ parts / parts.sum()
    return losses


def updates_to_a_thousandth(code: ArrayLike) -> int:
    """How many updates it takes until the loss is a thousandth of the first.

    >>> updates_to_a_thousandth(training_codes()["100 words, standardised"])
    1
    """
    return bisect_left(range(10**7), True, key=lambda n: bool(loss_after([n], code)[0] <= 1e-3))
