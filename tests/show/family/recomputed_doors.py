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


# what each member is, from its formula: learned numbers, numbers for 64 tokens, the call, its door
WHAT = {
    "count": (0, (64, 1), "no mask", "input"),
    "count over length": (0, (64, 1), "no mask", "input"),
    "learned table": (512 * 512, (64, 512), "no mask", "input"),
    "sinusoid": (0, (64, 512), "no mask", "input"),
    "rotary": (0, (64, 64), "no mask", "query and key"),
    "Shaw": (2 * 33 * 64, (8, 64, 64), "own code", "score, values"),
    "DeBERTa": (1024 * 512 + 2 * 512 * 512, (8, 64, 64), "square mask", "score"),
    "T5": (32 * 8, (8, 64, 64), "square mask", "score"),
    "ALiBi": (0, (8, 64, 64), "square mask", "score"),
    "ALiBi by keys": (0, (8, 1, 64), "key mask", "score"),
    "KERPLE": (2 * 8, (8, 64, 64), "square mask", "score"),
    "window": (0, (64, 64), "square mask", "score"),
    "window + first": (0, (64, 64), "square mask", "score"),
    "NoPE": (0, (0,), "no mask", "nowhere"),
}
ADDED_TO_WORDS = [name for name, what in WHAT.items() if what[3] == "input"]


def of_distance(name, k, far=512):
    """What a member adds to a score at an offset, key minus query; a text for what it looks up."""
    if name in ("ALiBi", "KERPLE", "window"):
        k = abs(k)
    looked_up = {
        "Shaw": max(-16, min(16, k)),
        "DeBERTa": max(-far + 1, min(far, -k)),
        "T5": (k > 0, min(abs(k), 8) if abs(k) < 8 else wide_bucket(abs(k))),
        "window": k < 32,
    }
    return looked_up.get(name, k)


def wide_bucket(distance):
    """Of 16 buckets a side the first beyond the 8 exact ones whose end lies behind the distance."""
    return min(15, next(b for b in range(8, 99) if distance**8 < 8 ** (15 - b) * 128 ** (b - 7) or b > 14))


def told_apart(row, p):
    name = row["member"]
    if name in ADDED_TO_WORDS:
        return "512/512"
    if name in ("NoPE", "window + first"):
        return "–"
    return f"{len({of_distance(name, k) for k in range(-511, 512)}):,}/1,023"


def yes(*names):
    return lambda row, p: "yes" if row["member"] in names else "no"


ALL_BUT = {
    "difference only": (*ADDED_TO_WORDS, "window + first"),
    "cache": ("count over length",),
    "two sides": ("ALiBi", "KERPLE", "window", "NoPE"),
    "no mask": ("ALiBi by keys", "NoPE"),  # what is added hangs on the key alone, or nothing is
}
GROWS = ("count", "ALiBi", "ALiBi by keys", "KERPLE")
HIDES = ("window", "window + first")


def all_but(column):
    return yes(*(name for name in WHAT if name not in ALL_BUT[column]))


# what each need leaves out
LEFT_OUT = {
    "repeats": [name for name in WHAT if name not in (*ADDED_TO_WORDS, "Shaw")],
    "longer": ["count over length", "learned table"],
    "anywhere": [*ADDED_TO_WORDS, "window + first"],
    "many": [name for name, what in WHAT.items() if what[2] in ("square mask", "own code")],
    "cache": ["count over length"],
    "two sides": list(ALL_BUT["two sides"]),
    "no mask": list(ALL_BUT["no mask"]),
    "any distance": [name for name in WHAT if name in GROWS + HIDES],
}


def measured(row, p):
    """What stands against an approach, said again."""
    meant = {
        "counting": ["count"],
        "dividing by the length": ["count over length"],
        "learned table": ["learned table"],
        "sinusoid": ["sinusoid"],
        "relative methods": ["rotary", "Shaw", "DeBERTa", "T5", "ALiBi", "KERPLE"],
    }[row["approach"]]
    against = {
        "grows with the text": GROWS,
        "one token more moves all": ["count over length"],
        "refuses one token more": ["learned table"],
        "weights change when the text moves": ADDED_TO_WORDS,
        "a square of numbers": [name for name, what in WHAT.items() if what[1][1:] == (64, 64)],
    }
    parts = []
    for words, names in against.items():
        hit = len(set(meant) & set(names))
        if hit:
            parts.append(words if len(meant) == 1 else f"{words} ({hit} of {len(meant)})")
    return "; ".join(parts)


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
    "tab:doors:needs": {
        COUNT: len(WHAT),
        "member": tuple(WHAT),
        "learned numbers": lambda r, p: WHAT[r["member"]][0],
        "attention call": lambda r, p: WHAT[r["member"]][2],
        "numbers for 64 tokens": lambda r, p: (
            f"{'·'.join(map(str, WHAT[r['member']][1]))} =\u00a0{math.prod(WHAT[r['member']][1]):,}"
            if math.prod(WHAT[r["member"]][1]) else "none"
        ),
        "for 128": lambda r, p: "–" if r["member"] == "NoPE" else 4 if "square" in WHAT[r["member"]][2]
        or WHAT[r["member"]][2] == "own code" else 2,
        "door": lambda r, p: WHAT[r["member"]][3],
    },
    "tab:doors:compared": {
        COUNT: len(WHAT),
        "member": tuple(WHAT),
        "difference only": all_but("difference only"),
        "one token more": lambda r, p: {
            "learned table": "**refuses**", "count over length": "**moves others**"
        }.get(r["member"], "goes on"),
        "bounded": lambda r, p: (
            "–" if r["member"] in (*HIDES, "NoPE") else "no" if r["member"] in GROWS else "yes"
        ),
        "cache": all_but("cache"),
    },
    "tab:doors:told": {
        COUNT: len(WHAT),
        "member": tuple(WHAT),
        "repeats": yes(*ADDED_TO_WORDS, "Shaw"),
        "two sides": all_but("two sides"),
        "no mask": all_but("no mask"),
        "told apart": told_apart,
        "ahead ≠ behind": yes("Shaw", "DeBERTa", "T5", "ALiBi by keys", "window + first"),
    },
    "tab:doors:choose": {
        COUNT: len(LEFT_OUT),
        "need": WORDS,
        "left out": lambda r, p: ", ".join(LEFT_OUT[r["need"].split("`")[1]]),
        "grounds": WORDS,
    },
    "tab:doors:uses": {
        COUNT: 5,
        "approach": WORDS,
        "measured here": measured,
        "good for (opinion)": WORDS,
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
