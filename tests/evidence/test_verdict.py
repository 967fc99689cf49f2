"""A verdict is a decision that carries its evidence."""

import numpy as np
import pytest

from pe_book.evidence.verdict import Verdict


def test_it_stands_where_a_comparison_stands() -> None:
    assert Verdict(np.bool_(True), {"gap": 0.25})
    assert not Verdict(False)
    assert Verdict(np.bool_(True)).holds is True


@pytest.mark.parametrize("undecided", [0.25, 1, None, "yes", np.array([True, True])])
def test_a_number_is_no_decision(undecided: object) -> None:
    with pytest.raises(TypeError, match="compare before you conclude"):
        Verdict(undecided)  # type: ignore[arg-type]
