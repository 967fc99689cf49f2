"""The opening page of Part III by another path: definitions, and the files of the models."""

import math

from pe_book.evidence.family.doors import left_out
from pe_book.evidence.family.who_uses_what.listed import SAID, rows
from pe_book.evidence.records.length_generalisation import recorded
from pe_book.family.doors import attend
from pe_book.family.doors.models import models
from pe_book.family.members import members
from pe_book.family.members.properties import matrix
from tests.show.recomputed import COUNT, WORDS

DOORS = ("input", "query and key", "score", "values")
WHERE = (*DOORS, "nowhere")
MEMBERS = members()
STUDIED = {
    "learned table": "learned", "sinusoid": "sinusoidal",
    **{name: name for name in ("rotary", "Shaw", "T5", "ALiBi", "KERPLE")}, "NoPE": "none",
}  # fmt: skip


def told(door, start=0):
    """Three equal words, told their positions at one door."""
    return attend([[1.0, 0.0]] * 3, door, positions=range(start, start + 3))


def weights(door, query, start=0):
    """The weights of one query over itself and the words before it."""
    return told(door, start).weights[query, : query + 1].tolist()


def output(door, query):
    """What one word gets."""
    return told(door).output[query].tolist()


def in_one_line(numbers):
    return ",\u00a0".join(f"{number:.2f}" for number in numbers)


def change(row, p):
    here, there = weights(row["enters at"], 2), weights(row["enters at"], 2, 100)
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


def told_apart(row, p):
    found = matrix()[row["member"]].distinct
    return "–" if found is None else "{:,}/{:,}".format(*found)


def handed_over(shape):
    product = math.prod(shape)
    return f"{'·'.join(map(str, shape))} =\u00a0{product:,}" if product else "none"


def yes(of):
    return lambda row, p: "yes" if getattr(matrix()[row["member"]], of) else "no"


def those(condition):
    return [name for name, found in matrix().items() if condition(found)]


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
        "grows with the text": those(lambda found: found.bounded is False),
        "one token more moves the others": ["count over length"],
        "refuses one token more": ["learned table"],
        "weights change when the text moves": [n for n, one in MEMBERS.items() if one.place == "input"],
        "a square of numbers": those(lambda found: found.numbers[1:] == (64, 64)),
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
AT_STEP = {
    "input door": "rows", "query and key door": "queries, keys", "score door": "scores",
    "values door": "values",
}  # fmt: skip


def part_of(row, p):
    if row["name"] in AT_STEP:
        return row["name"]
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
        "from": ("words", "rows", "queries, keys", "scores", "weights", "values", *AT_STEP),
        "to": lambda r, p: AT_STEP.get(r["from"]) or STEPS[r["from"]][r["kind"] == "values"],
        "changes the output of equal words": lambda r, p: max(
            abs(a - b)
            for a, b in zip(*(output(r["name"].removesuffix(" door"), i) for i in (0, 2)), strict=True)
        ) > 1e-9,
        "facts": {"reached": 2, "doors": 4},
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
        "enters at": WHERE,
        **{f"position {i}": lambda r, p, i=i: in_one_line(output(r["enters at"], i)) for i in range(3)},
    },
    "tab:doors:moved": {
        "enters at": WHERE,
        "positions 0 to 2": lambda r, p: in_one_line(weights(r["enters at"], 2)),
        "positions 100 to 102": lambda r, p: in_one_line(weights(r["enters at"], 2, 100)),
        "largest change": change,
    },
    "tab:doors:needs": {
        "member": tuple(MEMBERS),
        "learned numbers": lambda r, p: MEMBERS[r["member"]].parameters,
        "attention call": lambda r, p: matrix()[r["member"]].call,
        "numbers for 64 tokens": lambda r, p: handed_over(matrix()[r["member"]].numbers),
        "for 128": lambda r, p: matrix()[r["member"]].growth or "–",
        "door": lambda r, p: "score, values" if r["member"] == "Shaw" else MEMBERS[r["member"]].place,
    },
    "tab:doors:compared": {
        "member": tuple(MEMBERS),
        "difference only": yes("difference"),
        "one token more": lambda r, p: {"refuses": "**refuses**", "moves": "**moves others**"}.get(
            matrix()[r["member"]].beyond, "goes on"
        ),
        "bounded": lambda r, p: {None: "–", False: "no", True: "yes"}[matrix()[r["member"]].bounded],
        "cache": yes("cache"),
    },
    "tab:members:trained": {
        "member": tuple(STUDIED),
        "word five back": lambda r, p: when_longer(r["member"], "back"),
        "first word": lambda r, p: when_longer(r["member"], "first"),
    },
    "tab:doors:told": {
        "member": tuple(MEMBERS),
        "repeats": yes("counts"),
        "two sides": yes("order"),
        "no mask": yes("maskless"),
        "told apart": told_apart,
        "ahead ≠ behind": yes("direction"),
    },
    "tab:doors:choose": {
        COUNT: 8,
        "need": WORDS,
        "left out": lambda r, p: ", ".join(left_out(r["need"].split("`")[1])),
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
    "tab:doors:models": {
        COUNT: lambda p: len(rows()),
        **dict.fromkeys(("model", *SAID, "trained on", "from"), WORDS),
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


def when_longer(member, task):
    """By what the study's own page asks of its record."""
    from pe_book.evidence.length_generalisation import findings  # with torch, which the page does without

    name, runs = STUDIED[member], recorded()[0]["runs"]
    if not findings.is_learned(runs, task, name):
        return "not learned"
    return f"{findings.scores(runs, task, name, times=10).mean():.2f}"


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
