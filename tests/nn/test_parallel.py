"""Many at once: two processes that train one model, and threads that share one module."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from pe_book.nn import SinusoidalEncoding, table
from pe_book.nn.modules import sinusoidal as home
from tests.nn import two_ranks

WORKER = Path(two_ranks.__file__)
LONG, SHORT = [20, 12, 40, 12], [12, 12, 30, 12]
RUNS = {
    "different": ["sinusoidal", LONG, SHORT],
    "the other order": ["sinusoidal", SHORT, LONG],
    "learned": ["learned", LONG, SHORT],
}


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """What two processes found: gradients of every step, by run."""
    folder = tmp_path_factory.mktemp("ranks")
    calls = [[sys.executable, WORKER, str(rank), str(folder), json.dumps(RUNS)] for rank in (0, 1)]
    settings = {**os.environ, "PYTHONPATH": str(WORKER.parents[2]), "OMP_NUM_THREADS": "1"}
    both = [subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=settings) for call in calls]
    try:
        said = [process.communicate(timeout=300)[1] for process in both]
    finally:
        for process in both:  # one that waits for a rank that has gone
            process.kill()
            process.wait()
    assert [process.returncode for process in both] == [0, 0], "\n".join(said)
    return [torch.load(folder / f"rank{rank}.pt") for rank in (0, 1)]


@pytest.mark.parametrize("name", RUNS)
def test_two_processes_find_the_gradients_of_one(ranks, name):
    kind, *lengths = RUNS[name]
    net = two_ranks.model(kind)

    def mean(step):
        ids = (two_ranks.batch(step, rank, lengths[rank][step]) for rank in (0, 1))
        return sum(two_ranks.loss_of(net, own) for own in ids) / 2

    expected = two_ranks.train(net, mean, len(lengths[0]))
    for rank in (0, 1):
        torch.testing.assert_close(ranks[rank][name], expected, rtol=1e-12, atol=1e-15)


def test_a_buffer_that_is_moved_behind_the_module_takes_the_table_along():
    module = SinusoidalEncoding(8, max_len=16, dropout=0.0)
    buffer = next(module.buffers())
    buffer.data = buffer.data.to(torch.bfloat16)  # what fully sharded training does
    x = torch.zeros(1, 3, 8)
    assert torch.equal(module(x)[0], table(3, 8, dtype=torch.bfloat16).float())
    assert module.table.dtype == torch.bfloat16
    buffer.data = buffer.data.to(torch.float16)
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x)[0], table(3, 8, dtype=torch.float16).float())


# ---------------------------------------------------------------- threads

THREADS = 28


def together(calls):
    """The results of calls that start at the same time, each in a thread of its own."""
    gate = threading.Barrier(len(calls))

    def run(call):
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_threads_of_distinct_lengths_share_a_module():
    true = table(40 + 13 * THREADS, 8)
    for _ in range(25):
        module = SinusoidalEncoding(8, max_len=4, dropout=0.0)
        starts = [0 if n % 3 else 13 * n for n in range(THREADS)]
        sizes = [1 if start else 1 + 13 * n for n, start in enumerate(starts)]
        calls = [
            lambda start=start, size=size, module=module: module(torch.zeros(1, size, 8), start=start)[0]
            for start, size in zip(starts, sizes, strict=True)
        ]
        for rows, start, size in zip(together(calls), starts, sizes, strict=True):
            assert torch.equal(rows, true[start : start + size])
        assert torch.equal(module.table, table(len(module.table), 8))


def test_growth_that_is_overtaken_does_not_shorten_the_table(monkeypatch):
    module = SinusoidalEncoding(8, max_len=16, dropout=0.0)
    begun, made, long = threading.Event(), home.table, []

    def slow(seq_len, *arguments, **more):
        rows = made(seq_len, *arguments, **more)
        if threading.current_thread() is not other:
            begun.set()
            other.join(timeout=0.3)  # all the time in the world for another thread to be faster
        return rows

    other = threading.Thread(target=lambda: begun.wait(10) and long.append(module(torch.zeros(1, 500, 8))))
    other.start()
    monkeypatch.setattr(home, "table", slow)
    short = module(torch.zeros(1, 20, 8))
    other.join()
    assert torch.equal(short[0], table(20, 8))
    assert torch.equal(long[0][0], table(500, 8))
    assert len(module.table) >= 500
