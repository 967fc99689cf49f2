"""The fuzz at scale, in portions with a process each, every call within 2 s of processor time and 1 GB.

Run by ``make thorough``, which takes some of the portions where it takes a part of that set. One function
alone: ``python -m tests.fuzz.campaign why.counting.shear``. Without a name all are called, and recorded.
"""

import json
import os
import platform
import resource
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

REPO = Path(__file__).resolve().parents[2]
SECONDS, BYTES = 2.0, 2**30  # that one call may take
FOR_A_FUNCTION = 60  # calls
PORTIONS = 28  # two to each part of the weekly set that a change has to pass
_A_FUNCTION = 60  # seconds of a clock for the calls of one, on a machine that does other work too


class TooSlow(Exception):
    """Raised by the alarm inside the call."""


@contextmanager
def limits() -> Iterator[None]:
    """Time and memory of one call: processor time, so that a busy machine changes nothing."""

    def late(*_: object) -> None:
        raise TooSlow(f"more than {SECONDS:g} s")

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        signal.signal(signal.SIGPROF, before)


def small_machine() -> None:
    """Let the package see a machine with 1 GiB, so that it refuses what the limit would break."""
    real, page = os.sysconf, os.sysconf("SC_PAGE_SIZE")
    os.sysconf = lambda name: BYTES // page if name == "SC_PHYS_PAGES" else real(name)  # type: ignore[assignment]


def fuzz(name: str, examples: int, diary: Path | None = None) -> dict[str, list[str]]:
    """The calls of one function by how they ended."""
    from tests.fuzz.inputs import calls
    from tests.fuzz.judge import judged

    outcomes: dict[str, list[str]] = defaultdict(list)

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(calls(name))
    def campaign(call: Any) -> None:
        if diary:
            diary.write_text(str(call), encoding="utf-8")
        outcomes[judged(call, guard=limits)].append(str(call))

    campaign()
    return outcomes


def portions() -> list[list[str]]:
    """All functions, shared out, so that what belongs to one module is not in one process."""
    from tests.fuzz.surface import surface

    return [sorted(surface())[first::PORTIONS] for first in range(PORTIONS)]


def run(names: Collection[str], examples: int = FOR_A_FUNCTION) -> tuple[dict[str, Counter[str]], list[str]]:
    """The counts by function, and one line for each call that was neither answered nor refused."""
    said, died = _alone(names, examples)
    counts: dict[str, Counter[str]] = {}
    wrong = [f"the process ended in {died}"] if died else []
    for name, outcomes in said.items():
        counts[name] = Counter()
        for outcome, calls in outcomes.items():
            kind = outcome if outcome in ("right result", "refused") else "anything else"
            counts[name][kind] += len(calls)
            if kind == "anything else":
                wrong.append(f"{calls[0]}: {outcome} ({len(calls)} such)")
    return counts, wrong


def record() -> list[str]:
    """Call all functions and write down how it ended; what was neither answered nor refused."""
    from pe_book.evidence.records.fuzz import RECORD

    began = RECORD.digest()
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(run, portions()))
    counts = {name: count for part, _ in found for name, count in part.items()}
    RECORD.write({"versions": versions(), "functions": dict(sorted(counts.items()))}, digest=began)
    return [line for _, wrong in found for line in wrong]


def versions() -> dict[str, str]:
    """Of Python and of what the calls go through."""
    names = ("numpy", "torch", "mpmath", "hypothesis")
    return {"Python": platform.python_version()} | {name: metadata.version(name) for name in names}


def _alone(names: Collection[str], examples: int) -> tuple[dict[str, dict[str, list[str]]], str]:
    diary = REPO / ".pytest_cache" / f"fuzz-{min(names)}.txt"
    diary.parent.mkdir(exist_ok=True)
    diary.write_text("before its first call", encoding="utf-8")
    command = [sys.executable, "-m", "tests.fuzz.campaign", *names, str(examples), str(diary)]
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
    }
    patience = 540 + _A_FUNCTION * len(names)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=REPO, env=environment, timeout=patience, check=False
        )
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1]), ""
        return {}, f"{diary.read_text(encoding='utf-8')}: {done.stderr[-300:]}"
    except subprocess.TimeoutExpired:
        return {}, diary.read_text(encoding="utf-8") + ", which did not come back"


def main(names: list[str], examples: int = FOR_A_FUNCTION, diary: str = "") -> None:
    import torch
    import torch._dynamo  # torch imports it within a call, for which the call has no time

    torch.set_num_threads(1)
    small_machine()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(json.dumps({name: fuzz(name, examples, Path(diary) if diary else None) for name in names}))


if __name__ == "__main__":
    *names, examples, diary = sys.argv[1:] if len(sys.argv) > 2 else [*sys.argv[1:], str(FOR_A_FUNCTION), ""]
    if names:
        main(names, int(examples), diary)
    else:
        sys.exit("\n".join(record()))
