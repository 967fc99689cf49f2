r"""Angles in float64, results rounded once: the arithmetic that the functions and the modules share."""

import math
import operator

import numpy as np
import torch
from torch import Tensor

from pe_book.inputs.checking import Ladder, Layout
from pe_book.nn.pairs import join
from pe_book.nn.tensors import constant_in_graphs, lacks_float64, send_without_waiting, transformed
from pe_book.numerics.phases import phase_steps

_UNIT = 2 * math.pi / 2**64  # radians


def angles(positions: Tensor, d_model: int, base: float, ladder: Ladder) -> Tensor:
    r"""Position times frequency, less whole turns, for every frequency.

    .. math::

        p\,\omega_i \equiv \frac{2\pi}{2^{64}}
        \Bigl( (n F_i \bmod 2^{64}) + n r_i \allowbreak + (p - n) (F_i + r_i) \Bigr) \allowbreak \pmod{2\pi}

    with :math:`n` the whole number nearest to the position :math:`p`, and :math:`F_i + r_i` the frequency as
    :func:`pe_book.numerics.phases.phase_steps` counts it. A product of 64-bit integers drops whole turns by
    itself, so its term is exact, and a far position costs nothing in precision.

    With u = 2**-53, in radians: the integer becomes a float64 within 1.6 u; the sum with :math:`n r_i` rounds
    by 3.2 u at most, the product with the unit by 2 u, and the unit is off by 1.1 u. Together 8 u, 9e-16, at
    whole positions. The third term and its sum bring 4.4 u more: 1.4e-15. A sine or cosine adds one u. Where
    the angle is small, so is the error.

    Positions are int64 or floating. The angles, from -π - 0.5 to π + 0.5, are on their device, or on the CPU
    if that has no float64. The derivative by a real position is the frequency.

    >>> angles(torch.tensor([2, 2**53]), 4, 10000.0, "paper")
    tensor([[ 2.0000,  0.0200],
            [-2.1276, -2.2204]], dtype=torch.float64)
    """
    given = positions.cpu() if lacks_float64(positions.device) else positions
    real = given.to(torch.float64)
    near = real.round() if given.is_floating_point() else real
    whole, rest = _steps(d_model, base, ladder, given.device)
    phase = (near.to(torch.int64)[..., None] * whole).to(torch.float64)
    turned = torch.addcmul(phase, near[..., None], rest)
    if given.is_floating_point():
        turned = torch.addcmul(turned, (real - near)[..., None], whole.to(torch.float64) + rest)
    return turned * _UNIT


def waves(positions: Tensor, d_model: int, base: float, ladder: Ladder, layout: Layout) -> Tensor:
    """What remains of `encode` after its checks: float64, where :func:`angles` leaves it.

    >>> waves(torch.tensor(1), 2, 10000.0, "paper", "interleaved")
    tensor([0.8415, 0.5403], dtype=torch.float64)
    """
    angle = angles(positions, d_model, base, ladder)
    return join(angle.sin(), angle.cos(), layout)


def rounded(x: Tensor, dtype: torch.dtype) -> Tensor:
    """The numbers of `dtype` nearest to those of a float64 tensor, ties to the even neighbour.

    torch goes from float64 to the 16-bit formats by way of float32, which rounds twice. Here an inexact
    float32 takes whichever neighbour is odd: an odd number lies on no boundary between 16-bit numbers, and on
    the same side of it as `x`, so that the second rounding is the only one. Gradients pass as through a cast.

    >>> above_the_tie = torch.tensor(1 + 2.0**-8 + 2.0**-30, dtype=torch.float64)
    >>> rounded(above_the_tie, torch.bfloat16).item()
    1.0078125
    >>> above_the_tie.to(torch.float32).to(torch.bfloat16).item()
    1.0
    """
    if dtype not in (torch.float16, torch.bfloat16):
        return x.to(dtype)
    fixed = x.detach()
    near = fixed.to(torch.float32)
    even = _is_even(near)
    beyond = torch.where(fixed > near, math.inf, -math.inf).to(torch.float32)
    odd = torch.where(even & (near != fixed), torch.nextafter(near, beyond), near).to(torch.float64)
    # the difference is exact, x and `odd` are less than one float32 step apart; adding it keeps the gradient
    return torch.where(odd == fixed, x, x + (odd - fixed)).to(dtype)


def _is_even(near: Tensor) -> Tensor:
    """Whether the last bit of float32 numbers is 0."""
    if not transformed():
        return (near.view(torch.int32) & 1) == 0
    # torch before 2.9 has no rule by which torch.vmap would look at bits: count the steps from 0
    step = torch.nextafter(near.abs(), torch.full_like(near, math.inf)) - near.abs()
    return (near.double() / step.double()).remainder(2) == 0


def _steps(d_model: int, base: float, ladder: Ladder, device: torch.device) -> tuple[Tensor, Tensor]:
    """The integers and the rests of :func:`pe_book.numerics.phases.phase_steps`, on a device."""
    if torch.compiler.is_compiling():
        # a graph holds them as constants: what may change from call to call is made one, a base in two parts
        ones = operator.index(int(base))
        part = operator.index(int((base - ones) * 2**52))
        whole, rest = _as_lists(operator.index(d_model), ones, part, ladder)
        return (
            torch.tensor(whole, dtype=torch.int64, device=device),
            torch.tensor(rest, dtype=torch.float64, device=device),
        )
    steps, rests = phase_steps(d_model, base, ladder)
    signed = torch.from_numpy(steps.view(np.int64).copy())  # products wrap alike, signed or not
    return send_without_waiting(signed, device), send_without_waiting(torch.from_numpy(rests.copy()), device)


@constant_in_graphs
def _as_lists(d_model: int, ones: int, part: int, ladder: Ladder) -> tuple[list[int], list[float]]:
    steps, rests = phase_steps(d_model, ones + part / 2**52, ladder)
    return steps.view(np.int64).tolist(), rests.tolist()
