"""The conventions by another path: each is a rule that says what stands in column c, in mpmath."""

import json
from itertools import takewhile
from pathlib import Path

import torch
from mpmath import cos, mpf, sin, sqrt

from pe_book import rotary_from_config
from pe_book.config.classes import MODELS
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware
from pe_book.family.context_extension.ramps import llama3, temperature, yarn
from pe_book.family.rotary import proportional_frequencies, rotate

EVIDENCE = Path(__file__).resolve().parents[3] / "pe_book" / "evidence"
CONFIGS, PARITY = EVIDENCE / "family" / "configs", EVIDENCE / "records" / "parity.json"


def entry(position=1, exponent=lambda i: mpf(2 * i) / 6, halves=False, cosine_first=False):
    """Column c of the row of a position, at width 6 and base 10000."""

    def compute(c):
        i, second = (c % 3, c >= 3) if halves else (c // 2, c % 2 == 1)
        angle = position / mpf(10_000) ** exponent(i)
        return cos(angle) if second != cosine_first else sin(angle)

    return compute


def released(i):
    return mpf(i) / 2


RULES = {
    "this book, the paper": entry(),
    "halves": entry(halves=True),
    "tensor2tensor ladder": entry(exponent=released),
    "both, as in tensor2tensor": entry(halves=True, exponent=released),
    "cosine first": entry(cosine_first=True),
    "halves, cosines first": entry(halves=True, cosine_first=True),
    "positions from 1": entry(position=2),
    "slip: exponent $i/d$": entry(exponent=lambda i: mpf(i) / 6),
    "slip: exponent $4i/d$": entry(exponent=lambda i: mpf(4 * i) / 6),
}


ROW = range(1, 7)


def mixed_row(pair_of, exchanged):
    """A row whose column c takes the cosine of one pair, and as its partner a column of another pairing."""
    row = []
    for c in range(6):
        angle, other = 1 / mpf(10_000) ** (mpf(2 * pair_of(c)) / 6), exchanged(c)
        row.append((c + 1) * cos(angle) + (other + 1) * (-1 if other > c else 1) * sin(angle))
    return row


LAST, HALVES = {"rotary_dim": 4, "side": "last"}, {"layout": "halves"}
STOPPED = {"frequencies": proportional_frequencies(6, 4)}
TURNED = {
    "neighbours: this book, the paper": rotate(ROW, 1),
    "halves: most code": rotate(ROW, 1, **HALVES),
    "neighbours, clockwise": rotate(ROW, -1),
    "neighbours in the first columns": rotate(ROW, 1, rotary_dim=4),
    "halves in the first columns": rotate(ROW, 1, rotary_dim=4, **HALVES),
    "neighbours in the last columns": rotate(ROW, 1, **LAST),
    "halves in the last columns: MiniCPM3": rotate(ROW, 1, **LAST, **HALVES),
    "neighbours in the last columns, given as halves: DeepSeek-V3": rotate(ROW, 1, **LAST)[
        [0, 1, 2, 4, 3, 5]
    ],
    "neighbours, slow pairs stopped: p-RoPE, or the first columns with the exponent of the head": rotate(
        ROW, 1, **STOPPED
    ),
    "halves, slow pairs stopped: p-RoPE": rotate(ROW, 1, **STOPPED, **HALVES),
    "halves, clockwise": rotate(ROW, -1, **HALVES),
    "mixed: table in halves, turn of neighbours": mixed_row(lambda c: c % 3, lambda c: c ^ 1),
    "mixed: table of neighbours, turn of halves": mixed_row(lambda c: c // 2, lambda c: (c + 3) % 6),
}
IN_ORDER = sorted(TURNED, key=lambda name: [round(float(TURNED[name][c]), 2) for c in range(6)])


def seen(name, columns):
    """Columns of the row as they are printed."""
    return " ".join(f"{float(TURNED[name][c]):.2f}" for c in columns).replace("-", "\N{MINUS SIGN}")


# Who pairs how: from the records that configs make, and from the rows of the record of the parity


def by_model():
    """Groups of model types, the largest first, by what a small config of each is read as."""
    configs = [json.loads(file.read_text()) for file in sorted(CONFIGS.glob("*.json"))]
    groups = {}
    for name, model in MODELS.items():
        if model.kind == "rotary":
            small = {
                "model_type": name,
                "hidden_size": 1280,
                "num_attention_heads": 16,
                "head_dim": 80,
                "num_hidden_layers": 8,
            }
            one = next(r for r in rotary_from_config(small) if r.kind == "rotary")
            pairs = {"interleaved": "neighbours", "halves": "halves"}[one.layout]
            said = {
                "rope_interleave": ", or as `rope_interleave` says",
                "rotary_emb_interleaved": ", or as `rotary_emb_interleaved` says to code beside the weights",
            }
            pairs += said.get(model.layout_key, "")
            own = [c["config"] for c in configs if c["config"].get("model_type") == name]
            if one.side == "last":
                columns = "the last, `qk_rope_head_dim` of them"
            elif name in ("gptj", "codegen"):  # GPTJConfig and CodeGenConfig have 64 of them
                columns = "the first 64, or as many as the config says"
            elif one.rotary_dim < 80:
                columns = f"the first {100 * one.rotary_dim // 80}%, or as many as the config says"
            elif any("rotary_dim" in c or c.get("partial_rotary_factor", 1) < 1 for c in own):
                columns = "the first, as many as the config says"
            else:
                columns = "all"
            groups.setdefault((pairs, columns), []).append(name)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


STILL = {
    "afmoe",
    "cohere2",
    "exaone4",
    "exaone_moe",
    "llama4",
    "llama4_text",
    "qwen3_5",
    "qwen3_5_moe",
    "qwen3_5_moe_text",
    "qwen3_5_text",
    "qwen3_next",
    "smollm3",
}


# transformers itself is asked in tests/parity/test_pairings.py
BESIDE = {
    "RefinedWebModel", "chatglm", "exaone", "internlm2", "kimi_k2", "minicpm", "phi-msft", "phi3_v", "qwen",
    "params.json of Meta", "params.json of Mistral", "params.json of Llama 4",
}  # fmt: skip


def mark(name):
    """Of types that transformers does not have, and of those whose layers do not all turn."""
    return "†" * (name in BESIDE) + "‡" * (name in STILL)


def by_family():
    """The names of each family that are in one group, by the alphabet."""
    letters = {}
    for (pairs, columns), found in by_model():
        for name in found:
            begins = "".join(takewhile(str.isalpha, name.lower()))
            letters.setdefault((begins, pairs, columns), []).append(name)
    return [sorted(letters[one]) for one in sorted(letters)]


def group_of(row):
    """Pairs and columns of the first model type in a row."""
    first = row["`model_type`"].split("`")[1]
    return next(group for group, found in by_model() if first in found)


def compared(library, layout):
    """What of a library was compared in one pairing."""
    found = []
    for row in json.loads(PARITY.read_text())["agreements"]:
        if row["kind"] == "rows" and row["library"] == library and row["layout"].startswith(layout):
            form = row["member"].replace(f"{library}, ", "")
            rest = row["layout"][len(layout) :].lstrip(", ").replace("in, ", "")
            form = "its turn" if form == library else form
            found.append(f"{form} ({rest})" if rest else form)
    return "; ".join(found) or "none"


def libraries():
    return sorted({row["library"] for row in json.loads(PARITY.read_text())["agreements"]
                   if row["kind"] == "rows"})  # fmt: skip


# One ladder under every method: four pairs, base 10000, four times 1000 tokens


OMEGA = [1, 0.1, 0.01, 0.001]
LADDERS = {
    "none": OMEGA,
    "linear": interpolated(OMEGA, 4),
    "ntk": ntk_aware(OMEGA, 4),
    "llama3": llama3(OMEGA, 4, 1000),
    "yarn, the paper's ramp": yarn(OMEGA, 4, 1000),
    "yarn, the ramp of libraries": yarn(OMEGA, 4, 1000, ramp="library"),
}


# The last 64 of 32768 rows of ones in a head of 128, rounded by another code: torch, or numpy's float16


def rounded_rows(kind):
    """Turned rows of ones, and how far they are off: in the fastest pair, and elsewhere."""
    dtype, stage = kind.split(": ")
    dtype = {"bfloat16": torch.bfloat16, "float16": torch.float16}[dtype]

    def held(x, here):
        return x.to(dtype).double() if here == stage else x

    where = held(torch.arange(32768 - 64, 32768).double(), "positions")[:, None]
    omega = held(
        torch.tensor([float(mpf(10_000) ** (-mpf(i) / 64)) for i in range(64)]).double(), "frequencies"
    )
    angle = held(where * omega, "angles")
    c, s = (held(f(angle), "cosines and sines") for f in (torch.cos, torch.sin))
    return torch.stack([c - s, c + s], -1)


KINDS = [f"{dtype}: {stage}" for dtype in ("bfloat16", "float16")
         for stage in ("positions", "frequencies", "angles", "cosines and sines")]  # fmt: skip


def off(row, pairs):
    gaps = rounded_rows(row["rounded"]) - rounded_rows("bfloat16: nothing")
    return float(gaps[:, pairs].abs().max())


SCALED = {  # a table of the how-to
    "method": list(LADDERS),
    "factor": lambda row, p: temperature(4) if "yarn" in row["method"] else 1.0,
    **{f"pair {i}": lambda row, p, i=i: LADDERS[row["method"]][i] for i in range(4)},
}
RECOMPUTED = {
    "tab:conventions:turned": {
        "columns 0 to 2": lambda row, p: seen(row["the program"], range(3)),
        "3 to 5": lambda row, p: seen(row["the program"], range(3, 6)),
        "the program": IN_ORDER,
        "length": lambda row, p: sqrt(sum(x**2 for x in TURNED[row["the program"]])),
    },
    "tab:conventions:models": {
        "pairs": lambda row, p: group_of(row)[0],
        "columns that turn": lambda row, p: group_of(row)[1],
        "`model_type`": [", ".join(f"`{name}`{mark(name)}" for name in found) for found in by_family()],
    },
    "tab:conventions:libraries": {
        "library": libraries(),
        "neighbours": lambda row, p: compared(row["library"], "interleaved"),
        "halves": lambda row, p: compared(row["library"], "halves"),
    },
    "tab:conventions:rounded": {
        "rounded": KINDS,
        "different rows": lambda row, p: len(rounded_rows(row["rounded"]).flatten(1).unique(dim=0)),
        "fastest pair off by": lambda row, p: off(row, slice(0, 1)),
        "others off by": lambda row, p: off(row, slice(1, None)),
    },
    "tab:conventions:row": {
        "convention": list(RULES),
        **{str(c): lambda row, p, c=c: RULES[row["convention"]](c) for c in range(6)},
    },
}
