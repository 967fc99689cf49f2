"""Curves of the recorded study along a text: of one task in a figure, of all tasks in its explorer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line, Span
from pe_book.show.evidence.length_study import GROUPS, NAMES, SHARE, SHARES, SHORT, WIDE, Runs, study, task_of


def along(runs: Runs, task: str = "back", times: int = 4) -> Figure:
    """Means over seeds along one text; with script a reader sets task, encoding and length."""
    title, measure = task_of(task)
    found = {name: _mean(runs, task, name, times) for name in NAMES}
    trained, parts = _trained(runs, task), len(found[NAMES[0]])
    step = times * trained / parts
    rows = [
        (kind, name, round((part + 0.5) * step, 1), value)
        for kind, names in GROUPS.items()
        for name in names
        for part, value in enumerate(found[name])
    ]

    def line(name: str, colour: str) -> Line:
        return Line(
            "position", measure, {"encoding": name}, label=SHORT.get(name, name), colour=colour, dots=True
        )

    def panel(kind: str, names: Mapping[str, str]) -> Panel:
        return Panel(
            Span(0, "trained"), *(line(*one) for one in names.items()),
            title=kind, y=measure, xticks=[0, trained, times * trained],
            width=WIDE, height=200, ylim=SHARES, yticks=(0, 0.5, 1),
        )  # fmt: skip

    return Figure(
        Frame.of_rows(
            ("kind", "encoding", "position", measure), rows, task=title, times=times, trained=trained
        ),
        *(panel(*one) for one in GROUPS.items()),
        facts=lambda f: {
            "last": "; ".join(f"{name} {f.where({'encoding': name})[measure][-1]:.2f}" for name in NAMES)
        },
        alt="The task is {task}, along texts of {times} times the {trained} trained words. In the last "
        "stretch: {last}.",
        explorer="pe-lengths",
        given=lambda f: {"times": list(study("training").TIMES), "tasks": _tasks(runs)},
    )


def _mean(runs: Runs, task: str, name: str, times: int) -> list[float | None]:
    found = study("findings").by_place(runs, task, name, times=times).mean(axis=0)
    return [None if np.isnan(one) else round(float(one), 3) for one in found]


def _trained(runs: Runs, task: str) -> int:
    return next(int(one["run"]["length"]) for one in runs if one["run"]["task"] == task)


def _tasks(runs: Runs) -> dict[str, Any]:
    """Of every task curves by encoding and length, and the last quarter with least and most."""
    findings, lengths = study("findings"), study("training").TIMES
    run = {(one["run"]["task"], one["run"]["member"]) for one in runs}
    tasks = {}
    for task in study("tasks").TASKS:
        names = [name for name in NAMES if (task, name) in run]
        curves = {name: [_mean(runs, task, name, times) for times in lengths] for name in names}
        every = [one for of in curves.values() for curve in of for one in curve if one is not None]
        title, measure = task_of(task)
        tasks[task] = {
            "title": title[0].upper() + title[1:],
            "measure": measure,
            "length": _trained(runs, task),
            "least": 0 if measure == SHARE else min(every),
            "most": 1 if measure == SHARE else max(every),
            "learned": [name for name in names if findings.is_learned(runs, task, name)],
            "curves": curves,
            "ends": {
                name: [
                    [round(float(of(findings.scores(runs, task, name, times=times))), 3) for of in ENDS]
                    for times in lengths
                ]
                for name in names
            },
        }
    return tasks


ENDS = (np.mean, np.min, np.max)
