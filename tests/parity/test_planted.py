"""Mistakes planted in the package are refused: the bounds are not so wide that anything agrees."""

from functools import cache

import pytest

from tests.parity.planted import scores, turns
from tests.parity.register import Member, members

pytestmark = pytest.mark.xdist_group("planted")  # what each mistake is refused by is found once

# what is planted, and the members that have to refuse it, perhaps with others of its subject
SUBJECTS = {
    **dict.fromkeys(turns.PLANTED, ("rows", "frequencies")),
    **dict.fromkeys(scores.PLANTED, ("biases", "attention")),
}
PLANTED = {**turns.PLANTED, **scores.PLANTED}


def of_subject(name: str) -> list[Member]:
    """The members that a mistake is tried on."""
    return [one for one in members() if one.kind in SUBJECTS[name]]


@cache
def refusing(name: str) -> frozenset[str]:
    """The members that refuse what is planted."""
    with pytest.MonkeyPatch.context() as patch:
        PLANTED[name][0](patch)
        found = set()
        for one in of_subject(name):
            try:
                one.agree()
            except AssertionError:
                found.add(one.name)
    return frozenset(found)


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_refused(name: str):
    wanted = {one.name for one in of_subject(name) if PLANTED[name][1](one)}
    assert wanted, "nothing would refuse this"
    assert wanted <= refusing(name)


def test_every_member_refuses_something():
    caught = frozenset().union(*map(refusing, PLANTED))
    assert {one.name for one in members()} - caught == set()
