"""The conventions by another path: definitions, configs of each type, and the record of the parity."""

import json
from itertools import takewhile

import numpy as np

from pe_book import rotary_from_config
from pe_book.config.pairings import UNREAD_BY_TRANSFORMERS, pairings
from pe_book.evidence.family.recorded import names, recorded
from pe_book.evidence.records import bench
from pe_book.evidence.reference.rotations import mixed
from pe_book.evidence.reference.turned_rows import rounded_turn
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware
from pe_book.family.context_extension.ramps import llama3, temperature, yarn
from pe_book.family.rotary import proportional_frequencies, rotate
from pe_book.sinusoidal.readings import variants

ROW, VARIANTS = range(1, 7), variants(1, 6)


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
    "mixed: table in halves, turn of neighbours": mixed(ROW, 1, table="halves", turn="interleaved"),
    "mixed: table of neighbours, turn of halves": mixed(ROW, 1, table="interleaved", turn="halves"),
}
IN_ORDER = sorted(TURNED, key=lambda name: [round(float(TURNED[name][c]), 2) for c in range(6)])


def seen(name, columns):
    """Columns of the row as they are printed."""
    return " ".join(f"{float(TURNED[name][c]):.2f}" for c in columns).replace("-", "\N{MINUS SIGN}")


# Who pairs how: from the records that configs make, and from the rows of the record of the parity


def columns_of(model_type):
    """Which columns turn, by what a small config of a type is read as, and by recorded configs."""
    sizes = {"hidden_size": 3072, "num_attention_heads": 16, "head_dim": 192, "num_hidden_layers": 8}
    sizes |= {"hidden_size": 4096} if model_type == "baichuan" else {}  # at another width it has slopes
    one = next(
        r for r in rotary_from_config({"model_type": model_type, **sizes}) if r.kind.endswith("rotary")
    )
    own = [config for name in names() if (config := recorded(name)["config"]).get("model_type") == model_type]
    if one.side == "last":
        return "the last, `qk_rope_head_dim` of them"
    if model_type in ("gptj", "codegen"):  # GPTJConfig and CodeGenConfig have 64 of them
        return "the first 64, or as many as the config says"
    if one.rotary_dim < 192:
        return f"the first {100 * one.rotary_dim // 192}%, or as many as the config says"
    if any("rotary_dim" in config or config.get("partial_rotary_factor", 1) < 1 for config in own):
        return "the first, as many as the config says"
    return "all"


def by_family():
    """The marked names of each family that pair and turn alike, by the alphabet."""
    found = {}
    for one in pairings():
        pairs = {"interleaved": "neighbours", "halves": "halves"}[one.layout]
        pairs += f", or as `{one.layout_key}` says" if one.layout_key else ""
        pairs += " to code beside the weights" if one.layout_key in UNREAD_BY_TRANSFORMERS else ""
        family = "".join(takewhile(str.isalpha, one.model_type.lower()))
        marked = f"`{one.model_type}`" + "†" * one.beside_weights + "‡" * one.some_still
        found.setdefault((family, pairs, columns_of(one.model_type)), []).append(marked)
    return [(", ".join(types), pairs, columns) for (_, pairs, columns), types in sorted(found.items())]


AGREED = json.loads((bench.HERE / "parity.json").read_text(encoding="utf-8"))["agreements"]


def compared(library, layout):
    """What of a library was compared in one pairing."""
    found = []
    for row in AGREED:
        if row["kind"] == "rows" and row["library"] == library and row["layout"].startswith(layout):
            form = row["member"].replace(f"{library}, ", "")
            rest = row["layout"][len(layout) :].lstrip(", ").replace("in, ", "")
            form = "its turn" if form == library else form
            found.append(f"{form} ({rest})" if rest else form)
    return "; ".join(found) or "none"


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


STAGES = {
    "positions": "positions", "frequencies": "frequencies", "angles": "angles", "table": "cosines and sines",
}  # fmt: skip
ROUNDED = {
    f"{dtype}: {told}": rounded_turn(32768, 128, rounded=stage, dtype=dtype)
    for dtype in ("bfloat16", "float16")
    for stage, told in STAGES.items()
}
FAMILIES = np.array(by_family()).T

RECOMPUTED = {
    "tab:conventions:turned": {
        "columns 0 to 2": lambda row, p: seen(row["the program"], range(3)),
        "3 to 5": lambda row, p: seen(row["the program"], range(3, 6)),
        "the program": IN_ORDER,
        "length": lambda row, p: np.linalg.norm(TURNED[row["the program"]]),
    },
    "tab:conventions:models": dict(
        zip(("`model_type`", "pairs", "columns that turn"), FAMILIES, strict=True)
    ),
    "tab:conventions:libraries": {
        "library": sorted({row["library"] for row in AGREED if row["kind"] == "rows"}),
        "neighbours": lambda row, p: compared(row["library"], "interleaved"),
        "halves": lambda row, p: compared(row["library"], "halves"),
    },
    "tab:conventions:rounded": {
        "rounded": list(ROUNDED),
        "different rows": lambda row, p: ROUNDED[row["rounded"]].different,
        "fastest pair off by": lambda row, p: ROUNDED[row["rounded"]].fastest_off,
        "others off by": lambda row, p: ROUNDED[row["rounded"]].others_off,
    },
    "tab:conventions:row": {
        "convention": list(VARIANTS),
        **{str(c): np.array([row[c] for row in VARIANTS.values()]) for c in range(6)},
    },
    "tab:conventions:scaled": {  # of the how-to
        "method": list(LADDERS),
        "factor": lambda row, p: temperature(4) if "yarn" in row["method"] else 1.0,
        **{f"pair {i}": lambda row, p, i=i: LADDERS[row["method"]][i] for i in range(4)},
    },
}
