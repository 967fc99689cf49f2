"""Holds a sweep on Dask to the sweep on one machine: the same table, also when a worker is killed."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from pe_book.evidence.length_generalisation import elsewhere, sweep
from pe_book.evidence.length_generalisation.training import Run

ROOT = Path(__file__).resolve().parents[3]
LONG = 120  # seconds, on a machine that has much to do
RUNS = [Run("back", "none", s, 1e-3, length=16, width=16, heads=2, layers=1, batch=4) for s in range(4)]


@contextmanager
def cluster(folder, *, workers, deaths=3, at=ROOT):
    """A scheduler on a port of its own, and workers as processes: its address, and the processes."""
    told = folder / "scheduler.json"
    started = []

    def start(what, *options):
        environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(deaths)}
        environment["PYTHONPATH"] = str(Path(sys.modules["distributed"].__file__).parents[1])
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", told, "--no-dashboard", *options]
        with (folder / "said.txt").open("a") as said:
            started.append(subprocess.Popen(command, cwd=at, env=environment, stdout=said, stderr=said))

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        for _ in range(workers):
            start("worker", "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
        distributed = sys.modules["distributed"]
        until = time.monotonic() + LONG
        while not told.exists():
            assert time.monotonic() < until, (folder / "said.txt").read_text()
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(told), timeout=LONG, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=LONG)
            yield client, {process.pid: process for process in started}
    finally:
        for process in reversed(started):
            process.kill()
        for process in started:
            process.wait()


def table(found):
    """Without the seconds."""
    return [{key: value for key, value in one.items() if key != "cpu"} for one in found]


@pytest.fixture
def dask():
    return pytest.importorskip("distributed", reason="Dask comes with `make install DASK=yes`")


@pytest.mark.thorough
def test_a_killed_worker_changes_nothing(dask, tmp_path, monkeypatch):
    write, killed = sweep.write, []

    def write_and_kill(found, run, folder, digest):
        write(found, run, folder, digest)
        if not killed:
            pids = client.run(os.getpid)
            busy = [address for address, runs in client.processing().items() if runs]
            killed.append(pids[busy[0]])
            processes[killed[0]].kill()

    with cluster(tmp_path, workers=2) as (client, processes):
        monkeypatch.setenv("STUDY_ON", client.scheduler.address)
        monkeypatch.setattr(sweep, "write", write_and_kill)
        found = sweep.sweep(RUNS, tmp_path / "there", whole=True)
        assert processes[killed[0]].poll() is not None
        assert len(client.run(os.getpid)) == 1
    alone = [elsewhere.result(run) for run in RUNS]
    assert table(found) == table(alone)


@pytest.mark.thorough
def test_deaths_of_a_run_end_the_sweep(dask, tmp_path, monkeypatch):
    with cluster(tmp_path, workers=1, deaths=0) as (client, _):
        address = client.scheduler.address
        with (
            pytest.raises(elsewhere.Stopped, match="several workers died of one run"),
            elsewhere.workers(address) as pool,
        ):
            pool.submit(os._exit, 1).result(LONG)
        monkeypatch.setattr(elsewhere, "PATIENCE", 2)
        with pytest.raises(elsewhere.Stopped, match=f"{address}, which has no workers"):
            elsewhere.workers(address).__enter__()


@pytest.mark.thorough
def test_a_scheduler_that_goes_is_said(dask, tmp_path):
    def lose(pool, scheduler):
        waiting = pool.submit(time.sleep, LONG)
        scheduler.kill()
        waiting.result(LONG)

    with (
        cluster(tmp_path, workers=1) as (client, processes),
        pytest.raises(elsewhere.Stopped, match="is gone; what is finished stays"),
        elsewhere.workers(client.scheduler.address) as pool,
    ):
        lose(pool, next(iter(processes.values())))


@pytest.mark.thorough
def test_a_worker_outside_of_a_checkout_is_said(dask, tmp_path):
    with (
        cluster(tmp_path, workers=1, at=tmp_path) as (client, _),
        pytest.raises(elsewhere.Stopped, match="with a worker that lacks pe_book: start it in a checkout"),
    ):
        elsewhere.workers(client.scheduler.address).__enter__()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "address", ["nonsense", "http://127.0.0.1:1", "tcp://127.0.0.1:1", "tls://127.0.0.1:1"]
)
def test_an_address_without_a_scheduler_is_said(dask, address, monkeypatch):
    monkeypatch.setattr(elsewhere, "PATIENCE", 1)
    with pytest.raises(elsewhere.Stopped, match=f"STUDY_ON is {address}, where no scheduler answers: give "):
        elsewhere.workers(address).__enter__()


def none(*_):
    raise OSError("timed out")


@pytest.mark.parametrize(
    ("library", "says"),
    [
        (None, "but `distributed` is not"),
        (
            SimpleNamespace(Client=None, KilledWorker=None, rpc=none),
            "where no scheduler answers: give its address, as tcp://HOST:8786",
        ),
    ],
)
def test_what_is_not_there_is_said_in_one_line(library, says, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", library)
    monkeypatch.setenv("STUDY_ON", "tcp://there:1")
    monkeypatch.setattr(sweep, "study", lambda folder: sweep.sweep(RUNS, folder, whole=True))
    monkeypatch.setattr(sweep, "FOLDER", Path("nowhere"))
    assert sweep.main() == 1
    said = capsys.readouterr().err
    assert f"STUDY_ON is tcp://there:1, {says}" in said
    assert said.count("\n") == 1


def test_a_worker_of_other_code_and_two_runs_at_once_are_refused():
    with pytest.raises(elsewhere.Stopped, match="other code"):
        elsewhere.result_of(RUNS[0], whole=False, digest="of another")
    with elsewhere.ALONE, pytest.raises(elsewhere.Stopped, match="--nthreads 1"):
        elsewhere.result_of(RUNS[0], whole=False, digest=elsewhere.CODE)
