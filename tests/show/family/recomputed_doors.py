"""The opening page of Part III, recomputed with loops, exact turns and the files of the models."""

import math

from pe_book.family.doors.models import models
from tests.show.recomputed import COUNT, WORDS

DOORS = ("input", "query and key", "score", "nowhere")
# (sin, cos) of 0, 30 and 60 degrees, added to the row (1, 0)
ADDED = [(1 + math.sin(math.radians(30 * p)), math.cos(math.radians(30 * p))) for p in range(3)]


def scores(door, query, keys, start=0):
    """The scores of one query, word by word."""
    if door == "input":
        rows = [
            (1 + math.sin(math.radians(30 * (start + p))), math.cos(math.radians(30 * (start + p))))
            for p in keys
        ]
        mine = (
            1 + math.sin(math.radians(30 * (start + query))),
            math.cos(math.radians(30 * (start + query))),
        )
        return [mine[0] * a + mine[1] * b for a, b in rows]
    if door == "query and key":
        return [math.cos(math.radians(30 * (query - p))) for p in keys]
    return [1 - 0.5 * abs(query - p) if door == "score" else 1.0 for p in keys]


def weights(door, query, start=0):
    """The weights of one query over itself and the words before it."""
    powers = [math.exp(score) for score in scores(door, query, range(query + 1), start)]
    return [power / sum(powers) for power in powers]


def output(door, query):
    """What one word gets."""
    rows = ADDED if door == "input" else [(1.0, 0.0)] * 3
    return [sum(w * rows[k][c] for k, w in enumerate(weights(door, query))) for c in (0, 1)]


def in_brackets(numbers):
    return "(" + ", ".join(f"{number:.3f}" for number in numbers) + ")"


def change(row, p):
    here, there = weights(row["door"], 2), weights(row["door"], 2, 100)
    most = max(abs(a - b) for a, b in zip(here, there, strict=True))
    return "$< 10^{-12}$" if most < 1e-12 else most


def by_name(name):
    return next(model for model in models() if model.name == name)


def kind_of(row):
    if row["model"] is None:
        return None
    found = by_name(row["model"])
    if found.doors.index(row["door"]):
        return "late"
    return "sinusoid" if found.method == "sinusoid" else "other"


LEARNED = {"learned table": 512 * 512, "relative, clipped vectors": 2 * 33 * 64}
TOLD_APART = {"clipped": f"{2 * 16 + 1}/1,023", "rotation": "1,023/1,023", "slope": "512/1,023"}


def numbers_for_64(row, p):
    name = row["approach"]
    if "clipped" in name:
        sizes = (2, 64, 64, 64)
    elif "slope" in name:
        sizes = (64, 64, 8)
    elif "rotation" in name:
        sizes = (64, 64)
    else:
        sizes = (64, 1 if "count" in name else 512)
    return f"{'·'.join(map(str, sizes))} =\u00a0{math.prod(sizes):,}"


# each step of attention, and what is made of it: the scores' side, then the values' side
STEPS = {
    "words": ("rows",),
    "rows": ("queries, keys", "values"),
    "queries, keys": ("scores",),
    "scores": ("weights",),
    "weights": ("output",),
    "values": (None, "output"),
    "output": (),
}
AT_STEP = {"input": "rows", "query and key": "queries, keys", "score": "scores", "nowhere": None}


def part_of(row, p):
    if row["name"] in AT_STEP:
        return f"{row['name']} door"
    if row["name"]:
        return "step"
    return "values" if "values" in (row["from"], row["to"]) else "path"


RECOMPUTED = {
    "fig:doors:doors": {
        "rows": 7 + 7 + 4,
        "name": (*STEPS, *AT_STEP),
        "kind": part_of,
        "x": [1.5, 2.9, 0.2],
        "y": range(5),
        "from": ("words", "rows", "queries, keys", "scores", "weights", "values", *list(AT_STEP)[:3]),
        "to": lambda r, p: AT_STEP.get(r["from"]) or STEPS[r["from"]][r["kind"] == "values"],
        "changes the output of equal words": lambda r, p: max(
            abs(a - b) for a, b in zip(output(r["name"], 0), output(r["name"], 2), strict=True)
        ) > 1e-9,
        "facts": {"reached": 1, "doors": 4},
    },
    "fig:doors:tables": {
        "rows": 4 * 6,
        "door": DOORS,
        "query": range(3),
        "key": range(3),
        "weight": lambda r, p: weights(r["door"], r["query"])[r["key"]],
        "facts": {
            "tables": 4,
            "last": "; ".join(f"{door} " + ", ".join(f"{w:.3f}" for w in weights(door, 2)) for door in DOORS),
        },
    },
    "tab:doors:outputs": {
        "door": DOORS,
        **{f"position {i}": lambda r, p, i=i: in_brackets(output(r["door"], i)) for i in range(3)},
    },
    "tab:doors:moved": {
        "door": DOORS,
        "positions 0 to 2": lambda r, p: in_brackets(weights(r["door"], 2)),
        "positions 100 to 102": lambda r, p: in_brackets(weights(r["door"], 2, 100)),
        "largest change": change,
    },
    "tab:doors:compared": {
        COUNT: 4 + 3,  # added to the input, and relative
        "approach": WORDS,
        "learned numbers": lambda r, p: LEARNED.get(r["approach"], 0),
        "at token 513": lambda r, p: (
            "**refuses**" if r["approach"] == "learned table"
            else "**moves others**" if r["approach"] == "count over length" else "goes on"
        ),
        "told apart": lambda r, p: next(
            (told for name, told in TOLD_APART.items() if name in r["approach"]), "512/512"
        ),
        "ahead ≠ behind": lambda r, p: "clipped" in r["approach"],
        "numbers for 64": numbers_for_64,
        "for 128": lambda r, p: 4 if any(w in r["approach"] for w in ("clipped", "slope")) else 2,
    },
    "fig:doors:lanes": {
        "rows": sum(len(model.doors) for model in models()) + 4,
        "year and model": lambda r, p: f"{by_name(r['model']).year} {r['model']}",
        "year": lambda r, p: by_name(r["model"]).year,
        "model": [m.name for m in sorted(models(), key=lambda m: f"{m.year} {m.name}")],
        "door": DOORS,
        "method": lambda r, p: by_name(r["model"]).method,
        "kind": lambda r, p: kind_of(r),
        # what nobody read is what no code and no paper says
        "confirmed": lambda r, p: any(item.kind != "inferred" for item in by_name(r["model"]).evidence),
        "facts": {
            "models": len(models()),
            "first": lambda f, p: listed("input" in m.doors for m in in_order()),
            "later": lambda f, p: listed("input" not in m.doors for m in in_order()),
            "hollow": lambda f, p: ", ".join(
                m.name for m in in_order() if all(item.kind == "inferred" for item in m.evidence)
            ),
        },
    },
    "tab:doors:who": {
        COUNT: lambda p: len(models()),
        "year": lambda r, p: str(by_name(named(r["model"])).year),
        "model": WORDS,
        "door": lambda r, p: ", ".join(by_name(named(r["model"])).doors),
        "what enters": lambda r, p: by_name(named(r["model"])).method,
        "arrays": lambda r, p: arrays(by_name(named(r["model"])).shapes),
        "learned numbers": lambda r, p: sum(math.prod(shape) for shape in by_name(named(r["model"])).shapes),
    },
    "tab:doors:evidence": {
        COUNT: lambda p: sum(len(found.evidence) for found in models()),
        "model": WORDS,
        "by": WORDS,
        "what it says, and where": WORDS,
    },
}  # fmt: skip


def in_order():
    return sorted(models(), key=lambda m: f"{m.year} {m.name}")


def listed(chosen):
    return ", ".join(f"{m.name} ({m.year})" for m, keep in zip(in_order(), chosen, strict=True) if keep)


def named(model_and_size):
    return max((m.name for m in models() if model_and_size.startswith(m.name)), key=len)


def arrays(shapes):
    if not shapes:
        return "none"
    texts = [f"({', '.join(f'{n:,}' for n in shape)})" for shape in shapes]
    counted = [f"{texts.count(t)} × {t}" if texts.count(t) > 1 else t for t in dict.fromkeys(texts)]
    return ", ".join(text.replace(" ", "\u00a0") for text in counted)
