"""The recorded insides by another path: what each cell and each gift reads of the record."""

import numpy as np

import pe_book as pe
from pe_book.evidence.records.model_tour import packed, recorded

TOUR = recorded()
ONE, TEXT = TOUR.decoders[0], TOUR.text
SYMBOLS = [chr(ord("A") + i) for i in range(16)]
N, WIDTH, WORD, BACK = 24, 16, 20, 5
NAMES = ["width 16, one layer", "width 16, two layers", "width 32, one layer", "width 32, two layers"]
DECODERS = dict(zip(NAMES, TOUR.decoders, strict=True))
WORDS = np.array([ONE.words[ord(letter) - ord("A")] for letter in TEXT[:N]])
# what float32 holds of them, to the thousandth that is recorded
POSITIONS = {width: pe.encode(range(48), width).astype("float32").round(3) for width in (16, 32)}
ROWS = {
    "word": WORDS,
    "position": POSITIONS[WIDTH][:N],
    "sum": WORDS + POSITIONS[WIDTH][:N],
    "attention": ONE.weights[0],
}


def value(r, p):
    if r["step"] == "output":
        return ONE.output[WORD, SYMBOLS.index(r["symbol"])]
    return ROWS[r["step"]][r["position"], r["column or key"]]


def look(layer, span):
    """Of each decoder that has the layer."""
    return lambda r, p: DECODERS[r["decoder"]].looks[layer][span]


RECOMPUTED = {
    "fig:tour:steps": {
        "rows": 3 * N * WIDTH + N * (N + 1) // 2 + 16,
        "step": [*ROWS, "output"],
        "position": range(N),
        "column or key": range(N),
        "symbol": SYMBOLS,
        "value": value,
        "facts": {
            "weight": ONE.weights[0, WORD, WORD - BACK],
            "odds": ONE.output[WORD, SYMBOLS.index(TEXT[WORD - BACK])],
            "fast": np.ptp(ROWS["position"][:, 0]),
            "slow": np.ptp(ROWS["position"][:, WIDTH - 2]),
        },
        "given": {
            "text": TEXT,
            "trained": 32,
            "back": BACK,
            "lengths": [12, 24, 48],
            "n": N,
            "word": WORD,
            "positions": {str(width): packed(rows) for width, rows in POSITIONS.items()},
            "slowest": {str(width): round(float(pe.wavelengths(width)[-1])) for width in POSITIONS},
            "decoders": {
                name: {
                    "width": one.run["width"],
                    "words": packed(one.words),
                    "weights": [packed(row[: i + 1] for i, row in enumerate(layer)) for layer in one.weights],
                    "output": packed(one.output),
                }
                for name, one in DECODERS.items()
            },
        },
    },
    "tab:tour:shapes": {
        "decoder": NAMES,
        "right": np.array([one.right[0] for one in TOUR.decoders]),
        "right, past training": np.array([one.right[1] for one in TOUR.decoders]),
        **{
            f"layer {layer + 1}{where}": look(layer, span)
            for layer in (0, 1)
            for span, where in enumerate(("", ", past training"))
        },
    },
}
