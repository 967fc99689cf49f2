r"""Context extension by parts: slow pairs are interpolated, fast pairs stay, and a ramp lies between.

Where a pair stands on the ramp is counted in turns per trained length by the paper on YaRN and by Llama 3.1,
and in indices of pairs by the code that most libraries run. The ends agree, what lies between does not.

References: :cite:t:`peng2023`; the code released with Llama 3.1, :cite:t:`meta2024`.
"""

import math
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.context_extension.interpolation import (
    checked_factor,
    checked_frequencies,
    checked_length,
    turns,
)
from pe_book.inputs.checking import flag, one_of, positive_number, real_number, within_reach
from pe_book.inputs.shapes import PerPair
from pe_book.inputs.wording import shown

Ramp = Literal["paper", "library"]
RAMPS = ("paper", "library")


def yarn(
    frequencies: ArrayLike,
    factor: float,
    original_len: float,
    *,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: Ramp = "paper",
    truncate: bool = True,
) -> PerPair:
    r"""NTK-by-parts, the frequencies of YaRN: slow pairs are interpolated, fast pairs stay, a ramp between.

    .. math:: \omega_i' = \bigl(1 - \gamma_i\bigr) \frac{\omega_i}{s} + \gamma_i\, \omega_i

    ``ramp="paper"`` is linear in the turns of a pair,
    :math:`\gamma_i = (r_i - \beta_\text{slow}) / (\beta_\text{fast} - \beta_\text{slow})` clipped to [0, 1].
    ``ramp="library"`` is what released code runs: linear in the *index* of the pair, between the indices at
    which a pair makes `beta_fast` and `beta_slow` turns, rounded outwards to whole ones if `truncate`.

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token. For the ramp of libraries they have to be a geometric ladder.
    factor
        s, at least 1.
    original_len
        L, the trained length in tokens.
    beta_fast, beta_slow
        In turns: α and β of the paper are `beta_slow` and `beta_fast`.
    ramp
        ``"paper"`` or ``"library"``.
    truncate
        Of the ramp of libraries: whether its ends are whole indices.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), radians per token.

    Examples
    --------
    >>> omega = 10000.0 ** (-np.arange(4) / 4)
    >>> yarn(omega, 4, 4096).round(6).tolist()
    [1.0, 0.1, 0.003835, 0.00025]

    References
    ----------
    :cite:t:`peng2023`, equations 17, 18 and 20.
    """
    omega, s = checked_frequencies(frequencies), checked_factor(factor)
    length = checked_length(original_len, "original_len")
    fast, slow = checked_turns(beta_fast, "beta_fast"), checked_turns(beta_slow, "beta_slow")
    by_turns = cast(Ramp, one_of(ramp, RAMPS, "ramp")) == "paper"
    if fast < slow or (by_turns and fast == slow):
        raise ValueError(f"beta_fast must be more turns than beta_slow, {slow:g}, got {fast:g}")
    whole_ends = flag(truncate, "truncate")
    if by_turns:
        return _blended(omega, s, _kept_by_turns(omega, length, fast, slow))
    return _blended(omega, s, kept_by_index(omega, length, fast, slow, truncate=whole_ends))


def llama3(
    frequencies: ArrayLike,
    factor: float,
    original_len: float,
    *,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> PerPair:
    r"""The scaling of Llama 3.1: as NTK by parts, with a ramp between 1 and 4 turns.

    .. math::

        \gamma_i = \operatorname{clip}\Bigl(\frac{r_i - l}{h - l}, 0, 1\Bigr), \qquad
        \omega_i' = (1 - \gamma_i) \frac{\omega_i}{s} + \gamma_i\, \omega_i

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token.
    factor
        s, at least 1.
    original_len
        L, in tokens.
    low_freq_factor, high_freq_factor
        l and h, in turns, h not below l. Where they are equal the ramp is a step: a pair that makes more
        turns stays, and one that makes as many or fewer is divided, as in the limit of h from above.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), radians per token.

    Examples
    --------
    >>> omega = 500000.0 ** (-np.arange(64) / 64)
    >>> changed = llama3(omega, 8, 8192) / omega
    >>> int((changed == 1).sum()), int(np.isclose(changed, 1 / 8).sum())
    (29, 29)
    >>> step = llama3(omega, 8, 8192, high_freq_factor=1) / omega
    >>> int((step == 1).sum()), int(np.isclose(step, 1 / 8).sum())
    (35, 29)

    References
    ----------
    :cite:t:`meta2024`.
    """
    omega, s = checked_frequencies(frequencies), checked_factor(factor)
    length = checked_length(original_len, "original_len")
    low = checked_turns(low_freq_factor, "low_freq_factor")
    high = checked_turns(high_freq_factor, "high_freq_factor")
    if high < low:
        raise ValueError(f"high_freq_factor must not be below low_freq_factor, {low:g}, got {high:g}")
    if high == low:
        return _blended(omega, s, (turns(omega, length) > low).astype(np.float64))
    return _blended(omega, s, _kept_by_turns(omega, length, high, low))


def kept_by_index(
    frequencies: ArrayLike, length: float, beta_fast: float, beta_slow: float, *, truncate: bool = True
) -> PerPair:
    r"""How much of each frequency stays by the ramp of libraries: all before one index, nothing from another.

    .. math:: \gamma_i = \operatorname{clip}\Bigl(1 - \frac{i - a}{b - a}, 0, 1\Bigr)

    a and b are the indices with `beta_fast` and `beta_slow` turns. If the first count is below the second,
    the ramp stands on its head, as in the code of libraries, which only warns: slow pairs stay then.

    Parameters
    ----------
    frequencies
        Shape (n,): a geometric ladder, radians per token.
    length
        L, in tokens.
    beta_fast, beta_slow
        In turns.
    truncate
        Whether a is rounded down and b up.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), from 0 to 1.

    Examples
    --------
    >>> omega = 10000.0 ** (-np.arange(4) / 4)
    >>> kept_by_index(omega, 1000, 32, 1).tolist(), kept_by_index(omega, 1000, 1, 32).tolist()
    ([1.0, 0.6666666666666667, 0.33333333333333337, 0.0], [0.0, 0.0, 1.0, 1.0])
    """
    omega = checked_frequencies(frequencies)
    ends = checked_turns(beta_fast, "beta_fast"), checked_turns(beta_slow, "beta_slow")
    a, b = (index_of(omega, count, length) for count in ends)
    if flag(truncate, "truncate"):
        a, b = math.floor(a), math.ceil(b)
    a, b = max(a, 0), min(b, 2 * omega.size - 1)
    if a == b:
        b += 0.001  # as libraries do, so that nothing is divided by zero
    return np.clip(1 - (np.arange(omega.size, dtype=np.float64) - a) / (b - a), 0.0, 1.0)


def index_of(frequencies: ArrayLike, count: float, length: float) -> float:
    r"""The index, a real number, at which a geometric ladder makes `count` turns in `length` tokens.

    .. math:: i = \frac{d}{2} \cdot \frac{\ln\bigl(L / (2\pi\, r)\bigr)}{\ln \text{base}}

    Parameters
    ----------
    frequencies
        Shape (n,), n at least 2: a geometric ladder, radians per token.
    count
        r, in turns.
    length
        L, in tokens.

    Returns
    -------
    float
        Below 0 or above n - 1 where no pair makes so many, or so few.

    Examples
    --------
    >>> round(index_of([1, 0.1, 0.01, 0.001], 1, 1000), 4)
    2.2018
    """
    omega = checked_frequencies(frequencies)
    steps = np.diff(np.log(omega)) if omega.size > 1 and omega.all() else np.empty(0)
    if not steps.size or steps[0] >= 0 or np.abs(steps - steps[0]).max() > 1e-6 * abs(steps[0]):
        got = f"got {shown(frequencies)}"
        raise ValueError(f"frequencies must fall by one ratio for the ramp of libraries, {got}")
    wanted = 2 * math.pi * checked_turns(count, "count") / checked_length(length, "length")
    return (math.log(omega[0]) - math.log(wanted)) / -float(steps.mean())


def temperature(factor: float, *, mscale: float = 1.0) -> float:
    r"""The factor on queries and on keys by which YaRN sharpens attention.

    .. math:: \sqrt{1/t} = 0.1\, m \ln s + 1

    Scores are multiplied by its square when both queries and keys carry it.

    Parameters
    ----------
    factor
        s, at least 1.
    mscale
        m: the coefficient that configurations call so.

    Examples
    --------
    >>> round(temperature(4), 5), round(1 / temperature(4), 5)
    (1.13863, 0.87825)

    References
    ----------
    :cite:t:`peng2023`, equation 22.
    """
    m = real_number(mscale, "mscale")
    if not 0 <= m <= 1000:
        raise ValueError(f"mscale must be a coefficient from 0 to 1000, got {m:g}")
    return 0.1 * m * math.log(checked_factor(factor)) + 1


def checked_turns(value: float, name: str) -> float:
    """A number of turns as the ramps take it."""
    count = float(within_reach(positive_number(value, name), name))
    if count < 2.0**-53:
        raise ValueError(f"{name} must be at least 2**-53 turns, got {count:g}")
    return count


def _kept_by_turns(omega: PerPair, length: float, fast: float, slow: float) -> PerPair:
    """How much of each frequency stays: linear in its turns, from none at `slow` to all at `fast`."""
    with np.errstate(over="ignore"):  # a ramp as narrow as nothing is a step
        return (turns(omega, length) - slow) / (fast - slow)


def _blended(omega: PerPair, factor: float, kept: PerPair) -> PerPair:
    share = np.clip(kept, 0.0, 1.0)
    return omega / factor * (1 - share) + omega * share
