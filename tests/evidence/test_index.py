"""What the front page decides: true of the real thing, false of a planted mistake."""

from pe_book.evidence import index as verdicts

VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}
FIRST, SECOND = "dog bites man", "man bites dog"


def shuffled(places):
    return [verdicts.by_word(order, VECTORS, places=places) for order in (FIRST, SECOND)]


def test_alone_no_word_changes_and_with_places_every_word_does():
    assert verdicts.no_word_changes(*shuffled(places=False))
    assert not verdicts.every_word_changes(*shuffled(places=False))
    assert verdicts.every_word_changes(*shuffled(places=True))
    assert not verdicts.no_word_changes(*shuffled(places=True))


def test_one_word_is_enough_to_decide_against():
    one, other = shuffled(places=False)
    other["man"] = other["man"] + 1e-6
    assert not verdicts.no_word_changes(one, other)
    one, other = shuffled(places=True)
    other["bites"] = one["bites"]
    assert not verdicts.every_word_changes(one, other)


def test_rows_are_compared_by_word_and_not_by_place():
    one, other = shuffled(places=False)
    in_order = dict(zip(one, other.values(), strict=True))  # the mistake: first row with first row
    assert not verdicts.no_word_changes(one, in_order)
