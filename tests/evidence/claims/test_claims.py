"""Every claim has the verdict that its record tells, one change takes it away, and no word types a number."""

import re
from pathlib import Path
from string import Formatter

import pytest

from pe_book.evidence.claims import GROUPS, claim_of, claims, stands
from pe_book.evidence.claims.claim import (
    CONDITION,
    DISAGREE,
    FALSE,
    TRUE,
    UNCHECKED,
    UNSUPPORTED,
    VERDICTS,
    Claim,
    Decided,
    fields,
    judge,
    worded,
)
from pe_book.evidence.verdict import Verdict
from tests.evidence.claims.said import line_of, seen

ROOT = Path(__file__).parents[3]
EVERY, SEEN = claims(), seen()
DECIDED = [claim for claim in EVERY if claim.decided]
QUOTED = "C083 C102 C104 C105 C107 C108 C109 C112"
ALONE = re.compile(r"(?<![\w.])\d+\.\d+")  # a decimal


@pytest.fixture(autouse=True)
def _torch_where_it_is_needed(request):
    if "claim" in request.fixturenames and request.getfixturevalue("claim").decided:
        needed = request.getfixturevalue("claim").decided.torch
        return pytest.importorskip("torch") if needed else None
    return None


def named(claim):
    return claim.key


def test_the_ledger_is_whole():
    assert [claim.key for claim in EVERY] == [f"C{number:03}" for number in range(1, 125)]
    assert {claim.group for claim in EVERY} == set(GROUPS)
    assert len({claim.said for claim in EVERY}) == len(EVERY)


@pytest.mark.parametrize("claim", EVERY, ids=named)
def test_the_evidence_gives_the_verdict_that_is_told(claim):
    found = judge(claim)
    assert found.verdict == claim.told
    said = worded(claim, found.evidence)
    assert "{" not in said
    assert "nan" not in said.split()
    assert line_of(said) == SEEN[claim.key], "look at it, then: python -m tests.evidence.claims.said"


@pytest.mark.parametrize("claim", DECIDED, ids=named)
def test_one_change_takes_the_verdict_away(claim, monkeypatch):
    change = claim.decided.fails_with
    assert change is not None
    assert bool(change.inputs) != bool(change.of)
    if change.of:
        monkeypatch.setattr(change.of, change.put)
    assert not stands(claim.key, **change.inputs), change.words


@pytest.mark.parametrize("claim", EVERY, ids=named)
def test_a_record_is_whole(claim):
    assert claim.told in VERDICTS
    assert claim.said[-1] in ".:"
    assert claim.right[-1] == "."
    assert claim.told in ((FALSE, DISAGREE) if claim.against else VERDICTS)
    assert claim.against or claim.told != DISAGREE
    assert (claim.told == UNCHECKED) == (claim.decided is None)
    if claim.told == FALSE:
        assert claim.decided.instead is not None, "say what is right, and decide it"
        assert claim.decided.with_condition is None
    if claim.told == CONDITION:
        assert claim.decided.with_condition is not None
    lock = (ROOT / "docs" / "labels.lock").read_text(encoding="utf-8")
    assert f"\n{claim.chapter} " in lock


def test_what_is_quoted_says_so_with_its_source():
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    assert {key for key in QUOTED.split() if not claim_of(key).judged} == set()
    for claim in EVERY:
        if claim.judged:
            assert claim.judged.where
            assert claim.judged.says
            assert not claim.judged.key or f"{{{claim.judged.key}," in bibliography
            assert re.fullmatch(r"(20\d\d-\d\d-\d\d)?", claim.judged.read)


@pytest.mark.parametrize("claim", EVERY, ids=named)
def test_no_number_that_was_found_is_typed(claim):
    """A decimal of the correct statement is evidence, or one that the statement itself has."""
    typed = "".join(text for text, *_ in Formatter().parse(claim.right))
    repeated = f"{claim.said} {claim.against}"
    found = {number for number in ALONE.findall(typed) if number not in repeated}
    assert found <= ALLOWED.get(claim.key, set())


# thresholds and settings, which nobody found
ALLOWED = {"C056": {"0.1"}, "C058": {"0.1", "0.01"}, "C046": {"0.214"}, "C082": {"1.25"}}


# the one function that derives a verdict


def made(*outcomes, against="", told=TRUE):
    stated, with_condition, instead = (
        outcome if outcome is None else (lambda outcome=outcome: Verdict(outcome)) for outcome in outcomes
    )
    decided = None if stated is None else Decided(stated, with_condition, instead)
    return Claim("C000", "It is so.", "It is.", told, "", against=against, decided=decided)


@pytest.mark.parametrize(
    ("outcomes", "against", "expected"),
    [
        ((True, None, None), "", TRUE),
        ((False, True, None), "", CONDITION),
        ((False, False, None), "", FALSE),
        ((False, None, False), "", UNSUPPORTED),
        ((False, True, True), "the other", DISAGREE),
        ((False, True, False), "the other", UNSUPPORTED),
        ((True, None, True), "the other", UNSUPPORTED),
        ((None, None, None), "", UNCHECKED),
    ],
)
def test_a_verdict_follows_from_the_decisions(outcomes, against, expected):
    assert judge(made(*outcomes, against=against)).verdict == expected


def test_a_record_that_tells_another_verdict_does_not_stand():
    from pe_book.evidence.claims import claim as records

    assert records.stands(made(True, None, None, told=TRUE))
    assert not records.stands(made(True, None, None, told=FALSE))


def test_an_unknown_claim_is_refused():
    with pytest.raises(ValueError, match="C001 to C124, got 'C999'"):
        stands("C999")


def test_the_first_evidence_of_a_name_counts():
    decided = Decided(lambda: Verdict(False, {"gap": 1}), lambda: Verdict(True, {"gap": 2, "more": 3}))
    claim = Claim("C000", "", "{gap} {more}", CONDITION, "", decided=decided)
    assert judge(claim).evidence == {"gap": 1, "more": 3}
    assert fields(claim) == ["gap", "more"]
