"""What the page on the usual implementation checklist says in words, and what must move its numbers."""

from pe_book.numerics.rounding import round_to

PLANTED = {"bits": [("pe_book/numerics/rounding.py", '"bfloat16": Format(8, ', '"bfloat16": Format(9, ')]}


def test_bfloat16_has_no_257_and_the_next_is_258() -> None:
    assert [float(round_to(float(p), "bfloat16")) for p in (256, 257, 258)] == [256, 256, 258]
