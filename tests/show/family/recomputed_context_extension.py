"""The figures and tables of the chapter on context extension by another path."""

import json
import math
import tomllib
from functools import cache
from pathlib import Path

import mpmath

import pe_book
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS as MODELS_READ
from pe_book.config.formats import answer
from pe_book.config.keys import POSITIONAL
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware, turns
from pe_book.family.context_extension.ramps import llama3, temperature, yarn
from pe_book.family.context_extension.remapped import dual_chunk_distance, rectified_distance
from pe_book.sinusoidal.formula import frequencies

CONFIGS = Path(pe_book.__file__).parent / "evidence" / "family" / "configs"
CLASSES, TRAINED = (
    tomllib.loads((Path(pe_book.__file__).parent / "config" / f"{name}.toml").read_text("utf-8"))
    for name in ("classes", "trained")
)
TAU = 2 * math.pi
METHODS = ["as trained", "interpolated", "NTK-aware", "YaRN", "YaRN in libraries", "Llama"]
# hits of 50, at 2048, 4096, 8192, 16384 and 32768 tokens
HITS = {
    "YaRN": (50, 50, 49, 50, 34), "interpolated": (27, 26, 22, 25, 38), "NTK-aware": (42, 40, 45, 46, 0),
    "by parts, before YaRN": (48, 45, 40, 33, 6),
}  # fmt: skip
HIDDEN = {method: [hits / 50 for hits in row] for method, row in HITS.items()}
WAYS = ["as it is", "ReRoPE", "ReRoPE, leaky", "dual chunk"]


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


@cache
def score(distance, kept):
    """Ones over ones at the end of 8192 tokens, trained on 4096, under dynamic scaling with factor 2."""
    total = 0.0
    for i in range(64):
        omega = mpmath.mpf(10000) ** (mpmath.mpf(-i) / 64)
        place = 8191 - distance

        def slowed(tokens, omega=omega, i=i):
            s = max(mpmath.mpf(1), 2 * mpmath.mpf(tokens) / 4096 - 1)
            return omega * s ** (-mpmath.mpf(i) / 63)

        total += mpmath.cos(8191 * slowed(8192) - place * slowed(place + 1 if kept else 8192))
    return total / 64


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
    return json.loads((CONFIGS / f"{name}.json").read_text())["name"]


def config_text(name):
    return (CONFIGS / f"{name}.json").read_text()


def by_name(row):
    return next(name for name in MODELS if called(name) == row["model"])


def quotients(row, truncate):
    """For each pair, the frequency of libraries over that of the paper."""
    s, length, base, d, *_ = MODELS[by_name(row)]
    omega = frequencies(d, base=base)
    return (yarn(omega, s, length, ramp="library", truncate=truncate) / yarn(omega, s, length)).tolist()


def furthest(row, truncate):
    found = [max(q, 1 / q) for q in quotients(row, truncate)]
    return max(found), found.index(max(found))


def heat(row):
    """The factors on queries and keys, and on scores, where the classes of DeepSeek alone put one."""
    s, *_, mscale, all_dim = MODELS[by_name(row)]
    if mscale is None:
        return temperature(s), 1.0
    on_scores = temperature(s, mscale=all_dim)
    return temperature(s, mscale=mscale) / on_scores, on_scores**2 if "deepseek" in by_name(row) else 1.0


# what of a class the explorer takes where a config is silent
ASSUMED = {
    "qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim", "head_dim", "rope_parameters",
    "sliding_window", "local_attention", "attention_chunk_size", "max_position_embeddings",
}  # fmt: skip

# the names of keys for each thing that they say, in the order of the explorer, and who has others
GROUPS = (
    "rope_parameters.partial_rotary_factor", "rope_theta rotary_emb_base global_rope_theta", "rope_ratio",
    "max_position_embeddings n_positions max_sequence_length max_seq_len", "rope_scaling rope_parameters",
    "qk_rope_head_dim", "qk_nope_head_dim", "head_dim kv_channels d_head", "hidden_size n_embd d_model dim",
    "num_attention_heads n_head n_heads num_heads", "rotary_dim",
    "partial_rotary_factor rotary_pct rotary_emb_fraction", "scaled.partial_rotary_factor",
)  # fmt: skip
NEOX = {1: "rotary_emb_base", 11: "rotary_pct"}
OTHER = {
    "gpt_neox": NEOX, "gpt_neox_japanese": NEOX,
    "gptj": {1: "", 4: ""}, "codegen": {1: "", 4: ""},
    **{name: {4: "rope_scaling"} for name in ("gemma3", "gemma3_text", "olmo3")},
    "modernbert": {1: "global_rope_theta", 4: "rope_scaling"},
    "glm4_moe_lite": {5: "qk_rope_head_dim head_dim"}, "chatglm": {3: f"{GROUPS[3]} seq_length"},
}  # fmt: skip
WHOLE = (3, 4)  # groups that no list of a class bears on


def read_by(name):
    """The names that a class was seen to ask for; of bases the usual one stands in none of the lists."""
    asked = CLASSES.get(name, {}).get("reads")
    groups = [OTHER.get(name, {}).get(i, group) for i, group in enumerate(GROUPS)]
    if asked is None:
        groups[-1] = ""  # a class that was not seen hands nothing on
    else:
        bases = groups[1].split()[:1]
        groups = [
            group if i in WHOLE else " ".join(one for one in group.split() if one in (*asked, *bases))
            for i, group in enumerate(groups)
        ]
    return [group.removeprefix("rope_parameters.").removeprefix("scaled.") for group in groups]


def all_with_windows(name):
    """1 where every layer has the window of a config, 2 where the others stand still, 3 where it is on."""
    config = {"model_type": name, "head_dim": 64, "hidden_size": 1024, "num_attention_heads": 16,
              "num_hidden_layers": 12, "sliding_window": 16}  # fmt: skip
    plain, on = (check_config({**config, "use_sliding_window": on}) for on in (False, True))
    if all(group.record.attention == "window" for group in plain.turns):
        return 1 if len(plain.turns[0].layers) == 12 else 2
    return 3 * all(group.record.attention == "window" for group in on.turns)


def rows_of_types():
    """The row of each type, and the lists of names that rows count."""
    models, reads = {}, []
    for name, model in MODELS_READ.items():
        if model.kind != "rotary":
            models[name] = [0]
            continue
        if read_by(name) not in reads:
            reads.append(read_by(name))
        said = {**model.assumed, **CLASSES.get(name, {})}
        apart = model.local_base is not None or not model.windows_scaled
        row = [model.base, model.share, reads.index(read_by(name)), int(apart), int("neox" in name)]
        row.append({key: value for key, value in said.items() if key in ASSUMED})
        row.append(all_with_windows(name))
        kept = max([2, *(i for i, value in enumerate(row) if value)])
        models[name] = row[: kept + 1]
    return {"models": models, "reads": reads}


RECOMPUTED = {
    "fig:context:dials": {
        "rows": 404,
        "pair": range(4),
        "when": ["training", "later"],
        "position": [*range(100), 400],
        "angle (radians)": lambda r, p: mpmath.mpf(r["position"]) / 10 ** r["pair"],
        "turns in training": lambda r, p: mpmath.mpf(100) / 10 ** r["pair"] / (2 * mpmath.pi),
        "facts": {
            "pairs": 4, "whole": 2, "last": 0.1 / TAU, "beyond": 400 / 99,
            "title_0": "pair 0: 15.9 turns", "title_1": "pair 1: 1.59 turns",
            "title_2": "pair 2: 0.159 turns", "title_3": "pair 3: 0.0159 turns",
        },
    },
    "fig:context:ladders": {
        "rows": 6 * 64,
        "method": METHODS,
        "pair": range(64),
        "wavelength (tokens)": lambda r, p: TAU / SCALED[r["method"]][r["pair"]],
        "share that stays": lambda r, p: share(r["method"], r["pair"]),
        "facts": NEW_ANGLES | {"kept": sum(share("YaRN in libraries", i) == 1 for i in range(64))},
    },
    "fig:context:try": {
        "rows": 4 * 64,
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
            **rows_of_types(),
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
                "attention_chunk_size", *GROUPS[3].split(),
            ],
            "says": {"verdict": answer.VERDICTS, "beyond": answer.BEYOND, "whose": answer.WHOSE,
                     "published": answer.PUBLISHED},
            "publishers": TRAINED,
            "training": ["max_trained_positions",
                         "dual_chunk_attention_config.original_max_position_embeddings"],
        },
    },
    "fig:context:cached": {
        "rows": 402,
        "keys": ["turned anew", "as they were kept"],
        "distance (tokens)": range(201),
        "score / width": lambda r, p: score(r["distance (tokens)"], r["keys"] != "turned anew"),
        "facts": {
            "most": 200, "half": 100,
            "apart": max(abs(score(k, True) - score(k, False)) for k in range(201)),
            "anew": max(score(k, False) for k in range(1, 201)),
            "kept": max(score(k, True) for k in range(100, 201)),
            "late": max(score(k, False) for k in range(100, 201)),
        },
    },
    "fig:context:remapped": {
        "rows": 800,
        "way": WAYS,
        "true distance (tokens)": range(200),
        "distance seen (tokens)": lambda r, p: seen(r["way"], r["true distance (tokens)"]),
        "facts": {way: max(seen(way, t) for t in range(200)) for way in WAYS},
    },
    "tab:context:apart": {
        "model": [called(n) for n in ("olmo-3.1-32b", "yarn-llama-2-7b-64k", "gpt-oss-20b", "deepseek-v3")],
        "ends rounded: up to": lambda r, p: furthest(r, True)[0],
        "ends exact: up to": lambda r, p: furthest(r, False)[0],
        "runs": lambda r, p: "exact" if '"truncate": false' in config_text(by_name(r)) else "rounded",
        "factor": lambda r, p: f"{MODELS[by_name(r)][0]}",
    },
    "tab:context:hidden": {
        "method": list(HIDDEN),
        **{f"{length:,}": lambda r, p, i=i: HIDDEN[r["method"]][i]
           for i, length in enumerate((2048, 4096, 8192, 16384, 32768))},
    },
    "tab:context:heated": {
        "model": [called(n) for n in MODELS if n != "olmo-3.1-32b"],
        "queries, keys": lambda r, p: heat(r)[0],
        "scores": lambda r, p: heat(r)[1],
        "in all: turning": lambda r, p: heat(r)[0] ** 2 * heat(r)[1],
        "in all: still": lambda r, p: heat(r)[1] if "deepseek" in by_name(r) else None,
    },
}  # fmt: skip
