"""``make study``: every run of the protocol, each in a file of its own, so that it may stop at any moment.

A run is written whole or not at all, and one that is there is not repeated.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pe_book.evidence.length_generalisation import elsewhere, protocol
from pe_book.evidence.length_generalisation.elsewhere import Stopped, result_of
from pe_book.evidence.length_generalisation.training import Run
from pe_book.evidence.records.length_generalisation import RECORD

FOLDER = Path(__file__).resolve().parents[3] / ".study"


def file_of(run: Run, folder: Path) -> Path:
    """Where a run is kept."""
    return folder / (re.sub(r"[^\w.-]+", "_", run.name) + ".json")


def finished(run: Run, folder: Path, digest: str) -> dict[str, Any] | None:
    """What a run has left, or nothing; a file of other code is refused."""
    file = file_of(run, folder)
    if not file.exists():
        return None
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if kept.pop("digest") != digest:
        raise Stopped(f"{file.name} is of another version of the code: move {folder} away, or go back to it")
    return kept


def write(found: dict[str, Any], run: Run, folder: Path, digest: str) -> None:
    """Write a run whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    file = file_of(run, folder)
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_text(json.dumps({"digest": digest, **found}), encoding="utf-8")
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Stopped(f"{file.name} was not written ({error.strerror}); the runs before it stay") from error


@contextmanager
def here() -> Iterator[Executor]:
    """The cores of this machine, a run on each."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise Stopped("a worker died; the runs that are finished stay, start again") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def sweep(runs: Sequence[Run], folder: Path, *, whole: bool) -> list[dict[str, Any]]:
    """The results of all runs in their order; those that are not there yet are run."""
    digest = RECORD.digest()
    left = [run for run in runs if finished(run, folder, digest) is None]
    if left:
        print(f"{len(runs) - len(left)} of {len(runs)} runs are there", flush=True)
        began, address = time.monotonic(), os.environ.get("STUDY_ON")
        with elsewhere.workers(address) if address else here() as pool:
            waiting: dict[Future[dict[str, Any]], Run] = {
                pool.submit(result_of, run, whole=whole, digest=digest): run for run in left
            }
            for count, done in enumerate(as_completed(waiting), 1):
                run = waiting[done]
                write(done.result(), run, folder, digest)
                rest = (time.monotonic() - began) / count * (len(left) - count)
                print(f"{count}/{len(left)} {run.name} · {rest / 60:.0f} min left", flush=True)
    found = [finished(run, folder, digest) for run in runs]
    missing = [run.name for run, one in zip(runs, found, strict=True) if one is None]
    if missing:
        raise Stopped(f"{missing[0]} is not there, one of {len(missing)}; start again")
    return [one for one in found if one is not None]


def study(folder: Path) -> None:
    """Choose the rates, run what is reported, and write the record."""
    tried = sweep(protocol.choosing(), folder / "choosing", whole=False)
    rates = protocol.chosen(tried)
    results = sweep(protocol.reported(rates), folder, whole=True)
    RECORD.write({"cpu": round(sum(one["cpu"] for one in [*tried, *results])), "runs": results})


def main() -> int:
    """Run the study, on processors: a sum on a GPU has other last digits, and the record is of one kind."""
    device = os.environ.get("DEVICE", "cpu")
    try:
        if device != "cpu":
            raise Stopped(f"DEVICE is {device}: the study runs on cpu alone, and on more by STUDY_ON=tcp://…")
        study(FOLDER)
    except Stopped as why:
        print(why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
