"""What torch does to a whole model, done to every module: copied, saved, loaded, made on meta, grown."""

import copy
import io

import pytest

import pe_book as pe

torch = pytest.importorskip("torch")

from tests.nn.turned import encoder, normal

X, TABLE = normal(1, 2, 20, 8), normal(8, 16)  # batch, heads, rows, width
AT = range(20)


def added(module, x):
    """Twenty rows, which come from a table that is grown or are asked for by their positions."""
    return torch.cat([module(x[0]), module(x[0], positions=torch.arange(20))])


def sinusoidal(**more):
    return pe.nn.SinusoidalEncoding(8, max_len=16, dropout=0.0, layout="halves", base=99.0, **more)


def learned(**more):
    return pe.nn.LearnedEncoding(8, max_len=6, beyond="wrap", std=0.5, scale=True, dropout=0.0, **more)


def rotary(**more):
    return encoder(8, max_len=16, frequencies=[1, 0.5, 0.1, 0], **more)


# how it is made, what is asked of it, what it has in a checkpoint
MODULES = {
    "sinusoidal": (sinusoidal, added, []),
    "learned": (learned, added, ["weight"]),
    "rotary": (rotary, lambda module, x: module.turn(x), []),
    "ALiBi": (lambda **more: pe.nn.ALiBiBias(32, heads=range(8, 16), **more), lambda m, x: m(6), []),
    "T5": (lambda **more: pe.nn.T5Bias(3, bidirectional=True, **more), lambda m, x: m(6), ["weight"]),
    "KERPLE": (
        lambda **more: pe.nn.KERPLEBias(2, r1=[1.5, 0.5], r2=0.3, **more),
        lambda module, x: module(6),
        ["log_r1", "log_r2"],
    ),
    "Shaw": (
        lambda **more: pe.nn.RelativeVectors(8, clip=2, **more),
        lambda module, x: module.bias(x, AT, AT),
        ["key_vectors", "value_vectors"],
    ),
    "DeBERTa": (
        lambda **more: pe.nn.DisentangledBias(16, 2, convention="paper", **more),
        lambda module, x: module(x, x, TABLE.to(x), AT, AT),
        ["key_projection.weight", "query_projection.weight"],
    ),
}
WITH_A_TABLE = ["sinusoidal", "rotary"]


@pytest.mark.parametrize("name", MODULES)
def test_copied_saved_or_loaded_it_says_and_computes_the_same(name):
    make, call, state = MODULES[name]
    module, loaded, file = make(), make(), io.BytesIO()
    true = call(module, X)
    assert list(module.state_dict()) == state
    loaded.load_state_dict(module.state_dict())
    torch.save(module, file)
    file.seek(0)
    for other in (loaded, copy.deepcopy(module), torch.load(file, weights_only=False)):
        assert repr(other) == repr(module)
        assert torch.equal(call(other, X), true)
        assert not {p.data_ptr() for p in other.parameters()} & {p.data_ptr() for p in module.parameters()}


@pytest.mark.parametrize("name", MODULES)
def test_made_on_meta_it_computes_there_and_the_right_thing_once_it_is_loaded(name):
    make, call, _ = MODULES[name]
    real = make()
    with torch.device("meta"):
        inside = make()
    for module in (inside, make(device="meta")):
        assert call(module, X.to("meta")).is_meta
        module.to_empty(device="cpu").load_state_dict(real.state_dict(), assign=True)
        assert torch.equal(call(module, X), call(real, X))


def still(module):
    """As load_state_dict(assign=True) leaves it: the table is in no checkpoint."""


@pytest.mark.parametrize("name", WITH_A_TABLE)
@pytest.mark.parametrize(
    "act",
    [
        still,
        lambda module: module.to("cpu"),
        lambda module: module.half().to("cpu").float(),
        lambda module: module.to("cpu", torch.bfloat16).float(),
    ],
)
def test_a_table_on_meta_is_made_where_it_is_needed(name, act):
    make, call, _ = MODULES[name]
    module, real = make(device="meta"), make()
    act(module)
    assert module.table.is_meta == (act is still)
    assert torch.equal(call(module, X), call(real, X))
    assert torch.equal(module.table, real.table)


@pytest.mark.parametrize("name", WITH_A_TABLE)
def test_growing_in_inference_mode_leaves_a_module_that_trains(name):
    make, call, _ = MODULES[name]
    with torch.inference_mode():
        module = make()
        call(module, X)
    assert not module.table.is_inference()
    x = X.clone().requires_grad_()
    call(module, x).sum().backward()
    assert x.grad.isfinite().all()
