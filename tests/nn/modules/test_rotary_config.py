"""The rotary module from a model's config: what transformers turns with, or a refusal."""

import importlib
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import pe_book as pe
from pe_book.family.context_extension import scale_frequencies

torch = pytest.importorskip("torch")

from pe_book.nn import RotaryEncoding
from pe_book.nn.modules.rotary_config import arguments_of
from tests.nn.turned import defined, normal

LLAMA = {"model_type": "llama", "head_dim": 16, "num_hidden_layers": 2, "max_position_embeddings": 64}
DYNAMIC = LLAMA | {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
LONG = {
    "model_type": "phi3", "hidden_size": 32, "num_attention_heads": 2, "max_position_embeddings": 256,
    "original_max_position_embeddings": 64,
    "rope_scaling": {"type": "longrope", "short_factor": [1.0 + i / 8 for i in range(8)],
                     "long_factor": [2.0 + i for i in range(8)]},
}  # fmt: skip


def made(config, **more):
    return RotaryEncoding.from_config(config, **{"layer": 0, "heads_first": True, **more})


def turns_like(encoding, omega, factor=1.0, places=range(40)):
    x = normal(2, len(places), 16)
    true = factor * defined(x, places, layout="halves", frequencies=omega)
    torch.testing.assert_close(encoding.turn(x, torch.tensor(places)).double(), true, rtol=0, atol=1e-5)
    return True


def test_every_way_to_give_a_config_is_one_module(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    ways = [LLAMA, tmp_path, str(tmp_path), tmp_path / "config.json", SimpleNamespace(to_dict=lambda: LLAMA)]
    for way in ways:
        encoding = made(way, max_len=8)
        assert repr(encoding) == repr(made(LLAMA, max_len=8))
        assert (encoding.layout, encoding.heads_first, encoding.max_len) == ("halves", True, 8)
        assert turns_like(encoding, pe.frequencies(16))


def test_a_slice_its_side_and_its_factor_come_along():
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
    config = LLAMA | {"rope_scaling": yarn}
    record = pe.rotary_from_config(config)[1]
    assert record.attention_factor > 1.1
    assert turns_like(made(config, layer=1), record.frequencies, record.attention_factor)
    gptj = {"model_type": "gptj", "n_embd": 32, "n_head": 2, "n_layer": 1, "rotary_dim": 6, "n_positions": 64}
    encoding = made(gptj)
    assert (encoding.layout, encoding.rotary_dim, encoding.side) == ("interleaved", 6, "first")


@pytest.mark.parametrize("length", [None, 10, 64, 65, 500])
def test_dynamic_scaling_is_that_of_the_length_and_is_refused_past_it(length):
    encoding, end = made(DYNAMIC, length=length), max(length or 0, 64)
    how = {"method": "dynamic", "factor": 2, "original_len": 64, "length": end}
    omega, _ = scale_frequencies(pe.frequencies(16), **how)
    assert (end > 64) != np.allclose(omega, pe.frequencies(16))
    assert turns_like(encoding, omega, places=range(end))
    x, rows = normal(1, 2, 16), normal(1, end + 1, 16)
    for call in (
        lambda: encoding.turn(x, start=end - 1),
        lambda: encoding.turn(x, torch.tensor([3, end])),
        lambda: encoding(rows, rows),
    ):
        with pytest.raises(
            ValueError, match=f"positions must be below valid_len={end}, got {end}: .* its length"
        ):
            call()


def test_longrope_is_short_to_the_trained_length_and_long_for_every_longer_text():
    for length in (None, 64):
        record = pe.rotary_from_config(LONG, length=length)[0]
        encoding = made(LONG, length=length)
        assert turns_like(encoding, record.frequencies, record.attention_factor)
        with pytest.raises(ValueError, match="valid_len=64, got 64"):
            encoding.turn(normal(1, 1, 16), start=64)
    long = pe.rotary_from_config(LONG, length=65)[0]
    assert not np.allclose(long.frequencies, record.frequencies)
    assert turns_like(made(LONG, length=65), long.frequencies, long.attention_factor, range(30, 300))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_what_cannot_be_read_is_not_wrong_in_silence(backend):
    torch._dynamo.reset()
    encoding, x = made(DYNAMIC, max_len=128), normal(1, 3, 16)
    places = torch.tensor([5, 63, 64])
    expected = encoding.turn(x[:, :2], places[:2])
    run = torch.compile(lambda x, places: encoding.turn(x, places), backend=backend, fullgraph=True)
    compiled, (mapped,) = run(x, places), torch.vmap(encoding.turn)(x[None], places[None])
    for found in (compiled, mapped):
        torch.testing.assert_close(found[:, :2], expected)
        assert found[:, 2].isnan().all()


@pytest.mark.parametrize(
    ("config", "more", "error", "says"),
    [
        (LLAMA, {"layer": 2}, ValueError, "layer must be a whole number from 0 to 1, got 2"),
        ({"model_type": "gpt2", "n_layer": 1}, {}, ValueError, "one that turns, got 0: kind 'learned'"),
        ({"model_type": "unheard-of", "head_dim": 16}, {}, ValueError, "'unheard-of'"),
    ],
)  # fmt: skip
def test_what_a_module_cannot_be_made_from_is_refused(config, more, error, says):
    with pytest.raises(error, match=says):
        made(config, **more)


def test_the_type_that_a_refusal_asks_for_makes_the_module():
    unknown = LLAMA | {"model_type": "unheard-of"}
    with pytest.raises(ValueError, match=r"as in (assume='llama')") as refusal:
        made(unknown)
    (named,) = re.findall(r"as in (assume='llama')", str(refusal.value))
    assert turns_like(eval(f"made(unknown, {named})", {"made": made, "unknown": unknown}), pe.frequencies(16))


ACTING = [
    ({"model_type": "ministral3"}, "temperature", "queries are multiplied by"),
    ({"model_type": "qwen", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1,
      "use_logn_attn": True}, "use_logn_attn", r"log\(position\)"),
    (LLAMA | {"dual_chunk_attention_config": {"chunk_size": 64}}, "dual_chunk_attention_config", "vLLM"),
    ({"model_type": "qwen2_vl", "hidden_size": 32, "num_attention_heads": 2,
      "max_position_embeddings": 64, "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}},
     "mrope_section", "a position has 3 coordinates, which are equal in a text without images"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "key", "does"), ACTING, ids=[f"{key}-{i}" for i, (_, key, _) in enumerate(ACTING)]
)
def test_a_factor_that_no_record_has_is_refused_until_the_caller_leaves_it_out(config, key, does):
    with pytest.raises(ValueError, match=f"acts beside the turns, got .*{does}") as refusal:
        made(config)
    told = re.search(r"RotaryEncoding\(\*\*(arguments_of\(.*?\))\), of ([a-z_.]+)", str(refusal.value))
    assert f"leave_out=['{key}']" in told[1]
    own = importlib.import_module(told[2]).arguments_of
    arguments = eval(told[1], {"config": config, "arguments_of": own})  # the cure, as it is told
    encoding = RotaryEncoding(**arguments, heads_first=True)
    record = pe.rotary_from_config(config)[0]
    np.testing.assert_array_equal(encoding._frequencies(), record.frequencies)
    assert (encoding.attention_factor, encoding.rotary_dim, encoding.side, encoding.layout) == (
        record.attention_factor, record.rotary_dim, record.side, record.layout
    )  # fmt: skip
    for way in (key, f"rope_parameters.{key}"):
        assert repr(RotaryEncoding(**arguments_of(config, 0, None, way), heads_first=True)) == repr(encoding)
