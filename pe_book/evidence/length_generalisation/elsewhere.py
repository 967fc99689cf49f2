"""The study on other machines: STUDY_ON is the address of a Dask scheduler, whose workers take up the runs.

A run whose worker dies is taken up by another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import Any

from pe_book.evidence.length_generalisation.training import Run, result
from pe_book.evidence.records.length_generalisation import RECORD

PATIENCE = 10  # seconds, for a scheduler and for its first worker
CODE = RECORD.digest()  # what this process has loaded
ALONE = Lock()


class Stopped(Exception):
    """Why a sweep ends before its end, in one line."""


def result_of(run: Run, *, whole: bool, digest: str) -> dict[str, Any]:
    """A run by the code of that digest, alone in its process: all threads would draw from one seed."""
    if digest != CODE:
        raise Stopped("a worker has other code: bring its checkout to the state of this one, start it anew")
    if not ALONE.acquire(blocking=False):
        raise Stopped("a worker took up two runs at once: start it with --nthreads 1")
    try:
        return result(run, whole=whole)
    finally:
        ALONE.release()


async def answer(address: str) -> None:
    """What a scheduler says of itself: a client that finds none would go on trying while it is closed."""
    from distributed import rpc

    async with asyncio.timeout(PATIENCE), rpc(address) as scheduler:
        await scheduler.identity()


@contextmanager
def workers(address: str) -> Iterator[Executor]:
    """The workers of the scheduler at that address; what is not finished is cancelled in the end."""
    given = f"STUDY_ON is {address}"
    try:
        from distributed import Client, KilledWorker  # here alone: one machine does without it

        asyncio.run(answer(address))
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except ImportError:
        raise Stopped(f"{given}, but `distributed` is not installed: start it by `make study`") from None
    except (OSError, TypeError, ValueError) as error:
        raise Stopped(f"{given}, where no scheduler answers: give its address, as tcp://HOST:8786") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            client.run(import_module, __name__)  # a worker that lacks it would be waited for without end
        except ImportError as error:
            raise Stopped(
                f"{given}, with a worker that lacks {error.name}: start it in a checkout"
            ) from error
        except OSError as error:
            raise Stopped(f"{given}, which has no workers: start some there, by `dask worker`") from error
        try:
            yield client.get_executor()
        except KilledWorker:
            raise Stopped("several workers died of one run; what is finished stays, start again") from None
        except CancelledError:
            raise Stopped(f"{given}, and is gone; what is finished stays, start again") from None
