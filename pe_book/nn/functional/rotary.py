r"""Rotary encoding on tensors: the definition of :mod:`pe_book.family.rotary`, in float64 and cast last."""

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_book.family.rotary import Side, given_frequencies, slice_of
from pe_book.inputs.checking import Ladder, Layout, known_ladder, known_layout
from pe_book.inputs.pairs import split
from pe_book.nn.functional.sinusoidal import checked_base
from pe_book.nn.kernels.float64 import angles, rounded
from pe_book.nn.pairs import join
from pe_book.nn.tensors import Positions, beside_rows, in_float64, require_rows


def rotate(
    x: Tensor,
    positions: Positions,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    rotary_dim: int | None = None,
    side: Side = "first",
    frequencies: ArrayLike | None = None,
) -> Tensor:
    """As :func:`pe_book.family.rotary.rotate`, for tensors: queries or keys keep their dtype and device.

    Positions are broadcast against the shape of `x` without its last axis. NaN and infinity in `x` are not
    refused, they stay visible in their pair. The derivative by `x` is the rotation back.

    >>> import pe_book as pe
    >>> pe.nn.rotate(torch.tensor([1.0, 2.0, 3.0, 4.0]), 1, frequencies=[torch.pi / 2, 0])
    tensor([-2.,  1.,  3.,  4.])
    """
    require_rows(x)
    width, side = slice_of(x.shape[-1], rotary_dim, side)
    layout = known_layout(layout)
    where, shape = beside_rows(positions, "positions", x)
    turn = _angles(where, width, base, ladder, frequencies)
    rows = in_float64(x).expand(shape)
    kept, turned = _parts(rows, width, side)
    a, b = split(turned, layout)
    cos, sin = turn.cos(), turn.sin()
    new = join(a * cos - b * sin, a * sin + b * cos, layout)
    whole = torch.cat([new, kept] if side == "first" else [kept, new], dim=-1)  # (..., d)
    return rounded(whole, x.dtype).to(x.device)


def _parts(rows: Tensor, width: int, side: Side) -> tuple[Tensor, Tensor]:
    """The columns that stay and those that turn."""
    rest = rows.shape[-1] - width
    if side == "first":
        return rows[..., width:], rows[..., :width]
    return rows[..., :rest], rows[..., rest:]


def _angles(
    positions: Tensor, width: int, base: float, ladder: Ladder, frequencies: ArrayLike | None
) -> Tensor:
    base, ladder = checked_base(base), known_ladder(ladder)
    if frequencies is None:
        return angles(positions, width, base, ladder)
    given = given_frequencies(frequencies, width // 2, base, ladder)
    omega = torch.as_tensor(given, device=positions.device)
    return in_float64(positions)[..., None] * omega  # (..., rotary_dim/2)
