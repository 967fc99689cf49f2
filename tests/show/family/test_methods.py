"""The cards of the methods say what the registry, the records of models and the definitions say."""

import re
import tomllib
from pathlib import Path

import pe_book as pe
from pe_book.evidence.family.who_uses_what.listed import rows
from pe_book.family.doors import models as records
from pe_book.show.family import models as show

WIDTH, HEADS, LENGTH = 512, 8, 512
# by hand: rows, buckets, two numbers a head, offsets within a clip or a span, and two matrices
LEARNED = {
    "Learned table": LENGTH * WIDTH, "T5": 32 * HEADS, "KERPLE": 2 * HEADS,
    "Shaw": 2 * (2 * 16 + 1) * WIDTH // HEADS, "DeBERTa": 2 * 512 * WIDTH + 2 * WIDTH**2,
}  # fmt: skip


def cards():
    """What each card says, by its title."""
    found = {}
    for text in show.methods().markdown().split(":::{container} method\n")[1:]:
        title = re.match(r"\*\*\{ref\}`(.+?) <", text)[1]
        found[title] = dict(re.findall(r"^(\w[\w ]+)\n: (.+)$", text, re.MULTILINE)) | {"text": text}
    return found


def test_places_and_calls_are_those_of_the_catalogue():
    places = {record.name: record.place for record in pe.catalogue()}
    for title, card in cards().items():
        called = re.findall(r"`pe\.(?:nn\.)?(\w+)", card.get("Call", ""))
        assert called or title == "NoPE"
        assert {places[name] for name in called} <= {*card["Enters at"].split(", and "), "none"}
        assert ("$$" in card["text"]) == bool(called)


def test_learned_numbers_are_those_counted_by_hand():
    said = {title: card["Learned numbers"] for title, card in cards().items()}
    assert said == {title: f"{LEARNED[title]:,}" if title in LEARNED else "none" for title in said}


def test_every_model_of_the_records_stands_on_one_card():
    listed = tomllib.loads(Path(records.__file__).with_name("models.toml").read_text(encoding="utf-8"))
    said = [name for card in cards().values() for name in re.split(", | and ", card.get("Models", ""))]
    names = [model["name"] for model in listed["model"]]
    assert [said.count(name) for name in names] == [1] * len(names)


def test_a_card_has_the_models_that_the_list_has():
    def listed(word):
        return [one for one in rows() if one.encoding[0] == word]

    users = {title: card.get("Models", "") for title, card in cards().items()}
    assert users["ALiBi"] == "BLOOM, Baichuan 13B, Falcon RW 1B, MPT 7B"
    assert users["T5"] == ", ".join(["T5", *(one.name for one in listed("T5 bias") if one.name != "T5")])
    assert users["NoPE"] == ", ".join(one.name for one in listed("NoPE"))
    for title, word in (("Learned table", "learned table"), ("Rotary (RoPE)", "rotary")):
        named, others = re.match(r"(.+) and (\d+) others", users[title]).groups()
        assert len(named.split(", ")) + int(others) == len(listed(word))


def test_alibi_stands_beside_t5():
    assert ("ALiBi", "T5") in zip([*cards()][::2], [*cards()][1::2], strict=True)
