"""The record holds what the comparison produces, row by row: not by the code that it was made with."""

from pe_book.evidence.records import parity
from tests.parity.defects import defects
from tests.parity.register import members

CURE = "run `make parity RECORD=yes` and commit what it writes"


def test_it_holds_every_member_with_the_version_that_is_compared():
    recorded = [row._replace(difference=0.0) for row in parity.recorded().agreements]
    assert recorded == [one.row(0.0) for one in members()], CURE


def test_it_holds_every_defect_with_the_version_that_has_it():
    assert parity.recorded().defects == [one.row() for one in defects()], CURE
