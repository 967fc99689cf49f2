"""What the claims quote: sentences and numbers of the paper of 2017, word for word, and how they are read."""

from __future__ import annotations

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
#: The first of the two formulas of that section, on one line.
FORMULA = "PE(pos,2i) = sin(pos/10000^(2i/dmodel))"
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


def base_of(formula: str) -> float:
    """The base whose powers a formula divides positions by.

    >>> base_of("sin(pos/100^(2i/d))")
    100.0
    """
    found = re.search(r"pos/(\d+)\^", formula)
    if found is None:
        raise ValueError(f"formula must divide pos by powers of a number, got {formula!r}")
    return float(found[1])
