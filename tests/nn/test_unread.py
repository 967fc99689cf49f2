"""Where values cannot be read, or reading costs a wait: devices, traces, torch.vmap, meta contexts.

And what is no plain tensor, and torch's older tracers: refused by what they are, with what does instead.
"""

import copy
import os

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode

from pe_book import nn
from pe_book.nn import LearnedEncoding, SinusoidalEncoding, table, tensors
from pe_book.nn.modules import added
from tests.nn.turned import encoder

BEYOND = ["refuse", "clamp", "wrap", "interpolate"]
X = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0))
NEAR, FAR = torch.tensor([[0, 1, 2], [5, 3, 15]]), torch.tensor([[0, 1, 2], [40, 3, 10**6]])


def sinusoidal(**arguments):
    return SinusoidalEncoding(8, **{"max_len": 16, "dropout": 0.0, **arguments})


def learned(**arguments):
    return LearnedEncoding(8, **{"max_len": 16, "dropout": 0.0, **arguments})


MODULES = [
    pytest.param(sinusoidal, FAR, id="sinusoidal"),
    *(
        pytest.param(
            lambda beyond=beyond: learned(beyond=beyond), NEAR if beyond == "refuse" else FAR, id=beyond
        )
        for beyond in BEYOND
    ),
]


@pytest.fixture
def unread(monkeypatch):
    """Every tensor is as on a device: whoever reads its values is told that he may not."""
    for module in (added, tensors):
        monkeypatch.setattr(module, "read", lambda x: None)


# ---------------------------------------------------------------- no reading back


@pytest.mark.parametrize(("make", "positions"), MODULES)
def test_a_step_is_right_where_there_are_no_values(make, positions):
    module = make()
    # a fake tensor raises as soon as anybody asks for a value
    with FakeTensorMode(allow_non_fake_inputs=True):
        fake, places = torch.empty(2, 3, 8), torch.empty(2, 3, dtype=torch.int64)
        for where in ({}, {"positions": places}, {"start": torch.empty((), dtype=torch.int64)}, {"start": 3}):
            assert module(fake, **where).shape == (2, 3, 8)
        assert module.rows(positions=places).shape == (2, 3, 8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_rows_found_without_reading_are_those_of_the_table_and_far_ones_within_1e_15(unread, dtype):
    module = SinusoidalEncoding(64, max_len=300, dropout=0.0, dtype=dtype)
    near = torch.randperm(300, generator=torch.Generator().manual_seed(0)).reshape(3, 100)
    assert torch.equal(module.rows(positions=near), module.table[near])
    for start in (10**6, 2**40, 2**53 - 999):
        far = module.rows(positions=torch.arange(start, start + 999))
        true = table(999, 64, start=start, dtype=dtype)
        if dtype == torch.float64:
            torch.testing.assert_close(far, true, rtol=0, atol=2e-15)  # each is within 1e-15
        else:  # of 63936 entries one in a hundred million is a wrong neighbour
            assert (far != true).sum() <= 1
    assert len(module.table) == 300


def test_the_functions_are_right_where_there_are_no_values():
    with FakeTensorMode(allow_non_fake_inputs=True):
        whole, real = torch.empty(2, dtype=torch.int64), torch.empty(2, dtype=torch.float64)
        rows = nn.encode(whole, 8)
        for found in (nn.encode(real, 8), nn.shift(rows, whole), nn.shift(rows, real), nn.rotate(rows, real)):
            assert found.shape == (2, 8)
        assert nn.shift_matrix(real[0], 8).shape == (8, 8)


# ---------------------------------------------------------------- torch.func


@pytest.mark.parametrize(("make", "positions"), MODULES)
def test_modules_under_vmap_and_functional_call(make, positions):
    module, vmap = make(), torch.vmap
    close = {"rtol": 0, "atol": 2.0**-22}  # sums of numbers below 4, in float32
    assert torch.equal(vmap(module)(X), module(X))
    if getattr(module, "beyond", "") != "interpolate":  # each row of the batch is stretched by itself there
        found = vmap(lambda x, p: module(x, positions=p))(X, positions)
        torch.testing.assert_close(found, module(X, positions=positions), **close)
        torch.testing.assert_close(vmap(lambda p: module.rows(positions=p))(positions), found - X, **close)
    starts = vmap(lambda s: module.rows(3, start=s))(torch.tensor([0, 7]))
    torch.testing.assert_close(starts[1], module.rows(3, start=7), **close)
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    assert torch.equal(torch.func.functional_call(module, state, (X,)), module(X))
    stacked = torch.func.stack_module_state([module, copy.deepcopy(module)])
    both = vmap(lambda p, b, x: torch.func.functional_call(module, (p, b), (x,)))(
        *stacked, torch.stack([X, X])
    )
    assert torch.equal(both[1], module(X))


# ---------------------------------------------------------------- meta


@pytest.mark.parametrize(("make", "positions"), MODULES)
def test_calls_on_the_cpu_inside_a_meta_context(make, positions):
    module, start = make(), torch.tensor(5)
    ways = [{}, {"start": 5}, {"start": start}, {"positions": positions}]
    with torch.device("meta"):
        found = [module(X, **where) for where in ways]
        assert module.rows(40 if positions is FAR else 3).is_cpu
    for rows, where in zip(found, ways, strict=True):
        assert torch.equal(rows, module(X, **where))


def test_a_number_of_the_meta_device_for_rows_of_the_cpu_is_refused():
    places = torch.zeros(3, dtype=torch.long, device="meta")
    for call, name in (
        (lambda: nn.shift(X, places), "k"),
        (lambda: sinusoidal()(X, positions=places), "positions"),
        (lambda: learned()(X, start=places[0]), "start"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be on cpu, as x is: got a tensor on meta"):
            call()


# ---------------------------------------------------------------- traces

ignored = pytest.mark.filterwarnings(
    "ignore::torch.jit.TracerWarning", "ignore:`torch.jit:DeprecationWarning", "ignore:.*size of tensor"
)


class At(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, positions):
        return self.module(x, positions=positions)


@ignored
def test_a_trace_bakes_no_row_in():
    module = sinusoidal(scale=True)
    trace = torch.jit.trace(module, (X,))
    for seq_len in (1, 16, 17, 300):
        x = torch.randn(2, seq_len, 8)
        torch.testing.assert_close(trace(x), module(x), rtol=1e-6, atol=1e-6)
    for example in (NEAR, FAR):  # inside the table, and past it
        trace = torch.jit.trace(At(module), (X, example))
        for places in (NEAR, FAR, FAR.flip(0) + 10**9):
            torch.testing.assert_close(trace(X, places), module(X, positions=places), rtol=1e-6, atol=1e-6)


@ignored
@pytest.mark.parametrize("beyond", BEYOND)
def test_a_trace_of_the_learned_module(beyond):
    module = learned(beyond=beyond)
    trace = torch.jit.trace(At(module), (X, NEAR))
    for places in (NEAR, NEAR.flip(0), *([] if beyond == "refuse" else [FAR])):
        torch.testing.assert_close(trace(X, places), module(X, positions=places))
    if beyond == "refuse":
        with pytest.raises((IndexError, RuntimeError), match="index out of range"):
            trace(X, FAR)


# ---------------------------------------------------------------- what is no plain tensor

FOREIGN = {
    "rotary": (lambda: encoder(8), lambda module, x: module.turn(x)),
    "sinusoidal": (lambda: nn.SinusoidalEncoding(8), lambda module, x: module(x)),
    "learned": (lambda: nn.LearnedEncoding(8, max_len=4), lambda module, x: module(x)),
}
modules = pytest.mark.parametrize(("make", "call"), FOREIGN.values(), ids=FOREIGN)


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    """A group of one process, and a mesh of its one device."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    file = tmp_path_factory.mktemp("group") / "store"
    os.environ.setdefault("MASTER_ADDR", "localhost")
    dist.init_process_group("gloo", store=dist.FileStore(str(file), 1), rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    dist.destroy_process_group()


@modules
def test_a_distributed_tensor_is_refused_and_its_local_part_taken(one_process, make, call):
    from torch.distributed.tensor import Shard, distribute_tensor

    module, x = make().eval(), torch.randn(2, 3, 8)
    spread = distribute_tensor(x, one_process, [Shard(0)])
    with pytest.raises(
        TypeError, match=r"x must be a dense tensor, got a distributed one; use .to_local\(\), with"
    ):
        call(module, spread)
    assert torch.equal(call(module, spread.to_local()), call(module, x))


@modules
def test_a_jagged_tensor_is_refused(make, call):
    jagged = torch.nested.nested_tensor([torch.ones(2, 8), torch.ones(3, 8)], layout=torch.jagged)
    with pytest.raises(
        TypeError, match="x must be a dense tensor, got a nested one; give one sequence at a time"
    ):
        call(make(), jagged)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@modules
def test_a_module_that_cannot_be_scripted_says_what_does(make, call):
    for module in (make(), torch.nn.Sequential(torch.nn.Linear(8, 8), make())):
        with pytest.raises(
            TypeError, match=r"Encoding cannot be scripted: use torch.export, torch.jit.trace"
        ):
            torch.jit.script(module)


@modules
def test_a_symbolic_trace_says_what_does(make, call):
    with pytest.raises(TypeError, match=r"must be a tensor .* got a Proxy of torch.fx, .*; use torch.export"):
        torch.fx.symbolic_trace(make())
