"""The how-to on biases: its code runs when it is pasted, prints what its prose says, and its claims hold."""

import ast
import contextlib
import io
import itertools
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pe_book as pe

torch = pytest.importorskip("torch")
pytest.importorskip("torch.nn.attention")
SDPBackend, sdpa_kernel = torch.nn.attention.SDPBackend, torch.nn.attention.sdpa_kernel
scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention

PAGE = Path(pe.__file__).parents[1] / "docs" / "howto" / "add-a-bias.md"
TEXT = PAGE.read_text(encoding="utf-8")
EVERY = re.findall(r"```\{code-cell\} python\n(.*?)```", TEXT, re.DOTALL)
CELLS = [cell for cell in EVERY if ":tags:" not in cell]
ANSWER, OTHERS, LONG, CHECK, ROWS, SIXTEEN, PADDED, SINKS = CELLS
[FOLDED] = [cell.partition("]\n")[2] for cell in EVERY if "def moved" in cell]
[FLEX] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def printed(*cells: str) -> list[str]:
    """What cells print, one after another."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        names(*cells)
    return out.getvalue().splitlines()


def names(*cells: str) -> dict:
    found: dict = {}
    exec("\n".join(cells), found)
    return found


@pytest.fixture(scope="module")
def answered() -> dict:
    return names(ANSWER)


def test_the_answer_runs_when_it_is_pasted_and_the_form_by_keys_comes_first():
    fresh = subprocess.run([sys.executable, "-c", ANSWER], capture_output=True, text=True, check=True)
    assert fresh.stdout.splitlines() == ["torch.Size([1, 8, 1, 100]) torch.Size([1, 8, 100, 100])"]
    assert ANSWER.index("by_keys") < ANSWER.index("causal=True")


def test_every_cell_runs_after_the_answer():
    lines = printed(*CELLS)
    assert lines[1] == "torch.Size([1, 8, 100, 100]) ['weight'] tensor(True)"
    assert [line for line in lines if line.endswith(("True", "False"))] == [
        "in steps: True", "the definition: True", "True"
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
    assert f"{fails}: False" in printed(code)


def test_pieces_of_a_text_are_the_text(answered):
    q, k, v, attend = (answered[name] for name in ("q", "k", "v", "attend"))
    pieces = [attend(q[:, :, n : n + 25], k[:, :, : n + 25], v[:, :, : n + 25]) for n in range(0, 100, 25)]
    assert torch.allclose(torch.cat(pieces, 2), answered["whole"], atol=1e-5)


def test_t5_is_attention_without_a_division_and_a_window_hides(answered):
    found = names(ANSWER, OTHERS)
    q, k, v, bias = (found[name] for name in ("q", "k", "v", "bias"))
    true = pe.attention(q, k, v, scale=1, bias=bias.detach())
    y = scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=1.0)
    # scores that are not divided are eight times as large, and so is what float32 leaves of them
    assert (y.double() - torch.from_numpy(true)).abs().max() < 8e-5
    divided = scaled_dot_product_attention(q, k, v, attn_mask=bias)
    assert (divided - y).abs().max() > 0.1
    keys_seen = found["near"][0, 0].isfinite().sum(-1)
    assert keys_seen.max() == 16
    assert scaled_dot_product_attention(q, k, v, attn_mask=found["seen"]).isfinite().all()


def test_the_names_of_a_checkpoint_are_those_of_the_page():
    assert "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight" in TEXT
    layer = torch.nn.Module()
    layer.relative_attention_bias = pe.nn.T5Bias(8, bidirectional=True)
    assert list(layer.state_dict()) == ["relative_attention_bias.weight"]
    pe.nn.T5Bias(8, bidirectional=True).load_state_dict({"weight": torch.zeros(32, 8)})


def test_a_row_by_the_number_of_the_call_favours_far_keys():
    numbers = [ast.literal_eval(line.partition(" ")[2]) for line in printed(ANSWER, ROWS)[1:]]
    assert numbers == [[-1.5, -1.0, -0.5, 0.0], [0.0, -0.5, -1.0, -1.5]]
    with pytest.raises(ValueError, match="start must be given"):
        pe.nn.ALiBiBias(8)(1, 4)


def test_three_axes_are_right_and_a_bias_of_texts_is_taken_for_one_of_heads():
    alibi = pe.nn.ALiBiBias(8)
    q, k, v = torch.randn(3, 8, 8, 10, 4, generator=torch.Generator().manual_seed(0))
    bias = alibi(10, causal=True)
    whole = scaled_dot_product_attention(q, k, v, attn_mask=bias)
    assert torch.allclose(scaled_dot_product_attention(q, k, v, attn_mask=bias[0]), whole, atol=1e-5)
    texts = torch.randn(8, 10, 10, generator=torch.Generator().manual_seed(1))
    meant = scaled_dot_product_attention(q, k, v, attn_mask=texts[:, None])
    taken = scaled_dot_product_attention(q, k, v, attn_mask=texts)
    assert torch.allclose(taken, scaled_dot_product_attention(q, k, v, attn_mask=texts[None]), atol=1e-5)
    assert (taken - meant).abs().max() > 0.1
    with pytest.raises(RuntimeError):
        scaled_dot_product_attention(q[:3], k[:3], v[:3], attn_mask=texts[:3])


def test_a_mask_and_is_causal_together_are_refused_where_the_bias_records_gradients():
    q = torch.randn(3, 2, 8, 10, 8)
    t5 = pe.nn.T5Bias(8, bidirectional=False)
    with pytest.raises(RuntimeError, match="is_causal"):
        scaled_dot_product_attention(*q, attn_mask=t5(10), is_causal=True)
    words = " ".join(scaled_dot_product_attention.__doc__.split())
    assert "An error is thrown if both attn_mask and is_causal are set" in words
    assert "A float mask of the same type as query, key, value" in words


def test_is_causal_with_one_query_and_a_cache_sees_the_first_key_alone(answered):
    q, k, v = (answered[name] for name in "qkv")
    step = scaled_dot_product_attention(q[:, :, 99:], k, v, is_causal=True)
    assert torch.allclose(step, v[:, :, :1], atol=1e-6)


def test_in_bfloat16_numbers_are_shared_and_a_cpu_takes_float32_beside_it():
    full, short = (int(line.split()[1]) for line in printed(ANSWER, SIXTEEN)[1:])
    assert full == 4096
    assert short < 1024
    q, k, v = torch.randn(3, 2, 8, 10, 8).bfloat16()
    assert scaled_dot_product_attention(q, k, v, attn_mask=pe.nn.ALiBiBias(8)(10)).dtype == torch.bfloat16


def test_falcon_divides_the_sum(answered):
    q, k, v, alibi = (answered[name] for name in ("q", "k", "v", "alibi"))
    bias = pe.alibi_bias(pe.alibi_slopes(8), range(100), range(100))
    true = pe.attention(q, k, v, causal=True, bias=bias, scale_bias=True)
    y = scaled_dot_product_attention(q, k, v, attn_mask=alibi(100, causal=True) / 64**0.5)
    assert (y.double() - torch.from_numpy(true)).abs().max() < 1e-5


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
        found["attend_long"](q[:, :, 90:], k, v, alibi.by_keys(100))
    with pytest.raises(ValueError, match="q, k, by must have one length"):
        found["attend_long"](q, k, v, alibi.by_keys(1))  # would be spread over all keys


def test_a_column_of_sixteen_bits_is_refused_for_a_reason(answered):
    found = names(ANSWER, LONG, FOLDED)
    attend_long, alibi = found["attend_long"], found["alibi"]
    x = torch.randn(3, 2, 8, 1024, 64, generator=torch.Generator().manual_seed(2))
    whole = answered["attend"](*x)
    for dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(TypeError, match="sixteen bits"):
            attend_long(*x.to(dtype), alibi.by_keys(1024))
    assert (attend_long(*x.double(), alibi.by_keys(1024)) - whole).abs().max() < 1e-4
    lax = names(ANSWER, LONG.replace("if q.dtype not in", "if q.dtype in () and q.dtype not in"))
    off = (lax["attend_long"](*x.bfloat16(), alibi.by_keys(1024)).float() - whole).abs().max()
    masked = (answered["attend"](*x.bfloat16()).float() - whole).abs().max()
    assert masked < 0.05 < 0.5 < off
    assert all(0.5 < float(move) < 10 for move in found["moves"])


def test_the_first_rows_of_a_longer_text_are_rounded_more():
    lengths, errors = zip(*(map(float, line.split()) for line in printed(ANSWER, LONG)[1:]), strict=True)
    assert list(errors) == sorted(errors)
    assert errors[0] < 1e-5 < 1e-4 < errors[1] < 1e-3 < errors[2] < 1e-2
    assert lengths == (100, 8192, 131072)


def test_kept_tokens_are_seen_by_places_in_the_cache_alone(answered):
    text, cache = map(float, printed(ANSWER, SINKS)[1:])
    assert text < 1e-8 < 1e-3 < cache
    found = names(ANSWER, SINKS)
    assert found["text"][:5].tolist() == [0, 1, 2, 3, 4096 - 512]
    by_cache = found["alibi"].at(found["cache"][-1:], found["cache"])
    assert torch.allclose(by_cache, found["alibi"].by_keys(516))  # what attend adds behind this cache
    weights = [math.exp(-(515 - at) / 256) for at in range(516)]
    assert cache == pytest.approx(sum(weights[:4]) / sum(weights), rel=0.05)


def fast(q, k, v, **options) -> bool:
    """Whether torch answers by the kernel of the CPU that is fast."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        try:
            scaled_dot_product_attention(q, k, v, **options)
        except RuntimeError:
            return False
    return True


@pytest.mark.filterwarnings("ignore:Flash attention", "ignore:.*kernel not used")
def test_what_leaves_the_fast_path_of_the_cpu(answered):
    q, k, v, alibi = (answered[name] for name in ("q", "k", "v", "alibi"))
    for mask in (alibi(100), alibi(100, causal=True), alibi.by_keys(100)):
        assert fast(q, k, v, attn_mask=mask)
        assert not fast(q, k, v, attn_mask=mask[0])
    wider = torch.cat([q, q[..., :1]], -1)
    assert fast(wider, wider, wider, is_causal=True)
    assert not fast(wider, wider, v, is_causal=True)


def test_for_the_usual_sizes_the_two_rules_agree():
    away = torch.arange(-300, 300)
    for both in (True, False):
        exact, rounded = (
            pe.nn.t5_bucket(away, bidirectional=both, rule=rule) for rule in ("exact", "float32")
        )
        assert torch.equal(exact, rounded)


def test_the_float32_rule_takes_the_steps_of_the_libraries_on_this_device():
    """Also on a boundary: at 14 and 98 of this setting the rounding of the logarithm decides."""
    behind = torch.arange(4097)
    share = torch.log(behind.clamp(min=2).float() / 2) / math.log(686 / 2) * 3
    told = torch.where(behind < 2, behind, (2 + share.long()).clamp(max=4))
    sizes = {"n_buckets": 5, "max_distance": 686, "bidirectional": False}
    assert torch.equal(pe.nn.t5_bucket(-behind, **sizes, rule="float32"), told)
    apart = (pe.nn.t5_bucket(-behind, **sizes) != told).nonzero()[:, 0].tolist()
    assert set(apart) <= {14, 98}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_is_attention_with_the_mask():
    found = names(ANSWER, FLEX)
    assert torch.allclose(found["y"], found["whole"], atol=1e-5)


def attended(q, k, v, mask, scale=None):
    return scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def drawn():
    torch.manual_seed(4)
    return torch.randn(3, 2, 8, 100, 64)


def test_a_step_behind_a_padded_cache_hides_the_padding_in_its_row():
    q, k, v = drawn()
    alibi = pe.nn.ALiBiBias(8)
    whole = attended(q, k, v, alibi(100, causal=True))[:, :, -1:]
    real = torch.tensor([[0, 0, 0] + 100 * [1]]).bool()
    padded = [torch.cat([torch.randn(2, 8, 3, 64), x], 2) for x in (k, v)]
    row = alibi.by_keys(103)
    hidden = row.masked_fill(~real[:, None, None], -torch.inf)
    assert (attended(q[:, :, -1:], *padded, hidden) - whole).abs().max() < 1e-5
    assert (attended(q[:, :, -1:], *padded, row) - whole).abs().max() > 1e-3


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_decoder_of_t5_in_pieces_is_the_definition_within_ten_times_the_rounding(cut):
    q, k, v = drawn()
    t5 = pe.nn.T5Bias(8, bidirectional=False)
    torch.nn.init.normal_(t5.weight)
    cuts = [*range(0, 100, cut), 100]
    found = torch.cat(
        [
            attended(q[:, :, a:b], k[:, :, :b], v[:, :, :b], t5(b - a, b, start=a, causal=True), scale=1.0)
            for a, b in itertools.pairwise(cuts)
        ],
        2,
    )
    bias = pe.t5_bias(t5.weight.detach(), range(100), range(100), bidirectional=False)
    true = torch.from_numpy(pe.attention(q, k, v, causal=True, bias=bias, scale=1))
    assert (found - true).abs().max() < 1e-4


def test_a_bias_in_bfloat16_is_exact_with_the_heads_of_the_example_and_not_with_twelve():
    for heads, exact in ((8, True), (12, False)):
        bias = pe.nn.ALiBiBias(heads)(100)
        assert torch.equal(bias.bfloat16().float(), bias) is exact
