"""What is true of rows is true of stacks of rows: no function takes the axis of a stack for that of its rows.

Every function that takes arrays is found as the fuzz finds it, and so is what its parameters take. It may
refuse a stack; if it answers, the answer is the stack of the answers, under one more axis and under two.
"""

from functools import cache
from inspect import signature
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
import torch

from tests.fuzz.inputs import NAMES, PLAIN, plain_call, valid
from tests.fuzz.oracles import arrays
from tests.fuzz.surface import surface

LEADING = ((3,), (2, 3))
DRAWN = "made({s}"
ONE_COLUMN = {"why.descent.with_constant"}  # a list of numbers is one column, and a stack of lists a table
LEAST = 36  # so many functions take stacks; one that no longer does is missed here


@cache
def texts(name: str, plain: bool) -> dict[str, str]:
    """The arguments of the plain call; or each as an array of drawn numbers, where it can be one."""
    kinds = {key: valid(name, key) for key, _ in plain_call(name).arguments}
    if plain:
        return {key: kind[0] for key, kind in kinds.items()}
    return {key: next((text for text in kind if DRAWN in text), kind[0]) for key, kind in kinds.items()}


def drawn(name: str, plain: bool = True) -> list[str]:
    return [key for key, text in texts(name, plain).items() if DRAWN in text]


def given(name: str, seed: int, plain: bool = True) -> dict[str, Any]:
    """The arguments; what is no drawn array is the same for every seed."""
    return {
        key: eval(text.format(**{**PLAIN, "s": seed if DRAWN in text else 0}), NAMES)
        for key, text in texts(name, plain).items()
    }


def stacked(parts: list[Any], leading: tuple[int, ...]) -> Any:
    whole = torch.stack(parts) if isinstance(parts[0], torch.Tensor) else np.stack(parts)
    return whole.reshape((*leading, *whole.shape[1:]))


def takes_stacks(function: Any, name: str, plain: bool = True) -> bool:
    """Whether it takes a stack of some of its arrays; fails if it then answers something else."""
    taken = False
    if not (own := drawn(name, plain)):
        return False
    every = [given(name, seed, plain) for seed in range(6)]
    for chosen in chain.from_iterable(combinations(own, n) for n in range(1, len(own) + 1)):
        for leading in LEADING:
            same, parts = every[0], every[: np.prod(leading)]
            parts = [same | {key: part[key] for key in chosen} for part in parts]
            whole = {key: stacked([part[key] for part in parts], leading) for key in chosen}
            try:
                found = arrays(function(**{**same, **whole}))
            except (ValueError, TypeError):
                continue
            wanted = zip(*(arrays(function(**part)) for part in parts), strict=True)
            for one, right in zip(found, wanted, strict=True):
                whole_answer = stacked(list(right), leading)
                assert one.shape in (whole_answer.shape, right[0].shape), (name, chosen, one.shape)
                one = np.broadcast_to(one, whole_answer.shape)  # of a pair, one may not depend on the stack
                np.testing.assert_allclose(one, whole_answer, atol=1e-6, err_msg=f"{name}, {chosen}")
                taken = True
    return taken


def test_a_stack_is_answered_row_by_row():
    named = [name for name in surface() if name not in ONE_COLUMN]
    taken = {name for name in named for plain in (True, False) if takes_stacks(surface()[name], name, plain)}
    assert len(taken) >= LEAST, sorted(taken)


def test_any_axis_is_that_axis():
    """A function that is told an axis does to it what it does to the last."""
    asked = 0
    for name, function in surface().items():
        if "axis" in signature(function).parameters and drawn(name):
            others = {key: one for key, one in given(name, 0).items() if key not in drawn(name)}
            (key,) = drawn(name)
            # equal sizes tell nothing
            cube = stacked([given(name, seed)[key] for seed in range(4)], (4,))[:, :4, :4]
            move = torch.movedim if isinstance(cube, torch.Tensor) else np.moveaxis
            for axis in range(-cube.ndim, cube.ndim):
                turned = move(function(**{key: cube}, **others, axis=axis), axis, -1)
                right = function(**{key: move(cube, axis, -1)}, **others, axis=-1)
                assert (turned == right).all(), f"{name}, axis {axis}"
                asked += 1
    assert asked >= 6


WRONG = {
    "mean over the second axis": lambda x: x - x.mean(axis=-1 if x.ndim == 2 else 1, keepdims=True),
    "rows in reverse": lambda x: x[::-1],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_axis_is_seen(wrong):
    """Right for rows, and wrong for stacks of them: an axis counted from the front."""
    with pytest.raises(AssertionError):
        takes_stacks(lambda x: WRONG[wrong](np.asarray(x)), "why.norms.layer_norm")
