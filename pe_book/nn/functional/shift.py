r"""The shift theorem on tensors: the action, the matrix and the generator of :mod:`pe_book.sinusoidal.shift`.

As in :mod:`pe_book.nn.functional.sinusoidal`, angles are float64 and results are cast last.
"""

import torch
from torch import Tensor

from pe_book.inputs.checking import Ladder, Layout, even_width, known_ladder, known_layout
from pe_book.inputs.pairs import split
from pe_book.nn.functional.sinusoidal import checked_base, frequencies
from pe_book.nn.kernels.float64 import angles, rounded
from pe_book.nn.pairs import join
from pe_book.nn.tensors import Positions, beside_rows, in_float64, real_positions, require_rows
from pe_book.numerics.chunks import width_of_a_matrix


def shift(
    x: Tensor,
    k: Positions,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Tensor:
    """As :func:`pe_book.sinusoidal.shift.shift`, for tensors: the rows keep their dtype and their device.

    A tensor `k` is broadcast against the shape of `x` without its last axis. NaN and infinity in `x` are
    not refused, they stay visible in their pair.

    >>> import pe_book as pe
    >>> from pe_book.nn import encode
    >>> rows = pe.nn.encode(torch.tensor([3, 4]), 6)
    >>> torch.allclose(pe.nn.shift(rows, 10), pe.nn.encode(torch.tensor([13, 14]), 6))
    True
    """
    require_rows(x)
    width = even_width(x.shape[-1], "the length of x along its last axis")
    offset, _ = beside_rows(k, "k", x)
    rows = in_float64(x)
    turn = angles(offset, width, checked_base(base), known_ladder(ladder))
    cos, sin = turn.cos(), turn.sin()
    s, c = split(rows, known_layout(layout))
    turned = join(s * cos + c * sin, c * cos - s * sin, layout)
    return rounded(turned, x.dtype).to(x.device)


def shift_matrix(
    k: float | Tensor,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Tensor:
    """As :func:`pe_book.sinusoidal.shift.shift_matrix`, for tensors: float64, by a number or a tensor of one.

    >>> import pe_book as pe
    >>> pe.nn.shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]], dtype=torch.float64)
    """
    offset = real_positions(k, "k")
    if offset.dim():
        raise ValueError(f"k must be one real number, got a tensor of shape {tuple(offset.shape)}")
    turn = angles(offset, width_of_a_matrix(d_model), checked_base(base), known_ladder(ladder))
    return _pair_blocks(turn.cos(), turn.sin(), layout)


def generator(
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Tensor:
    """As :func:`pe_book.sinusoidal.shift.generator`, for tensors: float64.

    >>> import pe_book as pe
    >>> pe.nn.generator(2)
    tensor([[ 0.,  1.],
            [-1.,  0.]], dtype=torch.float64)
    """
    omega = frequencies(width_of_a_matrix(d_model), base=base, ladder=ladder)
    return _pair_blocks(torch.zeros_like(omega), omega, layout)


def _pair_blocks(diagonal: Tensor, off: Tensor, layout: Layout) -> Tensor:
    """The matrix whose block for pair i is [[diagonal_i, off_i], [-off_i, diagonal_i]]."""
    layout = known_layout(layout)
    same, cross = diagonal.diag_embed(), off.diag_embed()
    sine_rows, cosine_rows = join(same, cross, layout), join(-cross, same, layout)  # (d/2, d)
    return join(sine_rows.T, cosine_rows.T, layout).T.contiguous()  # (d, d)
