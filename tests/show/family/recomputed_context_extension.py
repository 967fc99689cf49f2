"""The figures and tables of the chapter on context extension by another path."""

import math

import numpy as np
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from pe_book.config.formats import answer
from pe_book.config.formats.differing import TRAINED
from pe_book.config.keys import LENGTHS as LENGTH_KEYS
from pe_book.config.keys import POSITIONAL
from pe_book.config.reading import read_config
from pe_book.config.widths import HEADS, SIZES, WIDTHS_OF_SLICES
from pe_book.evidence.family.context_extension import dynamic_scores, in_new_angles, ramps_apart
from pe_book.evidence.family.passkey import FOUND, LENGTHS
from pe_book.evidence.family.recorded import names, recorded
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware, turns
from pe_book.family.context_extension.ramps import llama3, yarn
from pe_book.family.context_extension.remapped import dual_chunk_distance, rectified_distance
from pe_book.sinusoidal.formula import frequencies
from tests.show.recomputed import COUNT, WORDS

TAU = 2 * math.pi
METHODS = ["as trained", "interpolated", "NTK-aware", "YaRN", "YaRN in libraries", "Llama"]


LENGTH = {"Llama 4": 8192, "Ministral 3": 16384, "Mistral 4": 8192, "Inkling 2": 128000}
CONFIGS = {recorded(name)["name"]: recorded(name)["config"] for name in names()}


def heated_at(row, p):
    """The factor that the formula of a row, as it is printed, gives a query at p."""
    said = row["times"].strip("$")
    for tex, word in ((r"\lfloor", "floor("), (r"\rfloor", ")"), (r"\log", " log"), (r"\max", "Max")):
        said = said.replace(tex, word)
    found = parse_expr(said, transformations=(*standard_transformations, implicit_multiplication))
    known = row["model"] in LENGTH
    return float(found.subs({"p": p, "n": LENGTH[row["model"]], "b": 0.1})) if known else None


def promised(row):
    return CONFIGS[row["model"]]["max_position_embeddings"]


def ladder(row):
    """The frequencies of a row by the formula: of a part of the head alone in two models."""
    config = CONFIGS[row["model"]]
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    width = int(head * config.get("partial_rotary_factor", 1))
    return [config["rope_theta"] ** (-2 * i / width) for i in range(width // 2)]


OMEGA = frequencies(128)
SCALED = {
    "as trained": OMEGA,
    "interpolated": interpolated(OMEGA, 8),
    "NTK-aware": ntk_aware(OMEGA, 8),
    "YaRN": yarn(OMEGA, 8, 4096),
    "YaRN in libraries": yarn(OMEGA, 8, 4096, ramp="library"),
    "Llama": llama3(OMEGA, 8, 4096),
}
TURNED = turns(OMEGA, 4096)


def share(method, i):
    """How much of the frequency of a pair stays under a method."""
    return SCALED[method][i] / OMEGA[i]


def new_angles(method):
    return len(in_new_angles(OMEGA, SCALED[method], 4096, 32768))


NEW_ANGLES = {
    "asked": 32768,
    "whole": sum(TURNED >= 1),
    "none": new_angles("as trained"), "linear": new_angles("interpolated"),
    "ntk": new_angles("NTK-aware"), "yarn": new_angles("YaRN"),
    "library": new_angles("YaRN in libraries"), "llama": new_angles("Llama"),
}  # fmt: skip


SCORES = {
    name: dynamic_scores(range(201), 8192, 4096, 2, kept=kept)
    for name, kept in (("turned anew", False), ("as they were kept", True))
}


FAR = range(200)
SEEN = {
    "as it is": np.array(FAR),
    "ReRoPE": rectified_distance(FAR, 32),
    "ReRoPE, leaky": rectified_distance(FAR, 32, stride=8),
    "dual chunk": dual_chunk_distance([199], FAR[::-1], chunk=48, original_len=64)[0],
}


def scaled(row):
    """The first layer of a row's model that is scaled as YaRN has it."""
    return next(one for one in read_config(CONFIGS[row["model"]]).records if one.method == "yarn")


def block(row):
    config = CONFIGS[row["model"]]
    return config.get("rope_scaling") or config["rope_parameters"]


def furthest(row, truncate):
    factor, length = (block(row)[key] for key in ("factor", "original_max_position_embeddings"))
    return ramps_apart(scaled(row).unscaled, factor, length, truncate=truncate)[1]


def in_all(row):
    """What it makes of scores of columns that turn, and of those that stand still, if there are any."""
    layer = scaled(row)
    still = None if layer.rotary_dim == layer.head_dim else layer.score_factor
    return layer.attention_factor**2 * layer.score_factor, still


RECOMPUTED = {
    "fig:context:dials": {
        "rows": 404,
        "pair": range(4),
        "when": ["training", "later"],
        "position": [*range(100), 400],
        "angle (radians)": lambda r, p: r["position"] / 10 ** r["pair"],
        "turns in training": lambda r, p: 100 / 10 ** r["pair"] / TAU,
        "facts": {
            "pairs": 4, "whole": 2, "last": 0.1 / TAU, "beyond": 400 / 99,
            "title_0": "pair 0: 15.9 turns", "title_1": "pair 1: 1.59 turns",
            "title_2": "pair 2: 0.159 turns", "title_3": "pair 3: 0.0159 turns",
        },
    },
    "fig:context:ladders": {
        "method": METHODS,
        "pair": range(64),
        "wavelength (tokens)": lambda r, p: TAU / SCALED[r["method"]][r["pair"]],
        "share that stays": lambda r, p: share(r["method"], r["pair"]),
        "facts": NEW_ANGLES | {"kept": sum(share("YaRN in libraries", i) == 1 for i in range(64))},
    },
    "fig:context:try": {
        "method": METHODS[:4],
        "pair": range(64),
        "wavelength (tokens)": lambda r, p: TAU / SCALED[r["method"]][r["pair"]],
        "facts": {name: NEW_ANGLES[name] for name in NEW_ANGLES if name not in ("library", "llama")},
        "given": {
            "width": 128, "base": 10000, "trained": 4096, "asked": 32768,
            "ways": {
                "none": "As trained", "linear": "Interpolated", "ntk": "NTK-aware",
                "dynamic": "Dynamic, at the asked length", "yarn": "YaRN, ramp of the paper",
                "library": "YaRN, ramp of libraries", "llama3": "Llama 3.1", "config": "Config",
            },
            "models": ..., "reads": ...,  # held by test_ladders_config
            "positional": "|".join((
                POSITIONAL.pattern, *(f"^{name}$" for name in (*HEADS, *WIDTHS_OF_SLICES)),
            )),
            "sizes": [*SIZES, *LENGTH_KEYS],
            "says": {"verdict": answer.VERDICTS, "beyond": answer.BEYOND, "whose": answer.WHOSE,
                     "published": answer.PUBLISHED},
            "publishers": dict(answer.publishers()),
            "training": list(TRAINED),
        },
    },
    "fig:context:cached": {
        "keys": ["turned anew", "as they were kept"],
        "distance (tokens)": range(201),
        "score / width": lambda r, p: SCORES[r["keys"]][r["distance (tokens)"]],
        "facts": {
            "most": 200, "half": 100,
            "apart": abs(SCORES["turned anew"] - SCORES["as they were kept"]).max(),
            "anew": SCORES["turned anew"][1:].max(), "late": SCORES["turned anew"][100:].max(),
            "kept": SCORES["as they were kept"][100:].max(),
        },
    },
    "fig:context:remapped": {
        "way": list(SEEN),
        "true distance (tokens)": FAR,
        "distance seen (tokens)": np.concatenate(list(SEEN.values())),
        "facts": {way: seen.max() for way, seen in SEEN.items()},
    },
    "tab:context:apart": {
        COUNT: 4,
        "model": lambda r, p: r["model"] if r["model"] in CONFIGS else None,
        "ends rounded: up to": lambda r, p: furthest(r, True),
        "ends exact: up to": lambda r, p: furthest(r, False),
        "runs": lambda r, p: "rounded" if scaled(r).truncate else "exact",
        "factor": lambda r, p: f"{block(r)['factor']:g}",
    },
    "tab:context:hidden": {
        "method": list(FOUND),
        **{f"{length:,}": lambda r, p, i=i: FOUND[r["method"]][i] for i, length in enumerate(LENGTHS)},
    },
    "tab:context:heated": {
        COUNT: 5,
        "model": lambda r, p: r["model"] if r["model"] in CONFIGS else None,
        "queries, keys": lambda r, p: scaled(r).attention_factor,
        "scores": lambda r, p: scaled(r).score_factor,
        "in all: turning": lambda r, p: in_all(r)[0],
        "in all: still": lambda r, p: in_all(r)[1],
    },
    "tab:context:logarithm": {
        COUNT: 5,
        **dict.fromkeys(("model", "layers", "times"), WORDS),
        "$n$": lambda r, p: LENGTH.get(r["model"]),
        **{
            f"$p = {p:,}$".replace(",", "{,}"): lambda r, _, p=p: heated_at(r, p)
            for p in (8191, 100000, 1000000)
        },
    },
    "tab:longer:bases": {
        COUNT: 10,
        "model": lambda r, p: r["model"] if r["model"] in CONFIGS else None,
        "longest position": lambda r, p: promised(r),
        "base": lambda r, p: CONFIGS[r["model"]]["rope_theta"],
        "a turn of the slowest": lambda r, p: TAU / ladder(r)[-1],
        "pairs that go round": lambda r, p: (
            f"{sum(w * promised(r) >= TAU for w in ladder(r))} of {len(ladder(r))}"
        ),
    },
}  # fmt: skip
RECOMPUTED["fig:check:paste"] = RECOMPUTED["fig:context:try"]  # of the how-to on configs
