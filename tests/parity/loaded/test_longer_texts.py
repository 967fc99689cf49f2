"""The table of the how-to on longer texts against transformers: the keys that a block cannot be without.

And a block without its factor, or with null: what transformers does, and what a report says.
"""

import re
from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from tests.pages.sources import typed_rows

torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
ROPE_INIT_FUNCTIONS = pytest.importorskip("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS

ROWS = typed_rows("| `rope_type` | cached")
NEEDED = {kind.strip("`"): re.findall(r"`(\w+)`", needed) for kind, _, needed, _ in ROWS}
READ = {kind.strip("`"): re.findall(r"`(\w+)`", read) for kind, _, _, read in ROWS}
KEEPS = {kind.strip("`"): keeps for kind, keeps, _, _ in ROWS}
VALUES = {
    "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024,
    "short_factor": [1.0] * 16, "long_factor": [4.0] * 16,
    "beta_fast": 8.0, "beta_slow": 2.0, "truncate": False, "attention_factor": 1.5, "mscale": 0.5,
    "mscale_all_dim": 2.0,
}  # fmt: skip


def loaded(kind, keys, *lengths):
    """Frequencies and factor of a Llama with such a block, after texts of such lengths."""
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    block = {"rope_type": kind, "rope_theta": 10000.0} | {key: VALUES[key] for key in keys}
    config = transformers.LlamaConfig(
        hidden_size=64, num_attention_heads=2, max_position_embeddings=8192, rope_parameters=block
    )
    rotary = LlamaRotaryEmbedding(config)
    for n in lengths:
        rotary(torch.zeros(1), torch.arange(n)[None])
    return np.append(rotary.inv_freq.double().numpy(), rotary.attention_scaling)


def test_the_table_has_every_method_that_a_block_can_name():
    """All of transformers' but the one that lets slow pairs stand still at every length."""
    assert set(NEEDED) == set(ROPE_INIT_FUNCTIONS) - {"proportional"}


@pytest.mark.parametrize("kind", NEEDED)
def test_a_block_loads_with_these_keys_and_without_none_of_them(kind):
    loaded(kind, NEEDED[kind])
    for key in NEEDED[kind]:
        with pytest.raises(KeyError):
            loaded(kind, [other for other in NEEDED[kind] if other != key])


@pytest.mark.parametrize("kind", NEEDED)
def test_cached_keys_stay_right_where_the_table_says_so(kind):
    """Keys are right as long as the ladder of the model is the one that they were turned by."""
    keys = [*NEEDED[kind], *(key for key in READ[kind] if key.startswith("original"))]
    trained = 1024 if len(keys) > len(NEEDED[kind]) else 8192
    short, within, past, farther = (loaded(kind, keys, n) for n in (8, trained, 2 * trained, 3 * trained))
    np.testing.assert_array_equal(short, within)
    moves = not np.array_equal(within, past), not np.array_equal(past, farther)
    says = {"yes": (False, False), "not across the trained length": (True, False), "no": (True, True)}
    assert KEEPS[kind] in says, f"the row says {KEEPS[kind]!r}; this test knows {[*says]}"
    assert moves == says[KEEPS[kind]]


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind in READ for key in READ[kind]])
def test_every_other_key_of_the_table_changes_something(kind, key):
    """mscale acts only beside its partner."""
    with_it = [*NEEDED[kind], key]
    if key.startswith("mscale"):
        with_it += [{"mscale": "mscale_all_dim", "mscale_all_dim": "mscale"}[key]]
    if key == "truncate":
        with_it += ["beta_fast", "beta_slow"]
    without = [other for other in with_it if other != key]
    assert not np.array_equal(loaded(kind, with_it, 2048), loaded(kind, without, 2048))


def test_dynamic_takes_no_trained_length_from_the_block():
    both = ["factor", "original_max_position_embeddings"]
    np.testing.assert_array_equal(loaded("dynamic", ["factor"], 16384), loaded("dynamic", both, 16384))


def test_a_dynamic_ladder_stays_until_a_text_is_shorter_than_training():
    once, short, shorter = (loaded("dynamic", ["factor"], 16384, *after) for after in ((), (8192,), (8191,)))
    np.testing.assert_array_equal(once, short)
    np.testing.assert_array_equal(shorter, loaded("dynamic", ["factor"]))
    assert not np.array_equal(once, shorter)


def test_a_loaded_model_has_the_numbers_of_the_page():
    """The block of the answer in a small Qwen2, where the page says that its numbers stand."""
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    said = {
        "model_type": "qwen2", "num_hidden_layers": 1, "hidden_size": 256, "num_attention_heads": 2,
        "num_key_value_heads": 2, "max_position_embeddings": 32768, "rope_theta": 1e6, "rope_scaling": block,
    }  # fmt: skip
    sizes = {key: value for key, value in said.items() if key != "model_type"}
    config = transformers.Qwen2Config(vocab_size=16, intermediate_size=16, **sizes)
    rotary = transformers.Qwen2ForCausalLM(config).model.rotary_emb
    (record,) = pe.rotary_from_config(said)
    np.testing.assert_allclose(rotary.inv_freq.double().numpy(), record.frequencies, rtol=1e-6)
    np.testing.assert_allclose(rotary.attention_scaling, record.attention_factor, rtol=1e-12)


# ---------------------------------------------------------------- a factor that is missing, or null

SIZES = {
    "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": 4096,
}  # fmt: skip
LONG = {"original_max_position_embeddings": 1024}
LACKING: dict[str, dict[str, Any]] = {
    "linear": {}, "dynamic": {}, "yarn": LONG, "proportional": {},
    "longrope": {**LONG, "short_factor": [1.0] * 32, "long_factor": [2.0] * 32},
    "llama3": {**LONG, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
}  # fmt: skip
LOADS = {("yarn", "null"), ("longrope", "missing"), ("longrope", "null"), ("proportional", "missing")}


def block_of(method: str, said: str) -> dict[str, Any]:
    null = {"factor": None} if said == "null" else {}
    return {"rope_type": method, "rope_theta": 10000.0, **LACKING[method], **null}


def loads_without(block: dict[str, Any]) -> bool:
    """Whether transformers builds the frequencies of a Llama with a block."""
    try:
        config = transformers.LlamaConfig(**SIZES, rope_parameters=block)
        ROPE_INIT_FUNCTIONS[block["rope_type"]](config, "cpu")
    except (KeyError, TypeError):
        return False
    return True


def complains(block: dict[str, Any]) -> bool:
    """Whether a report refuses a block, or warns of its factor."""
    try:
        report = check_config({"model_type": "llama", **SIZES, "rope_parameters": block})
    except ValueError as error:
        return "factor must be there" in str(error)
    return any(one.key == "rope_parameters.factor" for one in report.findings)


@pytest.mark.parametrize("said", ["missing", "null"])
@pytest.mark.parametrize("method", LACKING)
def test_a_report_warns_where_transformers_stops(method: str, said: str) -> None:
    block = block_of(method, said)
    assert loads_without(dict(block)) == ((method, said) in LOADS)
    # a null that YaRN takes is told all the same: without the key it is refused
    assert complains(block) == (not loads_without(dict(block)) or (method, said) == ("yarn", "null"))
