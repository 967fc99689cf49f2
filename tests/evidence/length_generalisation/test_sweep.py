"""Holds the sweep to its word: stopped at any moment it loses nothing finished, and repeats none of it."""

import json
from contextlib import nullcontext

import pytest

from pe_book.evidence.length_generalisation import sweep
from pe_book.evidence.length_generalisation.training import Run

RUNS = [Run("back", "none", seed, 1e-3) for seed in range(3)]


class Here:
    """An executor that runs at once, in this process."""

    def __init__(self, dies_at=None):
        self.count, self.dies_at = 0, dies_at

    def submit(self, function, run, **options):
        self.count += 1
        done = sweep.Future()
        if self.count == self.dies_at:
            done.set_exception(sweep.BrokenProcessPool())
        else:
            done.set_result({"run": run.record(), "cpu": 1.0})
        return done

    def shutdown(self, **options):
        pass


@pytest.fixture
def pool(monkeypatch):
    def use(pool):
        monkeypatch.delenv("STUDY_ON", raising=False)
        monkeypatch.setattr(sweep, "ProcessPoolExecutor", lambda *_, **__: nullcontext(pool))
        return pool

    return use


def test_finished_runs_are_not_repeated(tmp_path, pool):
    with pytest.raises(sweep.Stopped, match="a worker died"):
        pool(Here(dies_at=3)) and sweep.sweep(RUNS, tmp_path, whole=True)
    kept = len(list(tmp_path.glob("*.json")))
    second = pool(Here())
    assert [one["run"]["seed"] for one in sweep.sweep(RUNS, tmp_path, whole=True)] == [0, 1, 2]
    assert second.count == 3 - kept
    third = pool(Here())
    sweep.sweep(RUNS, tmp_path, whole=True)
    assert third.count == 0


def test_a_run_of_other_code_is_refused(tmp_path):
    sweep.write({"run": RUNS[0].record()}, RUNS[0], tmp_path, "before")
    with pytest.raises(sweep.Stopped, match="another version of the code"):
        sweep.finished(RUNS[0], tmp_path, "now")


def test_a_full_disk_leaves_no_half_of_a_run(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sweep.Path, "replace", full)
    with pytest.raises(sweep.Stopped, match="No space left"):
        sweep.write({}, RUNS[0], tmp_path, "now")
    assert list(tmp_path.iterdir()) == []


def test_a_kill_while_writing_leaves_what_is_not_a_run(tmp_path):
    sweep.file_of(RUNS[0], tmp_path).with_suffix(".1.part").write_text('{"digest": "no')
    assert sweep.finished(RUNS[0], tmp_path, "now") is None


def test_each_run_has_a_file_of_its_own(tmp_path):
    assert len({sweep.file_of(run, tmp_path) for run in RUNS}) == len(RUNS)
    sweep.write({"run": RUNS[0].record()}, RUNS[0], tmp_path, "now")
    assert json.loads(sweep.file_of(RUNS[0], tmp_path).read_text())["run"]["seed"] == 0


def test_a_device_that_no_run_is_made_for_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("DEVICE", "cuda")
    assert sweep.main() == 1
    assert "DEVICE is cuda" in capsys.readouterr().err
