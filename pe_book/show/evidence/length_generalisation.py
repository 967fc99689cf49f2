"""Figures and tables of the chapter on longer texts, from the small trainings of its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line, Span
from pe_book.show.drawing.table import Column, Table
from pe_book.show.evidence.length_study import SHARE, study

PLAIN = "as trained"
DRAWN = {"sinusoidal": "blue", "rotary": "green", "T5": "purple"}
MEMBERS = ("none", "sinusoidal", "learned", "Shaw", "T5", "ALiBi", "KERPLE", "rotary")
CAUSES = {
    "sinusoidal": ("sinusoidal", PLAIN),
    "read from position 32 on": ("sinusoidal", "moved"),
    "read in a window": ("sinusoidal", "window"),
    "trained at drawn starts": ("sinusoidal, shifted", PLAIN),
    "both": ("sinusoidal, shifted", "window"),
    "rotary": ("rotary", PLAIN),
    "rotary, window": ("rotary", "window"),
}


def small(times: int = 4) -> Figure:
    """How often the right word is named along a longer text: one seed whole, the others dotted."""
    miniature = study("miniature")
    columns = {
        f"{name}, seed {seed}": np.round(miniature.by_place(name, times, seed=seed), 3)
        for name in DRAWN
        for seed in _seeds(name)
    }
    parts = len(columns["T5, seed 0"])
    step = times * miniature.LENGTH / parts
    return Figure(
        Frame(
            {"position": [round((part + 0.5) * step, 2) for part in range(parts)], **columns},
            trained=miniature.LENGTH, times=times, parts=parts,
        ),
        Panel(
            Span(0, "trained"),
            *(Line("position", f"{name}, seed {seed}", label="" if seed else name, colour=colour,
                   width=1.0 if seed else 1.8, dots=not seed, dash="dotted" if seed else "")
              for name, colour in DRAWN.items() for seed in _seeds(name)),
            y=SHARE, height=260, ylim=(-0.05, 1.12), yticks=[0, 0.5, 1], xticks=[0, 32, 64, 96, 128],
        ),
        facts=lambda f: {"last": "; ".join(f"{name} {f[f'{name}, seed 0'][-1]:.2f}" for name in DRAWN)},
        alt="Share of right answers along texts of {times} times the {trained} trained words, in {parts} "
            "stretches. In the last: {last}.",
    )  # fmt: skip


def _seeds(name: str) -> Sequence[int]:
    return (0,) if name == "rotary" else tuple(study("miniature").SEEDS)


def at_lengths(
    members: Sequence[str] = MEMBERS, times: Sequence[int] = (1, 2, 4, 8), task: str = "back"
) -> Table:
    """The share right in the last quarter of a text; in brackets where the trained length is not learned."""
    miniature = study("miniature")

    def cell(name: str, many: int) -> str:
        share = f"{miniature.at_end(name, many, task=task):.2f}"
        return share if miniature.learned(name, task) else f"({share})"

    return Table(
        Column("encoding", members),
        *(Column(f"{many} ×", [cell(name, many) for name in members], align="r") for many in times),
    )


def causes(ways: Mapping[str, tuple[str, str]] = CAUSES, times: Sequence[int] = (1, 2, 8)) -> Table:
    """Unseen angles and unseen distances, each taken away."""
    miniature = study("miniature")
    return Table(
        Column("decoder", list(ways)),
        *(
            Column(f"{many} ×", [miniature.at_end(name, many, way) for name, way in ways.values()], "{:.2f}")
            for many in times
        ),
    )
