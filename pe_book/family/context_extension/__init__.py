r"""Context extension: one function for every method by which a trained model is made to read further.

Every method changes the frequencies of a ladder, and some sharpen attention by a factor on queries and keys.
The methods themselves are in :mod:`pe_book.family.context_extension.interpolation`,
:mod:`pe_book.family.context_extension.ramps` and :mod:`pe_book.family.context_extension.divisors`; positions
can be remapped instead, see :mod:`pe_book.family.context_extension.remapped`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, Unpack, cast

from numpy.typing import ArrayLike

from pe_book.family.context_extension.divisors import longrope, longrope_temperature
from pe_book.family.context_extension.interpolation import (
    checked_factor,
    checked_frequencies,
    dynamic_factor,
    interpolated,
    ntk_aware,
)
from pe_book.family.context_extension.ramps import Ramp, llama3, temperature, yarn
from pe_book.inputs.checking import one_of
from pe_book.inputs.shapes import PerPair
from pe_book.inputs.wording import shown

Method = Literal["linear", "ntk", "dynamic", "yarn", "longrope", "llama3"]

# what each method needs beside the factor, and what it may be given
NEEDED: dict[str, tuple[str, ...]] = {
    "linear": (),
    "ntk": (),
    "dynamic": ("original_len", "length"),
    "yarn": ("original_len",),
    "longrope": ("original_len", "factors"),
    "llama3": ("original_len",),
}
ALLOWED: dict[str, tuple[str, ...]] = {
    "yarn": ("beta_fast", "beta_slow", "ramp", "truncate", "mscale", "mscale_all_dim"),
    "llama3": ("low_freq_factor", "high_freq_factor"),
}


class OfOneMethod(TypedDict, total=False):
    """What one method alone takes; None is as if it were left out."""

    beta_fast: float | None
    beta_slow: float | None
    ramp: Ramp | None
    truncate: bool | None
    mscale: float | None
    mscale_all_dim: float | None
    low_freq_factor: float | None
    high_freq_factor: float | None


def scale_frequencies(
    frequencies: ArrayLike,
    *,
    method: Method,
    factor: float,
    original_len: float | None = None,
    length: float | None = None,
    factors: ArrayLike | None = None,
    **of_one_method: Unpack[OfOneMethod],
) -> tuple[PerPair, float]:
    r"""The frequencies of a longer context, and the factor on queries and keys that goes with them.

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token: the ladder a model was trained with.
    method
        ``"linear"``, position interpolation; ``"ntk"``, a larger base; ``"dynamic"``, the same by the length
        that is read; ``"yarn"``; ``"longrope"``; ``"llama3"``.
    factor
        s, the asked length over the trained one: at least 1.
    original_len
        L, the trained length in tokens. Not for ``"linear"`` and ``"ntk"``.
    length
        The length in tokens that is read now. For ``"dynamic"`` alone.
    factors
        Shape (n,): a divisor for each pair. For ``"longrope"`` alone.
    beta_fast, beta_slow, ramp, truncate
        For ``"yarn"`` alone; see :func:`~pe_book.family.context_extension.ramps.yarn`. The ramp is the
        paper's if not given. Libraries that load models run another, ``ramp="library"``: give it to compute
        what they compute.
    mscale, mscale_all_dim
        For ``"yarn"`` alone: with both, the factor is the quotient of their temperatures, as in DeepSeek-V2,
        which puts the square of the second on the scores instead.
    low_freq_factor, high_freq_factor
        For ``"llama3"`` alone; see :func:`~pe_book.family.context_extension.ramps.llama3`.

    Returns
    -------
    frequencies : NDArray[np.float64]
        Shape (n,), radians per token.
    attention_factor : float
        What cosines and sines are multiplied by, for queries and for keys: so scores carry its square.

    Raises
    ------
    ValueError
        If the method lacks an argument that it needs, or is given one that it does not use.

    Examples
    --------
    Four pairs, of which the first is fast and the last has turned by a hundredth in 100 tokens:

    >>> import pe_book as pe
    >>> omega = [1, 0.1, 0.01, 0.001]
    >>> pe.scale_frequencies(omega, method="linear", factor=4)
    (array([0.25   , 0.025  , 0.0025 , 0.00025]), 1.0)
    >>> new, attention_factor = pe.scale_frequencies(omega, method="llama3", factor=4, original_len=100)
    >>> new.round(5).tolist()
    [1.0, 0.03979, 0.0025, 0.00025]
    >>> _, attention_factor = pe.scale_frequencies(omega, method="yarn", factor=4, original_len=100)
    >>> round(attention_factor, 5)
    1.13863

    References
    ----------
    :cite:t:`peng2023`.

    See Also
    --------
    pe_book.family.context_extension.interpolation.turns : which pairs have gone round at a length.
    pe_book.config.reading.rotary_from_config : what a model loads, with the ramp of libraries.
    """
    name = cast(Method, one_of(method, tuple(NEEDED), "method"))
    given = {"original_len": original_len, "length": length, "factors": factors, **of_one_method}
    options = {key: value for key, value in given.items() if value is not None}
    _fits(name, options)
    return METHODS[name](checked_frequencies(frequencies), checked_factor(factor), **options)


def _fits(method: Method, options: Mapping[str, object]) -> None:
    needed, allowed = NEEDED[method], (*NEEDED[method], *ALLOWED.get(method, ()))
    if lacking := [key for key in needed if key not in options]:
        raise ValueError(f"{lacking[0]} must be given for method={method!r}, got None")
    if surplus := [key for key in options if key not in allowed]:
        takes = ", ".join(allowed) if allowed else "the factor alone"
        got = f"got {shown(options[surplus[0]])}"
        raise ValueError(f"{surplus[0]} must be left out for method={method!r}, which takes {takes}: {got}")


def _yarn(
    omega: PerPair,
    factor: float,
    original_len: float,
    *,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
    truncate: bool = True,
    **options: Any,
) -> tuple[PerPair, float]:
    scaled = yarn(omega, factor, original_len, truncate=truncate, **options)
    if (mscale is None) != (mscale_all_dim is None):
        lacking = "mscale_all_dim" if mscale_all_dim is None else "mscale"
        raise ValueError(f"{lacking} must be given too, got None: the factor is a quotient of two")
    if mscale is None or mscale_all_dim is None:
        return scaled, temperature(factor)
    return scaled, temperature(factor, mscale=mscale) / temperature(factor, mscale=mscale_all_dim)


# of the frequencies, the factor, and what a method needs and allows
METHODS: dict[str, Callable[..., tuple[PerPair, float]]] = {
    "linear": lambda omega, s: (interpolated(omega, s), 1.0),
    "ntk": lambda omega, s: (ntk_aware(omega, s), 1.0),
    "dynamic": lambda omega, s, original_len, length: (
        ntk_aware(omega, dynamic_factor(length, original_len, s)), 1.0,
    ),
    "yarn": _yarn,
    "longrope": lambda omega, s, original_len, factors: (
        longrope(omega, factors), longrope_temperature(s, original_len),
    ),
    "llama3": lambda omega, s, original_len, **ends: (llama3(omega, s, original_len, **ends), 1.0),
}  # fmt: skip
