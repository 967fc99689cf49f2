"""One run of the study: a decoder is trained at one length, and tested at that length and at longer ones."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pe_book.evidence.length_generalisation.decoder import Decoder, groups
from pe_book.evidence.length_generalisation.members import PLAIN, Shape
from pe_book.evidence.length_generalisation.tasks import TASKS
from pe_book.nn.trial.training import UNASKED, one_thread

TIMES = (1, 2, 4, 8, 10)
BINS = 12
STEPS = {"back": 300, "first": 400, "grammar": 600, "copy": 900, "notes": 600}
DECAY, CLIP, WARM, LEAST = 0.05, 1.0, 0.05, 0.02
TESTED = 16384  # words at each length


@dataclass(frozen=True)
class Run:
    """What one run is, whole: the same run gives the same digits."""

    task: str
    member: str
    seed: int
    rate: float
    length: int = 64
    width: int = 64
    heads: int = 4
    layers: int = 2
    batch: int = 32

    @property
    def name(self) -> str:
        """For a file and a reader."""
        size = f"{self.layers}x{self.width}"
        return f"{self.task} · {self.member} · {size} · rate {self.rate:g} · seed {self.seed}"

    @property
    def shape(self) -> Shape:
        """Of its decoder."""
        return Shape(self.length, self.width, self.heads, self.layers, max(TIMES))

    def record(self) -> dict[str, Any]:
        """Its settings by name."""
        return asdict(self)


def trained(run: Run, *, steps: int | None = None) -> Decoder:
    """The decoder of a run behind its last step, in evaluation mode."""
    task, many = TASKS[run.task], steps or STEPS[run.task]
    torch.manual_seed(run.seed)
    rng = np.random.default_rng([run.seed, 1])
    decoder = Decoder(run.member, task.vocabulary, run.shape).train()
    parts = groups(decoder, run.rate, DECAY)
    optimiser = torch.optim.AdamW(parts, lr=run.rate, betas=(0.9, 0.98))
    warm = max(20, int(WARM * many))
    for step in range(many):
        length = run.length
        if task.shortest < 1:
            length = 2 * int(rng.integers(int(task.shortest * length) // 2, length // 2 + 1))
        words, asked = (torch.from_numpy(part) for part in task.draw(rng, run.batch, length))
        loss = nn.functional.cross_entropy(
            decoder(words).flatten(0, 1), asked.flatten(), ignore_index=UNASKED
        )
        part = min((step + 1) / warm, (1 + math.cos(math.pi * step / many)) / 2 + LEAST)
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * part
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch gives it no types
        nn.utils.clip_grad_norm_(decoder.parameters(), CLIP)
        optimiser.step()
    return decoder.eval()


def measured(
    decoder: Decoder, run: Run, way: str = PLAIN, *, times: tuple[int, ...] = TIMES, words: int = TESTED
) -> dict[str, list[list[float | None]]]:
    """Accuracy and loss by position at each length: twelve bins, None where nothing is asked.

    Texts are drawn anew, the same for all members.
    """
    task = TASKS[run.task]
    decoder.positions.way = way
    found: dict[str, list[list[float | None]]] = {"accuracy": [], "loss": []}
    for multiple in times:
        length = multiple * run.length
        rng = np.random.default_rng([2**31, multiple])
        right, lost, many = np.zeros(length), np.zeros(length), np.zeros(length)
        left = max(4, words // length)
        while left:
            batch = min(left, max(1, 8192 // length))
            left -= batch
            text, asked = task.draw(rng, batch, length)
            with torch.no_grad():
                scores = decoder(torch.from_numpy(text))
            targets = torch.from_numpy(asked)
            each = nn.functional.cross_entropy(
                scores.transpose(1, 2), targets, ignore_index=UNASKED, reduction="none"
            )
            known = asked != UNASKED
            right += ((scores.argmax(-1).numpy() == asked) & known).sum(0)
            lost += each.numpy().sum(0)
            many += known.sum(0)
        edges = np.linspace(0, length, BINS + 1).round().astype(int)[:-1]
        sums = [np.add.reduceat(one, edges) for one in (right, lost, many)]
        with np.errstate(invalid="ignore"):
            found["accuracy"].append(listed(sums[0] / sums[2]))
            found["loss"].append(listed(sums[1] / sums[2]))
    decoder.positions.way = PLAIN
    return found


def listed(means: NDArray[np.float64]) -> list[float | None]:
    """Four digits of each, None for NaN."""
    return [None if np.isnan(one) else round(float(one), 4) for one in means]


def ways_of(decoder: Decoder) -> tuple[str, ...]:
    """How a trained decoder is tested."""
    return (PLAIN, *decoder.positions.ways)


def result(run: Run, *, whole: bool = True) -> dict[str, Any]:
    """Everything that the record keeps of a run; not `whole`, how it does at the trained length."""
    began = time.process_time()
    with one_thread():
        decoder = trained(run)
        ways, times = (ways_of(decoder), TIMES) if whole else ((PLAIN,), (1,))
        return {
            "run": run.record(),
            "parameters": sum(p.numel() for p in decoder.parameters()),
            "tested": {way: measured(decoder, run, way, times=times) for way in ways},
            "cpu": round(time.process_time() - began, 1),
        }
