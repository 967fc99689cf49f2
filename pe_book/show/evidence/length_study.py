"""Figures and tables of the recorded study of longer texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points, Span
from pe_book.show.drawing.table import Column, Table

Runs = Sequence[Mapping[str, Any]]
SHARE, LOSS, AT = "share right", "loss (nats)", "length (times trained)"
GROUPS = {
    "rows added": {"sinusoidal": "blue", "learned": "orange", "none": "muted"},
    "vectors or bias": {"T5": "purple", "ALiBi": "orange", "KERPLE": "green", "Shaw": "blue"},
    "rotary": {"rotary": "green", "rotary, every second layer": "blue", "rotary, window": "orange"},
}
NAMES = [name for names in GROUPS.values() for name in names]
SHORT = {"rotary, every second layer": "every second layer", "rotary, window": "window"}
ALONG = {"sinusoidal": "blue", "rotary": "green", "ALiBi": "orange", "T5": "purple"}
KNOWN = {"nothing": ("muted", "dotted"), "two back": ("muted", "dashed"), "subject": ("ink", "dashed")}
JOINED = "\u2060"  # no line breaks behind a dash that this follows
WIDE, SHARES = 296, (-0.05, 1.12)  # px; of an axis of shares

CAUSES: dict[str, dict[str, Any]] = {
    "sinusoidal": {"member": "sinusoidal"},
    "read from past the end of training on": {"member": "sinusoidal", "way": "moved"},
    "read in a window": {"member": "sinusoidal", "way": "window"},
    "trained at drawn starts": {"member": "sinusoidal, shifted"},
    "both": {"member": "sinusoidal, shifted", "way": "window"},
    "rotary": {"member": "rotary"},
    "rotary, read in a window": {"member": "rotary", "way": "window"},
}
FREQUENCIES: dict[str, dict[str, Any]] = {
    "as trained": {"member": "rotary"},
    "linear": {"member": "rotary", "way": "linear"},
    "NTK-aware": {"member": "rotary", "way": "ntk"},
    "YaRN": {"member": "rotary", "way": "yarn"},
    "in a window": {"member": "rotary", "way": "window"},
}
DECISIONS: dict[str, dict[str, Any]] = {
    "rows added": {"member": "sinusoidal"},
    "a tenth of them added": {"member": "sinusoidal, a tenth"},
    "rows appended": {"member": "sinusoidal, appended"},
    "rows added, 4 layers of width 128": {"member": "sinusoidal", "width": 128},
    "rotary": {"member": "rotary"},
    "rotary, 4 layers of width 128": {"member": "rotary", "width": 128},
    "T5": {"member": "T5"},
    "T5, its numbers at the rate of all else": {"member": "T5, one rate"},
}


def study(name: str) -> Any:
    """A module of the study; late, since other figures need no torch."""
    return import_module(f"pe_book.evidence.length_generalisation.{name}")


def task_of(name: str) -> tuple[str, str]:
    """Its title, and what is measured."""
    task = study("tasks").TASKS[name]
    return task.title, SHARE if task.measure == "accuracy" else LOSS


def by_length(runs: Runs, task: str, groups: Mapping[str, Mapping[str, str]] = GROUPS) -> Figure:
    """What every member does in the last quarter at each length: a line joins means, each seed is a dot."""
    (title, measure), lengths = task_of(task), study("training").TIMES
    rows: list[tuple[Any, ...]] = []
    for kind, names in groups.items():
        for name in names:
            for times in lengths:
                found = study("findings").scores(runs, task, name, times=times)
                rows.append((kind, name, times, "mean", float(found.mean()), None))
                rows += [(kind, name, times, f"seed {k}", None, one) for k, one in enumerate(found.tolist())]
    mean = f"mean {measure}"

    def panel(kind: str, names: Mapping[str, str]) -> Panel:
        return Panel(
            *(Line(AT, mean, {"encoding": name, "run": "mean"}, label=SHORT.get(name, name), colour=colour)
              for name, colour in names.items()),
            *(Points(AT, measure, {"encoding": name}, colour=colour, size=3)
              for name, colour in names.items()),
            title=kind, y=measure, log="x", xticks=dict(zip(lengths, map(str, lengths), strict=True)),
            width=WIDE, height=200, ylim=SHARES if measure == SHARE else None,
            yticks=(0, 0.5, 1) if measure == SHARE else None,
        )  # fmt: skip

    return Figure(
        Frame.of_rows(("kind", "encoding", AT, "run", mean, measure), rows, task=title, longest=lengths[-1]),
        *(panel(kind, names) for kind, names in groups.items()),
        facts=lambda f: {"ends": _ends(f, mean)},
        alt="The task is {task}. Mean over seeds at the trained length and at {longest} times it: {ends}.",
    )


def _ends(frame: Frame, column: str) -> str:
    means = frame.where({"run": "mean"})
    found = {name: means.where({"encoding": name})[column] for name in dict.fromkeys(means["encoding"])}
    return "; ".join(f"{name} {of[0]:.2f} and {of[-1]:.2f}" for name, of in found.items())


def promise(runs: Runs, times: int = 10, names: Mapping[str, str] = ALONG) -> Figure:
    """The notes' own experiment: along a text, the loss of a next word, beside what the grammar allows."""
    title, measure = task_of("notes")
    found = {name: study("findings").by_place(runs, "notes", name, times=times) for name in names}
    known = {name: round(loss, 2) for name, loss in study("tasks").reference_losses().items()}
    trained = next(one["run"]["length"] for one in runs if one["run"]["task"] == "notes")
    parts = next(iter(found.values())).shape[1]
    step = times * trained / parts
    low, high = min(known.values()) - 0.6, max(known["nothing"], *(v.max() for v in found.values())) + 0.25
    columns = {
        f"{name}, {kind}": of(values, axis=0)
        for name, values in found.items()
        for kind, of in (("mean", np.mean), ("least", np.min), ("most", np.max))
    }

    def panel(name: str, colour: str) -> Panel:
        return Panel(
            Span(0, "trained"),
            *(Guide(y=fact, label=fact, colour=colour, dash=dash) for fact, (colour, dash) in KNOWN.items()),
            *(Line("position", f"{name}, {kind}", colour=colour, width=0.9, dash="dotted")
              for kind in ("least", "most")),
            Line("position", f"{name}, mean", colour=colour, dots=True),
            title=name, y=measure, xticks=[0, trained, times * trained], width=WIDE, height=190,
            ylim=(low, high),
        )  # fmt: skip

    return Figure(
        Frame(
            {"position": [round((part + 0.5) * step, 1) for part in range(parts)], **columns},
            trained=trained, times=times, parts=parts, longest=times * trained, task=title,
        ),
        *(panel(name, colour) for name, colour in names.items()),
        facts=lambda f: {
            **known,
            "ends": "; ".join(f"{n} {f[f'{n}, mean'][0]:.2f} and {f[f'{n}, mean'][-1]:.2f}" for n in names),
        },
        alt="Loss of the next word along texts of {longest} words, of decoders trained on {trained}. In the "
            "first of {parts} stretches and in the last: {ends}.",
    )  # fmt: skip


def read_in_ways(
    runs: Runs,
    ways: Mapping[str, Mapping[str, Any]],
    tasks: Sequence[str] = ("back",),
    times: Sequence[int] = (1, 2, 10),
) -> Table:
    """Means over seeds in the last quarter, with the least and the most."""

    def cell(task: str, how: Mapping[str, Any], many: int) -> str:
        found = study("findings").scores(runs, task, **how, times=many)
        return f"{found.mean():.2f} ({found.min():.2f}–{JOINED}{found.max():.2f})"

    def heading(task: str, many: int) -> str:
        of = f"{task_of(task)[0]}, " if len(tasks) > 1 else ""  # the caption names a single task
        return f"{of}{many}\u00a0×"

    return Table(
        Column("decoder", list(ways)),
        *(
            Column(heading(task, many), [cell(task, how, many) for how in ways.values()], align="r")
            for task in tasks
            for many in times
        ),
    )


def every_task(runs: Runs, tasks: Sequence[str] = ("back", "first", "grammar"), times: int = 10) -> Table:
    """Every member on every task, trained length and longest; in brackets where a seed does not learn."""
    findings = study("findings")

    def cell(task: str, name: str) -> str:
        near, far = (findings.scores(runs, task, name, times=many).mean() for many in (1, times))
        told = f"{near:.2f} → {far:.2f}"
        return told if findings.is_learned(runs, task, name) else f"({told})"

    return Table(
        Column("encoding", NAMES),
        *(Column(task_of(task)[0], [cell(task, name) for name in NAMES], align="r") for task in tasks),
    )


def copied(runs: Runs, times: Sequence[int] = (1, 2, 10)) -> Table:
    """The members that are compared, on the text said again."""
    names = study("protocol").COMPARED
    return read_in_ways(runs, {name: {"member": name} for name in names}, ("copy",), times)


def headlines(runs: Runs, times: int = 10) -> Table:
    """The comparisons of a headline: the mean difference, and how likely it is by chance alone."""
    found = study("findings").compared(runs, times)
    return Table(
        Column("first − second", [f"{one} − {other}" for _, one, other in found]),
        Column("task", [task_of(task)[0] for task, *_ in found]),
        Column("measured", [task_of(task)[1] for task, *_ in found]),
        Column("mean difference", [apart for apart, _ in found.values()], "{:+.2f}"),
        Column("chance", [chance for _, chance in found.values()], "{:.3f}"),
    )
