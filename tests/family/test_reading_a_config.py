"""What a config means: records worked out by hand, blocks of real models, and configs that nobody chose."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pe_book as pe
from pe_book.evidence.family.recorded import WITHOUT_SIZES
from pe_book.family.checking_a_config import check_config
from pe_book.family.config_models import MODELS
from pe_book.family.config_numbers import part_of
from pe_book.family.config_pairings import pairings
from pe_book.family.reading_a_config import read_config, rotary_from_config

PLANTED = {
    "share": [
        ("pe_book/family/config_numbers.py", "return int(head * share)", "return int(head * share / 2)")
    ],
}

few = settings(deadline=None, max_examples=200)
FOLDER = Path(pe.__file__).parent / "evidence" / "family" / "configs"
BLOCKS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.json"))}
LLAMA = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 3,
    "max_position_embeddings": 4096,
}  # fmt: skip


def first(**changes: Any) -> Any:
    return rotary_from_config({**LLAMA, **changes})[0]


# Small configs by hand ------------------------------------------------------------------------------------


def test_a_head_is_the_width_over_the_heads_unless_it_is_given() -> None:
    assert first().head_dim == first().rotary_dim == 64
    assert first(head_dim=128).head_dim == 128
    np.testing.assert_array_equal(first().frequencies, pe.frequencies(64))


@pytest.mark.parametrize("name", ["rotary_pct", "partial_rotary_factor", "rotary_emb_fraction"])
def test_a_share_of_the_head_turns_and_the_ladder_is_that_of_the_slice(name: str) -> None:
    record = first(**{name: 0.25})
    assert (record.head_dim, record.rotary_dim, record.side) == (64, 16, "first")
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(16))


def test_rotary_dim_goes_before_a_share() -> None:
    assert first(rotary_dim=32, rotary_pct=0.25).rotary_dim == 32


def test_latent_attention_turns_the_last_columns() -> None:
    record = first(model_type="deepseek_v3", qk_rope_head_dim=64, qk_nope_head_dim=128)
    assert (record.head_dim, record.rotary_dim, record.side, record.layout) == (
        192,
        64,
        "last",
        "interleaved",
    )


@pytest.mark.parametrize("block", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["type", "rope_type"])
def test_a_block_is_read_under_both_names(block: str, kind: str) -> None:
    record = first(**{block: {kind: "linear", "factor": 4}})
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(64) / 4)
    assert record.method == "linear"


def test_a_base_in_the_block_goes_before_one_beside_it() -> None:
    inside = {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}
    np.testing.assert_array_equal(
        first(**inside, rope_theta=7.0).frequencies, pe.frequencies(64, base=500000)
    )


def test_a_block_for_each_kind_of_layer_gives_each_its_own_base() -> None:
    records = rotary_from_config({
        **LLAMA, "model_type": "gemma3_text", "sliding_window": 512, "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
        }, "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
    })  # fmt: skip
    assert [record.window for record in records] == [512, 512, None]
    np.testing.assert_array_equal(records[1].frequencies, pe.frequencies(64))
    np.testing.assert_array_equal(records[2].frequencies, pe.frequencies(64, base=1e6) / 8)


def test_a_one_in_no_rope_layers_means_that_the_layer_turns() -> None:
    records = rotary_from_config({**LLAMA, "model_type": "smollm3", "no_rope_layers": [1, 1, 0]})
    assert [record.kind for record in records] == ["rotary", "rotary", "none"]


def test_scores_of_deepseek_carry_the_second_factor_and_rows_none() -> None:
    block = {
        "rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    }  # fmt: skip
    record = first(model_type="deepseek_v3", rope_scaling=block)
    assert record.attention_factor == 1
    np.testing.assert_allclose(record.score_factor, (1 + 0.1 * np.log(40)) ** 2, rtol=1e-15)


LLAMA_3 = {"rope_type": "llama3", "factor": 16.0, "original_max_position_embeddings": 8192}


@pytest.mark.parametrize(("low", "high", "end"), [(1.0, 1.0, 1.0), (4.0, 1.0, 4.0), (None, 0.5, 1.0)])
def test_llamas_ramp_without_width_is_a_step_and_swapped_ends_leave_the_lower(
    low: float | None, high: float, end: float
) -> None:
    ends = {"low_freq_factor": low, "high_freq_factor": high}
    record = first(rope_theta=5e5, rope_scaling={**LLAMA_3, **ends})
    omega = pe.frequencies(64, base=5e5)
    kept = omega * 8192 / (2 * np.pi) > end
    np.testing.assert_allclose(record.frequencies, np.where(kept, omega, omega / 16), rtol=1e-15)


@pytest.mark.parametrize("truncate", [True, False])
def test_swapped_ends_of_yarn_divide_fast_pairs_and_keep_slow_ones(truncate: bool) -> None:
    block = {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 4096,
        "truncate": truncate,
    }
    straight, swapped = (
        first(rope_scaling={**block, "beta_fast": fast, "beta_slow": slow})
        for fast, slow in ((32, 1), (1, 32))
    )
    omega = pe.frequencies(64)
    np.testing.assert_allclose(swapped.frequencies[:4], omega[:4] / 4, rtol=1e-15)
    np.testing.assert_allclose(swapped.frequencies[-4:], omega[-4:], rtol=1e-15)
    assert swapped.attention_factor == straight.attention_factor > 1
    if not truncate:  # nothing is rounded: what the one keeps the other divides
        np.testing.assert_allclose(straight.frequencies + swapped.frequencies, omega * 1.25, rtol=1e-9)


@pytest.mark.parametrize(
    ("said", "layout"), [(True, "interleaved"), (False, "halves"), (None, "interleaved")]
)
def test_a_key_says_how_deepseek_pairs(said: bool | None, layout: str) -> None:
    record = first(model_type="deepseek_v3", qk_rope_head_dim=64, qk_nope_head_dim=128, rope_interleave=said)
    assert record.layout == layout


@pytest.mark.parametrize("name", ["deepseek_v32", "kimi_k2"])
def test_a_key_that_the_code_does_not_read_is_ignored(name: str) -> None:
    config = LLAMA | {"model_type": name, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
    reading = read_config(config | {"rope_interleave": False})
    assert {record.layout for record in reading.records} == {"interleaved"}
    assert "rope_interleave" in reading.ignored


@pytest.mark.parametrize("name", ["bert", "gpt_bigcode", "roberta"])
def test_models_with_a_table_are_not_taken_for_rotary_ones(name: str) -> None:
    assert first(model_type=name).kind == "learned"
    assert first(model_type="unheard of", position_embedding_type="absolute").kind == "learned"
    assert first(model_type="t5").kind == "bias"


def test_what_the_ramps_default_to_is_told() -> None:
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024, "beta_fast": 16}
    told = read_config({**LLAMA, "rope_scaling": block}).defaulted
    assert told.items() >= {"rope_scaling.beta_slow": 1, "rope_scaling.truncate": True}.items()
    assert "rope_scaling.beta_fast" not in told
    assert read_config({**LLAMA, "rope_scaling": {"type": "linear"}}).defaulted["rope_scaling.factor"] == 1


def test_longrope_takes_the_long_list_past_the_trained_length() -> None:
    block = {"type": "longrope", "short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    config = {**LLAMA, "rope_scaling": block, "original_max_position_embeddings": 1024}
    short, long = (rotary_from_config(config, length=length)[0] for length in (1024, 1025))
    np.testing.assert_array_equal(short.frequencies, pe.frequencies(64))
    np.testing.assert_array_equal(long.frequencies, pe.frequencies(64) / 2)
    assert short.attention_factor == long.attention_factor > 1


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "gpt2", "n_layer": 2}, "learned"),
        ({"model_type": "mpt", "n_layers": 2, "attn_config": {"alibi": True}}, "alibi"),
    ],
)
def test_other_ways_of_telling_position_are_named(config: Any, kind: str) -> None:
    assert [record.kind for record in rotary_from_config(config)] == [kind, kind]


def test_a_path_is_read_and_a_dictionary_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    before = json.dumps(LLAMA)
    assert (
        len(rotary_from_config(file)) == len(rotary_from_config(str(file))) == len(rotary_from_config(LLAMA))
    )
    assert json.dumps(LLAMA) == before


def test_what_was_used_defaulted_and_ignored_is_told() -> None:
    reading = read_config({**LLAMA, "rope_scaling": {"type": "linear", "factor": 2, "beta_fast": 32}})
    assert reading.used["rope_scaling.factor"] == 2
    assert reading.defaulted == {"rope_theta": 10000.0, "head_dim": 64}
    assert reading.ignored == ["rope_scaling.beta_fast"]


# Blocks of real models ------------------------------------------------------------------------------------


def test_each_block_names_its_source() -> None:
    assert len(BLOCKS) > 70
    for block in BLOCKS.values():
        assert block["source"].startswith(("github:", "huggingface.co/", "transformers", "docs.")), block[
            "source"
        ]
        assert block["name"]
        assert block["seen"]


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_a_real_config_gives_a_record_for_each_layer(name: str) -> None:
    config = BLOCKS[name]["config"]
    reading = read_config(config)
    assert reading.known
    assert [record.layer for record in reading.records] == list(range(len(reading.records)))
    for record in reading.records:
        assert record.frequencies.shape == record.unscaled.shape == (record.rotary_dim // 2,)
        assert (record.rotary_dim > 0) == (record.kind == "rotary")
        assert (record.frequencies <= record.unscaled * (1 + 1e-15)).all()
        assert record.layout in ("interleaved", "halves")


@pytest.mark.parametrize("name", sorted(WITHOUT_SIZES))
def test_a_block_without_sizes_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="config must have head_dim, or hidden_size and num_attention_heads"):
        read_config(BLOCKS[name]["config"])


@pytest.mark.parametrize(
    ("name", "layout", "rotary_dim", "head_dim"),
    [
        ("llama-3.1-8b", "halves", 128, 128), ("gpt-j-6b", "interleaved", 64, 256),
        ("gpt-neox-20b", "halves", 24, 96), ("glm-4-9b-chat", "interleaved", 64, 128),
        ("phi-2", "halves", 32, 80), ("deepseek-v3", "interleaved", 64, 192),
        ("command-r", "interleaved", 128, 128), ("minicpm3-4b", "halves", 32, 96),
    ],
)  # fmt: skip
def test_known_models_pair_and_slice_as_their_code_does(
    name: str, layout: str, rotary_dim: int, head_dim: int
) -> None:
    record = read_config(BLOCKS[name]["config"]).records[0]
    assert (record.layout, record.rotary_dim, record.head_dim) == (layout, rotary_dim, head_dim)


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_the_table_of_pairings_says_what_the_records_have(name: str) -> None:
    reading = read_config(BLOCKS[name]["config"])
    rows = {row.model_type: row for row in pairings()}
    for record in reading.records:
        if record.kind == "rotary":
            row = rows[reading.model_type]
            assert record.side == row.side
            assert record.layout == row.layout or row.layout_key in reading.used
            if "partial_rotary_factor" in reading.defaulted and row.side == "first":
                assert record.rotary_dim == part_of(record.head_dim, row.share)


def test_pairings_are_those_of_models_that_turn() -> None:
    rows = pairings()
    assert [row.model_type for row in rows] == sorted(
        name for name in MODELS if MODELS[name].kind == "rotary"
    )
    assert not {"gpt2", "bloom", "t5"} & {row.model_type for row in rows}


def test_types_with_layers_that_stand_still() -> None:
    still = {row.model_type for row in pairings() if row.some_still}
    assert {"smollm3", "llama4", "cohere2", "exaone4", "qwen3_next"} <= still
    assert not {"llama", "gemma3", "gpt_oss", "modernbert", "olmo3"} & still


def test_qwen3_next_turns_every_fourth_layer() -> None:
    records = read_config(BLOCKS["qwen3-next-80b"]["config"]).records
    assert [record.layer for record in records if record.kind == "rotary"] == list(range(3, 48, 4))
    assert {record.rotary_dim for record in records} == {0, 64}


# Configs that nobody chose --------------------------------------------------------------------------------

SCALAR = st.none() | st.booleans() | st.integers(-2, 5000) | st.floats(allow_nan=True) | st.text(max_size=4)
ANYTHING = SCALAR | st.lists(SCALAR, max_size=4) | st.dictionaries(st.text(max_size=4), SCALAR, max_size=3)
KEYS = sorted({key for block in BLOCKS.values() for key in block["config"]})
IN_A_BLOCK = sorted({
    key for block in BLOCKS.values() for name in ("rope_scaling", "rope_parameters")
    for key in (block["config"].get(name) or {})
})  # fmt: skip


@few
@given(
    model=st.sampled_from(sorted(MODELS)),
    changes=st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4),
    inside=st.dictionaries(st.sampled_from(IN_A_BLOCK), ANYTHING, max_size=4),
    method=st.sampled_from(["linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "default"]),
)
def test_no_config_breaks_the_reader(model: str, changes: Any, inside: Any, method: str) -> None:
    block = {"rope_type": method, "factor": 2.0, "original_max_position_embeddings": 1024, **inside}
    config = {**LLAMA, "rope_scaling": block, **changes, "model_type": model}
    if isinstance(config.get("num_hidden_layers"), int | float) and config["num_hidden_layers"] > 100:
        config["num_hidden_layers"] = 100  # thousands of layers take long, and are no other case
    try:
        records = read_config(config).records
    except (ValueError, TypeError) as error:
        named = any(word in str(error) for word in (*config, *block, "config"))
        assert named, error  # noqa: PT017
        return
    assert str(check_config(config, length=5000))
    for record in records:
        assert np.isfinite(record.frequencies).all()
        assert np.isfinite([record.attention_factor, record.score_factor]).all()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {**LLAMA, "rope_scaling": {"type": "ntk-by-parts"}},
            "rope_scaling.type must be one of default",
        ),
        ({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 0}}, "factor must be a number above 0"),
        ({**LLAMA, "rope_theta": "10000"}, "rope_theta must be a number above 0 .* got '10000'"),
        (
            {**LLAMA, "num_attention_heads": 3},
            "hidden_size must be a multiple of num_attention_heads, 3, got 256",
        ),
        ({**LLAMA, "rotary_pct": 1.5}, "rotary_pct must be at most 1, got 1.5"),
        ({**LLAMA, "rotary_dim": 65}, "rotary_dim must be even, got 65"),
        (
            {**LLAMA, "layer_types": ["full_attention"]},
            "layer_types must have an entry for each of 3 layers, got 1",
        ),
        (
            {**LLAMA, "layer_types": ["full_attention"] * 2 + ["ful_attention"]},
            r"layer_types\[2\] must be one of",
        ),
        ({**LLAMA, "num_hidden_layers": 10**6}, "num_hidden_layers must be at most 10000, got 1000000"),
        ({"model_type": "llama"}, "config must have head_dim, or hidden_size"),
        ({"model_type": "llama", "n_embd": 256}, "config must have head_dim, .*; it has n_embd alone"),
        (
            {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560}},
            "its text_config has hidden_size alone: the rest are defaults of the class of gemma3_text, "
            "and they are not in the file; add them",
        ),
        (
            {"model_type": "gpt2", "text_config": {"model_type": "llama"}},
            "its text_config has neither: the rest are defaults of the class of llama",
        ),
        (
            {"model_type": "gptj", "n_embd": 250, "n_head": 4},
            "n_embd must be a multiple of n_head, 4, got 250",
        ),
        ({**LLAMA, "num_hidden_layers": None, "n_layer": 10**6}, "n_layer must be at most 10000"),
        ("nowhere.json", "config must name a file that can be read, got 'nowhere.json'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_key(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rotary_from_config(config)


@pytest.mark.parametrize(
    ("text", "message"), [("[1]", "must be a JSON object"), ("{", "must be a JSON file")]
)
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        rotary_from_config(file)
    with pytest.raises(TypeError, match="config must be a path or a dictionary, got 5"):
        rotary_from_config(5)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("said", "turning"),
    [
        ({}, 32),
        ({"rotary_pct": 0.5}, 64),
        ({"rotary_pct": 0.25, "partial_rotary_factor": 0.5}, 32),
        ({"partial_rotary_factor": 0.5}, 32),  # its class reads the share of this name in the block alone
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
        ({"rotary_pct": 0.25, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
    ],
)
def test_gpt_neox_reads_its_share_as_its_class_does(said: dict[str, Any], turning: int) -> None:
    config = {**LLAMA, "model_type": "gpt_neox", "head_dim": 128, **said}
    assert {record.rotary_dim for record in rotary_from_config(config)} == {turning}
