"""Holds the page of claims to its list: what it shows of a group is that of the claims."""

from importlib import import_module

from pe_book.evidence.claims import claims
from pe_book.evidence.claims.claim import VERDICTS
from pe_book.show.evidence import claims as show

PLANTED = {
    "counted from 0": [
        (
            "pe_book/why/first_attempts.py",
            "np.arange(1.0, _length(seq_len) + 1)",
            "np.arange(0.0, _length(seq_len))",
        )
    ],
}


def test_a_group_is_listed_by_verdict_and_whole():
    entries = show.group("formula").records()
    ranks = [VERDICTS.index(entry["verdict"]) for entry in entries]
    assert ranks == sorted(ranks)
    assert {entry["key"] for entry in entries} == {
        claim.key for claim in claims() if claim.group == "formula"
    }


def test_decisions_are_found_by_their_names():
    for entry in show.group("shift").records():
        for decision in entry["decisions"]:
            module, _, name = decision.rpartition(".")
            found = getattr(import_module(module), name)
            assert callable(found) or entry["key"] in found  # one of a line stands in the table of its group


def test_powers_of_ten_are_written_as_people_write_them():
    assert show.printed("off by 5.4e-09, or 1e-15, and -0.5") == "off by 5.4 · 10⁻⁹, or 10⁻¹⁵, and −0.5"
