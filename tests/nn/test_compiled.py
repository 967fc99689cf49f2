"""Both modules inside torch.compile and torch.export: one graph, few of them, any length, nothing mutated."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from pe_book.nn import LearnedEncoding, SinusoidalEncoding, table

IMPORTED = """
import sys, torch
from pe_book import nn
[getattr(nn, name) for name in nn.__all__]
nn.RotaryEncoding(8, layout="halves").turn(torch.zeros(3, 8)), nn.SinusoidalEncoding(8)(torch.zeros(1, 3, 8))
print(*sys.modules)
"""


def test_the_compiler_is_not_imported_before_something_is_compiled():
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert "torch.nn" in found
    assert not {"torch._dynamo", "sympy", "matplotlib", "numba"} & set(found)


@pytest.fixture(autouse=True)
def _no_graphs_from_before():
    torch._dynamo.reset()


def compiled(module, backend="eager"):
    """It compiled, and a list that has an entry for each graph; neither backend needs a C++ compiler."""
    graphs, inner = [], torch._dynamo.lookup_backend(backend)

    def counting(graph, inputs):
        graphs.append(graph)
        return inner(graph, inputs)

    return torch.compile(module, backend=counting, fullgraph=True), graphs


def expected(x, start=0, dtype=torch.float32):
    return (x.double() + table(x.shape[-2], 8, start=start, dtype=dtype).double()).to(x.dtype)


def embeddings(*shape):
    return torch.randn(*shape, 8, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_step_of_cached_decoding_is_not_compiled_anew(dtype):
    module = SinusoidalEncoding(8, max_len=16, dropout=0.0, dtype=dtype)
    run, graphs = compiled(module, "aot_eager")
    for start in range(40):  # from inside the table to past its end
        x = embeddings(2, 1)
        torch.testing.assert_close(run(x, start=start), expected(x, start, dtype), rtol=1e-6, atol=1e-6)
    assert len(graphs) <= 3  # the first step, any step inside the table, any step past it
    assert len(module.table) == 16  # no graph mutates it


def test_positions_in_a_graph():
    module = SinusoidalEncoding(8, max_len=16, dropout=0.0)
    run, graphs = compiled(module)
    generator = torch.Generator().manual_seed(0)
    for seq_len in (3, 7, 12):
        x, places = embeddings(2, seq_len), torch.randint(0, 1000, (2, seq_len), generator=generator)
        result = x + table(1000, 8)[places]
        torch.testing.assert_close(run(x, positions=places), result, rtol=1e-6, atol=1e-6)
    assert len(graphs) <= 2


def test_training_in_a_graph():
    module = SinusoidalEncoding(8, max_len=16, dropout=0.5)
    run, _ = compiled(module, "aot_eager")
    for seq_len in (8, 20):
        x = embeddings(2, seq_len).requires_grad_()
        out = run(x)
        out.sum().backward()
        dropped = out == 0
        assert 0 < dropped.sum() < dropped.numel()
        torch.testing.assert_close(x.grad, torch.where(dropped, 0.0, 2.0))
    module.eval()
    assert torch.equal(run(x).detach(), module(x).detach())


@pytest.mark.parametrize(
    "where", [{"start": -1}, {"start": 1, "positions": torch.arange(3)}, {"positions": torch.arange(4)}]
)
def test_what_is_refused_is_refused_in_a_graph(where):
    run = torch.compile(SinusoidalEncoding(8), backend="eager")
    with pytest.raises(ValueError, match=r"start must be|exclude each other|positions must have shape"):
        run(torch.zeros(2, 3, 8), **where)


@pytest.mark.parametrize("beyond", ["refuse", "clamp", "interpolate", "wrap"])
def test_the_learned_module_in_a_graph(beyond):
    module = LearnedEncoding(8, max_len=16, beyond=beyond, dropout=0.0)
    run, graphs = compiled(module)
    for start in range(14 if beyond == "refuse" else 30):
        x = embeddings(2, 2)
        torch.testing.assert_close(run(x, start=start), module(x, start=start))
    assert len(graphs) <= 3
    places = torch.tensor([0, 15, 3] if beyond == "refuse" else [0, 70, 3])
    torch.testing.assert_close(run(embeddings(3), positions=places), module(embeddings(3), positions=places))
    with pytest.raises((IndexError, RuntimeError), match="index out of range"):
        run(embeddings(3), positions=torch.tensor([0, -1, 5]))


# ---------------------------------------------------------------- export


def exported(module, seq_len, largest, *inputs, strict=False, **more):
    from torch.export import Dim, export

    shapes = {0: Dim("batch"), 1: Dim("seq", max=largest)}
    return export(
        module.eval(),
        (embeddings(2, seq_len),),
        more or None,
        dynamic_shapes={"x": shapes, **dict.fromkeys(more, shapes)},
        strict=strict,
    ).module()


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_exported_program_takes_any_length(strict, dtype):
    module = SinusoidalEncoding(8, max_len=16, dtype=dtype)
    program = exported(module, 5, 5000, strict=strict)
    for batch, seq_len in ((2, 5), (3, 16), (1, 17), (2, 900)):
        x = embeddings(batch, seq_len)
        torch.testing.assert_close(program(x), expected(x, dtype=dtype), rtol=1e-6, atol=1e-6)
    assert len(module.table) == 16


def test_an_exported_program_takes_positions():
    places = torch.tensor([[0, 0, 1, 2, 3], [4, 5, 0, 1, 2]])
    program = exported(SinusoidalEncoding(8, max_len=16), 5, 5000, positions=places)
    more = torch.tensor([[0, 7, 100, 99999, 3, 2, 1]])
    result = embeddings(1, 7) + torch.stack([table(1, 8, start=int(p))[0] for p in more[0]])
    torch.testing.assert_close(program(embeddings(1, 7), positions=more), result, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("beyond", "largest"), [("refuse", 16), ("clamp", 500), ("wrap", 500), ("interpolate", 500)]
)
def test_the_learned_module_exported(beyond, largest):
    module = LearnedEncoding(8, max_len=16, beyond=beyond)
    program = exported(module, 5, largest)
    for seq_len in (2, 16, largest):
        x = embeddings(2, seq_len)
        torch.testing.assert_close(program(x), module(x))
