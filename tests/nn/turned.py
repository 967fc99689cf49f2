"""Rows turned by the definition, and how far those of torch may be from them."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.inputs.pairs import join, split

torch = pytest.importorskip("torch")

from pe_book.nn import RotaryEncoding
from pe_book.nn.kernels.rotary import unfolded

LAYOUTS = ["interleaved", "halves"]
HALF = [torch.bfloat16, torch.float16]
SLICES = [{}, {"rotary_dim": 6}, {"rotary_dim": 6, "side": "last"}]


def encoder(head_dim, **conventions):
    """A module with what has to be named: neighbours are pairs and heads come first, if nothing is said."""
    return RotaryEncoding(head_dim, **{"layout": "interleaved", "heads_first": True, **conventions})


def turns_in(encoding, rows):
    """What the rows of a module are turned by, from its table."""
    return unfolded(encoding.table[:rows], encoding.layout)


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def defined(x, positions, **conventions):
    return torch.from_numpy(pe.rotate(x.detach().double().numpy(), positions, **conventions))


def within(result, x, positions, *, unit, **conventions):
    """Whether each entry is off by three roundings, of cosine, product and sum, of the length of its pair."""
    width = conventions.get("rotary_dim") or x.shape[-1]
    first = x.shape[-1] - width if conventions.get("side") == "last" else 0
    turned = x.detach().double().numpy()[..., first : first + width]
    layout = conventions.get("layout", "interleaved")
    length = np.hypot(*split(turned, layout))
    allowed = np.zeros(x.shape)  # none where nothing is turned
    allowed[..., first : first + width] = 3.01 * unit * join(length, length, layout)
    off = (result.detach().double() - defined(x, positions, **conventions)).abs().numpy()
    return bool((off <= allowed).all())


def agrees(encoding, x=None, unit=2.0**-24):
    """Whether a module does what its arguments say."""
    x = normal(2, 3, 40, encoding.head_dim) if x is None else x
    where = {"layout": encoding.layout, "rotary_dim": encoding.rotary_dim, "side": encoding.side}
    return within(encoding.turn(x), x, range(x.shape[-2]), unit=unit, **where, base=encoding.base)
