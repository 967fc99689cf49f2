"""What tests of several rotary modules start from."""

import pytest


@pytest.fixture
def no_table_from_before():
    """Modules of one setting share a table: a planted mistake would not reach it, or would stay in it."""
    from pe_book.nn.modules import rotary_cache

    rotary_cache._tables.clear()
    yield
    rotary_cache._tables.clear()
