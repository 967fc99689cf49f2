"""The figures and tables of the chapter on reading a config by another path: what their configs say."""

import numpy as np

from pe_book.evidence.family.reading_a_config import CASES, reports
from pe_book.evidence.family.recorded import recorded

# how many layers, and of each layer what it sees and whether it turns, by rules of its class
MODELS = {
    "llama-3.1-8b": (32, lambda i: "full, turns"),
    "gemma-3-27b": (62, lambda i: "full, turns" if i % 6 == 5 else "window, turns"),
    "smollm3-3b": (36, lambda i: "full, still" if i % 4 == 3 else "full, turns"),
    "command-r7b": (32, lambda i: "full, still" if i % 4 == 3 else "window, turns"),
    "qwen3-next-80b": (48, lambda i: "full, turns" if i % 4 == 3 else "no softmax, still"),
}
LINES = ["full, turns", "window, turns", "full, still", "no softmax, still"]


def name_of(stem):
    return recorded(stem)["name"]


def rule(row):
    return next(rule for stem, (_, rule) in MODELS.items() if name_of(stem) == row["model"])


def counted(stem):
    layers, does = MODELS[stem]
    kinds = [does(i) for i in range(layers)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def by_finding():
    """What reports say of what acts and is not computed, with the models that share it."""
    told = {}
    for stem, report in reports().items():
        for one in (*report.findings, *report.notes):
            if one.kind not in ("ignored", "note"):
                told.setdefault((one.says, f"`{one.key}`"), []).append(name_of(stem))
    return [(", ".join(models), *finding) for finding, models in told.items()]


RECOMPUTED = {
    "fig:config:layers": {
        "rows": sum(layers for layers, _ in MODELS.values()),
        "model": [name_of(stem) for stem in MODELS],
        "layer": range(62),
        "what it does": lambda r, p: rule(r)(int(r["layer"])),
        "line": lambda r, p: LINES.index(rule(r)(int(r["layer"]))),
        "facts": {
            **{f"name_{i}": name_of(stem) for i, stem in enumerate(MODELS)},
            **{f"count_{i}": counted(stem) for i, stem in enumerate(MODELS)},
        },
    },
    "tab:config:cases": {
        "trouble": [case.trouble for case in CASES],
        "the report says": np.array([case.says() for case in CASES]),
        "key": np.array([f"`{case.key}`" for case in CASES]),
    },
    "tab:config:models": dict(zip(("model", "finding", "key"), np.array(by_finding()).T, strict=True)),
}
