"""What rotary modules of one setting have in common: a table, and what a step needs of it."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pe_book.nn.modules import rotary_cache
from tests.nn.turned import HALF, LAYOUTS, agrees, encoder, normal

pytestmark = pytest.mark.usefixtures("no_table_from_before")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_modules_of_one_setting_have_one_table_and_each_cosine_once(layout):
    layers = [encoder(64, layout=layout, max_len=100) for _ in range(4)]
    layers += [copy.deepcopy(layers[0]), pickle.loads(pickle.dumps(layers[0]))]
    assert {id(layer.table) for layer in layers} == {id(layers[0].table)}
    assert layers[0].table.numel() == 100 * 64
    assert layers[0].table.untyped_storage().nbytes() == 4 * 100 * 64
    for layer in layers:  # as in one pass: the first makes a longer one, the others find it
        layer.turn(normal(1, 150, 64))
    assert {id(layer.table) for layer in layers} == {id(layers[0].table)}
    assert len(pickle.dumps(layers[0])) < 4000


@pytest.mark.parametrize(
    "other",
    [
        {"base": 500000.0}, {"ladder": "tensor2tensor"}, {"layout": "halves"}, {"attention_factor": 1.5},
        {"valid_len": 2048}, {"rotary_dim": 8}, {"frequencies": [1, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0]},
        {"device": "meta"},
    ],
)  # fmt: skip
def test_modules_of_other_settings_do_not_share(other):
    first, second = encoder(16), encoder(16, **other)
    assert first.table is not second.table
    x = normal(1, 5, 16)
    ours = first.turn(x)
    if not second.table.is_meta:
        second.turn(x)
    assert torch.equal(first.turn(x), ours)
    assert agrees(first)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_table_goes_with_the_last_module_that_has_it(layout):
    encoding = encoder(16, layout=layout)
    encoding(normal(1, 2, 5, 16), normal(1, 2, 5, 16))
    table = weakref.ref(encoding._held)
    del encoding
    gc.collect()
    assert table() is None
    assert not rotary_cache._tables


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_step_had_in_inference_mode_serves_one_that_trains(layout):
    encoding, x = encoder(16, layout=layout), normal(1, 2, 3, 16)
    with torch.inference_mode():
        expected = encoding.turn(x)
    leaf = x.clone().requires_grad_()
    result = encoding.turn(leaf)
    result.sum().backward()
    assert torch.equal(result, expected)
    torch.vmap(encoding.turn)(x[None])
    assert torch.equal(encoding.turn(x), expected)


SHARING = [
    {}, {"heads_first": False}, {"head_dim": 24, "rotary_dim": 16}, {"head_dim": 32, "rotary_dim": 16},
    {"head_dim": 32, "rotary_dim": 16, "side": "last"},
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, *HALF, torch.float64])
def test_layers_that_share_a_table_and_differ_otherwise_keep_their_own_turns(layout, dtype):
    layers = [encoder(**{"head_dim": 16, "layout": layout} | other) for other in SHARING]
    assert len({id(layer._held) for layer in layers}) == 1
    for start, heads in ((3, 4), (4, 4), (4, 2)):
        for layer in layers * 2:  # the second time each finds what the one before it left
            q, k = (normal(1, h, 4, layer.head_dim, dtype=dtype, seed=h) for h in (heads, 4))
            if layer.heads_first is False:
                q, k = (x.transpose(1, 2).contiguous() for x in (q, k))
            for x, ours in zip((q, k), layer(q, k, start=start), strict=True):
                assert torch.equal(ours, layer.turn(x, start=start))
            assert layer._held.call is not None


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype")
def test_a_call_like_the_one_before_is_checked_for_what_its_shape_does_not_say():
    encoding, place = encoder(16), np.array([7])
    q, k = normal(1, 2, 1, 16), normal(1, 2, 1, 16, seed=1)
    seventh = encoding(q, k, torch.from_numpy(place))
    place += 1  # torch counts no change of a tensor that is made by numpy
    eighth = encoding(q, k, torch.from_numpy(place))
    assert torch.equal(seventh[0], encoding.turn(q, start=7))
    assert all(x.is_contiguous() for x in seventh)
    assert torch.equal(eighth[0], encoding.turn(q, start=8))
    leaf = q.clone().requires_grad_()
    assert encoding(leaf, k, start=7)[0].requires_grad
    assert torch.vmap(lambda x: encoding(x, x, start=7)[0])(q[None]).shape == (1, 1, 2, 1, 16)
    with pytest.raises(ValueError, match="positions must have shape"):
        encoding(q, k, torch.tensor([7, 8]))
    with pytest.raises(ValueError, match="start must be left out beside positions"):
        encoding(q, k, torch.from_numpy(place), start=7)
    with pytest.raises(TypeError, match="positions must be an integer tensor"):
        encoding(q, k, torch.tensor([8.0]))
    encoding(q, k, start=7)
    with pytest.raises(TypeError, match="in_place must be"):
        encoding(q, k, start=7, in_place=0)
    with pytest.raises(TypeError, match="q must be a dense tensor, got a nested one"):
        encoding(torch.nested.nested_tensor([q[0]]), k, start=7)
    wider = encoder(24, rotary_dim=16)
    assert wider._held is encoding._held
    with pytest.raises(ValueError, match=r"q must have shape \(batch, heads, n, 24\)"):
        wider(q, k, start=7)
