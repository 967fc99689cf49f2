"""Holds what the page of models counts: the list by its records, model types by the recorded sweep."""

import tomllib
from collections import Counter

import pytest

from pe_book.census import census
from pe_book.config.pairings import pairings
from pe_book.config.reading import rotary_from_config
from pe_book.evidence.claims import stands
from pe_book.evidence.family import doors as verdicts
from pe_book.evidence.family import who_uses_what as who
from pe_book.evidence.family.who_uses_what.listed import LISTED, as_name, row, rows
from pe_book.family.doors.models import models

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
    types = census().types
    turned = {
        name
        for name, one in types.items()
        for part in one.parts.values()
        if any(x.turned for x in part.layers)
    }
    assert verdicts.turning() == (len(turned), sum(not one.not_run for one in types.values()))
    assert {row.model_type for row in pairings() if not row.beside_weights} - turned <= {
        name for name, one in types.items() if one.not_run
    }
    assert "llama" in turned
    assert not turned & {"bert", "gpt2", "t5", "bloom"}


def test_who_learns_rows_is_who_has_a_door_at_the_input_and_arrays_in_the_table() -> None:
    rows = {m.name for m in models() if who.learns_rows(m)}
    assert rows == {"GPT-1", "BERT", "GPT-2", "RoBERTa", "GPT-3", "DeBERTa"}
    assert {m.name for m in models() if who.rows_alone(m)} == rows - {"DeBERTa"}


def test_offsets_of_all_words_tell_two_gaps_apart_and_no_positions_do_not() -> None:
    assert who.tells_gaps_apart().evidence["apart"] > 1
    assert not who.tells_gaps_apart(relative=False)


# ---------------------------------------------------------------- the list by names

# read in the files that the rows name, not computed: pairs, base, scaling, words of the encoding
BY_HAND = {
    "T5Gemma 2": (
        "halves, all 256 columns", "with a window: 10,000; in full attention: 1,000,000", "", {"rotary"},
    ),
    "Pixtral vision tower": (
        "halves, all 64 columns; 16 + 16 pairs for the axes, row, column", "10,000", "", {"several axes"},
    ),
    "Baichuan 13B": ("", "", "", {"ALiBi"}),
    "gpt-oss 20B": ("halves, all 64 columns", "150,000", "yarn × 32 from 4,096", {"rotary", "sink logit"}),
    "Llama 3.1 8B": ("halves, all 128 columns", "500,000", "llama3 × 8 from 8,192", {"rotary"}),
    "GPT-J 6B": ("interleaved, the first 64 of 256 columns", "10,000", "", {"rotary"}),
    "Pythia 6.9B": ("halves, the first 32 of 128 columns", "10,000", "", {"rotary"}),
    "DeepSeek-V3": ("interleaved, the last 64 of 192 columns", "10,000", "yarn × 40 from 4,096", {"rotary"}),
    "Gemma 3 27B": (
        "halves, all 128 columns", "with a window: 10,000; in full attention: 1,000,000",
        "in full attention: linear × 8", {"rotary", "sliding window"},
    ),
    "Mistral 7B v0.1": ("halves, all 128 columns", "10,000", "", {"rotary", "sliding window"}),
    "Command R7B": (
        "interleaved, all 128 columns", "50,000", "", {"rotary", "sliding window", "still layers"},
    ),
    "Mistral Small 3 24B": ("halves, all 128 columns", "100,000,000", "", {"rotary"}),
    "InternLM3 8B": (
        "halves, all 128 columns", "50,000,000", "dynamic × 6 from 32,768", {"rotary", "scaled"},
    ),
    "Granite 4 hybrid": ("", "", "", {"NoPE", "recurrent"}),
    "GPT-2": ("", "", "", {"learned table"}),
    "BLOOM 560M": ("", "", "", {"ALiBi"}),
    "T5": ("", "", "", {"T5 bias"}),
    "Transformer": ("", "", "", {"sinusoid"}),
}  # fmt: skip


# what papers and cards say of models whose row is that of a class
BY_CLASS = {
    "Whisper large-v3": {"sinusoid", "learned table"}, "wav2vec 2.0": {"convolution at the input"},
    "mT5": {"T5 bias"}, "Marian": {"sinusoid"}, "XLM-RoBERTa": {"learned table"}, "CLIP": {"learned table"},
    "DINOv2": {"learned table"}, "DINOv3": {"rotary", "several axes"}, "Jamba": {"NoPE", "recurrent"},
    "Gemma 4": {"rotary", "scaled", "sliding window"}, "Granite SWA": {"rotary", "sink logit"},
    "Mistral Large 4": {"rotary", "still layers", "temperature"}, "Falcon-H1": {"rotary", "recurrent"},
}  # fmt: skip


@pytest.mark.parametrize("name", [one.name for one in rows() if one.name in BY_CLASS])
def test_a_row_of_a_class_has_what_its_model_is_known_for(name):
    assert BY_CLASS[name] <= {*row(name).encoding}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_row_is_what_its_file_says(name):
    found, (pairs, base, scaling, words) = row(name), BY_HAND[name]
    assert (found.pairs, found.base, found.scaling) == (pairs, base, scaling)
    assert words <= {*found.encoding}


def test_a_tower_beside_layers_that_turn_is_no_still_layer_and_places_are_no_scaling():
    assert "still layers" not in row("T5Gemma 2").encoding
    assert "still layers" in row("SmolLM3").encoding
    assert [one.name for one in rows() if "several axes" in one.encoding and "by row" in one.scaling] == []


def test_there_are_sixty_rows_each_of_its_own_name_with_a_source():
    assert len(rows()) >= 60
    assert {
        name: count for name, count in Counter(as_name(one.name) for one in rows()).items() if count > 1
    } == {}
    origins = {"published config", "class default", "code read", "quoted"}
    for one in rows():
        assert one.source
        assert one.origin in origins or "config" in one.origin or "example" in one.origin, one
        assert one.encoding
        assert as_name(one.name) not in map(as_name, one.called), one.name
        assert (one.origin == "class default") == (" in transformers " in one.source), one.name
        assert one.origin != "class default" or not one.trained, "a class was not trained"


def test_a_name_of_two_models_and_an_unknown_one_are_said_in_one_line():
    assert row("llama3.1").name == "Llama 3.1 8B"
    assert row("GPT 2").name == "GPT-2"
    with pytest.raises(
        ValueError, match=r"^name must be of one model, and 'Mistral 7B' is of .*v0\.1, .*v0\.3$"
    ):
        row("Mistral 7B")
    with pytest.raises(ValueError, match=r"^name must be one of the \d+ models of the list, got 'nobody'$"):
        row("nobody")


def differing(kind):
    """The layers in which the census and the reader disagree on pairs, columns or base of a type."""
    records = rotary_from_config({"model_type": kind.name})
    found = [
        layer
        for layer, record in zip(kind.text.layers, records, strict=True)
        if turns(layer) != read_as(record)
    ]
    return [layer.layer for layer in found]


def turns(layer):
    one = layer.turned
    return one and (one.head, one.columns, one.pairing, round(one.frequencies()[1], 5))


def read_as(record):
    if record.kind != "rotary":
        return None
    return record.head_dim, record.rotary_dim, record.layout, round(float(record.frequencies[1]), 5)


COMPARED = ("llama", "qwen3_moe", "smollm3", "cohere2", "olmoe", "starcoder2")


@pytest.mark.parametrize("name", [name for name in COMPARED if name in census().types])
def test_a_row_of_a_class_is_what_the_reader_says(name):
    assert differing(census().of_type(name)) == []


def test_what_is_listed_as_a_class_is_no_published_config():
    found = tomllib.loads(LISTED.read_text(encoding="utf-8"))
    for one in [*found["model"], *found["more"]]:
        assert sum(key in one for key in ("quoted", "type", "read", "config")) == 1, one["name"]
        assert ("from" in one) == ("seen" in one), one["name"]
