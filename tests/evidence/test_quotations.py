"""What claims, records and shared numbers quote stands in docs/quotations.toml, at the place they name."""

import pytest

from bookish.lint.numbers import shared_numbers
from bookish.lint.quotations import faults, named, plain, quotations
from pe_book.evidence.claims import claims, quoted
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED, PRINTED_SUM
from pe_book.family.doors.models import models

JUDGED = {claim.key: claim.judged for claim in claims() if claim.judged}
QUOTED = [
    *((name, one.key, one.where, one.says) for name, one in JUDGED.items() if one.key and one.verbatim),
    *((model.name, one.key, one.where, one.quote) for model in models() for one in model.evidence if one.key),
    ("a section", "vaswani2017", "section 3.5", quoted.SECTION),
    *(("notes", "vaswani2017", "section 3.5", words) for words in quoted.QUOTED_ELSEWHERE),
    *(
        ("a row", "vaswani2017", place, "{} and {}".format(*quoted.TABLE_3[name]))
        for name, place in (("sinusoidal", "Table 3, base"), ("learned", "Table 3, row E"))
    ),
    ("words and places", "crossvalidated586813", "the question", str(PRINTED)),
    ("their sum", "crossvalidated586813", "the question", str(PRINTED_SUM)),
    *(
        (str(number), *source.strip().split(", ", 1), str(number))
        for number, given in shared_numbers().items()
        for source in given["source"].split(";")
        if ", " in source and source.strip().split(",")[0] in {one.key for one in quotations()}
    ),
]  # fmt: skip


def stands(key: str, where: str, words: str) -> bool:
    """Whether these words stand in one of the places that `where` names."""
    places = {place for _, place in named(where, key)}
    there = (one for one in quotations() if one.key == key)
    here = (one for one in there if one.part in places or where.startswith(one.place))
    return any(plain(words) in one.words for one in here)


@pytest.mark.parametrize(("name", "key", "where", "words"), QUOTED)
def test_what_is_quoted_stands_at_its_place(name, key, where, words):
    assert stands(key, where, words)
    assert not stands(key, where, f"{words} planted")


SECTION = "in section 3.5 of ⟦vaswani2017⟧"
HARMLESS = [
    'A dog "bites the old man" in the street.',
    f'"It may allow the model to extrapolate", {SECTION}.',
    'It "may allow … the ones encountered during training" (⟦vaswani2017⟧, section 3.5).',
    'They said "may". That was ⟦vaswani2017⟧.',
    "⟦su2021⟧, sections 3.2 to 3.4, follow ⟦vaswani2017⟧. See section 3 of a guide⟦https://example.org/a⟧.",
    'The score is "how loud it is to all others": a name of ours. Position was added by ⟦vaswani2017⟧.',
]
CHANGED = {
    f'"It will allow the model to extrapolate", {SECTION}.': "PE332",
    'The paper says "it will allow the model to extrapolate".': "PE332",
    '"It may allow the model to extrapolate" (section 3.4).': "PE332",
    '"It may allow the model to extrapolate", writes ⟦su2021⟧.': "PE332",
    '⟦su2021⟧ cites "it may allow the model" (⟦press2022⟧), unlike ⟦vaswani2017⟧.': "PE332",
    "It stands in section 3.4.7 of ⟦vaswani2017⟧.": "PE333",
    "The bound is ⟦vaswani2017⟧, sections 3.2 to 3.4.": "PE333",
}


@pytest.mark.parametrize("text", HARMLESS)
def test_what_changes_no_quotation_is_passed(text):
    assert list(faults(text)) == []


@pytest.mark.parametrize("text", CHANGED)
def test_a_quotation_that_was_changed_is_refused(text):
    assert {code for code, _ in faults(text)} == {CHANGED[text]}
