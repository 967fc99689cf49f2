"""The record of the audit: what it holds, and what the tables make of it."""

import pytest

from pe_book.evidence.records import audit
from pe_book.show.reference import audit as show


def marks(performance):
    full = {"accessibility": 100, "best-practices": 100, "seo": 100}
    return {device: full | {"performance": performance} for device in ("mobile", "desktop")}


@pytest.fixture
def record(tmp_path):
    """A small record of the site that stands here."""
    weight = {"HTML": 9000, "CSS": 8000, "JavaScript": 7000, "fonts": 6000, "figures": 500, "else": 0}
    weights = {"index": weight | {"together": 30_500, "requests": 9, "elements": 700}}
    scores = {"index": {"book": marks(98), "stock": marks(41)}}
    found = {
        "versions": {"axe-core": "4"}, "visits": 6, "runs": 5,
        "counts": dict.fromkeys(audit.KINDS, 0), "weights": weights, "scores": scores,
    }  # fmt: skip
    small = audit.RECORD._replace(file=tmp_path / "audit.json")
    small.write(found)
    return small


def test_what_was_written_is_read(record):
    found = audit.recorded(record)
    assert (found.visits, found.runs, found.heaviest(), found.heaviest("requests")) == (6, 5, 30_500, 9)
    assert found.least("stock", "mobile", "performance") == 41
    assert "| 30 |" in show.weights(found).markdown()


def test_the_committed_record_knows_every_kind_and_weighs_every_page_it_scored():
    found = audit.recorded()
    assert tuple(found.counts) == audit.KINDS
    assert set(show.LOOKED_FOR) == set(audit.KINDS)
    assert set(found.chapters()) <= set(found.weights)
