"""What the page on classes that go around says in words, and what must move its numbers."""

from pe_book.family.learned import parameters

PLANTED = {
    "rows": [
        (
            "pe_book/family/learned/__init__.py",
            'whole_number(max_len, "max_len", least=1) * whole_number(d_model',
            'whole_number(max_len, "max_len", least=1) + whole_number(d_model',
        )
    ]
}


def test_a_learned_table_has_a_number_for_each_row_and_column() -> None:
    assert parameters(512, 768) == 512 * 768
