"""The recorded study by another path: what its findings say, and what every column means."""

import math
from functools import cache

import numpy as np

from pe_book.evidence.length_generalisation import findings
from pe_book.evidence.length_generalisation.tasks import TASKS, reference_losses
from pe_book.evidence.records.length_generalisation import recorded

RUNS = recorded()[0]["runs"]
LENGTHS = [1, 2, 4, 8, 10]
KINDS = {
    "rows added": ["sinusoidal", "learned", "none"],
    "vectors or bias": ["T5", "ALiBi", "KERPLE", "Shaw"],
    "rotary": ["rotary", "rotary, every second layer", "rotary, window"],
}
NAMES = [name for names in KINDS.values() for name in names]
AXES = {"accuracy": "share right", "loss": "loss (nats)"}
LEARNED, COPIED = ("back", "first", "grammar"), ("none", "sinusoidal", "learned", "T5", "ALiBi", "rotary")
ALONG = ["sinusoidal", "rotary", "ALiBi", "T5"]
READ = {
    "causes": {
        "sinusoidal": ("sinusoidal", "as trained", 64),
        "read from past the end of training on": ("sinusoidal", "moved", 64),
        "read in a window": ("sinusoidal", "window", 64),
        "trained at drawn starts": ("sinusoidal, shifted", "as trained", 64),
        "both": ("sinusoidal, shifted", "window", 64),
        "rotary": ("rotary", "as trained", 64),
        "rotary, read in a window": ("rotary", "window", 64),
    },
    "frequencies": {
        "as trained": ("rotary", "as trained", 64),
        "linear": ("rotary", "linear", 64),
        "NTK-aware": ("rotary", "ntk", 64),
        "YaRN": ("rotary", "yarn", 64),
        "in a window": ("rotary", "window", 64),
    },
    "decisions": {
        "rows added": ("sinusoidal", "as trained", 64),
        "a tenth of them added": ("sinusoidal, a tenth", "as trained", 64),
        "rows appended": ("sinusoidal, appended", "as trained", 64),
        "rows added, 4 layers of width 128": ("sinusoidal", "as trained", 128),
        "rotary": ("rotary", "as trained", 64),
        "rotary, 4 layers of width 128": ("rotary", "as trained", 128),
        "T5": ("T5", "as trained", 64),
        "T5, its numbers at the rate of all else": ("T5, one rate", "as trained", 64),
    },
}
HEADLINES = findings.compared(RUNS)


@cache
def ends(task, name, times, way="as trained", width=64):
    """By seed, in order, the mean of the last quarter."""
    return findings.scores(RUNS, task, name, times=times, way=way, width=width)


def axis_of(task):
    return AXES[TASKS[task].measure]


def curves(task):
    def row_mean(r, p):
        times = r["length (times trained)"]
        return ends(task, r["encoding"], times).mean() if r["run"] == "mean" else math.nan

    def row_seed(r, p):
        if r["run"] == "mean":
            return math.nan
        return ends(task, r["encoding"], r["length (times trained)"])[int(r["run"].split()[1])]

    near, far = ([ends(task, name, times).mean() for name in NAMES] for times in (1, 10))
    told = (f"{name} {a:.2f} and {b:.2f}" for name, a, b in zip(NAMES, near, far, strict=True))
    seeds = [len(ends(task, name, 1)) for name in NAMES]
    return {
        "kind": list(KINDS),
        "encoding": NAMES,
        "length (times trained)": LENGTHS,
        "run": ["mean", *(f"seed {seed}" for seed in range(max(seeds)))],
        f"mean {axis_of(task)}": row_mean,
        axis_of(task): row_seed,
        "rows": sum(5 * (1 + count) for count in seeds),
        "facts": {"ends": "; ".join(told)},
    }


@cache
def average(task, name, times):
    """Over seeds, of each stretch; None where nothing is asked."""
    found = findings.by_place(RUNS, task, name, times=times).mean(axis=0).tolist()
    return [None if one != one else round(one, 3) for one in found]


def explored(task, loss):
    run = [one["run"] for one in RUNS if one["run"]["task"] == task]
    names = [name for name in NAMES if name in {one["member"] for one in run}]
    curves = {name: [average(task, name, times) for times in LENGTHS] for name in names}
    seen = [one for of in curves.values() for curve in of for one in curve if one is not None]
    return {
        "title": TASKS[task].title.capitalize(),
        "measure": axis_of(task),
        "length": 100 if task == "notes" else 64,
        "least": min(seen) if loss else 0,
        "most": max(seen) if loss else 1,
        "learned": [name for name in names if findings.is_learned(RUNS, task, name)],
        "curves": curves,
        "ends": {
            name: [
                [round(float(of(ends(task, name, times))), 3) for of in (np.mean, min, max)]
                for times in LENGTHS
            ]
            for name in names
        },
    }


def read(how, *tasks, lengths=(1, 2, 10)):
    def path(task, times):
        def cell(r, p):
            name, way, width = how[r["decoder"]]
            found = ends(task, name, times, way=way, width=width)
            return f"{found.mean():.2f} ({min(found):.2f}–\u2060{max(found):.2f})"

        return cell

    columns = {
        f"{TASKS[task].title + ', ' if tasks[1:] else ''}{times}\u00a0×": path(task, times)
        for task in tasks
        for times in lengths
    }
    return {"decoder": list(how), **columns}


def on_task(task):
    def cell(r, p):
        near, far = (ends(task, r["encoding"], times).mean() for times in (1, 10))
        told = f"{near:.2f} → {far:.2f}"
        return told if findings.is_learned(RUNS, task, r["encoding"]) else f"({told})"

    return cell


def along():
    found = {name: findings.by_place(RUNS, "notes", name, times=10) for name in ALONG}
    told = (f"{name} {of.mean(axis=0)[0]:.2f} and {of.mean(axis=0)[-1]:.2f}" for name, of in found.items())
    return {
        "position": [round((part + 0.5) * 1000 / 12, 1) for part in range(12)],
        **{f"{name}, mean": of.mean(axis=0) for name, of in found.items()},
        **{f"{name}, least": of.min(axis=0) for name, of in found.items()},
        **{f"{name}, most": of.max(axis=0) for name, of in found.items()},
        "facts": {
            **{name: round(loss, 2) for name, loss in reference_losses().items()},
            "ends": "; ".join(told),
        },
    }


RECOMPUTED = {
    "fig:study:promise": along(),
    "fig:study:back": curves("back"),
    "fig:study:along": {
        "kind": list(KINDS),
        "encoding": NAMES,
        "position": [round((part + 0.5) * 256 / 12, 1) for part in range(12)],
        "share right": lambda r, p: average("back", r["encoding"], 4)[int(12 * r["position"] / 256)],
        "rows": 12 * len(NAMES),
        "facts": {"last": "; ".join(f"{name} {average('back', name, 4)[-1]:.2f}" for name in NAMES)},
        "given": {
            "times": LENGTHS,
            "tasks": {task: explored(task, of.measure == "loss") for task, of in TASKS.items()},
        },
    },
    "tab:study:every": {"encoding": NAMES, **{TASKS[task].title: on_task(task) for task in LEARNED}},
    "tab:study:causes": read(READ["causes"], "back"),
    "tab:study:decisions": read(READ["decisions"], "back"),
    "tab:study:frequencies": read(READ["frequencies"], "back", "first", lengths=(2, 10)),
    "tab:study:copied": read({name: (name, "as trained", 64) for name in COPIED}, "copy"),
    "tab:study:headlines": {
        "first − second": [f"{one} − {other}" for _, one, other in HEADLINES],
        "task": [TASKS[task].title for task, *_ in HEADLINES],
        "measured": np.array([axis_of(task) for task, *_ in HEADLINES]),
        "mean difference": np.array([apart for apart, _ in HEADLINES.values()]),
        "chance": np.array([chance for _, chance in HEADLINES.values()]),
    },
}
