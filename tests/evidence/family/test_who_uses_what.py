"""Holds what the page of models counts: the list by its records, model types by the recorded sweep."""

from pe_book.config.pairings import pairings
from pe_book.evidence.claims import stands
from pe_book.evidence.family import doors as verdicts
from pe_book.evidence.records.classes import recorded
from pe_book.family.doors.models import models

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "sinusoidal": [
        ("pe_book/family/doors/models.py", 'self.method == "sinusoid" and', 'self.method != "sinusoid" and')
    ],
}


def test_one_model_of_the_list_adds_a_sinusoid_and_five_have_a_table_alone() -> None:
    assert [m.name for m in models() if m.sinusoidal] == ["Transformer"]
    assert sum(m.method == "learned table" for m in models()) == 5


def test_c110_types_that_turn_are_counted_once_and_from_the_record() -> None:
    assert stands("C110")
    turning, types = verdicts.turning()
    read = {row.model_type for row in pairings() if not row.beside_weights}
    swept = recorded()
    assert types == sum(swept.outcomes.values())
    assert turning == len([*read, *(set(swept.refused) - read)])
    assert len(read) < turning < types
    assert "llama" in read
    assert not read & {"bert", "gpt2", "t5", "bloom"}
