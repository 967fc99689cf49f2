"""What the site is made from is what its pages have used, and no test is of it."""

import json

import pytest

from driver import stamps


def test_whatever_the_cells_of_the_site_used_is_a_source_of_it():
    files = sorted((stamps.BUILD / "executions").rglob("*.json"))
    if not files:
        pytest.skip("nothing has been executed: run `make html` first")
    used = {path for file in files for _, path, _ in json.loads(file.read_text(encoding="utf-8"))["uses"]}
    own = {path.partition("/")[0] for path in used}
    assert own - set(stamps.SOURCES) == set()
    assert {"docs", "pe_book", "CHANGELOG.md"} <= own
