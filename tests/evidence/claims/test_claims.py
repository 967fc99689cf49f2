"""Every claim has the verdict that its record tells, one change takes it away, and no word types a number."""

import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from bookish.write.claims import typed_numbers
from pe_book.evidence.claims import GROUPS, claim_of, claims, stands
from pe_book.evidence.claims import claim as records
from pe_book.evidence.claims.claim import (
    CONDITION,
    DISAGREE,
    FALSE,
    FITTED,
    FLOAT32,
    ROUNDING,
    TRUE,
    UNCHECKED,
    UNSUPPORTED,
    VERDICTS,
    Claim,
    Decided,
    equal,
    fields,
    judge,
    typed,
    worded,
)
from pe_book.evidence.claims.contradictions import contradictions, settled
from pe_book.evidence.verdict import Verdict
from tests.evidence.claims import said as kept
from tests.recorded import test_recorded

ROOT = Path(__file__).parents[3]
EVERY = claims()
DECIDED = [claim for claim in EVERY if claim.decided]
QUOTED = "C083 C102 C104 C105 C107 C108 C109 C112"
JOINED = {"C047", "C106"}  # with C045 and C104
REASON = re.compile(r"\bbecause\b|\bguarantees?\b|, so\b")


@pytest.fixture(autouse=True)
def _torch_where_it_is_needed(request):
    if "claim" in request.fixturenames and request.getfixturevalue("claim").decided:
        needed = request.getfixturevalue("claim").decided.torch
        return pytest.importorskip("torch") if needed else None
    return None


def test_the_ledger_is_whole():
    numbered = [f"C{number:03}" for number in range(1, 125)]
    assert [claim.key for claim in EVERY] == [key for key in numbered if key not in JOINED]
    assert {claim.group for claim in EVERY} == set(GROUPS)
    assert len({claim.said for claim in EVERY}) == len(EVERY)


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: f"evidence/claims/{claim.group}-{claim.key}")
def test_the_evidence_gives_the_verdict_that_is_told(claim):
    found = judge(claim)
    assert found.verdict == claim.told
    said = worded(claim.right, found.evidence)
    assert not set("{<") & set(said)
    assert "nan" not in said.split()
    as_seen(claim, kept.line_of(claim, found.evidence))


def as_seen(claim, now):
    """Fail where the words of a claim are not those that somebody has seen, or record what somebody sees."""
    was = kept.seen().get(claim.key, "…")
    if test_recorded.RECORDING == "looked":
        kept.record({claim.key: now})
    elif was != now:
        cure = test_recorded.cure(claim.key, f"evidence/claims/{claim.group}")
        pytest.fail(f"- {was}\n+ {now}\n{cure}", pytrace=False)


def test_words_that_nobody_has_seen_are_shown_and_recorded_once_somebody_looked(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "FILE", tmp_path / "said.txt")
    kept.FILE.write_text("C044 One.\nC045 Two.\nC046 Three.\n", encoding="utf-8")
    monkeypatch.setattr(test_recorded, "RECORDING", "harmless")
    with pytest.raises(pytest.fail.Exception, match=r"- Two\.\n\+ Four\.\nlook at C045; .*/formula RECORD"):
        as_seen(claim_of("C045"), "Four.")
    monkeypatch.setattr(test_recorded, "RECORDING", "looked")
    as_seen(claim_of("C045"), "Four.")
    assert kept.seen() == {"C044": "One.", "C045": "Four.", "C046": "Three."}


@pytest.mark.parametrize("claim", DECIDED, ids=attrgetter("key"))
def test_one_change_takes_the_verdict_away(claim, monkeypatch):
    change = claim.decided.fails_with
    assert change is not None
    assert bool(change.inputs) != bool(change.of)
    if change.of:
        monkeypatch.setattr(change.of, change.put)
    assert not stands(claim.key, **change.inputs), change.words
    if any(isinstance(value, (int, float)) and value is not True for value in change.inputs.values()):
        assert not typed_numbers({"typed": typed(change.words)}), "an input is a field of the words"


@pytest.mark.parametrize("claim", EVERY, ids=attrgetter("key"))
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
    if REASON.search(claim.said):
        assert claim.decided.because is not None, "decide the reason, too"
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


def test_no_number_is_typed_in_what_is_right():
    told = [vars(one) | {"typed": typed(one.right)} for one in (*EVERY, *contradictions())]
    assert {one["key"]: numbers for one in told if (numbers := typed_numbers(one))} == {}
    planted = {"said": "It is 0.213 of them.", "typed": "It is 0.214, not 0.213, in four words of ▯."}
    assert typed_numbers(planted) == ["0.214", "four words"]


def test_a_contradiction_is_settled_by_what_its_claims_find():
    for one in contradictions():
        assert "{" not in settled(one)


def test_the_tolerances_are_narrow_and_no_decision_has_another():
    for within, near_miss in ((ROUNDING, 1e-11), (FITTED, 1e-8), (FLOAT32, 1e-5)):
        assert equal(1 + within / 2, 1, within)
        assert not equal(1 + near_miss, 1, within)
    own = re.compile(r"\b(rtol|atol|rel_tol|abs_tol)=|[<>]=? (0\.00|\d+e-)\d")
    texts = [(ROOT / f"pe_book/evidence/claims/{group}.py").read_text(encoding="utf-8") for group in GROUPS]
    assert own.search("apart < 1e-9")
    assert [found[0] for text in texts for found in own.finditer(text)] == [], "compare with equal()"


# a verdict is a decision that carries its evidence, and one function derives those of claims


def test_a_verdict_stands_where_a_comparison_stands() -> None:
    assert Verdict(np.bool_(True), {"gap": 0.25})
    assert not Verdict(False)
    assert Verdict(np.bool_(True)).holds is True


@pytest.mark.parametrize("undecided", [0.25, 1, None, "yes", np.array([True, True])])
def test_a_number_is_no_decision(undecided: object) -> None:
    with pytest.raises(TypeError, match="compare before you conclude"):
        Verdict(undecided)


def made(*outcomes, against="", told=TRUE, right="It is.", because=None):
    stated, with_condition, instead, reason = (
        outcome if outcome is None else (lambda gap=1, outcome=outcome: Verdict(outcome))
        for outcome in (*outcomes, because)
    )
    decided = None if stated is None else Decided(stated, with_condition, instead, reason)
    return Claim("C000", "It is so.", right, told, "", against=against, decided=decided)


@pytest.mark.parametrize(
    ("outcomes", "more", "expected"),
    [
        ((True, None, None), {}, TRUE),
        ((False, True, None), {}, CONDITION),
        ((False, False, None), {}, FALSE),
        ((False, None, False), {}, UNSUPPORTED),
        ((False, True, True), {"against": "the other"}, DISAGREE),
        ((False, True, False), {"against": "the other"}, UNSUPPORTED),
        ((True, None, True), {"against": "the other"}, UNSUPPORTED),
        ((None, None, None), {}, UNCHECKED),
        ((True, None, None), {"because": True}, TRUE),
        ((True, None, True), {"because": False}, FALSE),
        ((True, True, None), {"because": False}, CONDITION),
        ((False, None, True), {"because": True}, FALSE),
    ],
)
def test_a_verdict_follows_from_the_decisions(outcomes, more, expected):
    assert judge(made(*outcomes, **more)).verdict == expected


def test_words_that_the_evidence_does_not_give_take_the_verdict_away():
    said = "It is {less than two <gap < 2>}, at {gap}."
    assert judge(made(True, None, None, right=said)).verdict == TRUE
    wrong = judge(made(True, None, None, right=said.replace("<gap", "<2 * gap"))).verdict
    assert wrong == f"{UNSUPPORTED}: less than two <2 * gap < 2>"


def test_a_record_that_tells_another_verdict_does_not_stand():
    assert records.stands(made(True, None, None, told=TRUE))
    assert not records.stands(made(True, None, None, told=FALSE))


def test_an_unknown_claim_is_refused():
    with pytest.raises(ValueError, match="C001 to C124, got 'C999'"):
        stands("C999")


def test_the_first_evidence_of_a_name_counts():
    decided = Decided(lambda: Verdict(False, {"gap": 1}), lambda: Verdict(True, {"gap": 2, "more": 3}))
    claim = Claim("C000", "", "{gap} {more}", CONDITION, "", decided=decided)
    assert judge(claim).evidence == {"gap": 1, "more": 3}
    assert fields(claim.right) == ["gap", "more"]
