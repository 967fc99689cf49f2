"""Whoever joins the registry is compared with a library, or it is written down why not."""

import inspect
import sys

import pytest

from pe_book.evidence.records import parity
from pe_book.family.members import members
from pe_book.show.family.score_bias import BIASES
from tests.parity.register import home
from tests.parity.register import members as comparisons

# a member of the registry, and one of its comparisons in tests/parity
COMPARED = {
    "rotary": "Llama",
    "Shaw": "Shaw's keys in SeamlessM4T v2",
    "DeBERTa": "DeBERTa's attention, first version",
    "T5": "T5's attention, encoder",
    "ALiBi": "ALiBi in FlexAttention",
    "ALiBi by keys": "BLOOM's attention, 12 heads",
    "window": "window, causal",
}
# a member, and why there is none
ALONE = {
    "count": "a first attempt of the book, which no library has",
    "count over length": "a first attempt of the book, which no library has",
    "learned table": "its rows are looked up, and nothing is computed",
    "sinusoid": "libraries lay its columns in other orders; tests/sinusoidal holds it to their formulas",
    "KERPLE": "none of the libraries has its logarithmic form, and the page of the comparisons says so",
    "window + first": "none of the libraries has the kept tokens as a mask by positions",
    "NoPE": "nothing is done",
}
SCORES = "score"


def test_every_member_is_compared_or_it_is_said_why_not():
    assert not COMPARED.keys() & ALONE.keys()
    assert COMPARED.keys() | ALONE.keys() == members().keys()


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_is_recorded_and_computes_what_the_registry_names(name):
    (compared,) = (one for one in comparisons() if one.name == COMPARED[name])
    assert COMPARED[name] in {row.member for row in parity.recorded().agreements}
    text = inspect.getsource(sys.modules[home(compared)])
    modules = {definition.split(".")[-2] for definition in members()[name].definitions}
    assert all(f"{module}." in text for module in modules), modules


def test_the_table_of_biases_has_every_member_that_adds_a_number_for_the_distance_alone():
    """A second form of a member, and a window with more, are told beside it."""
    by_words = {"Shaw", "DeBERTa"}
    forms = {"ALiBi by keys", "window + first"}
    at_scores = {name for name, one in members().items() if one.place == SCORES}
    named = [name for name, *_ in BIASES]
    assert set(named) & at_scores == at_scores - by_words - forms
    assert len(set(named)) == len(named)
    sources = {one.source for one in members().values()}
    assert not sources & set(named), "what the registry has is called by its name there"
