"""Holds family.doors.models to what the sources say; what is expected here was read there, not here."""

from pathlib import Path

import pytest

from pe_book.family.doors import DOORS
from pe_book.family.doors.models import Model, models

ROOT = Path(__file__).parents[2]
BIB = (ROOT / "docs/references.bib").read_text(encoding="utf-8")


def test_every_record_is_whole() -> None:
    assert [m.year for m in models()] == sorted(m.year for m in models())
    assert len({m.name for m in models()}) == len(models())
    for m in models():
        assert m.doors
        assert set(m.doors) <= set(DOORS)
        assert m.evidence
        for item in m.evidence:
            assert item.quote
            assert item.where
            assert (item.kind == "code") == (item.key == "")
            if item.key:
                assert f"{{{item.key}," in BIB
            else:
                repository, path = item.where.split(", ")
                assert repository.count("/") == 1
                assert "." in path


def test_code_stands_behind_every_confirmed_model() -> None:
    for m in models():
        assert m.confirmed == any(item.kind == "code" for item in m.evidence), m.name


# words of which a quotation has to have one, if it is to say that a model has this method
NAMED_BY = {
    "sinusoid": ("sine",),
    "learned table": ("learned", "wpe", "[[512, 768]", "architecture as GPT-2"),
    "learned numbers of offsets": ("simply a scalar",),
    "learned vectors of offsets; late, a learned table, into queries and residual": ("relative distance",),
    "slopes": ("slopes",),
    "rotation": ("rotary",),
}


@pytest.mark.parametrize("found", models(), ids=lambda found: found.name)
def test_a_quotation_names_the_method_of_the_record(found: Model) -> None:
    assert any(word in item.quote for word in NAMED_BY[found.method] for item in found.evidence)


READ = {  # where position enters, and the shapes of what is learned
    "Transformer": (("input",), ()),
    "GPT-1": (("input",), ((512, 768),)),
    "BERT": (("input",), ((512, 768),)),
    "GPT-2": (("input",), ((1024, 768),)),
    "RoBERTa": (("input",), ((512 + 1 + 1, 768),)),  # positions begin behind the padding, 1
    "T5": (("score",), ((12, 32), (12, 32))),  # heads and buckets; encoder, decoder
    "GPT-3": (("input",), ((2048, 12288),)),
    "DeBERTa": (("score", "input"), ((2 * 512, 768), (512, 768))),  # offsets in [0, 2k), k = 512
    "BLOOM": (("score",), ()),
    "LLaMA": (("query and key",), ()),
}


def test_doors_and_shapes_are_those_of_the_sources() -> None:
    assert {m.name: (m.doors, m.shapes) for m in models()} == READ
