"""Holds the positions of fairseq's tables to their word: they are counted from the padding index on."""

from pe_book.family.learned import padded_positions

PLANTED = {
    "padding": [("pe_book/family/learned/__init__.py", "* real + padding)", "* real + padding + 1)")],
}


def test_rows_of_fairseq_for_padding_on_either_side() -> None:
    batch = [[0, 8, 9, 2, 1], [1, 1, 0, 5, 2]]
    assert padded_positions(batch).tolist() == [[2, 3, 4, 5, 1], [1, 1, 2, 3, 4]]
    assert padded_positions([7, 3, 3], padding_idx=3).tolist() == [4, 3, 3]
    assert padded_positions([5] * 512).max() + 1 == 514
