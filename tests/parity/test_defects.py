"""What libraries get wrong is still so; when one is mended, its entry has to go."""

import pytest

from tests.parity.defects import Defect, defects, judged


@pytest.mark.parametrize("one", defects(), ids=lambda one: one.name)
def test_it_is_as_it_was(one: Defect):
    judged(one)


@pytest.mark.parametrize(
    ("gives", "said"),
    [(5, "transformers .* is mended: remove look from the folder wrong"), (7, "in another way: 7")],
)
def test_a_library_that_has_changed_is_named(gives, said):
    def look():
        return gives, 0, 5

    with pytest.raises(AssertionError, match=said):
        judged(Defect("a call", "a number", "transformers", look))
