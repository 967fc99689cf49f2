"""What must move the numbers of the page on classes that go around."""

PLANTED = {
    "rows": [
        (
            "pe_book/family/learned/__init__.py",
            'whole_number(max_len, "max_len", least=1) * whole_number(d_model',
            'whole_number(max_len, "max_len", least=1) + whole_number(d_model',
        )
    ]
}
