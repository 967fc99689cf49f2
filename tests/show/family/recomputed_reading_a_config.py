"""The figures and tables of the chapter on reading a config by another path: what their configs say."""

import json
from pathlib import Path

import pe_book
from tests.show.recomputed import COUNT, WORDS

CONFIGS = Path(pe_book.__file__).parent / "evidence" / "family" / "configs"
# how many layers, and of each layer what it sees and whether it turns, by rules of its class
MODELS = {
    "llama-3.1-8b": (32, lambda i: "full, turns"),
    "gemma-3-27b": (62, lambda i: "full, turns" if i % 6 == 5 else "window, turns"),
    "smollm3-3b": (36, lambda i: "full, still" if i % 4 == 3 else "full, turns"),
    "command-r7b": (32, lambda i: "full, still" if i % 4 == 3 else "window, turns"),
    "qwen3-next-80b": (48, lambda i: "full, turns" if i % 4 == 3 else "no softmax, still"),
}
LINES = ["full, turns", "window, turns", "full, still", "no softmax, still"]
TROUBLES = {
    "the base is not where my program looks": ("500000", "rope_parameters.rope_theta"),
    "two blocks disagree": ("rope_scaling", "rope_parameters"),
    "YaRN's correction does nothing": ("mscale_all_dim", "rope_scaling.mscale"),
    "the factor is that of another length": (f"{16 * 1024}", "rope_scaling.factor"),
    "which columns pair?": ("somebody", "model_type"),
    "how much of the head turns?": ("0.5", "partial_rotary_factor"),
    "some layers do not turn": ("1 of 4", "no_rope_layers"),
    "an image is in the text": ("3 coordinates", "rope_scaling.mrope_section"),
    "answers change in mid-text": ("4096", "rope_scaling.type"),
    "the text is longer than training": ("8192", "max_position_embeddings"),
    "settings for long texts, short texts": ("512", "rope_scaling.factor"),
}
# where each finding of the second table comes from, and a word of it
FOUND = {
    "internlm2.5-7b": ("32768", "rope_scaling.type"),
    "llama-4-scout": ("do not turn", "attn_temperature_tuning"),
    "minicpm-2b-128k": ("65536", "rope_scaling.type"),
    "ministral-3-3b": ("beta log", "rope_parameters.llama_4_scaling_beta"),
    "phi-3-mini-128k": ("4096", "rope_scaling.type"),
    "phi-3.5-mini": ("4096", "rope_scaling.type"),
    "phi-3.5-moe": ("4096", "rope_scaling.type"),
    "phi-3.5-vision": ("4096", "rope_scaling.type"),
    "phi-4-mini": ("4096", "rope_scaling.type"),
    "qwen-7b": ("enlarges the base", "use_dynamic_ntk"),
    "qwen-7b again": ("log(position)", "use_logn_attn"),
    "qwen2.5-14b-1m": ("counts positions anew in chunks", "dual_chunk_attention_config"),
}


def name_of(stem):
    return json.loads((CONFIGS / f"{stem.removesuffix(' again')}.json").read_text())["name"]


def rule(row):
    return next(rule for stem, (_, rule) in MODELS.items() if name_of(stem) == row["model"])


def counted(stem):
    layers, does = MODELS[stem]
    kinds = [does(i) for i in range(layers)]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def grouped():
    """Models that share a finding share a row."""
    rows = {}
    for stem, finding in FOUND.items():
        rows.setdefault(finding, []).append(name_of(stem))
    return list(dict.fromkeys(", ".join(models) for models in rows.values()))


def with_word(shown, word):
    return shown if word in shown else f"something of {word}"


def said_of_models(row):
    stem = next(s for s in FOUND if name_of(s) in row["model"] and FOUND[s][1] in row["key"])
    return with_word(row["finding"], FOUND[stem][0])


RECOMPUTED = {
    "fig:config:layers": {
        "rows": sum(layers for layers, _ in MODELS.values()),
        "model": [name_of(stem) for stem in MODELS],
        "layer": range(62),
        "what it does": lambda r, p: rule(r)(int(r["layer"])),
        "line": lambda r, p: LINES.index(rule(r)(int(r["layer"]))),
        "facts": {
            **{f"name_{i}": name_of(stem) for i, stem in enumerate(MODELS)},
            **{f"count_{i}": counted(stem) for i, stem in enumerate(MODELS)},
        },
    },
    "tab:config:cases": {
        COUNT: len(TROUBLES),
        "trouble": WORDS,
        "the report says": lambda r, p: with_word(r["the report says"], TROUBLES[r["trouble"]][0]),
        "key": lambda r, p: f"`{TROUBLES[r['trouble']][1]}`",
    },
    "tab:config:models": {
        COUNT: len(set(FOUND.values())),
        "model": grouped(),
        "finding": lambda r, p: said_of_models(r),
        "key": lambda r, p: f"`{r['key']}`" if r["key"] in {key for _, key in FOUND.values()} else "no key",
    },
}
