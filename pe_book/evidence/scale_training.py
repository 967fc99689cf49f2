"""What the factor √d does to a model that has to know where its tokens stand, trained for the page.

Words from a random table and rows of positions are added; two layers name the position modulo a small number.
The words say nothing about it. Everything is float64, on one thread, from given seeds.
"""

import math

import numpy as np
import torch

from pe_book.inputs.checking import flag, real_number, whole_number
from pe_book.nn import SinusoidalEncoding
from pe_book.nn.trial.training import one_thread

VOCABULARY, LENGTH, BATCH, HIDDEN = 100, 40, 32, 64
PERIOD = 5  # what is asked for: the position modulo this
STEPS, RATE = 150, 0.01


def place_loss(*, scale: bool, word_std: float, d_model: int = 64, seed: int = 0) -> float:
    """The cross-entropy, in nats, with which a trained model names the position of a token modulo 5.

    Guessing costs log 5, which is 1.61. The model has Adam, 150 steps and 32 texts of 40 random words a step;
    the loss is that of 32 texts that it has not seen. With `scale` the words are multiplied by √d_model
    before the rows are added; `word_std` is the standard deviation of their table at the start, 1 in
    ``torch.nn.Embedding``. What is none of these is a ValueError or a TypeError.

    >>> place_loss(scale=False, word_std=1, d_model=32) < 0.1 < 1.5 < place_loss(scale=True, word_std=1)
    True
    """
    spread, width = real_number(word_std, "word_std"), whole_number(d_model, "d_model", least=2)
    rng = np.random.default_rng(seed)
    shapes = {"words": (VOCABULARY, width), "in": (width, HIDDEN), "out": (HIDDEN, PERIOD)}
    stds = {"words": spread, "in": math.sqrt(2 / width), "out": math.sqrt(1 / HIDDEN)}
    add = SinusoidalEncoding(
        width, max_len=LENGTH, dropout=0.0, scale=flag(scale, "scale"), dtype=torch.float64
    )
    asked = (torch.arange(LENGTH) % PERIOD).repeat(BATCH)
    with one_thread():
        weights = {
            name: torch.from_numpy(rng.normal(0, stds[name], shape)).requires_grad_()
            for name, shape in shapes.items()
        }
        biases = [torch.zeros(size, dtype=torch.float64, requires_grad=True) for size in (HIDDEN, PERIOD)]

        def loss() -> torch.Tensor:
            texts = torch.from_numpy(rng.integers(VOCABULARY, size=(BATCH, LENGTH)))
            x = add(torch.nn.functional.embedding(texts, weights["words"]))
            named = (x @ weights["in"] + biases[0]).relu() @ weights["out"] + biases[1]
            return torch.nn.functional.cross_entropy(named.flatten(0, 1), asked)

        adam = torch.optim.Adam([*weights.values(), *biases], lr=RATE)
        for _ in range(STEPS):
            adam.zero_grad()
            # torch leaves this method without types
            loss().backward()  # type: ignore[no-untyped-call]
            adam.step()
        with torch.no_grad():
            return float(loss())
