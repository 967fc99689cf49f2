"""A stub is cut out of the solution."""

from __future__ import annotations

import pytest

from bookish.run.solutions import split_solution

CODE = "def f(x):\n    # begin solution\n    y = x\n    return y\n    # end solution\nassert f(1) == 1"


def test_cut():
    stub, solution = split_solution(CODE)
    assert stub == 'def f(x):\n    raise NotImplementedError("nothing is filled in yet")\nassert f(1) == 1'
    assert solution == "def f(x):\n    y = x\n    return y\nassert f(1) == 1"


@pytest.mark.parametrize("missing", ["# begin solution", "# end solution"])
def test_cut_refuses_half_marks(missing):
    with pytest.raises(ValueError, match="do not stand in pairs"):
        split_solution(CODE.replace(missing, "pass"))
