"""The how-to on biases: its code runs when it is pasted, prints what its prose says, and its claims hold."""

import ast
import math
import re

import pytest

import pe_book as pe
from tests.howto.cells import cells, names, said, text

torch = pytest.importorskip("torch")
scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention

ANSWER, OTHERS, SINK, _, LONG, FOLDED, CHECK, ROWS, SIXTEEN, PADDED, SINKS = cells("add-a-bias")
[FLEX] = re.findall(r"```python\n(.*?)```", text("add-a-bias"), re.DOTALL)


@pytest.fixture(scope="module")
def answered() -> dict:
    return names(ANSWER)


def test_every_cell_runs_after_the_answer():
    lines = said(ANSWER, OTHERS, SINK, LONG, CHECK, ROWS, SIXTEEN, PADDED, SINKS)
    one_query, whole = "torch.Size([1, 8, 1, 100])", "torch.Size([1, 8, 100, 100])"
    assert lines[:4] == [one_query, whole, whole, "['weight'] tensor(True)"]
    assert [line for line in lines if line.endswith(("True", "False"))] == [
        "True", "True", "False", "in steps: True", "the definition: True", "True"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("right", "planted", "fails"),
    [
        ("start=seen - new", "start=0", "in steps"),
        ("pe.alibi_slopes(8)", "pe.alibi_slopes(16)[:8]", "the definition"),
        ("new == 1", "new <= 2", "in steps"),
        ("causal=True)\n    return", ")\n    return", "the definition"),
        ("alibi.by_keys(seen)", "alibi(1, seen, start=0)", "in steps"),
        ("alibi.by_keys(seen)", "alibi.by_keys(seen).flip(-1)", "in steps"),
        ("ALiBiBias(8)", "ALiBiBias(8, bias_max=4)", "the definition"),
    ],
)
def test_the_check_fails_where_a_mistake_is_planted(right, planted, fails):
    code = (ANSWER + CHECK).replace(right, planted)
    assert code != ANSWER + CHECK
    assert f"{fails}: False" in said(code)


def test_t5_is_attention_without_a_division_and_a_window_hides():
    found = names(ANSWER, OTHERS)
    q, k, v, bias = (found[name] for name in ("q", "k", "v", "bias"))
    true = pe.attention(q, k, v, scale=1, bias=bias.detach())
    y = scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=1.0)
    # scores that are not divided are eight times as large, and so is what float32 leaves of them
    assert (y.double() - torch.from_numpy(true)).abs().max() < 8e-5
    assert found["near"][0, 0].isfinite().sum(-1).max() == 16


def test_a_row_by_the_number_of_the_call_favours_far_keys():
    numbers = [ast.literal_eval(line.partition(" ")[2]) for line in said(ANSWER, ROWS)[2:]]
    assert numbers == [[-1.5, -1.0, -0.5, 0.0], [0.0, -0.5, -1.0, -1.5]]
    with pytest.raises(ValueError, match="start must be given"):
        pe.nn.ALiBiBias(8)(1, 4)


def test_in_bfloat16_numbers_are_shared_and_a_cpu_takes_float32_beside_it():
    full, short = (int(line.split()[1]) for line in said(ANSWER, SIXTEEN)[2:])
    assert full == 4096
    assert short < 1024
    q, k, v = torch.randn(3, 2, 8, 10, 8).bfloat16()
    assert scaled_dot_product_attention(q, k, v, attn_mask=pe.nn.ALiBiBias(8)(10)).dtype == torch.bfloat16


def test_padding_is_forgiven_in_positions_and_not_in_what_is_seen():
    found = names(ANSWER, CHECK, PADDED)
    assert found["close"](found["y"][:, :, 3:], found["whole"])
    seen = scaled_dot_product_attention(*found["more"], attn_mask=found["alibi"](103, causal=True))
    assert not found["close"](seen[:, :, 3:], found["whole"])
    kept = pe.window_mask(range(103), range(103), window=16, sinks=2)
    where = (found["real"].int().cumsum(-1) - 1).clamp(min=0)[0].numpy()
    assert kept[102].nonzero()[0][:2].tolist() == [0, 1]  # padding
    told = pe.window_mask(where, where, window=16, sinks=2)
    assert told[102, 3:5].all()


def test_a_text_too_long_for_a_mask_is_attended_by_one_more_column(answered):
    found = names(ANSWER, LONG)
    q, k, v, alibi = (answered[name] for name in ("q", "k", "v", "alibi"))
    bare = found["attend_long"](q, k, v, alibi.by_keys(100))
    assert torch.allclose(bare, answered["whole"], atol=1e-4)
    wrong = names(ANSWER, LONG.replace("k[..., d] = d**0.5 *", "k[..., d] ="))["attend_long"]
    assert (wrong(q, k, v, alibi.by_keys(100)) - bare).abs().max() > 1e-2
    with pytest.raises(ValueError, match="q, k, by must have one length"):
        found["attend_long"](q, k, v, alibi.by_keys(1))  # would be spread over all keys


def test_a_column_of_sixteen_bits_is_refused_for_a_reason(answered):
    found = names(ANSWER, LONG, FOLDED)
    attend_long, by = found["attend_long"], found["alibi"].by_keys(1024)
    x = torch.randn(3, 2, 8, 1024, 64, generator=torch.Generator().manual_seed(2))
    assert (attend_long(*x.double(), by) - answered["attend"](*x)).abs().max() < 1e-4
    for dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(TypeError, match="sixteen bits"):
            attend_long(*x.to(dtype), by)
    assert all(0.5 < float(move) < 10 for move in found["moves"])


def test_kept_tokens_are_seen_by_places_in_the_cache_alone(answered):
    text, cache = map(float, said(ANSWER, SINKS)[2:])
    assert text < 1e-8 < 1e-3 < cache
    found = names(ANSWER, SINKS)
    assert found["text"][:5].tolist() == [0, 1, 2, 3, 4096 - 512]
    by_cache = found["alibi"].at(found["cache"][-1:], found["cache"])
    assert torch.allclose(by_cache, found["alibi"].by_keys(516))  # what attend adds behind this cache
    weights = [math.exp(-(515 - at) / 256) for at in range(516)]
    assert cache == pytest.approx(sum(weights[:4]) / sum(weights), rel=0.05)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_is_attention_with_the_mask():
    found = names(ANSWER, FLEX)
    assert torch.allclose(found["y"], found["whole"], atol=1e-5)
