"""What the claims quote: sentences and numbers of the paper of 2017, word for word, and how they are read."""

from __future__ import annotations

import math
import re

#: Section 3.5, without the number of the reference.
SECTION = (
    "where pos is the position and i is the dimension. That is, each dimension of the positional encoding "
    "corresponds to a sinusoid. The wavelengths form a geometric progression from 2π to 10000 · 2π. We chose "
    "this function because we hypothesized it would allow the model to easily learn to attend by relative "
    "positions, since for any fixed offset k, PEpos+k can be represented as a linear function of PEpos. We "
    "also experimented with using learned positional embeddings instead, and found that the two versions "
    "produced nearly identical results (see Table 3 row (E)). We chose the sinusoidal version because it may "
    "allow the model to extrapolate to sequence lengths longer than the ones encountered during training."
)
WAVELENGTHS = next(sentence for sentence in SECTION.split(". ") if "wavelengths" in sentence)
#: d_model of the base model, and perplexity and BLEU on the development set of Table 3: base, and row (E).
BASE_MODEL = 512
TABLE_3 = {"sinusoidal": (4.92, 25.8), "learned": (4.92, 25.7)}
#: What notes quote of the section.
QUOTED_ELSEWHERE = (
    "we hypothesized it would allow the model to easily learn to attend by relative positions",
    "for any fixed offset k, PEpos+k can be represented as a linear function of PEpos",
    "The wavelengths form a geometric progression from 2π to 10000 · 2π",
)
#: What the same notes leave out without a mark.
LEFT_OUT = ("learned positional embeddings", "it may allow the model to extrapolate")


def ends_of(sentence: str) -> tuple[float, float]:
    """The first and the last wavelength that a sentence names, in tokens.

    Parameters
    ----------
    sentence : str
        With both as multiples of 2π.

    Returns
    -------
    tuple of float

    Examples
    --------
    >>> first, last = ends_of("from 2π to 10000 · 2π")
    >>> last / first
    10000.0
    """
    times = re.findall(r"(?:(\d+) · )?2π", sentence)
    if len(times) != 2:
        raise ValueError(f"sentence must name two multiples of 2π, got {sentence!r}")
    first, last = (float(number or 1) * 2 * math.pi for number in times)
    return first, last
