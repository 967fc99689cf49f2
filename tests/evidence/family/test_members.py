"""What the page that compares the members says in words, and what must move its numbers."""

from pe_book.family.members.properties import matrix

PLANTED = {
    "vectors": [("pe_book/family/members/__init__.py", "2 * int(chosen[", "3 * int(chosen[")],
}


def test_vectors_of_offsets_are_as_many_as_the_offsets_that_are_kept_on_both_sides() -> None:
    width, kept = 512 // 8, 16
    assert matrix()["Shaw"].parameters == 2 * (2 * kept + 1) * width
