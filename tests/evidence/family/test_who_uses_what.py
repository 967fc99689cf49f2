"""Holds what the page of models counts: the list by its records, model types by the recorded sweep."""

from pe_book.config.pairings import pairings
from pe_book.evidence.claims import stands
from pe_book.evidence.family import doors as verdicts
from pe_book.evidence.family import who_uses_what as who
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


def test_who_learns_rows_is_who_has_a_door_at_the_input_and_arrays_in_the_table() -> None:
    rows = {m.name for m in models() if who.learns_rows(m)}
    assert rows == {"GPT-1", "BERT", "GPT-2", "RoBERTa", "GPT-3", "DeBERTa"}
    assert {m.name for m in models() if who.rows_alone(m)} == rows - {"DeBERTa"}
    evidence = stands("C110").evidence
    assert (evidence["then"], evidence["alone"], evidence["years"]) == (6, 5, 7)


def test_offsets_of_all_words_tell_two_gaps_apart_and_no_positions_do_not() -> None:
    for words in (who.GAPS, (0, 1, 0)):
        assert who.tells_gaps_apart(words=words).evidence["apart"] > 1
        assert not who.tells_gaps_apart(words=words, relative=False)
