"""What is no plain tensor, and torch's older tracers: refused by what they are, with what does instead."""

import os

import pytest

torch = pytest.importorskip("torch")

from pe_book import nn
from tests.nn.turned import encoder

MODULES = {
    "rotary": (lambda: encoder(8), lambda module, x: module.turn(x)),
    "sinusoidal": (lambda: nn.SinusoidalEncoding(8), lambda module, x: module(x)),
    "learned": (lambda: nn.LearnedEncoding(8, max_len=4), lambda module, x: module(x)),
}
modules = pytest.mark.parametrize(("make", "call"), MODULES.values(), ids=MODULES)


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
