"""Every member agrees with its library, as closely as the library's float32 allows."""

import pytest

from tests.parity.register import Member, members


@pytest.mark.parametrize("one", members(), ids=lambda one: one.name)
def test_they_agree(one: Member):
    one.agree()
