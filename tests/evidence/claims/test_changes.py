"""The table of ten changes: each is planted in a copy of the package, and the record says which claims fail.

Written anew by ``PE_RECORD=claims`` before pytest; `make thorough` compares.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from pe_book.evidence.claims import changes, claims

WRITING = os.environ.get("PE_RECORD") == "claims"


def test_nothing_fails_without_a_change():
    pytest.importorskip("torch")
    assert changes.failing() == []


def test_the_record_is_of_these_changes_and_of_these_claims():
    table = changes.recorded()
    assert list(table.failing) == [change.name for change in changes.CHANGES]
    known = {claim.key for claim in claims()}
    assert all(keys and set(keys) <= known for keys in table.failing.values())


@pytest.mark.parametrize("change", changes.CHANGES, ids=lambda change: change.name)
def test_what_is_planted_stands_in_the_package(change, tmp_path):
    for file, *_ in change.edits:
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((changes.ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    changes.plant(change, tmp_path)
    for file, _, now in change.edits:
        assert now in (tmp_path / file).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="once, to plant"):
        changes.plant(change, tmp_path)


@pytest.mark.thorough
def test_the_record_is_what_is_found(tmp_path):
    pytest.importorskip("torch")
    began = changes.RECORD.digest()

    def found(change):
        folder = tmp_path / change.name.replace(" ", "-")
        folder.mkdir()
        return change.name, changes.failing_under(change, folder)

    with ThreadPoolExecutor(2) as pool:
        now = {"failing": {name: sorted(keys) for name, keys in pool.map(found, changes.CHANGES)}}
    if WRITING:
        changes.RECORD.write(now, digest=began)
    table = changes.recorded()
    assert table.failing == now["failing"], "run this test with PE_RECORD=claims and commit what it writes"
