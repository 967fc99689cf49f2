"""Members agree with their libraries as closely as float32 allows; what libraries get wrong is still so."""

import pytest

from tests.parity.defects import Defect, defects, judged
from tests.parity.register import Member, members


@pytest.mark.parametrize("one", members(), ids=lambda one: one.name)
def test_they_agree(one: Member):
    one.agree()


@pytest.mark.parametrize("one", defects(), ids=lambda one: one.name)
def test_a_defect_is_as_it_was(one: Defect):
    judged(one)
