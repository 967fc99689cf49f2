"""The figure on large numbers in training by another path."""

import numpy as np

from pe_book.evidence.why.training import loss_after, training_codes, updates_to_a_thousandth

CODES = training_codes()
NEEDED = {name: updates_to_a_thousandth(code) for name, code in CODES.items()}
MADE = sorted({0, *(int(10 ** (6 * i / 119) + 1e-9) for i in range(120)), *NEEDED.values()})
LOSSES = np.array([loss_after(MADE, code) for code in CODES.values()])

RECOMPUTED = {
    "fig:attempts:training": {
        "code": list(CODES),
        "updates made": MADE,
        "next update": lambda row, p: row["updates made"] + 1,
        "loss": LOSSES,
        "facts": {"needed": "; ".join(f"{name}: {n:,}" for name, n in NEEDED.items())},
    },
}
