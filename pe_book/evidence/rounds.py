"""How time is measured: in rounds, each method right behind its floor, in an order that is drawn anew.

A time is the median over the rounds, and a ratio is the median of the ratios to the floor timed just before,
since the speed of a machine changes: pyperf and asv know no floor. `make bench` runs the modules that say
what is timed.
"""

import os
import platform
import random
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from statistics import median
from typing import Any, NamedTuple

import torch

from pe_book.evidence.records.record import Record

ROUNDS = 15
Row = dict[str, Any]


class Method(NamedTuple):
    """One way to do something."""

    run: Callable[[], Any]  # timed
    floor: str  # the method that its time is divided by
    told: Callable[[Any], Mapping[str, Any]] = lambda result: {}  # what its row says of the first result
    # before it is timed; if None, a run, which brings back what others drove out of the processor's cache
    prepare: Callable[[], object] | None = None

    def timed(self, calls: int, clock: Callable[[], float]) -> float:
        """Milliseconds of a call."""
        (self.prepare or self.run)()
        before = clock()
        for _ in range(calls):
            self.run()
        return (clock() - before) * 1000 / calls


def measure(
    methods: Mapping[str, Method],
    *,
    threads: int = 1,
    rounds: int = ROUNDS,
    calls: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Row]:
    """Every method: its median time in ms, its median ratio to its floor, and what it tells of its result.

    >>> work = {"one": Method(lambda: sum(range(100)), "one", lambda found: {"sum": found})}
    >>> [row] = measure(work)
    >>> row["method"], row["over_floor"], row["sum"], row["ms"] > 0
    ('one', 1.0, 4950, True)
    """
    torch.set_num_threads(threads)
    rng = random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in methods}
    ratios: dict[str, list[float]] = {name: [] for name in methods}
    with torch.no_grad():
        told = {name: method.told(method.run()) for name, method in methods.items()}
        for _ in range(rounds):
            for name in rng.sample(list(methods), len(methods)):
                floor = took = methods[methods[name].floor].timed(calls, clock)
                if name != methods[name].floor:
                    took = methods[name].timed(calls, clock)
                times[name].append(took)
                ratios[name].append(took / floor)
    return [
        {
            "method": name,
            "floor": method.floor,
            "ms": round(median(times[name]), 4),
            "over_floor": round(median(ratios[name]), 4),
            **told[name],
        }
        for name, method in methods.items()
    ]


def machine() -> str:
    """The processor, in words: no name of a host."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def write(record: Record, parts: Mapping[str, list[Row]], libraries: tuple[str, ...]) -> None:
    """Replace a record by what was measured, and print it."""
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in libraries)]
    record.write({"machine": machine(), "versions": ", ".join(versions), "parts": parts})
    for part, rows in parts.items():
        for row in rows:
            print(part, ", ".join(f"{key} {value}" for key, value in row.items()))
    print(f"Recorded in {record.file.name}: {machine()}; {', '.join(versions)}")
