"""What layers have besides turns, and layers that differ in width, kind or base: by hand from configs."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.formats.beside import FORMULAS, Law, Temperature, temperature_of
from pe_book.config.keys import Keys
from pe_book.config.reading import read_config

GEMMA4 = {
    "model_type": "gemma4_text", "head_dim": 256, "global_head_dim": 512, "num_hidden_layers": 7,
    "rope_parameters": {
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    },
}  # fmt: skip


def test_a_list_by_layer_goes_before_the_width_of_the_kind() -> None:
    listed = {str(i): {"head_dim": 128} for i in (5, 6)}
    records = pe.rotary_from_config(GEMMA4 | {"per_layer_config": listed})
    assert [one.head_dim for one in records] == [256] * 5 + [128] * 2
    with pytest.raises(ValueError, match="per_layer_config must have one head_dim"):
        pe.rotary_from_config(GEMMA4 | {"per_layer_config": {"5": {"head_dim": 128}}})


DEEPSEEK4 = {
    "model_type": "deepseek_v4", "head_dim": 512, "qk_rope_head_dim": 64, "num_hidden_layers": 4,
    "rope_theta": 1e4, "compress_rope_theta": 16e4, "compress_ratios": [0, 4, 128, 0], "sliding_window": 128,
    "max_position_embeddings": 1048576,
    "rope_scaling": {"type": "yarn", "factor": 16, "original_max_position_embeddings": 65536,
                     "beta_fast": 32, "beta_slow": 1},
}  # fmt: skip


def test_layers_with_summaries_have_a_base_of_their_own_and_alone_are_scaled() -> None:
    records = pe.rotary_from_config(DEEPSEEK4)
    assert [one.attention for one in records] == ["window", "compressed", "compressed", "window"]
    assert [one.method for one in records] == ["default", "yarn", "yarn", "default"]
    np.testing.assert_allclose(
        [one.frequencies[1] for one in records[:2]], [1e4 ** (-1 / 32), 16e4 ** (-1 / 32)]
    )
    for one in records:
        assert (one.rotary_dim, one.side, one.layout, one.window) == (64, "last", "interleaved", 128)
        assert one.sink
        assert one.attention_factor == 1


def test_learned_frequencies_are_not_given_but_the_ladder_that_is_multiplied() -> None:
    mistral = {"model_type": "mistral_large4_text", "num_hidden_layers": 4,
               "qk_rope_head_dim": 64, "qk_nope_head_dim": 64,
               "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}  # fmt: skip
    records = pe.rotary_from_config(mistral)
    assert [one.kind for one in records] == ["learned rotary"] * 3 + ["none"]
    first = records[0]
    assert first.frequencies.size == 0
    assert "rotary_emb.alpha" in first.learned
    np.testing.assert_allclose(first.unscaled, 1e4 ** (-np.arange(32) / 32))
    assert first.temperature is not None
    with pytest.raises(ValueError, match="must be given by the config"):
        first.temperature([0])
    with pytest.raises(ValueError, match="they are learned"):
        pe.nn.RotaryEncoding.from_config(mistral, layer=0)


@pytest.mark.parametrize(
    ("temperature", "at", "wanted"),
    [
        (Temperature("steps", 0.1, 8192), 8191, 1.0),
        (Temperature("steps", 0.1, 8192), 16384, 1 + 0.1 * np.log(3)),
        (Temperature("steps from 1", 0.1, 8192), 8191, 1 + 0.1 * np.log(2)),
        (Temperature("beyond", 0.1, 128000), 127999, 1.0),
        (Temperature("beyond", 0.1, 128000), 255999, 1 + 0.1 * np.log(2)),
        (Temperature("power", 0.1, 2048), 2047, 2**0.1),
    ],
)
def test_a_temperature_is_that_of_its_formula(temperature: Temperature, at: int, wanted: float) -> None:
    np.testing.assert_allclose(temperature([at]), [wanted], rtol=1e-12)
    said = eval(
        temperature.formula.replace(" log", " * log"), {"p": at, "log": np.log, "floor": np.floor, "max": max}
    )
    np.testing.assert_allclose(said, wanted, rtol=1e-12)


def test_a_temperature_that_is_off_or_lacks_a_number_is_none() -> None:
    law = Law("steps from 1", "rate", "n", "still", "on")
    assert temperature_of(Keys({"rate": 0.1, "n": 8, "on": True}), law) == Temperature("steps from 1", 0.1, 8)
    assert temperature_of(Keys({"rate": 0.1, "n": 8, "on": False}), law) is None
    assert temperature_of(Keys({"rate": 0.1, "on": True}), law) is None
    assert {"steps", "learned"} <= FORMULAS.keys()


def test_llama4_heats_the_layers_that_do_not_turn() -> None:
    llama = {"model_type": "llama4_text", "head_dim": 128, "num_hidden_layers": 4, "attn_scale": 0.1,
             "floor_scale": 8192, "attn_temperature_tuning": True}  # fmt: skip
    records = pe.rotary_from_config(llama)
    assert [one.temperature is not None for one in records] == [False, False, False, True]
    assert all(
        one.temperature is None for one in pe.rotary_from_config(llama | {"attn_temperature_tuning": False})
    )


STILL = {
    "nemotron_h": ({"hybrid_override_pattern": "M-M*", "head_dim": 128}, [3]),
    "kimi_linear": ({"num_hidden_layers": 4, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
                     "linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1, 3, 4]}}, [1]),
    "granitemoehybrid": ({"num_hidden_layers": 3, "layer_types": ["mamba", "attention", "mamba"],
                          "hidden_size": 1536, "num_attention_heads": 12}, [1]),
    "jamba": ({"num_hidden_layers": 8, "attn_layer_period": 8, "attn_layer_offset": 4, "hidden_size": 4096,
               "num_attention_heads": 32}, [4]),
    "inkling2_text": ({"num_hidden_layers": 2, "head_dim": 128}, [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize("model_type", sorted(STILL))
def test_layers_that_attend_and_do_not_turn(model_type: str) -> None:
    config, attending = STILL[model_type]
    reading = read_config(config | {"model_type": model_type})
    assert {one.kind for one in reading.records} == {"none"}
    assert [one.layer for one in reading.records if one.attention != "linear"] == attending
    assert reading.instead.startswith(f"{model_type} turns nothing: ")
    assert all(bool(one.moving) == (one.attention == "linear") for one in reading.records)


def test_a_base_for_each_layer_is_that_of_the_layer() -> None:
    granite = {"model_type": "granite_swa", "num_hidden_layers": 3, "head_dim": 8, "sliding_window": 128,
               "layer_rope_theta": [0, 1e4, 5e5]}  # fmt: skip
    records = pe.rotary_from_config(granite)
    assert [one.kind for one in records] == ["none", "rotary", "rotary"]
    np.testing.assert_allclose([one.frequencies[1] for one in records[1:]], [1e4**-0.25, 5e5**-0.25])


TABLES = {
    "whisper": ({"encoder_layers": 4, "max_source_positions": 1500, "max_target_positions": 448},
                "whisper turns nothing: a sinusoidal table of 1,500 rows is added in the encoder, and a "
                "learned table of 448 rows is added in the decoder."),
    "vit": ({"num_hidden_layers": 12, "image_size": 224, "patch_size": 16},
            "vit turns nothing: a learned table of 197 rows is added to the patches of an image."),
    "xlm-roberta": ({"num_hidden_layers": 12, "max_position_embeddings": 514, "pad_token_id": 1},
                    "xlm-roberta turns nothing: a learned table of 512 rows is added to the text."),
    "hubert": ({"num_hidden_layers": 12, "num_conv_pos_embeddings": 128},
               "hubert turns nothing: a convolution over 128 positions is added to frames of sound."),
    "deberta-v2": ({"num_hidden_layers": 12, "relative_attention": True, "position_biased_input": False},
                   "deberta-v2 turns nothing: products with learned rows for distances are added to scores."),
    "mamba": ({"num_hidden_layers": 12},
              "mamba turns nothing: layers without scores have order from mamba."),
    "dinov3_vit": ({"num_hidden_layers": 12},
                   "dinov3_vit turns by row and column of a patch, and not by a place in a text."),
    "pixtral": ({"num_hidden_layers": 24},
                "pixtral turns by row and column of a patch, and not by a place in a text."),
    "siglip2": ({"text_config": {"model_type": "siglip2_text_model", "max_position_embeddings": 64}},
                "siglip2 turns nothing: a learned table of 64 rows is added to the text."),
    "baichuan": ({"num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40},
                 "baichuan turns nothing: a slope times the distance is added to scores."),
    "llama": ({"num_hidden_layers": 2, "head_dim": 8}, ""),
}  # fmt: skip


@pytest.mark.parametrize("model_type", sorted(TABLES))
def test_a_type_that_turns_nothing_is_answered(model_type: str) -> None:
    config, says = TABLES[model_type]
    reading = read_config(config | {"model_type": model_type})
    assert reading.instead == says
    assert all(one.tables == reading.tables for one in reading.records)


def test_baichuan_turns_at_the_width_of_its_smaller_model_and_has_slopes_at_any_other() -> None:
    config = {
        "model_type": "baichuan",
        "num_hidden_layers": 2,
        "num_attention_heads": 32,
        "model_max_length": 4096,
    }
    small = read_config(config | {"hidden_size": 4096})
    assert [one.kind for one in small.records] == ["rotary"] * 2
    assert (small.records[0].layout, small.records[0].rotary_dim, small.max_len) == ("halves", 128, 4096)
    assert [one.kind for one in read_config(config | {"hidden_size": 5120}).records] == ["alibi"] * 2
    with pytest.raises(ValueError, match="hidden_size must be there"):
        read_config(config)


def test_of_two_stacks_the_decoder_is_read_and_the_encoder_is_said_to_turn() -> None:
    halves = {name: {"model_type": "t5_gemma_module", "num_hidden_layers": n, "head_dim": 256}
              for name, n in (("encoder", 42), ("decoder", 3))}  # fmt: skip
    report = check_config({"model_type": "t5gemma", **halves})
    assert [one.window for one in report.reading.records] == [4096, None, 4096]
    found = [one for one in report.notes if one.kind == "uncomputed"]
    assert [one.key for one in found] == ["encoder"]
    assert "cross-attention does not turn" in found[0].says


def test_pairs_that_are_dealt_out_in_turn_end_with_a_slice_that_is_shorter() -> None:
    config = {"model_type": "qwen3_vl", "num_hidden_layers": 1, "head_dim": 64}
    assert pe.rotary_from_config(config)[0].sections == (11, 11, 10)
    said = {"rope_parameters": {"mrope_section": [24, 20, 20]}}
    assert any("64 pairs are not the 32" in one.says for one in check_config(config | said).findings)
