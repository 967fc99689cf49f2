"""The recorded insides by another path: the file is read plainly, and positions are pe.encode."""

import json
import math
from pathlib import Path

import pe_book
import pe_book as pe

FILE = Path(pe_book.__file__).parent / "evidence/records/model_tour.json"
KEPT = json.loads(FILE.read_text(encoding="utf-8"))
TEXT, DECODERS = KEPT["text"], KEPT["decoders"]
SYMBOLS = [chr(ord("A") + i) for i in range(16)]
N, WIDTH, WORD, BACK = 24, 16, 20, 5
NAMES = ["width 16, one layer", "width 16, two layers", "width 32, one layer", "width 32, two layers"]


def entry(lines, row, column):
    return int(lines[row].split()[column]) / 1000


def of_word(p, column):
    return entry(DECODERS[0]["words"], ord(TEXT[p]) - ord("A"), column)


def of_position(p, column, width=WIDTH):
    """What float32 holds of it, to the thousandth that is recorded."""
    return round(float(pe.encode(p, width).astype("float32")[column]), 3)


def weight(p, key):
    return entry(DECODERS[0]["weights"][0], p, key)


def odds(symbol):
    return entry(DECODERS[0]["output"], WORD, SYMBOLS.index(symbol))


VALUES = {
    "word": lambda r: of_word(r["position"], r["column or key"]),
    "position": lambda r: of_position(r["position"], r["column or key"]),
    "sum": lambda r: sum(of(r["position"], r["column or key"]) for of in (of_word, of_position)),
    "attention": lambda r: weight(r["position"], r["column or key"]),
    "output": lambda r: odds(r["symbol"]),
}


def swing(column):
    rows = [of_position(p, column) for p in range(N)]
    return max(rows) - min(rows)


def look(layer, span):
    """Of each decoder that has the layer."""
    looks = [one["looks"] for one in DECODERS]
    return lambda r, p: looks[NAMES.index(r["decoder"])][layer][span]


RECOMPUTED = {
    "fig:tour:steps": {
        "rows": 3 * N * WIDTH + N * (N + 1) // 2 + 16,
        "step": list(VALUES),
        "position": range(N),
        "column or key": range(N),
        "symbol": SYMBOLS,
        "value": lambda r, p: VALUES[r["step"]](r),
        "facts": {
            "weight": weight(WORD, WORD - BACK),
            "odds": odds(TEXT[WORD - BACK]),
            "fast": swing(0),
            "slow": swing(WIDTH - 2),
        },
        "given": {
            "text": TEXT,
            "trained": 32,
            "back": BACK,
            "lengths": [12, 24, 48],
            "n": N,
            "word": WORD,
            "positions": {
                str(width): [
                    " ".join(str(round(1000 * of_position(p, c, width))) for c in range(width))
                    for p in range(48)
                ]
                for width in (16, 32)
            },
            "slowest": {str(w): round(2 * math.pi * 10000 ** ((w - 2) / w)) for w in (16, 32)},
            "decoders": {
                name: {
                    "width": one["run"]["width"],
                    **{key: one[key] for key in ("words", "weights", "output")},
                }
                for name, one in zip(NAMES, DECODERS, strict=True)
            },
        },
    },
    "tab:tour:shapes": {
        "decoder": NAMES,
        "right": lambda r, p: DECODERS[NAMES.index(r["decoder"])]["right"][0],
        "right, past training": lambda r, p: DECODERS[NAMES.index(r["decoder"])]["right"][1],
        **{
            f"layer {layer + 1}{where}": look(layer, span)
            for layer in (0, 1)
            for span, where in enumerate(("", ", past training"))
        },
    },
}
