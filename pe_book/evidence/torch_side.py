"""Holds the modules of the torch side to the numpy side: what they add, keep and refuse."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import pe_book as pe
from pe_book import nn
from pe_book.evidence.outcome import outcome
from pe_book.evidence.sinusoidal.production import differ, rounded_wrongly
from pe_book.evidence.verdict import Verdict
from pe_book.family.learned import BEYOND, lookup

Array = NDArray[np.float64]
SIXTEEN_BITS = (torch.float16, torch.bfloat16)


def adds_rows(
    make: Callable[..., Any],
    rows_at: Callable[[Any, Array], Array],
    d_model: int = 8,
    *,
    within: float = 1e-5,
) -> Verdict:
    """Whether a module adds the rows of the positions that it is given, and nothing else.

    `make` takes `scale` and `batch_first`, `rows_at` a module and positions; words below 4 are rounded once.
    """
    words = torch.linspace(-1, 1, 2 * 3 * d_model).reshape(2, 3, d_model)
    each = torch.tensor([[0, 1, 2], [5, 0, 7]])
    ways: dict[str, tuple[dict[str, Any], Any]] = {
        "nothing said": ({}, np.tile(np.arange(3), (2, 1))),
        "start": ({"start": 4}, np.tile(np.arange(4, 7), (2, 1))),
        "positions": ({"positions": each[1]}, np.tile(each[1].numpy(), (2, 1))),
        "positions of each": ({"positions": each}, each.numpy()),
    }
    gaps = dict.fromkeys(ways, 0.0)
    for scale, batch_first in product((True, False), repeat=2):
        module = make(scale=scale, batch_first=batch_first)
        for name, (where, positions) in ways.items():
            rows = torch.from_numpy(np.stack([rows_at(module, row) for row in positions]))
            true = words.double() * (np.sqrt(d_model) if scale else 1) + rows
            x = words if batch_first else words.transpose(0, 1)
            found = module(x, **where).detach().double()
            gaps[name] = max(gaps[name], differ([(found if batch_first else found.transpose(0, 1), true)]))
    return Verdict(max(gaps.values()) < within, gaps)


def table_is_kept(make: Callable[..., Any] = nn.SinusoidalEncoding) -> Verdict:
    """Whether the table of a module only grows, its rows correctly rounded: grown, cast and far out."""
    module = make(8, max_len=10).eval()
    lengths = [len(module.table)]
    wrong = 0
    for start, seq_len in ((0, 15), (0, 3), (10**6, 2)):
        rows = module(torch.zeros(1, seq_len, 8), start=start)[0]
        wrong += int((rows != nn.table(seq_len, 8, start=start)).sum()) if len(rows) == seq_len else seq_len
        lengths.append(len(module.table))
    far = torch.tensor([[10**6, 3, 10**6 + 1], [7, 9 * 10**5, 2]])
    found = module(torch.zeros(2, 3, 8), positions=far)
    true = torch.stack([nn.table(1, 8, start=int(place))[0] for place in far.flatten()]).reshape(2, 3, 8)
    wrong += int((found != true).sum())
    grown = lengths == sorted(lengths) and lengths[0] >= 10 and lengths[1] >= 15
    for dtype in SIXTEEN_BITS:
        cast = make(128, max_len=1000).to(dtype).table
        wrong += (
            rounded_wrongly(cast, pe.encode(np.arange(1000), 128)) if cast.dtype == dtype else cast.numel()
        )
    return Verdict(grown and not wrong, {"lengths": ", ".join(map(str, lengths)), "wrong entries": wrong})


def policies_agree(make: Callable[..., Any] = nn.LearnedEncoding, *, within: float = 1e-12) -> Verdict:
    """Whether a learned module takes each road past its last row as the definition does, and can be trained.

    `make` takes `d_model`, and by name `max_len`, `beyond`, `dropout`, `std` and `dtype`.
    """
    found: dict[str, float | str] = {}
    for beyond in BEYOND:
        gap = 0.0
        for max_len in (1, 4, 7):
            module = make(3, max_len=max_len, beyond=beyond, dropout=0.0, dtype=torch.float64)
            weight = module.weight.detach().numpy()
            for start, seq_len in _spans(max_len, beyond):
                rows = module(torch.zeros(1, seq_len, 3, dtype=torch.float64), start=start)[0].detach()
                true = lookup(weight, np.arange(start, start + seq_len), beyond=beyond)
                places = torch.arange(start, start + seq_len).flip(0)
                backwards = module(torch.zeros(seq_len, 3, dtype=torch.float64), positions=places).detach()
                gap = max(gap, differ([(rows, torch.from_numpy(true)), (backwards.flip(0), rows)]))
        found[beyond] = gap
    agree = all(isinstance(gap, float) and gap < within for gap in found.values())
    past: tuple[dict[str, Any], ...] = ({"start": 4}, {"positions": torch.tensor([4])})
    said = [
        outcome(lambda where=where: make(3, max_len=4)(torch.zeros(1, 3), **where) is not None)
        for where in past
    ]
    torch.manual_seed(0)
    spread = float(make(100, max_len=100, std=0.5).weight.detach().std())
    off = abs(spread / 0.5 - 1) * np.sqrt(2 * 100 * 100)
    return Verdict(
        agree and said == ["`ValueError`"] * 2 and off < 5,
        {**found, "spread": off, "past the end": ", ".join(said)},
    )


def _spans(max_len: int, beyond: str) -> Iterable[tuple[int, int]]:
    """Starts and lengths: inside, across the edge and past it, where the road allows it."""
    yield 0, max_len
    if beyond != "refuse":
        yield from ((0, 2 * max_len + 1), (max_len - 1, 2), (max_len, 3), (3 * max_len, 2))
