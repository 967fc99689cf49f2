"""The figures and tables of the chapter on context extension by another path."""

import math

from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from pe_book.config.formats import answer
from pe_book.config.keys import POSITIONAL
from pe_book.evidence.family.context_extension import dynamic_scores
from pe_book.evidence.family.passkey import FOUND, LENGTHS
from pe_book.evidence.family.recorded import recorded
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware, turns
from pe_book.family.context_extension.ramps import llama3, temperature, yarn
from pe_book.family.context_extension.remapped import dual_chunk_distance, rectified_distance
from pe_book.sinusoidal.formula import frequencies
from tests.show.recomputed import COUNT, WORDS

TAU = 2 * math.pi
METHODS = ["as trained", "interpolated", "NTK-aware", "YaRN", "YaRN in libraries", "Llama"]
WAYS = ["as it is", "ReRoPE", "ReRoPE, leaky", "dual chunk"]


LENGTH = {"Llama 4": 8192, "Ministral 3": 16384, "Mistral 4": 8192, "Inkling 2": 128000}
CHOSEN = (
    "deepseek-llm-7b", "olmo-2-7b", "gemma-2-9b", "llama-3-8b", "qwen2.5-7b", "glm-4.5", "granite-3.1-8b",
    "yi-6b-200k", "qwen3-next-80b", "qwen2.5-14b-1m",
)  # fmt: skip


def heated_at(row, p):
    """The factor that the formula of a row, as it is printed, gives a query at p."""
    said = row["times"].strip("$")
    for tex, word in ((r"\lfloor", "floor("), (r"\rfloor", ")"), (r"\log", " log"), (r"\max", "Max")):
        said = said.replace(tex, word)
    found = parse_expr(said, transformations=(*standard_transformations, implicit_multiplication))
    known = row["model"] in LENGTH
    return float(found.subs({"p": p, "n": LENGTH[row["model"]], "b": 0.1})) if known else None


def chosen(row):
    """The recorded config of a row."""
    return next(recorded(n)["config"] for n in CHOSEN if recorded(n)["name"] == row["model"])


def ladder(row):
    """The frequencies of a row by the formula: of a part of the head alone in two models."""
    config = chosen(row)
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
    """Of 64 pairs, those that had not gone round in 4096 tokens and go further in 32768."""
    return sum(r < 1 and 8 * share(method, i) > 1 + 1e-9 for i, r in enumerate(TURNED))


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


def seen(way, t):
    """The distance at which word 199 sees the word t before it."""
    return {
        "as it is": lambda: t,
        "ReRoPE": lambda: rectified_distance(t, 32),
        "ReRoPE, leaky": lambda: rectified_distance(t, 32, stride=8),
        "dual chunk": lambda: dual_chunk_distance([199], [199 - t], chunk=48, original_len=64)[0, 0],
    }[way]()


# factor, trained length, base, columns that turn, columns of a head, mscale and mscale_all_dim
MODELS = {
    "olmo-3.1-32b": (8, 8192, 5e5, 128, 128, None, None),
    "yarn-llama-2-7b-64k": (16, 4096, 1e4, 128, 128, None, None),
    "gpt-oss-20b": (32, 4096, 150000, 64, 64, None, None),
    "ministral-3-3b": (16, 16384, 1e6, 128, 128, 1, 1),
    "deepseek-v2": (40, 4096, 1e4, 64, 192, 0.707, 0.707),
    "deepseek-v3": (40, 4096, 1e4, 64, 192, 1, 1),
}


def called(name):
    return recorded(name)["name"]


def by_name(row):
    return next(name for name in MODELS if called(name) == row["model"])


def furthest(row, truncate):
    s, length, base, d, *_ = MODELS[by_name(row)]
    omega = frequencies(d, base=base)
    quotients = yarn(omega, s, length, ramp="library", truncate=truncate) / yarn(omega, s, length)
    return max(*quotients, *(1 / quotients))


def heat(row):
    """The factors on queries and keys, and on scores, where the classes of DeepSeek alone put one."""
    s, *_, mscale, all_dim = MODELS[by_name(row)]
    if mscale is None:
        return temperature(s), 1.0
    on_scores = temperature(s, mscale=all_dim)
    return temperature(s, mscale=mscale) / on_scores, on_scores**2 if "deepseek" in by_name(row) else 1.0


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
                POSITIONAL.pattern, "^head_dim$", "^kv_channels$", "^d_head$", "^rotary_dim$",
                "^qk_rope_head_dim$", "^qk_nope_head_dim$",
            )),
            "sizes": [
                "head_dim", "kv_channels", "d_head", "hidden_size", "n_embd", "d_model", "dim",
                "num_attention_heads", "n_head", "n_heads", "num_heads", "num_hidden_layers", "n_layer",
                "n_layers", "num_layers", "encoder_layers", "partial_rotary_factor", "rotary_pct",
                "rotary_emb_fraction", "rope_parameters.partial_rotary_factor", "rotary_dim",
                "qk_rope_head_dim", "qk_nope_head_dim", "sliding_window", "local_attention",
                "attention_chunk_size", "max_position_embeddings", "n_positions", "max_sequence_length",
                "max_seq_len",
            ],
            "says": {"verdict": answer.VERDICTS, "beyond": answer.BEYOND, "whose": answer.WHOSE,
                     "published": answer.PUBLISHED},
            "publishers": dict(answer.publishers()),
            "training": ["max_trained_positions",
                         "dual_chunk_attention_config.original_max_position_embeddings"],
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
        "way": WAYS,
        "true distance (tokens)": range(200),
        "distance seen (tokens)": lambda r, p: seen(r["way"], r["true distance (tokens)"]),
        "facts": {way: max(seen(way, t) for t in range(200)) for way in WAYS},
    },
    "tab:context:apart": {
        "model": [called(n) for n in ("olmo-3.1-32b", "yarn-llama-2-7b-64k", "gpt-oss-20b", "deepseek-v3")],
        "ends rounded: up to": lambda r, p: furthest(r, True),
        "ends exact: up to": lambda r, p: furthest(r, False),
        "runs": lambda r, p: (
            "exact" if "'truncate': False" in str(recorded(by_name(r))) else "rounded"
        ),
        "factor": lambda r, p: f"{MODELS[by_name(r)][0]}",
    },
    "tab:context:hidden": {
        "method": list(FOUND),
        **{f"{length:,}": lambda r, p, i=i: FOUND[r["method"]][i] for i, length in enumerate(LENGTHS)},
    },
    "tab:context:heated": {
        "model": [called(n) for n in MODELS if n != "olmo-3.1-32b"],
        "queries, keys": lambda r, p: heat(r)[0],
        "scores": lambda r, p: heat(r)[1],
        "in all: turning": lambda r, p: heat(r)[0] ** 2 * heat(r)[1],
        "in all: still": lambda r, p: heat(r)[1] if "deepseek" in by_name(r) else None,
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
        "model": [recorded(name)["name"] for name in CHOSEN],
        "longest position": lambda r, p: chosen(r)["max_position_embeddings"],
        "base": lambda r, p: chosen(r)["rope_theta"],
        "a turn of the slowest": lambda r, p: TAU / ladder(r)[-1],
        "pairs that go round": lambda r, p: (
            f"{sum(w * chosen(r)['max_position_embeddings'] >= TAU for w in ladder(r))} of {len(ladder(r))}"
        ),
    },
}  # fmt: skip
