"""One of two processes that train one model data-parallel; run by test_parallel.py.

Its arguments: the rank, a folder, and JSON of {name: [module, lengths of rank 0, lengths of rank 1]}.
"""

import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from pe_book.nn import LearnedEncoding, SinusoidalEncoding

MAKE = {
    "sinusoidal": lambda: SinusoidalEncoding(8, max_len=16, dropout=0.0),
    "learned": lambda: LearnedEncoding(8, max_len=64, dropout=0.0),
}


def model(kind):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Embedding(11, 8), MAKE[kind](), torch.nn.Linear(8, 3)).double()


def batch(step, rank, length):
    return torch.randint(0, 11, (2, length), generator=torch.Generator().manual_seed(100 * step + rank))


def loss_of(net, ids):
    return (net(ids) ** 2).mean()


def train(net, losses, steps):
    """Gradients of every step of gradient descent."""
    descent, found = torch.optim.SGD(net.parameters(), lr=0.1), []
    for step in range(steps):
        descent.zero_grad()
        losses(step).backward()
        found.append([parameter.grad.clone() for parameter in net.parameters()])
        descent.step()
    return found


def main(rank, folder, runs):
    store = dist.FileStore(str(folder / "store"), 2)
    patience = timedelta(seconds=180)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=patience)
    results = {}
    for name, (kind, *lengths) in runs.items():
        net = torch.nn.parallel.DistributedDataParallel(model(kind), broadcast_buffers=True)
        mine = lengths[rank]
        results[name] = train(net, lambda s, n=net, m=mine: loss_of(n, batch(s, rank, m[s])), len(mine))
    torch.save(results, folder / f"rank{rank}.pt")
    store.set(f"saved{rank}", "")
    store.wait([f"saved{1 - rank}"])  # the other may still be receiving
    os._exit(0)  # gloo was seen to hang while it is taken down, and all is saved


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
