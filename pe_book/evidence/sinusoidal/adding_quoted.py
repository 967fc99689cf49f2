"""What others printed or published, on adding a place to a word: a counter-example, and how tables start."""

import math
from typing import NamedTuple

from pe_book.sinusoidal.adding import Loudness, loudness

# Cross Validated, question 586813: two words, each with the encoding it is said to be added to, and the sum
PRINTED = (
    ((-0.34, 0.52, 0.69), (0.54, -0.42, -0.99)),
    ((-0.64, -0.81, 0.16), (0.84, 0.91, 0.14)),
)
PRINTED_SUM = (0.2, 0.1, -0.3)


class Recipe(NamedTuple):
    """How a piece of code starts its tables, and what it does to a word before the sum."""

    name: str
    table: str
    word_std: float
    d_model: int
    scale: bool
    place_std: float | None

    @property
    def loudness(self) -> Loudness:
        """Word and place before the first step, as :func:`pe_book.sinusoidal.adding.loudness` has them.

        >>> recipe("PyTorch's default, times √d").loudness
        Loudness(word=512.0, place=16.0, ratio=32.0)
        """
        return loudness(self.word_std, self.d_model, scale=self.scale, place_std=self.place_std)

    @property
    def added_std(self) -> float:
        """The standard deviation of an entry of a word as it is added, after any factor.

        >>> round(recipe("tensor2tensor, fairseq").added_std, 12)
        1.0
        """
        return self.loudness.word / math.sqrt(self.d_model)


def _cut(std: float) -> float:
    """The standard deviation that is left when a normal is cut at two of its own."""
    density = math.exp(-2) / math.sqrt(2 * math.pi)
    return std * math.sqrt(1 - 4 * density / math.erf(math.sqrt(2)))


# Read in tensor2tensor's layers/modalities.py, fairseq's models/transformer.py, torch.nn.Embedding, the
# Annotated Transformer (xavier_uniform_ on every matrix), GPT-2's src/model.py, BERT's modeling.py, with the
# vocabulary of the paper, 37000
RECIPES = (
    Recipe("tensor2tensor, fairseq", r"$1/\sqrt{d}$", 512**-0.5, 512, True, None),
    Recipe("the same without the factor", r"$1/\sqrt{d}$", 512**-0.5, 512, False, None),
    Recipe("PyTorch's default", "$1$", 1.0, 512, False, None),
    Recipe("PyTorch's default, times √d", "$1$", 1.0, 512, True, None),
    Recipe("Annotated Transformer", r"$\sqrt{2/(v + d)}$", math.sqrt(2 / (37000 + 512)), 512, True, None),
    Recipe("GPT-2", "$0.02$", 0.02, 768, False, 0.01),
    Recipe("BERT", "$0.02$, cut", _cut(0.02), 768, False, _cut(0.02)),
)


def recipe(name: str) -> Recipe:
    """One of :data:`RECIPES`, by its name in the first column of the table of the chapter.

    >>> recipe("GPT-2").place_std
    0.01
    """
    return {one.name: one for one in RECIPES}[name]
