"""The figures and tables of the chapter on score bias by another path."""

import math

import numpy as np
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

import pe_book as pe
from pe_book.evidence.family.score_bias import nearest_weight, settings_apart
from pe_book.family.score_bias.t5 import t5_boundaries
from pe_book.why.order_blindness import attention_weights
from tests.show.recomputed import COUNT, WORDS

FAR = [1024 ** (k / 80) for k in range(81)]
LENGTHS = sorted({round(1024 * 16 ** (k / 12)) for k in range(13)})


def weights(slope, words):
    """Of equal words under a slope, each over those up to itself."""
    equal, places = np.zeros((words, 1)), range(words)
    return attention_weights(equal, equal, bias=pe.alibi_bias([slope], places, places)[0], causal=True)


HALF, EIGHTH, BUCKETS = weights(1 / 2, 4), weights(1 / 8, 10), t5_boundaries(bidirectional=False)
HEAD = 64
DIVISORS = {"nothing": 1, r"$\sqrt d$": HEAD**0.5, r"$\sqrt{3d}$": (3 * HEAD) ** 0.5}


def called(row):
    """What the call of a model divides a dot product of one by, and whether it divides the bias, too."""
    call = row["`attention(…)`"].strip("`")
    options = {} if call == "as it is" else eval(f"dict({call})", {"d": HEAD})
    one = [[0.0] * HEAD, [1.0] + [0.0] * (HEAD - 1)]  # of two keys the second has the dot product one

    def lead(bias):
        far, near = attention_weights(one[1:], one, bias=[[0.0, bias]], **options)[0]
        return math.log(near / far)

    return 1 / lead(0.0), lead(1.0) - lead(0.0) < 1 - 1e-9


def gives_its_formula(row, p):
    """The definition that adds what the formula of its row says, if that is a formula of numbers."""
    name = row["here"].strip("`")
    given = {"alibi_bias": {"m": 0.25}, "kerple_bias": {"r_1": 2.0, "r_2": 0.5}}.get(name)
    if given is None:
        return row["here"] if name == "formula only" or hasattr(pe, name) else f"no pe.{name}"
    formula = row["added, $n = i - j$"].strip("$").replace(r"\,", " ").replace(r"\log", " log")
    said = parse_expr(formula, transformations=(*standard_transformations, implicit_multiplication))
    gives = getattr(pe, name)(*([number] for number in given.values()), [7], [0]).item()
    same = math.isclose(float(said.subs(given | {"n": 7})), gives)
    return row["here"] if same else f"`{name}` adds {gives} here"


def beyond(head, length, trained=1024):
    """The share of the weight farther than the training: a geometric series."""
    if head == "no bias":
        return (length - trained) / length
    return (math.exp(-trained / 256) - math.exp(-length / 256)) / (1 - math.exp(-length / 256))


def passed(form):
    def nearest(r, p):
        way = r["the sum passes through"]
        if way != "a softmax beside a sink logit of 0":
            return nearest_weight(1 / 2, 4096, form, way)
        from_the_nearest = math.exp(-4095 / 2) if form == "key" else 1.0  # e to the power of the sink
        return 1 / (1 / (1 - math.exp(-1 / 2)) + from_the_nearest)

    return nearest


BEGINS = t5_boundaries(n_buckets=6, max_distance=10, bidirectional=False).tolist()
NUMBERS = [0, 1, 0.5, 2, -1, -2]
APART = settings_apart(20, 700)


def only_on_boundaries(n_buckets, size, apart):
    """Whether the distances that a rounded logarithm moves are powers that a bucket begins with."""
    first, wide = n_buckets // 2, n_buckets - n_buckets // 2
    return {n**wide for n in apart} <= {size**t * first ** (wide - t) for t in range(wide)}


WAYS = [
    "softmax", "sparsemax", "bfloat16 and softmax", "a soft cap and softmax",
    "a softmax beside a sink logit of 0", "a sigmoid",
]  # fmt: skip

RECOMPUTED = {
    "fig:score:curves": {
        "rows": 8 * len(FAR) + 31,
        "head": range(8),
        "slope": lambda r, p: 2.0 ** -(r["head"] + 1),
        "distance (tokens)": lambda r, p: (
            BUCKETS[r["bucket"]] if r["head"] is None
            else min(FAR, key=lambda n: abs(n - r["distance (tokens)"]))
        ),
        "weight": lambda r, p: math.exp(-r["distance (tokens)"] * r["slope"]),
        "bucket": range(1, 32),
        "height": lambda r, p: -0.09 if r["head"] is None else None,
        "facts": {
            **{f"slope_{i}": f"1/{2 ** (i + 1)}" for i in (0, 7)},
            **{f"half_{i}": 2 ** (i + 1) * math.log(2) for i in (0, 7)},
            "heads": 8, "marks": 31, "last": 113,
        },
    },
    "fig:score:forms": {
        "rows": 30,
        "form": ["by distance", "by key", "weights"],
        "query": range(4),
        "key": range(4),
        "added": lambda r, p: (r["key"] - {"by distance": r["query"], "by key": 3}[r["form"]]) / 2,
        "weight": lambda r, p: {"weights": HALF}[r["form"]][r["query"], r["key"]],
        "facts": {
            "apart": "-1.5, -1.0, -0.5, 0.0",
            "row": ", ".join(f"{weight:.2f}" for weight in HALF[3]),
        },
    },
    "fig:family:shapes": {  # what is added n tokens behind: the bucket of a decoder with 3 up to 4 tokens
        "rows": 3 * 10 + 7,
        "method": ["T5", "KERPLE", "window", "NoPE"],
        "query": range(4),
        "key": range(4),
        "value": lambda r, p: {"T5": [0, 1, 2, 2], "KERPLE": [-math.log(1 + n) for n in range(4)]}.get(
            r["method"], [0] * 4
        )[int(r["query"] - r["key"])],
        "facts": {
            "shared": "2, 2, 1, 0", "falls": "-1.4, -1.1, -0.7, 0.0", "left": 2, "all": 4, "most": 0,
        },
    },
    "fig:score:beyond": {
        "head": ["no bias", "flattest"],
        "tokens of the text": LENGTHS,
        "share beyond": lambda r, p: beyond(r["head"], r["tokens of the text"]),
        "facts": {
            "no_bias": 100 * beyond("no bias", 16384), "flattest": 100 * beyond("flattest", 16384),
            "most": 16384,
        },
    },
    "fig:score:last": {
        "rows": 55 + 10 + 6,
        "query": range(10),
        "key": range(10),
        "weight": lambda r, p: EIGHTH[r["query"], r["key"]],
        "tokens back": range(10),
        "points added": lambda r, p: -r["tokens back"] / 8,
        "bucket begins": BEGINS,
        "number": lambda r, p: NUMBERS[BEGINS.index(r["bucket begins"])],
        "facts": {
            "slope": 1 / 8, "half": 8 * math.log(2), "nearest": EIGHTH[9, 9], "first": EIGHTH[9, 0],
        },
        "given": {
            "words": 10, "heads": 8, "head": 3, "window": 4, "sinks": 1, "most": 16, "begins": BEGINS,
            "numbers": NUMBERS,
        },
    },
    "tab:score:through": {
        "the sum passes through": WAYS,
        "with $-m(i-j)$": passed("distance"),
        "with $+mj$": passed("key"),
    },
    "tab:score:divided": {
        COUNT: 5,
        "model": WORDS,
        "`attention(…)`": WORDS,
        "dot product divided by": lambda r, p: next(
            (words for words, size in DIVISORS.items() if math.isclose(called(r)[0], size)), "something else"
        ),
        "bias divided too": lambda r, p: "yes" if called(r)[1] else "no",
    },
    "tab:score:rules": {
        "buckets": np.array([n_buckets for n_buckets, _, _ in APART]),
        "`max_distance`": np.array([size for _, size, _ in APART]),
        "distances": [", ".join(map(str, moved)) for _, _, moved in APART],
        "exact": np.array(["yes" if only_on_boundaries(*one) else "no" for one in APART]),
    },
    "tab:score:members": {
        COUNT: 8,
        **dict.fromkeys(("method", "added, $n = i - j$", "learned", "source"), WORDS),
        "here": gives_its_formula,
    },
}  # fmt: skip
