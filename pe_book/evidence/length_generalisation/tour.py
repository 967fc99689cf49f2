"""``make tour``: trains four small decoders, and records what becomes of one text in each of them."""

from __future__ import annotations

from typing import Any

import torch

from pe_book.evidence.length_generalisation.heads import on_target, texts, weights_of
from pe_book.evidence.length_generalisation.tasks import BACK
from pe_book.evidence.length_generalisation.training import Run, trained
from pe_book.evidence.records.model_tour import RECORD, SYMBOLS, packed
from pe_book.nn.trial.training import one_thread

SHAPES = ((16, 1), (16, 2), (32, 1), (32, 2))  # width and layers
TRAINED, LONGEST, CUT = 32, 48, 12  # words of a text in training, as recorded, and cut short
STEPS, RATE, SEED, TEXTS = 600, 5e-3, 0, 256


def run_of(width: int, layers: int) -> Run:
    """One head, so that a layer has one map."""
    return Run("back", "sinusoidal", SEED, RATE, length=TRAINED, width=width, heads=1, layers=layers)


def inside(run: Run) -> dict[str, Any]:
    """What the record keeps of a decoder: shares over many texts, and the insides for the first of them."""
    words = texts(LONGEST, TEXTS)
    spans = ((BACK, TRAINED), (TRAINED, LONGEST))
    with one_thread():
        made = trained(run, steps=STEPS)
    with one_thread(), torch.no_grad():
        output = made(words).softmax(-1)
        weights = [weights_of(made, words, layer)[:, 0] for layer in range(run.layers)]
        cut = (made(words[:, :CUT]).softmax(-1) - output[:, :CUT]).abs().max()
        positions = made.positions.added(torch.zeros(1, LONGEST, run.width))[0]
        right = output.argmax(-1)[:, BACK:] == words[:, :-BACK]
    means = [layer.mean(0).double().numpy() for layer in weights]
    return {
        "run": run.record(),
        "right": [round(float(right[:, a - BACK : b - BACK].double().mean()), 4) for a, b in spans],
        "looks": [[round(on_target(mean, *span), 4) for span in spans] for mean in means],
        "cut": float(f"{float(cut):.0e}"),
        "words": packed((made.words.weight * run.width**0.5).tolist()),
        "positions": packed(positions.tolist()),
        "weights": [packed(row[: i + 1] for i, row in enumerate(one[0].tolist())) for one in weights],
        "output": packed(output[0].tolist()),
    }


def taken() -> dict[str, Any]:
    """The whole record."""
    text = "".join(SYMBOLS[word] for word in texts(LONGEST, TEXTS)[0].tolist())
    decoders = [inside(run_of(*shape)) for shape in SHAPES]
    return {"text": text, "back": BACK, "steps": STEPS, "texts": TEXTS, "decoders": decoders}


if __name__ == "__main__":
    RECORD.write(taken())
