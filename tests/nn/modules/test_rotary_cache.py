"""The table of a rotary module, whatever torch does to the module: casts, moves, checkpoints, graphs."""

import pytest

import pe_book as pe

torch = pytest.importorskip("torch")

from tests.nn.turned import LAYOUTS, agrees, encoder, normal

# ---------------------------------------------------------------- casts, moves, copies, checkpoints


CASTS = {
    "bfloat16": lambda m: m.bfloat16(),
    "double": lambda m: m.double(),
    "type": lambda m: m.type(torch.float16),
    "to_empty": lambda m: m.to_empty(device="cpu"),
    "parent": lambda m: torch.nn.Sequential(torch.nn.Linear(2, 2), m).bfloat16()[1],
    "share_memory": lambda m: m.share_memory(),
}


@pytest.mark.parametrize("change", CASTS.values(), ids=CASTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_cast_changes_the_table(change, layout):
    encoding = encoder(64, layout=layout, max_len=300)
    before = encoding.table.clone()
    changed = change(encoding)
    assert changed.table.dtype == torch.float32
    assert torch.equal(changed.table, before)
    assert agrees(changed)
    assert repr(changed) == repr(encoder(64, layout=layout, max_len=300))


def test_autocast():
    encoding, layer = encoder(64), torch.nn.Linear(64, 64)
    x = normal(2, 3, 40, 64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low, whole, fresh = layer(x), encoding.turn(x), encoder(64)
        turned_low = encoding.turn(low, start=10**6)
    assert low.dtype == turned_low.dtype == torch.bfloat16
    assert torch.equal(turned_low, encoding.turn(low.float(), start=10**6).bfloat16())
    assert torch.equal(whole, encoding.turn(x))
    assert torch.equal(fresh.table, encoding.table)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = encoder(8, max_len=16)


@pytest.mark.parametrize("key", ["inv_freq", "freqs"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_frequencies_of_another_library_are_noted_where_they_agree(key, dtype):
    model = Model()
    before, theirs = model.rotary.table.clone(), torch.tensor(pe.frequencies(8)).to(dtype)
    state = model.state_dict() | {f"rotary.{key}": theirs}
    with pytest.warns(UserWarning, match=f"^rotary.{key} was not loaded: .* they agree"):
        model.load_state_dict(state, strict=True)
    assert torch.equal(model.rotary.table, before)
    assert f"rotary.{key}" in state
    with pytest.warns(UserWarning, match="^inv_freq"):
        encoder(8, frequencies=[1, 0.5, 0.1, 0]).load_state_dict({"inv_freq": torch.tensor([1, 0.5, 0.1, 0])})


@pytest.mark.parametrize(
    ("theirs", "says"),
    [
        (
            pe.frequencies(8, base=500000.0),
            "rotary.inv_freq must be .* 0.001 for pair 3, got 5.3.*e-05; the module",
        ),
        (pe.frequencies(8) * [1, 1, 0.98, 1], "0.01 for pair 2, got 0.0098; .* frequencies="),
        (pe.frequencies(6), r"rotary.inv_freq must have shape \(4,\), got \(3,\)"),
    ],
)
def test_other_frequencies_in_a_checkpoint_are_refused(theirs, says):
    model = Model()
    with pytest.raises(RuntimeError, match=says):
        model.load_state_dict(model.state_dict() | {"rotary.inv_freq": torch.tensor(theirs)})
    with pytest.raises(RuntimeError, match="Unexpected key"):
        model.load_state_dict(model.state_dict() | {"rotary.weight": torch.zeros(4)})


# ---------------------------------------------------------------- graphs


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_compiled_module_takes_any_length_and_step(layout):
    torch._dynamo.reset()
    encoding, graphs = encoder(8, layout=layout, max_len=16, frequencies=[1, 0.5, 0.1, 0]), []
    run = torch.compile(encoding, backend=lambda graph, _: graphs.append(0) or graph, fullgraph=True)
    for n, start in [(3, 0), (5, 0), (9, 2), (40, 0), (1, 3), (1, 4), (1, 5), (1, 16), (1, 30)]:
        q, k = normal(2, 4, n, 8), normal(2, 2, n, 8, dtype=torch.bfloat16)
        expected = encoding(q, k, torch.arange(start, start + n))
        encoding.table = encoding.table[:16]
        for ours, true in zip(run(q, k, start=start), expected, strict=True):
            torch.testing.assert_close(ours, true, rtol=1e-6, atol=1e-6)
    assert len(graphs) <= 6
    assert len(encoding.table) == 16
    q = normal(2, 4, 5, 8)
    places, expected = torch.tensor([[0, 7, 900, 3, 2]]), encoding.turn(q, torch.tensor([0, 7, 900, 3, 2]))
    torch.testing.assert_close(run(q, q, places)[1], expected, rtol=1e-6, atol=1e-6)
    written = q.clone()
    torch.compile(encoding.turn, backend="aot_eager", fullgraph=True)(written, places, in_place=True)
    torch.testing.assert_close(written, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_exported_program_takes_any_length(layout):
    from torch.export import Dim, export

    encoding = encoder(8, rotary_dim=6, layout=layout, max_len=16)
    shapes = {2: Dim("n", max=5000)}
    program = export(encoding, (normal(2, 4, 5, 8), normal(2, 1, 5, 8)), dynamic_shapes=(shapes, shapes))
    for n in (5, 17, 300):
        q, k = normal(2, 4, n, 8), normal(2, 1, n, 8)
        for ours, true in zip(program.module()(q, k), encoding(q, k), strict=True):
            torch.testing.assert_close(ours, true, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_a_trace_outlives_the_table():
    encoding = encoder(8, max_len=4)
    traced = torch.jit.trace(lambda x, places: encoding.turn(x, places), (normal(3, 8), torch.arange(3)))
    x, places = normal(3, 8, seed=1), torch.tensor([9, 10**6, 2])
    torch.testing.assert_close(traced(x, places), encoding.turn(x, places), rtol=1e-6, atol=1e-6)
