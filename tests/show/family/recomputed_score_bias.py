"""The figures and tables of the chapter on score bias by another path."""

import math
import struct
from functools import cache

import mpmath
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

import pe_book as pe
from pe_book.family.score_bias.t5 import t5_bucket
from pe_book.numerics.rounding import round_to
from pe_book.why.order_blindness import attention_weights
from tests.show.recomputed import COUNT, WORDS

FAR = [1024 ** (k / 80) for k in range(81)]
LENGTHS = sorted({round(1024 * 16 ** (k / 12)) for k in range(13)})


def bucket(n):
    """Of a causal T5 with 32 buckets and a largest distance of 128."""
    return int(t5_bucket(-n, bidirectional=False))


def weight_of(row):
    """The weight of a key among those up to its query, with half a point off a token."""
    powers = [mpmath.exp(-mpmath.mpf(row["query"] - j) / 2) for j in range(row["query"] + 1)]
    return powers[row["key"]] / sum(powers)


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


def added(row):
    if row["form"] == "weights":
        return None
    return (row["key"] - (row["query"] if row["form"] == "by distance" else 3)) / 2


@cache
def share_beyond(slope, length, trained=1024):
    if slope == 0:
        return mpmath.mpf(length - trained) / length
    m = mpmath.mpf(slope)
    return (mpmath.exp(-m * trained) - mpmath.exp(-m * length)) / (1 - mpmath.exp(-m * length))


def beyond(head, length):
    return share_beyond({"no bias": 0, "flattest": 2**-8}[head], length)


@cache
def nearest(way, from_key, length=4096):
    """The weight of the last of so many keys, half a point a token, by a loop."""
    biases = [(j if from_key else j - (length - 1)) / 2 for j in range(length)]
    if way == "a sigmoid":
        return 1 / (1 + mpmath.exp(-biases[-1]))
    if way == "sparsemax":  # by halving: what all lose, so that what stays above zero sums to 1
        least, most = max(biases) - 1, max(biases)
        for _ in range(60):
            middle = (least + most) / 2
            stays = sum(max(b - middle, 0) for b in biases)
            least, most = (middle, most) if stays > 1 else (least, middle)
        return biases[-1] - least
    if way == "bfloat16 and softmax":
        biases = round_to(biases, "bfloat16").tolist()
    elif way == "a soft cap and softmax":
        biases = [50 * mpmath.tanh(mpmath.mpf(b) / 50) for b in biases]
    return 1 / sum(mpmath.exp(b - biases[-1]) for b in biases)


# of a causal table of 6 buckets up to distance 10: 3, 3 · (10/3)^(1/3), 3 · (10/3)^(2/3), rounded up
BEGINS = [0, 1, 2, *(min(n for n in range(20) if n**3 >= 10**t * 3 ** (3 - t)) for t in range(3))]
NUMBERS = [0, 1, 0.5, 2, -1, -2]


def of_slope(query, key):
    """The weight of a key at an eighth of a point a token."""
    return mpmath.exp(-mpmath.mpf(query - key) / 8) / sum(
        mpmath.exp(-mpmath.mpf(n) / 8) for n in range(query + 1)
    )


@cache
def moved(n_buckets, size):
    """Distances that a logarithm rounded to the nearest float32 moves, and whether each is on a boundary."""
    first = n_buckets // 2
    wide = n_buckets - first

    def in_32(x):
        return struct.unpack("f", struct.pack("f", x))[0]

    below = in_32(mpmath.log(size / first))
    found, exact = [], True
    for n in range(first, size + 1):
        due = max(t for t in range(wide) if n**wide >= size**t * first ** (wide - t))
        steps = in_32(in_32(in_32(mpmath.log(in_32(n / first))) / below) * wide)
        if min(wide - 1, int(steps)) != due:
            found.append(n)
            exact &= n**wide in {size**t * first ** (wide - t) for t in range(wide)}
    return ", ".join(map(str, found)), "yes" if exact else "no"


WAYS = ["softmax", "sparsemax", "bfloat16 and softmax", "a soft cap and softmax", "a sigmoid"]

RECOMPUTED = {
    "fig:score:curves": {
        "rows": 8 * len(FAR) + 31,
        "head": range(8),
        "slope": lambda r, p: None if r["head"] is None else 2.0 ** -(r["head"] + 1),
        "distance (tokens)": lambda r, p: (
            next(n for n in range(200) if bucket(n) == r["bucket"]) if r["head"] is None
            else min(FAR, key=lambda n: abs(n - r["distance (tokens)"]))
        ),
        "weight": lambda r, p: (
            None if r["head"] is None
            else mpmath.exp(-r["distance (tokens)"] * mpmath.mpf(2) ** -(r["head"] + 1))
        ),
        "bucket": range(1, 32),
        "height": lambda r, p: -0.09 if r["head"] is None else None,
        "facts": {
            **{f"slope_{i}": f"1/{2 ** (i + 1)}" for i in (0, 7)},
            **{f"half_{i}": 2 ** (i + 1) * mpmath.log(2) for i in (0, 7)},
            "heads": 8, "marks": 31, "last": 113,
        },
    },
    "fig:score:forms": {
        "rows": 30,
        "form": ["by distance", "by key", "weights"],
        "query": range(4),
        "key": range(4),
        "added": lambda r, p: added(r),
        "weight": lambda r, p: weight_of(r) if r["form"] == "weights" else None,
        "facts": {
            "apart": "-1.5, -1.0, -0.5, 0.0",
            "row": ", ".join(f"{float(weight_of({'query': 3, 'key': j})):.2f}" for j in range(4)),
        },
    },
    "fig:score:beyond": {
        "rows": 2 * len(LENGTHS),
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
        "weight": lambda r, p: None if r["query"] is None else of_slope(r["query"], r["key"]),
        "tokens back": range(10),
        "points added": lambda r, p: (
            None if r["tokens back"] is None else -mpmath.mpf(r["tokens back"]) / 8
        ),
        "bucket begins": BEGINS,
        "number": lambda r, p: (
            None if r["bucket begins"] is None else NUMBERS[BEGINS.index(r["bucket begins"])]
        ),
        "facts": {
            "slope": 1 / 8, "half": 8 * mpmath.log(2), "nearest": of_slope(9, 9), "first": of_slope(9, 0),
        },
        "given": {
            "words": 10, "heads": 8, "head": 3, "window": 4, "sinks": 1, "most": 16, "begins": BEGINS,
            "numbers": NUMBERS,
        },
    },
    "tab:score:through": {
        "the sum passes through": WAYS,
        "with $-m(i-j)$": lambda r, p: nearest(r["the sum passes through"], False),
        "with $+mj$": lambda r, p: nearest(r["the sum passes through"], True),
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
        COUNT: 6,
        "buckets": [5, 15, 17, 19],
        "`max_distance`": [686, 636, 27, 343, 25, 196],
        "distances": lambda r, p: moved(int(r["buckets"]), int(r["`max_distance`"]))[0],
        "exact": lambda r, p: moved(int(r["buckets"]), int(r["`max_distance`"]))[1],
    },
    "tab:score:members": {
        COUNT: 8,
        **dict.fromkeys(("method", "added, $n = i - j$", "learned", "source"), WORDS),
        "here": gives_its_formula,
    },
}  # fmt: skip
