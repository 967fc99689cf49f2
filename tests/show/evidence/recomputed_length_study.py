"""The recorded study by another path: its file is read plainly, and every mean is a loop's."""

import itertools
import json
import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

import pe_book
from pe_book.evidence.length_generalisation.tasks import FOLLOWING, TASKS

FILE = Path(pe_book.__file__).parent / "evidence/records/length_generalisation.json"
KEPT = json.loads(FILE.read_text(encoding="utf-8"))
LENGTHS = [1, 2, 4, 8, 10]
KINDS = {
    "rows added": ["sinusoidal", "learned", "none"],
    "vectors or bias": ["T5", "ALiBi", "KERPLE", "Shaw"],
    "rotary": ["rotary", "rotary, every second layer", "rotary, window"],
}
NAMES = [name for names in KINDS.values() for name in names]
MEASURES = {"back": "accuracy", "first": "accuracy", "grammar": "loss", "copy": "accuracy", "notes": "loss"}
AXES = {"accuracy": "share right", "loss": "loss (nats)"}
TITLES = {
    "back": "the word five back", "first": "the first word", "grammar": "the next word",
    "copy": "the text again", "notes": "the next word, 100 words",
}  # fmt: skip
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
HEADLINES = {
    "sinusoidal − ALiBi": "notes",
    "sinusoidal − rotary": "back",
    "sinusoidal − none": "first",
    "rotary − ALiBi": "copy",
}


@cache
def places(task, name, times, way="as trained", width=64):
    """By seed the twelve stretches."""
    return {
        one["run"]["seed"]: one["tested"][way][MEASURES[task]][LENGTHS.index(times)]
        for one in KEPT["runs"]
        if [one["run"][key] for key in ("task", "member", "width")] == [task, name, width]
    }


def mean(values):
    return sum(values) / len(values)


def ends(*which, **how):
    """By seed, in order, the mean of the last three stretches."""
    found = places(*which, **how)
    return [mean(found[seed][9:]) for seed in sorted(found)]


def curves(task):
    axis = AXES[MEASURES[task]]
    runs = sorted({seed for name in NAMES for seed in places(task, name, 1)})

    def at(name, times):
        return mean(ends(task, name, times))

    def row_mean(r, p):
        return at(r["encoding"], r["length (times trained)"]) if r["run"] == "mean" else math.nan

    def row_seed(r, p):
        if r["run"] == "mean":
            return math.nan
        return ends(task, r["encoding"], r["length (times trained)"])[int(r["run"].split()[1])]

    told = (f"{name} {at(name, 1):.2f} and {at(name, 10):.2f}" for name in NAMES)
    return {
        "kind": list(KINDS),
        "encoding": NAMES,
        "length (times trained)": LENGTHS,
        "run": ["mean", *(f"seed {seed}" for seed in runs)],
        f"mean {axis}": row_mean,
        axis: row_seed,
        "rows": sum(5 * (1 + len(places(task, name, 1))) for name in NAMES),
        "facts": {"ends": "; ".join(told)},
    }


def average(task, name, times):
    """Over seeds, of each stretch; None where nothing is asked."""
    found = [places(task, name, times)[seed] for seed in places(task, name, times)]
    return [None if None in parts else round(mean(parts), 3) for parts in zip(*found, strict=True)]


def explored():
    tasks = {}
    for task, measure in MEASURES.items():
        names = [name for name in NAMES if places(task, name, 1)]
        curves = {name: [average(task, name, times) for times in LENGTHS] for name in names}
        seen = [one for of in curves.values() for curve in of for one in curve if one is not None]
        loss = measure == "loss"
        tasks[task] = {
            "title": TITLES[task].capitalize(),
            "measure": AXES[measure],
            "length": 100 if task == "notes" else 64,
            "least": min(seen) if loss else 0,
            "most": max(seen) if loss else 1,
            "learned": [name for name in names if learned(task, ends(task, name, 1))],
            "curves": curves,
            "ends": {
                name: [
                    [round(of(ends(task, name, times)), 3) for of in (mean, min, max)] for times in LENGTHS
                ]
                for name in names
            },
        }
    return {"times": LENGTHS, "tasks": tasks}


def read(how, *tasks, lengths=(1, 2, 10)):
    def path(task, times):
        def cell(r, p):
            name, way, width = how[r["decoder"]]
            found = ends(task, name, times, way=way, width=width)
            return f"{mean(found):.2f} ({min(found):.2f}–\u2060{max(found):.2f})"

        return cell

    columns = {
        f"{TITLES[task] + ', ' if tasks[1:] else ''}{times}\u00a0×": path(task, times)
        for task in tasks
        for times in lengths
    }
    return {"decoder": list(how), **columns}


def learned(task, near):
    """Each seed alone, at the trained length."""
    if MEASURES[task] == "loss":
        return all(one < math.log(32) - 0.1 for one in near)
    return all(one >= 0.95 for one in near)


def on_task(task):
    def cell(r, p):
        near, far = ends(task, r["encoding"], 1), ends(task, r["encoding"], 10)
        told = f"{mean(near):.2f} → {mean(far):.2f}"
        return told if learned(task, near) else f"({told})"

    return cell


def chance(differences):
    """Of all signs those that make a sum as large."""
    due = abs(sum(differences)) * (1 - 1e-12)
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    return mean([abs(sum(s * d for s, d in zip(one, differences, strict=True))) >= due for one in signs])


def apart(names, task):
    one, other = names.split(" − ")
    return [a - b for a, b in zip(ends(task, one, 10), ends(task, other, 10), strict=True)]


def corrected():
    """Holm: the least times their number, the next times one less, and none below one before it."""
    plain = {names: chance(apart(names, task)) for names, task in HEADLINES.items()}
    found, before = {}, 0.0
    for left, names in zip((4, 3, 2, 1), sorted(plain, key=plain.get), strict=True):
        before = found[names] = max(before, min(1, left * plain[names]))
    return found


def known():
    """Losses of who knows the grammar: one probability a word, from the rule by which texts are drawn."""
    words, asked = TASKS["grammar"].draw(np.random.default_rng(1), 64, 640)
    two_back, subject = [], []
    for text, due in zip(words.tolist(), asked.tolist(), strict=True):
        often = Counter(due)
        likely = sorted(range(32), key=lambda word: -often[word])[:6]
        for place in range(1, 640):
            by_rule = (due[place] in FOLLOWING[text[place - 1]].tolist()) * 0.5 / 3 + 0.1 / 32
            two_back.append(-math.log(by_rule + 0.4 / 32))
            subject.append(-math.log(by_rule + (due[place] in likely) * 0.4 / 6))
    return {
        "nothing": round(math.log(32), 2),
        "two back": round(mean(two_back), 2),
        "subject": round(mean(subject), 2),
    }


def along():
    def stretches(name, of):
        found = places("notes", name, 10)
        return np.array([of([found[seed][part] for seed in found]) for part in range(12)])

    told = (f"{name} {stretches(name, mean)[0]:.2f} and {stretches(name, mean)[-1]:.2f}" for name in ALONG)
    return {
        "position": [round((part + 0.5) * 1000 / 12, 1) for part in range(12)],
        **{
            f"{name}, {kind}": stretches(name, of)
            for name in ALONG
            for kind, of in (("mean", mean), ("least", min), ("most", max))
        },
        "facts": {**known(), "ends": "; ".join(told)},
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
        "given": explored(),
    },
    "tab:study:every": {"encoding": NAMES, **{TITLES[task]: on_task(task) for task in LEARNED}},
    "tab:study:causes": read(READ["causes"], "back"),
    "tab:study:decisions": read(READ["decisions"], "back"),
    "tab:study:frequencies": read(READ["frequencies"], "back", "first", lengths=(2, 10)),
    "tab:study:copied": read({name: (name, "as trained", 64) for name in COPIED}, "copy"),
    "tab:study:headlines": {
        "first − second": list(HEADLINES),
        "task": [TITLES[task] for task in HEADLINES.values()],
        "measured": lambda r, p: AXES[MEASURES[HEADLINES[r["first − second"]]]],
        "mean difference": [mean(apart(names, task)) for names, task in HEADLINES.items()],
        "chance": lambda r, p: corrected()[r["first − second"]],
    },
}  # fmt: skip
