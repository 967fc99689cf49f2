"""Holds family.doors.models to what the sources say; what is expected here was read there, not here."""

from pathlib import Path

import pytest

from pe_book.evidence.claims import stands
from pe_book.family.doors import DOORS
from pe_book.family.doors.models import Model, model, models

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/family/who-uses-what.md").read_text(encoding="utf-8")
MAP = (ROOT / "docs/family/doors.md").read_text(encoding="utf-8")
BIB = (ROOT / "docs/references.bib").read_text(encoding="utf-8")
LEARNED = ["GPT-1", "BERT", "GPT-2", "RoBERTa", "GPT-3"]


def test_every_record_is_whole() -> None:
    assert [m.year for m in models()] == sorted(m.year for m in models())
    assert len({m.name for m in models()}) == len(models())
    for m in models():
        assert m.doors
        assert set(m.doors) <= set(DOORS) - {"nowhere"}
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


def test_parameters_are_counted_from_the_shapes() -> None:
    assert model("BERT").parameters == 512 * 768
    assert model("DeBERTa").parameters == (2 * 512 + 512) * 768
    assert model("LLaMA").parameters == 0


def test_an_unknown_model_is_refused_and_the_known_are_listed() -> None:
    with pytest.raises(ValueError, match=r"Transformer, GPT-1.*'Bert'"):
        model("Bert")


# Claims ---------------------------------------------------------------------------------------------------


def test_c102_the_models_with_tables_are_not_only_for_short_texts() -> None:
    assert stands("C102")
    rows = {name: model(name).shapes[0][0] for name in LEARNED}
    assert rows == {"GPT-1": 512, "BERT": 512, "GPT-2": 1024, "RoBERTa": 514, "GPT-3": 2048}
    up_to_2020 = [m.name for m in models() if 2018 <= m.year <= 2020]
    assert [name for name in up_to_2020 if "learned table" not in model(name).method] == ["T5"]


def test_c104_bert_learns_its_table() -> None:
    assert stands("C104")
    bert = model("BERT")
    assert (bert.doors, bert.method, bert.shapes) == (("input",), "learned table", ((512, 768),))
    assert not bert.sinusoidal
    code, paper = bert.evidence
    assert code.where == "google-research/bert, modeling.py"
    assert code.quote == "Since the position embedding table is a learned variable"
    assert "learned positional embeddings with supported sequence lengths up to 512 tokens" in paper.quote


def test_c105_roberta_is_like_bert_and_so_has_a_table() -> None:
    assert stands("C105")
    roberta, bert = model("RoBERTa"), model("BERT")
    assert (roberta.doors, roberta.method) == (bert.doors, bert.method)
    padding_idx = 1  # of fairseq's dictionary
    assert roberta.shapes == ((512 + padding_idx + 1, 768),)
    assert any("encoder_learned_pos" in item.quote and "True" in item.quote for item in roberta.evidence)


def test_c106_of_two_statements_about_bert_the_page_says_which_the_source_supports() -> None:
    assert stands("C106")
    assert not stands("C106", name="Transformer")
    assert "Does BERT use the trigonometric encoding, or does it learn its positions?" in PAGE


def test_c107_gpt_learns_and_the_third_is_inferred() -> None:
    assert stands("C107")
    assert [model(name).shapes for name in ("GPT-1", "GPT-2", "GPT-3")] == [
        ((512, 768),),
        ((1024, 768),),
        ((2048, 12288),),
    ]
    assert {model(name).method for name in ("GPT-1", "GPT-2", "GPT-3")} == {"learned table"}
    assert [m.name for m in models() if not m.confirmed] == ["GPT-3"]
    assert "GPT-3 is the hollow mark." in PAGE


def test_c108_t5_adds_scalars_to_scores_and_nothing_else() -> None:
    assert stands("C108")
    t5 = model("T5")
    assert t5.doors == ("score",)
    assert t5.shapes == ((12, 32), (12, 32))  # heads and buckets; encoder, decoder
    assert t5.parameters == 768
    assert any('"bias_shared"' in item.quote for item in t5.evidence)
    assert any("scalar that is added to the corresponding logit" in item.quote for item in t5.evidence)


def test_c109_deberta_has_relative_scores_and_late_absolute_rows() -> None:
    assert stands("C109")
    deberta = model("DeBERTa")
    assert deberta.doors == ("score", "input")
    assert any(item.quote == '"position_biased_input": false' for item in deberta.evidence)
    assert any("right before the softmax layer" in item.quote for item in deberta.evidence)
    # offsets in [0, 2k) with k = 512 (section 3.1); the table goes to what makes queries and to the residual
    assert deberta.shapes == ((2 * 512, 768), (512, 768))
    assert any("k to 512 for pre-training" in item.quote for item in deberta.evidence)
    assert any(item.quote == "query_states = z_states" for item in deberta.evidence)
    assert [m.name for m in models() if len(m.doors) > 1] == ["DeBERTa"]


def test_c110_later_models_of_the_list_learn_no_positions() -> None:
    assert stands("C110")
    later = [m for m in models() if m.year > 2020]
    assert {m.name: m.doors for m in later} == {"BLOOM": ("score",), "LLaMA": ("query and key",)}
    assert all(m.parameters == 0 for m in later)
    assert "Two models are no census" in PAGE


def test_the_page_names_each_method_as_the_field_does() -> None:
    opening = MAP[: MAP.index("(sec:doors:values)=")]
    assert all(name in opening for name in ("RoPE", "ALiBi", "NoPE"))


def test_c112_only_the_first_model_adds_a_sinusoid() -> None:
    assert stands("C112")
    assert stands("C112").evidence["one"] == "Transformer"
