"""The block on scaling: under which names it is read, and what it makes of its ends and lists."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.reading import read_config, rotary_from_config
from tests.config.configs import LLAMA, LONGROPE, first


@pytest.mark.parametrize("block", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["type", "rope_type"])
def test_a_block_is_read_under_both_names(block: str, kind: str) -> None:
    record = first(**{block: {kind: "linear", "factor": 4}})
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(64) / 4)
    assert record.method == "linear"


def test_scores_of_deepseek_carry_the_second_factor_and_rows_none() -> None:
    block = {
        "rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    }  # fmt: skip
    record = first(model_type="deepseek_v3", rope_scaling=block)
    assert record.attention_factor == 1
    np.testing.assert_allclose(record.score_factor, (1 + 0.1 * np.log(40)) ** 2, rtol=1e-15)
    assert first(rope_scaling=block).score_factor == 1


@pytest.mark.parametrize(("length", "wanted"), [(4096, 1.1), (4097, 1.3)])
def test_phi_moe_has_a_factor_for_each_list_and_others_compute_it(length: int, wanted: float) -> None:
    block = {**LONGROPE, "short_mscale": 1.1, "long_mscale": 1.3, "original_max_position_embeddings": 4096}
    config = {**LLAMA, "max_position_embeddings": 8192, "rope_scaling": block}
    (record, *_) = rotary_from_config({**config, "model_type": "phimoe"}, length=length)
    assert record.attention_factor == wanted
    (record, *_) = rotary_from_config(config, length=length)
    assert record.attention_factor not in (1.1, 1.3)
    assert "rope_scaling.long_mscale" in read_config(config).ignored


@pytest.mark.parametrize(
    ("block", "lengths"),
    [
        ({"type": "dynamic", "factor": 2.0}, {None: 4096, 100: 4096, 4096: 4096, 4097: 4097, 9000: 9000}),
        (LONGROPE, {None: 1024, 1024: 1024, 1025: None}),
        ({"type": "linear", "factor": 2.0}, {None: None, 9000: None}),
        ({"type": "yarn", "factor": 2.0}, {None: None, 9000: None}),
        (None, {None: None, 9000: None}),
    ],
)
def test_a_record_says_for_which_lengths_its_frequencies_hold(block, lengths):
    trained = {"original_max_position_embeddings": 1024} if block is LONGROPE else {}
    for length, wanted in lengths.items():
        config = {**LLAMA, "rope_scaling": block, **trained}
        (record, *_) = rotary_from_config(config, length=length)
        assert record.valid_len == wanted
        if wanted is None:
            continue
        same, other = (rotary_from_config(config, length=n)[0].frequencies for n in (wanted, wanted + 1))
        np.testing.assert_array_equal(record.frequencies, same)
        assert (record.frequencies != other).any()
