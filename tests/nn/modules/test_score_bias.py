"""Modules of biases: the definitions' values in four axes, steps, batches, casts, graphs, refusals."""

import copy
import math

import numpy as np
import pytest

import pe_book as pe

torch = pytest.importorskip("torch")

from tests.nn.turned import normal

MODULES = {
    "ALiBi": lambda: pe.nn.ALiBiBias(6),
    "ALiBi, some heads": lambda: pe.nn.ALiBiBias(32, heads=range(8, 16)),
    "ALiBi, half as steep": lambda: pe.nn.ALiBiBias(3, bias_max=4),
    "T5": lambda: pe.nn.T5Bias(3, bidirectional=True),
    "T5 decoder": lambda: pe.nn.T5Bias(3, bidirectional=False, n_buckets=8, max_distance=20, rule="float32"),
    "KERPLE": lambda: pe.nn.KERPLEBias(2, r1=[1.5, 0.5], r2=0.3),
}


def made(name):
    torch.manual_seed(0)
    module = MODULES[name]()
    if name.startswith("T5"):
        torch.nn.init.normal_(module.weight)
    return module


def defined(module, queries, keys):
    """What numpy has for the same numbers."""
    if isinstance(module, pe.nn.ALiBiBias):
        slopes = pe.alibi_slopes(module.n_heads, bias_max=module.bias_max)[list(module.heads)]
        return pe.alibi_bias(slopes, queries, keys)
    if isinstance(module, pe.nn.KERPLEBias):
        return pe.kerple_bias(module.r1.detach().numpy(), module.r2.detach().numpy(), queries, keys)
    return pe.t5_bias(module.weight.detach().numpy(), queries, keys, max_distance=module.max_distance,
                      bidirectional=module.bidirectional, rule=module.rule)  # fmt: skip


def hidden(bias, queries, keys):
    ahead = np.asarray(keys)[..., None, None, :] > np.asarray(queries)[..., None, :, None]
    return np.where(ahead, -np.inf, bias)


def same(found, true):
    assert found.dtype == torch.float32
    assert found.dim() == 4
    np.testing.assert_allclose(found.detach().double().numpy(), true, rtol=1e-6)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    ("n_q", "n_k", "start"),
    [(5, None, None), (5, 5, 0), (1, None, 100), (3, None, 4), (2, 9, 3), (4, 2, 0), (1, 1, 0)],
)
def test_by_lengths_it_is_the_definition_of_consecutive_positions(name, n_q, n_k, start):
    module = made(name)
    first = start or 0
    queries, keys = range(first, first + n_q), range(n_k or first + n_q)
    true = defined(module, queries, keys)[None]
    for context in (torch.no_grad(), torch.enable_grad()):  # numpy spreads it, or torch does
        with context:
            same(module(n_q, n_k, start=start), true)
            if first + n_q > len(keys):  # a query without its own key
                with pytest.raises(ValueError, match=r"start \+ n_q must be at most n_k"):
                    module(n_q, n_k, start=start, causal=True)
            else:
                same(module(n_q, n_k, start=start, causal=True), hidden(true, queries, keys))


@pytest.mark.parametrize("name", MODULES)
def test_by_positions_it_is_the_definition_text_by_text(name):
    module = made(name)
    padded = [[0, 0, 0, 1], [0, 1, 2, 3]]
    with torch.no_grad():
        same(module.at(padded), defined(module, padded, padded))
        same(
            module.at(torch.tensor(padded), causal=True),
            hidden(defined(module, padded, padded), padded, padded),
        )
        same(module.at([3], [[0, 1], [7, 9]]), defined(module, [3], [[0, 1], [7, 9]]))
        assert torch.equal(module.at(range(5)), module(5))


@pytest.mark.parametrize("name", MODULES)
def test_a_buffer_is_filled_and_returned(name):
    module = made(name)
    with torch.no_grad():
        for n_q, n_k in ((5, 5), (1, 5), (5, 1)):
            room = torch.full((1, len(module.heads), n_q, n_k), math.nan)
            assert module(n_q, n_k, start=0, out=room) is room
            assert torch.equal(room, module(n_q, n_k, start=0))


@pytest.mark.parametrize("name", MODULES)
def test_by_offset_is_what_each_pair_has(name):
    module = made(name)
    with torch.no_grad():
        vector, whole = module.by_offset(range(-4, 5)), module(5)
        for i in range(5):
            for j in range(5):
                assert torch.equal(vector[:, j - i + 4], whole[0, :, i, j])


def test_by_keys_takes_lengths_or_positions_of_each_text():
    alibi, padded = pe.nn.ALiBiBias(32, heads=range(8, 16)), [[0, 0, 1], [0, 1, 2]]
    same(alibi.by_keys(keys=padded), pe.alibi_key_bias(pe.alibi_slopes(32)[8:16], padded))
    assert alibi.by_keys(5).shape == (1, 8, 1, 5)
    assert torch.equal(alibi.by_keys(keys=range(5)), alibi.by_keys(5))


# ---------------------------------------------------------------- training, casts, states


@pytest.mark.parametrize("name", ["T5", "T5 decoder", "KERPLE"])
def test_spread_or_looked_up_the_gradients_are_the_same(name):
    module, other = made(name), made(name)
    weights = normal(1, len(module.heads), 9, 9)
    (module(9) * weights).sum().backward()
    (other.at(range(9)) * weights).sum().backward()
    for one, two in zip(module.parameters(), other.parameters(), strict=True):
        assert one.grad.abs().max() > 0
        assert torch.allclose(one.grad, two.grad, atol=1e-5)


def test_numbers_of_kerple_stay_above_zero_whatever_a_step_does():
    module = pe.nn.KERPLEBias(2, r2=0.5)
    assert module.r2.tolist() == pytest.approx([0.5, 0.5])
    before = module(5).detach()
    optimiser = torch.optim.SGD(module.parameters(), lr=0.05)
    for sign in (1, -1):
        optimiser.zero_grad()
        (sign * module(5)).sum().backward()
        optimiser.step()
        assert (module.r1 > 0).all()
        assert (module.r2 > 0).all()
    assert not torch.equal(module(5), before)
    module.reset_parameters()
    assert torch.equal(module(5), before)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_whatever_the_model_is_cast_to_a_bias_is_float32(name, dtype):
    module = made(name)
    before = module(7).detach()
    cast = copy.deepcopy(module).to(dtype)
    assert cast(7).dtype == torch.float32
    if name.startswith("ALiBi"):
        assert torch.equal(cast(7), before)
    if name.startswith("T5"):
        assert torch.equal(cast(7), copy.deepcopy(module).to(dtype).float()(7))


def test_the_weight_of_a_checkpoint_loads_by_the_name_it_has_there():
    learned = torch.randn(32, 2)
    attention = torch.nn.ModuleDict({"relative_attention_bias": pe.nn.T5Bias(2, bidirectional=True)})
    attention.load_state_dict({"relative_attention_bias.weight": learned})
    assert torch.equal(attention["relative_attention_bias"](3)[0, :, 1, 1], learned[0])
    with pytest.raises(RuntimeError, match="size mismatch"):
        pe.nn.T5Bias(4, bidirectional=True).load_state_dict({"weight": learned})


# ---------------------------------------------------------------- graphs


@pytest.mark.parametrize("name", ["ALiBi", "T5", "T5 decoder", "KERPLE"])
def test_in_a_graph_the_bias_is_the_same_and_steps_of_decoding_share_one(name):
    torch._dynamo.reset()
    module, graphs = made(name), []
    run = torch.compile(module, backend=lambda graph, _: graphs.append(0) or graph, fullgraph=True)
    with torch.no_grad():
        for start in range(20):
            assert torch.equal(run(1, start=start), module(1, start=start))
        assert len(graphs) <= 3
        for n in (5, 6, 7):
            assert torch.equal(run(n, causal=True), module(n, causal=True))
            piece = {"start": n - 2, "causal": True}  # two queries behind a cache
            assert torch.equal(run(2, n, **piece), module(2, n, **piece))


# ---------------------------------------------------------------- refusals

REFUSED = {
    "heads must be a whole number from 0 to 7, got 8": lambda: pe.nn.ALiBiBias(8, heads=range(8, 16)),
    "heads must name each head once": lambda: pe.nn.ALiBiBias(8, heads=[1, 1]),
    "missing .*bidirectional": lambda: pe.nn.T5Bias(2),
    "n_buckets must be even": lambda: pe.nn.T5Bias(2, bidirectional=True, n_buckets=7),
    "r2 must be one number, or one for each of 2 heads": lambda: pe.nn.KERPLEBias(2, r2=[1.0, 2.0, 3.0]),
    "start must be given for 1 queries and 101 keys": lambda: pe.nn.ALiBiBias(2)(1, 101),
    r"got start=100, n_q=3, n_k=100; start=n_k - n_q fits": lambda: causal(3, 100, start=100),
    "n_k or keys must be given, not both": lambda: pe.nn.ALiBiBias(2).by_keys(),
    r"out must be torch.float32 of shape \(1, 2, 3, 3\)": lambda: causal(3, out=torch.zeros(2, 3, 3)),
    r"queries must have shape \(n,\) or \(batch, n\), got": lambda: pe.nn.ALiBiBias(2).at(
        torch.zeros(2, 8, 3)
    ),
    "out must be contiguous": lambda: causal(3, out=torch.zeros(1, 2, 3, 3).mT),
    "out must be left out where gradients": lambda: pe.nn.KERPLEBias(2)(3, out=torch.zeros(1, 2, 3, 3)),
}


def causal(*lengths, **named):
    return pe.nn.ALiBiBias(2)(*lengths, causal=True, **named)


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_is_named(words):
    with pytest.raises((ValueError, TypeError), match=words):
        REFUSED[words]()
