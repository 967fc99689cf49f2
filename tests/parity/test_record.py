"""The record is of the code that stands here, and holds what the comparison produces."""

from pe_book.evidence.records import parity
from tests.parity.defects import defects
from tests.parity.libraries import version
from tests.parity.register import members

CURE = "run `make parity RECORD=yes` and commit what it writes"


def test_the_record_is_of_the_code_that_stands_here():
    assert parity.recorded().present, CURE


def test_it_holds_every_member_with_the_version_that_is_compared():
    recorded = [row._replace(difference=0.0) for row in parity.recorded().agreements]
    wanted = [
        parity.Agreement(
            one.name, one.library, version(one.library), one.kind, one.layout, 0.0, float(f"{one.bound:.1e}")
        )
        for one in members()
    ]
    assert recorded == wanted, CURE


def test_it_holds_every_defect_with_the_version_that_has_it():
    recorded = [(row.call, row.asked, row.library, row.version) for row in parity.recorded().defects]
    assert recorded == [(one.call, one.asked, one.library, version(one.library)) for one in defects()], CURE
