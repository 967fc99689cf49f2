"""The figures and tables of the chapter on rotary position by another path."""

import math

import numpy as np

import pe_book as pe
from pe_book.census import census
from pe_book.checkpoint.names import ARRANGED, MODULES
from pe_book.evidence.family.recorded import recorded
from pe_book.evidence.family.rotary import scores_of
from pe_book.evidence.records.bench import recorded as recorded_times
from pe_book.numerics.rounding import round_to

PLACES = {"2 and 1": (2, 1), "5 and 4": (5, 4)}
PARTNERS = {
    "neighbours": {0: 1, 2: 3, 4: 5, 6: 7},
    "halves": {0: 4, 1: 5, 2: 6, 3: 7},
}
SLICED = {"neighbours of a slice": {0: 1, 2: 3}, "halves of a slice": {0: 2, 1: 3}}
# what each model's config says, or its class where the config is silent
MODELS = {
    "llama-3.1-8b": ("halves", "all 128", "500,000 llama3", "all 32"),
    "gpt-j-6b": ("neighbours", "first 64 of 256", "10,000", "all 28"),
    "gpt-neox-20b": ("halves", "first 24 of 96", "10,000", "all 44"),
    "phi-2": ("halves", "first 32 of 80", "10,000", "all 32"),
    "glm-4-9b-chat": ("neighbours", "first 64 of 128", "5,000,000", "all 40"),
    "command-r": ("neighbours", "all 128", "8,000,000", "all 40"),
    "gemma-3-27b": ("halves", "all 128", "10,000 in windows, 1,000,000 linear", "all 62"),
    "command-r7b": ("neighbours", "all 128", "50,000", "24 of 32"),
    "qwen3-next-80b": ("halves", "first 64 of 256", "10,000,000", "12 of 48"),
    "deepseek-v3": ("neighbours", "last 64 of 192", "10,000 yarn", "all 61"),
}


STILL: dict[str, list] = {}  # of each text type, what its layers see and whether they turn
for name, part, layer in census().layers():
    if part == "text" and len(census().types[name].parts) == 1:
        STILL.setdefault(name, []).append((layer.attends, layer.turned is not None, layer.bias))


def standing(name, *, still):
    """What those of its softmax layers see that stand still, or that turn."""
    seen = [attends for attends, turns, bias in STILL[name] if turns != still and not bias]
    return [one for one in seen if one in {"full", "window"}]


MIXED = [name for name in STILL if standing(name, still=True) and standing(name, still=False)]


def place(row):
    return 0 if row["hand"] == "start" else PLACES[row["positions"]][row["hand"] == "key"]


def told(partners):
    return ", ".join(f"{a} with {b}" for a, b in partners.items())


def joined(partners, count):
    """A figure of arcs: each pair once, then every column of every kind."""
    return {
        "rows": count + 16,
        "pairs": list(partners),
        "column": dict.fromkeys(a for kind in partners.values() for a in kind),
        "partner": lambda r, p: None if r["column"] is None else partners[r["pairs"]][r["column"]],
        "place": range(8),
        "height": lambda r, p: 0,
        "facts": {kind: told(pairs) for kind, pairs in partners.items()},
    }


COSINES = np.cos(np.outer(pe.frequencies(128), range(101)))
EQUAL = {"fastest": COSINES[0], "slowest": COSINES[63], "all": COSINES.mean(axis=0)}
ONES = np.ones(128)
ACROSS = {
    "all ones": scores_of(ONES, ONES, range(301)) / 128,
    "ones, turned": scores_of(ONES, pe.rotate(ONES, 100), range(301)) / 128,
}
QUERY, KEY = (1, -1, 1, -1, 1, 1, 1, 1), (1, 1, -1, 1, 1, 1, 1, 1)
SPEEDS = (1, 0.1, 0.01, 0.001)  # 10000 to the power of -2i/8


def turned(row, pairing, position):
    return pe.rotate(row, position, layout={"neighbours": "interleaved"}.get(pairing, pairing))


def score_of_eight(pairing, r):
    return turned(QUERY, pairing, r) @ KEY


def anticlockwise(row):
    """The angle of a hand, from the right."""
    i = int(row["columns"][0])
    at = turned({"query": QUERY, "key": KEY}[row["hand"]], "neighbours", row["position"])
    return math.atan2(at[i + 1], at[i])


def off(row, held_in, product_in=None):
    """The largest error of 64 angles near the end of a text, from rounded frequencies and products."""
    omega, last = pe.frequencies(128), np.arange(tokens(row) - 64, tokens(row), dtype=float)[:, np.newaxis]
    held = round_to(omega, held_in) * last
    return np.abs((held if product_in is None else round_to(held, product_in)) - omega * last).max()


def tokens(row):
    return int(row["tokens"].replace(",", ""))


MEASURED = {
    (row["method"], row["rows"], row["dtype"]): row
    for row in recorded_times("rotary")["rows"]
    if row["threads"] == 1 and row["layout"]
}


def in_record(tokens_of, dtype, field="over_floor", per=1):
    return lambda r, p: per * MEASURED[r["turned by"], tokens_of, dtype][field]


# Fused weights of which a plan tells no arrangement, tried on one head of queries and keys each of two rows


def refused(name):
    state = {f"h.0.{name}.weight": np.zeros((3 * 2 * 2, 1))}
    plan = pe.plan_relayout(state, n_heads=2, n_kv_heads=2, head_dim=2, source="halves", to="interleaved")
    return plan.steps[0].role == "refused"


UNTOLD = ", ".join(f"`{one}`" for one, role in MODULES.items() if role == "fused" and refused(one))
ROWS_OF_WAY = {
    "per-head": "query, key and value of each head",
    "grouped": "for each key its queries, itself, its value",
    "concatenated": "all queries, all keys, all values",
}

RECOMPUTED = {
    "fig:rotary:hands": {
        "positions": ["2 and 1", "5 and 4"],
        "hand": ["start", "query", "key"],
        "position": lambda r, p: place(r),
        "angle (degrees)": lambda r, p: 30 * place(r),
        "from the right (radians)": lambda r, p: place(r) * math.pi / 6,
        "facts": {
            "between": 30, "again": 30, "query_0": 60, "key_0": 30, "query_1": 150, "key_1": 120,
            "title_0": "positions 2 and 1", "title_1": "positions 5 and 4",
        },
    },
    "fig:rotary:partners": joined(PARTNERS, 8),
    "fig:port:partners": joined(PARTNERS, 8),
    "fig:rotary:slice": joined(SLICED, 4),
    "fig:rotary:many": {
        "pairs": ["fastest", "slowest", "all"],
        "distance (tokens)": range(101),
        "score / width": lambda r, p: EQUAL[r["pairs"]][r["distance (tokens)"]],
        "facts": {
            "number": 64,
            "tops": (EQUAL["fastest"][1:] > 0.99).sum(),
            "least": EQUAL["slowest"][100],
            "second": EQUAL["all"][1],
        },
    },
    "fig:rotary:positions": {
        "rows": 8 + 2 * 127 + 8,
        "pairing": ["neighbours", "halves"],
        "columns": ["0 and 1", "2 and 3", "4 and 5", "6 and 7"],
        "radians a token": SPEEDS,
        "hand": ["query", "key"],
        "position": lambda r, p: {"query": 5, "key": 2}[r["hand"]],
        "from the right (radians)": lambda r, p: anticlockwise(r),
        "n − m (tokens)": range(-63, 64),
        "score": lambda r, p: score_of_eight(r["pairing"], -r["n − m (tokens)"]),
        "column": range(8),
        "query": lambda r, p: QUERY[r["column"]],
        "key": lambda r, p: KEY[r["column"]],
        "facts": {
            "difference": -3,
            "neighbours": score_of_eight("neighbours", 3), "halves": score_of_eight("halves", 3),
            "pair_0": "0 and 1", "pair_1": "2 and 3", "pair_2": "4 and 5", "pair_3": "6 and 7",
        },
        "given": {"query": QUERY, "key": KEY, "frequencies": SPEEDS, "m": 5, "n": 2, "most": 63},
    },
    "fig:rotary:far": {
        "key": ["all ones", "ones, turned"],
        "distance (tokens)": range(301),
        "score / width": lambda r, p: ACROSS[r["key"]][r["distance (tokens)"]],
        "facts": {
            "rising": 100 * (np.diff(ACROSS["all ones"]) > 0).mean(),
            "top": 100, "start": 0, "most": 300,
        },
    },
    "tab:rotary:models": {
        "model": [recorded(name)["name"] for name in MODELS],
        **dict(zip(
            ("pairs", "columns that turn", "base and scaling", "layers that turn"),
            np.array(list(MODELS.values())).T, strict=True,
        )),
    },
    "tab:rotary:still": {
        "model type": [f"`{name}`" for name in MIXED],
        "layers that stand still": lambda r, p: " of ".join(
            str(len(some)) for name in [r["model type"].strip("`")]
            for some in (standing(name, still=True), STILL[name])
        ),
        **{
            column: lambda r, p, still=still: " and ".join(
                sorted({*standing(r["model type"].strip("`"), still=still)})
            )
            for column, still in (("they see", True), ("the others see", False))
        },
    },
    "tab:rotary:angles": {
        "tokens": ["4,096", "32,768", "1,048,576"],
        "bfloat16: numbers apart by, in tokens": lambda r, p: 2 ** (math.ceil(math.log2(tokens(r))) - 8),
        "bfloat16 frequency: angle off by, in radians": lambda r, p: off(r, "bfloat16"),
        "float32: angle off by, in radians": lambda r, p: off(r, "float32", "float32"),
    },
    "tab:rotary:fused": {
        "name": [*(f"`{pattern}`" for pattern in ARRANGED), f"{UNTOLD} under other names"],
        "`fused`": np.array([*(f'`"{way}"`' for way in ARRANGED.values()), "to be given"]),
        "rows": np.array([*(ROWS_OF_WAY[way] for way in ARRANGED.values()), "the name does not tell"]),
    },
    "tab:rotary:speeds": {
        "turned by": list(dict.fromkeys(method for method, *_ in MEASURED)),
        "float32": in_record(2048, "float32"),
        "bfloat16": in_record(2048, "bfloat16"),
        "one token, float32": in_record(1, "float32"),
        "bfloat16: off by, in ‰": in_record(2048, "bfloat16", "off_share", 1000),
    },
}  # fmt: skip
