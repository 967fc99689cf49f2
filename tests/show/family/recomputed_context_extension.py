"""The figures and tables of the chapter on context extension by another path."""

import json
import math
import tomllib
from functools import cache
from pathlib import Path

import mpmath

import pe_book
from pe_book.config.classes import MODELS as MODELS_READ
from pe_book.config.keys import POSITIONAL

CONFIGS = Path(pe_book.__file__).parent / "evidence" / "family" / "configs"
CLASSES = tomllib.loads((Path(pe_book.__file__).parent / "config" / "classes.toml").read_text("utf-8"))
TAU = 2 * math.pi
METHODS = ["as trained", "interpolated", "NTK-aware", "YaRN", "YaRN in libraries", "Llama"]
# hits of 50, at 2048, 4096, 8192, 16384 and 32768 tokens
HITS = {
    "YaRN": (50, 50, 49, 50, 34), "interpolated": (27, 26, 22, 25, 38), "NTK-aware": (42, 40, 45, 46, 0),
    "by parts, before YaRN": (48, 45, 40, 33, 6),
}  # fmt: skip
HIDDEN = {method: [hits / 50 for hits in row] for method, row in HITS.items()}
WAYS = ["as it is", "ReRoPE", "ReRoPE, leaky", "dual chunk"]


def clip(x):
    return min(max(x, 0.0), 1.0)


def pair_of_turns(count, length, base, d):
    """Where the ladder makes so many turns in so many tokens, counted in pairs."""
    return d / 2 * math.log(length / (TAU * count)) / math.log(base)


def kept_paper(i, length, base, d, fast=32, slow=1):
    return clip((length * base ** (-2 * i / d) / TAU - slow) / (fast - slow))


def kept_library(i, length, base, d, truncate=True):
    low, high = (pair_of_turns(count, length, base, d) for count in (32, 1))
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    return 1 - clip((i - low) / (high - low))


def blend(kept, s):
    return kept + (1 - kept) / s


def share(method, i, d=128, length=4096, s=8, base=1e4):
    """How much of the frequency of a pair stays under a method."""
    return {
        "as trained": lambda: 1.0,
        "interpolated": lambda: 1 / s,
        "NTK-aware": lambda: (base * s ** (d / (d - 2))) ** (-2 * i / d) / base ** (-2 * i / d),
        "YaRN": lambda: blend(kept_paper(i, length, base, d), s),
        "YaRN in libraries": lambda: blend(kept_library(i, length, base, d), s),
        "Llama": lambda: blend(kept_paper(i, length, base, d, 4, 1), s),
    }[method]()


def new_angles(method):
    """Of 64 pairs, those that had not gone round in 4096 tokens and go further in 32768."""
    turned = [4096 * 1e4 ** (-i / 64) / TAU for i in range(64)]
    return sum(r < 1 and 8 * share(method, i) > 1 + 1e-9 for i, r in enumerate(turned))


NEW_ANGLES = {
    "asked": 32768,
    "whole": sum(4096 * 1e4 ** (-i / 64) >= TAU for i in range(64)),
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
    if way == "as it is" or (way.startswith("ReRoPE") and t <= 32):
        return t
    if way == "ReRoPE":
        return 32
    if way == "ReRoPE, leaky":
        return 32 + (t - 32) / 8
    query, key = divmod(199, 48), divmod(199 - t, 48)
    behind = query[0] - key[0]
    if behind == 0:
        return t
    return (min(48 + query[1], 63) if behind == 1 else 63) - key[1]


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
    return [
        blend(kept_library(i, length, base, d, truncate), s) / blend(kept_paper(i, length, base, d), s)
        for i in range(d // 2)
    ]


def furthest(row, truncate):
    found = [max(q, 1 / q) for q in quotients(row, truncate)]
    return max(found), found.index(max(found))


def heat(row):
    """The factors on queries and keys, and on scores, where the classes of DeepSeek alone put one."""
    s, *_, mscale, all_dim = MODELS[by_name(row)]
    if mscale is None:
        return 1 + math.log(s) / 10, 1.0
    on_scores = 1 + all_dim * math.log(s) / 10
    on_rows = (1 + mscale * math.log(s) / 10) / on_scores
    return on_rows, on_scores**2 if "deepseek" in by_name(row) else 1.0


# what the code of models takes where a config is silent: base, share that turns, whether windows differ
TAKEN = {
    "mixtral phimoe qwen2_vl qwen2_5_vl": [1e6, 1, 0],
    "qwen3_vl qwen3_vl_text cohere llama4 llama4_text ernie4_5 ernie4_5_moe": [5e5, 1, 0],
    "qwen3_next qwen3_5 qwen3_5_text stablelm gpt_neox": [1e4, 0.25, 0],
    "glm glm4 chatglm glm4_moe phi phi-msft": [1e4, 0.5, 0],
    "gemma3 gemma3_text": [1e6, 1, 1],
    "modernbert": [160000, 1, 1],
    "olmo3": [5e5, 1, 1],
    "gpt_oss": [150000, 1, 0],
    "smollm3": [2e6, 1, 0],
    "nomic_bert": [1000, 1, 0],
    "bloom mpt gpt2 opt bert roberta distilbert electra bart gpt_bigcode gpt_neo t5 mt5": [0],
}


LATENT = [{"qk_rope_head_dim": 64, "qk_nope_head_dim": 128}]
# the widths of heads that classes have, and the blocks: tests/parity compares them with the classes
WIDE = {
    64: "gpt_oss deepseek_v32",
    128: "ministral3 qwen3 qwen3_vl qwen3_vl_text llama4 llama4_text glm glm4 ernie4_5",
    256: "qwen3_next qwen3_5 qwen3_5_text gemma gemma2 gemma3 gemma3_text",
}
ENDS = {"rope_type": "yarn", "beta_fast": 32.0, "beta_slow": 1.0}
BLOCKS = {
    "gpt_oss": {**ENDS, "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096},
    "ministral3": {
        **ENDS, "type": "yarn", "factor": 16.0, "original_max_position_embeddings": 16384, "mscale": 1.0,
        "rope_theta": 1e6, "max_position_embeddings": 262144, "mscale_all_dim": 1.0,
        "llama_4_scaling_beta": 0.1,
    },
}  # fmt: skip
# and what their classes have besides: widths of the slice, keys of the share and of the base
OWN = {
    **{name: [{"head_dim": wide}] for wide, names in WIDE.items() for name in names.split()},
    "gpt_oss": [{"head_dim": 64, "rope_parameters": BLOCKS["gpt_oss"]}],
    "ministral3": [{"head_dim": 128, "rope_parameters": BLOCKS["ministral3"]}],
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), LATENT),
    "deepseek_v32": [{"head_dim": 64, **LATENT[0]}],
    "minicpm3": [{"qk_rope_head_dim": 32, "qk_nope_head_dim": 64}],
    **{name: [{"rotary_dim": 64}] for name in ("gptj", "codegen")},
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


# the same of classes that do what one of those does; make thorough compares them with the classes
KIN = (
    ("afmoe seed_oss", [10000.0, 1.0, 0, {"head_dim": 128}]),
    (
        "apertus",
        [
            12000000.0,
            1.0,
            0,
            {
                "rope_parameters": {
                    "rope_type": "llama3",
                    "rope_theta": 12000000.0,
                    "factor": 8.0,
                    "original_max_position_embeddings": 8192,
                    "low_freq_factor": 1.0,
                    "high_freq_factor": 4.0,
                }
            },
        ],
    ),
    ("axk1 youtu", [10000.0, 1.0, 0, {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64}]),
    ("glm4_moe_lite", [10000.0, 1.0, 0, {"qk_nope_head_dim": 192, "qk_rope_head_dim": 64}]),
    (
        "bitnet csm ernie4_5_vl_moe ernie4_5_vl_moe_text evolla flex_olmo qwen3_vl_moe qwen3_vl_moe_text",
        [500000.0, 1.0, 0],
    ),
    (
        "cwm",
        [
            1000000.0,
            1.0,
            0,
            {
                "head_dim": 128,
                "rope_parameters": {
                    "rope_theta": 1000000.0,
                    "factor": 16.0,
                    "high_freq_factor": 4.0,
                    "low_freq_factor": 1.0,
                    "original_max_position_embeddings": 8192,
                    "rope_type": "llama3",
                },
            },
        ],
    ),
    (
        "emu3 emu3_text_model lfm2 lfm2_vl qwen2_5_omni_text qwen2_5_omni_thinker qwen2_5_vl_text "
        "qwen2_vl_text",
        [1000000.0, 1.0, 0],
    ),
    ("fuyu glm4v_moe glm4v_moe_text nemotron persimmon", [10000.0, 0.5, 0]),
    ("gte", [160000.0, 1.0, 0]),
    ("helium", [100000.0, 1.0, 0, {"head_dim": 128}]),
    (
        "higgs_audio_v2",
        [
            10000.0,
            1.0,
            0,
            {
                "head_dim": 128,
                "rope_parameters": {
                    "factor": 32.0,
                    "rope_theta": 500000.0,
                    "high_freq_factor": 0.5,
                    "low_freq_factor": 0.125,
                    "original_max_position_embeddings": 1024,
                    "rope_type": "llama3",
                },
            },
        ],
    ),
    ("hy_v3", [11158840.0, 1.0, 0, {"head_dim": 128}]),
    ("jina_embeddings_v3", [20000.0, 1.0, 0]),
    ("minimax_m2", [5000000.0, 1.0, 0, {"head_dim": 128}]),
    ("paddleocr_vl paddleocr_vl_text", [500000.0, 1.0, 0, {"head_dim": 128}]),
    ("solar_open", [1000000.0, 1.0, 0, {"head_dim": 128}]),
    ("qwen3_5_moe qwen3_5_moe_text", [10000.0, 0.25, 0, {"head_dim": 256}]),
    ("vaultgemma", [10000.0, 1.0, 0, {"head_dim": 256}]),
)


def taken(name):
    for names, found in KIN:
        if name in names.split():
            return found
    own = OWN.get(name, [])
    if name == "params.json of Llama 4":  # rope_theta of ModelArgs in Meta's models/llama4/args.py
        return [5e5, 1, 0]
    return next((found for names, found in TAKEN.items() if name in names.split()), [1e4, 1, 0]) + own


def rows_of_types():
    """The row of each type, and the lists of names that rows count."""
    models, reads = {}, []
    for name in MODELS_READ:
        base, *rest = taken(name)
        if not base:
            models[name] = [0]
            continue
        part, apart, *assumed = rest
        if read_by(name) not in reads:
            reads.append(read_by(name))
        row = [base, part, reads.index(read_by(name)), apart, int("neox" in name), *(assumed or [{}])]
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
        "wavelength (tokens)": lambda r, p: TAU * 1e4 ** (r["pair"] / 64) / share(r["method"], r["pair"]),
        "share that stays": lambda r, p: share(r["method"], r["pair"]),
        "facts": NEW_ANGLES | {"kept": sum(share("YaRN in libraries", i) == 1 for i in range(64))},
    },
    "fig:context:try": {
        "rows": 4 * 64,
        "method": METHODS[:4],
        "pair": range(64),
        "wavelength (tokens)": lambda r, p: TAU * 1e4 ** (r["pair"] / 64) / share(r["method"], r["pair"]),
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
