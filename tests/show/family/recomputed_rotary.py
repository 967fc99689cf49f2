"""The figures and tables of the chapter on rotary position by another path."""

import cmath
import json
import math
import re
from functools import cache
from pathlib import Path

import mpmath
import numpy as np

import pe_book
import pe_book as pe
from pe_book.checkpoint.names import MODULES
from tests.show.recomputed import COUNT

CONFIGS = Path(pe_book.__file__).parent / "evidence" / "family" / "configs"
PLACES = {"2 and 1": (2, 1), "5 and 4": (5, 4)}
PARTNERS = {
    "neighbours": {0: 1, 2: 3, 4: 5, 6: 7},
    "halves": {0: 4, 1: 5, 2: 6, 3: 7},
}
SLICED = {"neighbours of a slice": {0: 1, 2: 3}, "halves of a slice": {0: 2, 1: 3}}
# what each model's config says, or its class where the config is silent
MODELS = {
    "llama-3.1-8b": ("halves", "all 128", "all 32"),
    "gpt-j-6b": ("neighbours", "first 64 of 256", "all 28"),
    "gpt-neox-20b": ("halves", "first 24 of 96", "all 44"),
    "phi-2": ("halves", "first 32 of 80", "all 32"),
    "glm-4-9b-chat": ("neighbours", "first 64 of 128", "all 40"),
    "command-r": ("neighbours", "all 128", "all 40"),
    "gemma-3-27b": ("halves", "all 128", "all 62"),
    "command-r7b": ("neighbours", "all 128", "24 of 32"),
    "qwen3-next-80b": ("halves", "first 64 of 256", "12 of 48"),
    "deepseek-v3": ("neighbours", "last 64 of 192", "all 61"),
}


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


@cache
def of_equal_hands(which, distance):
    """The score of a key that equals its query: of one pair of 64, or of all."""
    chosen = {"fastest": [0], "slowest": [63], "all": range(64)}[which]
    cosines = [mpmath.cos(distance * mpmath.mpf(10) ** (-mpmath.mpf(i) / 16)) for i in chosen]
    return sum(cosines) / len(cosines)


@cache
def score(distance, turned):
    """The score of a query of ones and a key of ones, by complex numbers."""
    return sum(cmath.exp(1j * (distance - turned) * 10000 ** (-i / 64)).real for i in range(64)) / 64


QUERY, KEY = (1, -1, 1, -1, 1, 1, 1, 1), (1, 1, -1, 1, 1, 1, 1, 1)
SPEEDS = (1, 0.1, 0.01, 0.001)  # 10000 to the power of -2i/8


def turned(row, pairing, position):
    return pe.rotate(row, position, layout={"neighbours": "interleaved"}.get(pairing, pairing))


def score_of_eight(pairing, r):
    return turned(QUERY, pairing, r) @ KEY


def counterclockwise(row):
    """The angle of a hand, from the right."""
    i = int(row["columns"][0])
    at = turned({"query": QUERY, "key": KEY}[row["hand"]], "neighbours", row["position"])
    return math.atan2(at[i + 1], at[i])


@cache
def block(name):
    return json.loads((CONFIGS / f"{name}.json").read_text())


def base_of(name):
    config = block(name)["config"]
    config = {**config, **config.get("text_config", {})}
    base = config.get("rope_theta") or config.get("rotary_emb_base") or 10000
    base *= config.get("rope_ratio", 1)
    known = {"gemma-3-27b": "10,000 in windows, 1,000,000 linear"}  # from its class
    block_of = config.get("rope_scaling") or {}
    method = block_of.get("rope_type", block_of.get("type", ""))
    return known.get(name, f"{int(base):,} {method}".strip())


def by_name(row):
    return next(name for name in MODELS if block(name)["name"] == row["model"])


@cache
def off(length, bits, product):
    """The largest error of 64 angles near the end of a text, from frequencies of so many bits."""

    def single(x, bits=24):
        with mpmath.workprec(bits):
            return +x

    worst = mpmath.mpf(0)
    for i in range(64):
        exact = mpmath.mpf(10000) ** (mpmath.mpf(-i) / 64)
        held = single(exact, bits)
        for m in range(length - 64, length):
            worst = max(worst, abs((single(held * m) if product else held * m) - exact * m))
    return worst


def tokens(row):
    return int(row["tokens"].replace(",", ""))


@cache
def measured():
    rows = json.loads((CONFIGS.parents[1] / "records" / "bench_rotary.json").read_text())["parts"]["rotary"]
    return [row for row in rows if row["threads"] == 1 and row["layout"]]


def ratio(row, tokens_of, dtype):
    return next(
        one["over_floor"] for one in measured()
        if (one["method"], one["rows"], one["dtype"]) == (row["turned by"], tokens_of, dtype)
    )  # fmt: skip


def per_mille_off(row):
    return 1000 * next(
        one["off_share"] for one in measured()
        if (one["method"], one["rows"], one["dtype"]) == (row["turned by"], 2048, "bfloat16")
    )  # fmt: skip


# The arrangement that a plan finds out: names are tried on it, one head of queries and keys each of two rows


def way_found(name):
    """What a plan notes of a fused weight of this name, as many keys as queries; None if it refuses."""
    state = {name: np.zeros((3 * 2 * 2, 1))}
    [step] = pe.plan_relayout(
        state, n_heads=2, n_kv_heads=2, head_dim=2, source="halves", to="interleaved"
    ).steps
    return None if step.role == "refused" else step.note


def fused_way(r):
    names = re.findall("`([^`]+)`", r["name"])
    grouped = {"*linear_qkv.*": "grouped"}  # which is per-head where there are as many keys as queries
    full = ["h." + one.strip(".*").replace("*", "0") + ".weight" for one in names]
    [way] = {way_found(one) for one in full}
    return "to be given" if way is None else f'`"{grouped.get(names[0], way)}"`'


def fused_name(r):
    """The names as they are printed: patterns as they are, or all modules that a plan refuses."""
    if "*" in r["name"]:
        return r["name"]
    refused = [
        one for one, role in MODULES.items() if role == "fused" and way_found(f"h.0.{one}.weight") is None
    ]
    return ", ".join(f"`{one}`" for one in refused) + " under other names"


def rows_of_way(r):
    return {
        "to be given": "the name does not tell",
        '`"per-head"`': "query, key and value of each head",
        '`"grouped"`': "for each key its queries, itself, its value",
        '`"concatenated"`': "all queries, all keys, all values",
    }[fused_way(r)]


RECOMPUTED = {
    "fig:rotary:hands": {
        "rows": 6,
        "positions": ["2 and 1", "5 and 4"],
        "hand": ["start", "query", "key"],
        "position": lambda r, p: place(r),
        "angle (degrees)": lambda r, p: 30 * place(r),
        "from the right (radians)": lambda r, p: place(r) * mpmath.pi / 6,
        "facts": {
            "between": 30, "again": 30, "query_0": 60, "key_0": 30, "query_1": 150, "key_1": 120,
            "title_0": "positions 2 and 1", "title_1": "positions 5 and 4",
        },
    },
    "fig:rotary:partners": joined(PARTNERS, 8),
    "fig:rotary:slice": joined(SLICED, 4),
    "fig:rotary:many": {
        "rows": 303,
        "pairs": ["fastest", "slowest", "all"],
        "distance (tokens)": range(101),
        "score / width": lambda r, p: of_equal_hands(r["pairs"], r["distance (tokens)"]),
        "facts": {
            "number": 64,
            "tops": sum(of_equal_hands("fastest", k) > 0.99 for k in range(1, 101)),
            "least": of_equal_hands("slowest", 100),
            "second": of_equal_hands("all", 1),
        },
    },
    "fig:rotary:positions": {
        "rows": 8 + 2 * 127 + 8,
        "pairing": ["neighbours", "halves"],
        "columns": ["0 and 1", "2 and 3", "4 and 5", "6 and 7"],
        "radians a token": SPEEDS,
        "hand": ["query", "key"],
        "position": lambda r, p: {"query": 5, "key": 2}[r["hand"]],
        "from the right (radians)": lambda r, p: counterclockwise(r),
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
        "rows": 602,
        "key": ["all ones", "ones, turned"],
        "distance (tokens)": range(301),
        "score / width": lambda r, p: score(r["distance (tokens)"], 100 * (r["key"] != "all ones")),
        "facts": {
            "rising": 100 * sum(score(k + 1, 0) > score(k, 0) for k in range(300)) / 300,
            "top": 100, "start": 0, "most": 300,
        },
    },
    "tab:rotary:models": {
        "model": [block(name)["name"] for name in MODELS],
        "pairs": lambda r, p: MODELS[by_name(r)][0],
        "columns that turn": lambda r, p: MODELS[by_name(r)][1],
        "base and scaling": lambda r, p: base_of(by_name(r)),
        "layers that turn": lambda r, p: MODELS[by_name(r)][2],
    },
    "tab:rotary:angles": {
        "tokens": ["4,096", "32,768", "1,048,576"],
        "bfloat16: numbers apart by, in tokens": lambda r, p: 2 ** (math.ceil(math.log2(tokens(r))) - 8),
        "bfloat16 frequency: angle off by, in radians": lambda r, p: off(tokens(r), 8, False),
        "float32: angle off by, in radians": lambda r, p: off(tokens(r), 24, True),
    },
    "tab:rotary:fused": {
        COUNT: 5 + 1,  # patterns that a plan knows, and what it refuses
        "name": lambda r, p: fused_name(r),
        "`fused`": lambda r, p: fused_way(r),
        "rows": lambda r, p: rows_of_way(r),
    },
    "tab:rotary:speeds": {
        "turned by": list(dict.fromkeys(row["method"] for row in measured())),
        "float32": lambda r, p: ratio(r, 2048, "float32"),
        "bfloat16": lambda r, p: ratio(r, 2048, "bfloat16"),
        "one token, float32": lambda r, p: ratio(r, 1, "float32"),
        "bfloat16: off by, in ‰": lambda r, p: per_mille_off(r),
    },
}  # fmt: skip
