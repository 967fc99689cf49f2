"""Biases on scores whose numbers are learned: T5's, one for each bucket, and KERPLE's two a head."""

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from pe_book.family.score_bias.t5 import RULES, Rule
from pe_book.inputs.checking import flag, one_of, real_number
from pe_book.nn.functional.score_bias import logarithmic
from pe_book.nn.functional.t5 import boundaries, bucketed, looked_up
from pe_book.nn.modules.score_bias_form import ScoreBias, positive_of_each
from pe_book.nn.tensors import checked_device, checked_dtype


class T5Bias(ScoreBias):
    r"""T5's learned numbers: one for each bucket of offsets and each head.

    T5 adds them to scores that are not divided by √d, ``scale=1.0``. All layers share one module: call it
    once a step and hand the result to each of them. Kept as ``relative_attention_bias`` of an attention, its
    weight has the name and shape that it has in checkpoints of transformers,
    ``relative_attention_bias.weight``. There the first layer of the encoder has one, and that of the decoder
    another.

    Parameters
    ----------
    n_heads
        Number of query heads of this module; where processes share the heads, each loads its columns of
        the weight.
    bidirectional
        True in an encoder, False in a decoder. It has to be named: a weight fits both.
    n_buckets, max_distance, rule
        As for :func:`pe_book.family.score_bias.t5.t5_bucket`. ``"float32"`` takes the steps of the
        libraries, with the logarithm of this device; in most settings the two agree.
    std
        Standard deviation of the normal distribution that the weight is drawn from.
    device, dtype
        Of `weight`; without them, torch's defaults. The bias is float32 in any case.

    Attributes
    ----------
    weight : torch.nn.Parameter
        Shape (n_buckets, n_heads).

    Examples
    --------
    >>> import pe_book as pe
    >>> bias = pe.nn.T5Bias(12, bidirectional=True)
    >>> bias(5).shape, list(bias.state_dict())
    (torch.Size([1, 12, 5, 5]), ['weight'])

    References
    ----------
    :cite:t:`raffel2020`, section 2.1.
    """

    _whole = True

    def __init__(
        self,
        n_heads: int,
        *,
        bidirectional: bool,
        n_buckets: int = 32,
        max_distance: int = 128,
        rule: Rule = "exact",
        std: float = 0.02,
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(n_heads)
        self.bidirectional = flag(bidirectional, "bidirectional")
        one_of(rule, RULES, "rule")
        self.rule: Rule = rule
        self._begins = boundaries(n_buckets, max_distance, bidirectional)
        self.n_buckets, self.max_distance = int(n_buckets), int(max_distance)
        self.std = real_number(std, "std")
        if self.std < 0:
            raise ValueError(f"std must be 0 or more, got {std!r}; 0.02 is the default")
        where, number = checked_device(device), torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        self.weight = nn.Parameter(torch.empty(self.n_buckets, self.n_heads, device=where, dtype=number))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight anew: normal, mean 0, standard deviation `std`."""
        nn.init.normal_(self.weight, std=self.std)

    def _bias(self, away: Tensor) -> Tensor:
        farthest = self.max_distance if self.rule == "float32" else None
        found = bucketed(away, self._begins, self.bidirectional, farthest)
        return looked_up(self.weight.float(), found)

    def _options(self) -> str:
        sizes = f"n_buckets={self.n_buckets}, max_distance={self.max_distance}"
        return f"bidirectional={self.bidirectional}, {sizes}, rule={self.rule!r}"

    def _device(self) -> torch.device:
        return self.weight.device


class KERPLEBias(ScoreBias):
    r"""KERPLE's two learned numbers a head: scores fall with the logarithm of the distance.

    What is trained are their logarithms, so that both stay above 0 whatever a step of training does.

    Parameters
    ----------
    n_heads
        Number of query heads of this module.
    r1, r2
        What training begins from: one number above 0 for all heads, or one for each.
    device, dtype
        Of the parameters; without them, torch's defaults. The bias is float32 in any case.

    Attributes
    ----------
    log_r1 : torch.nn.Parameter
        Shape (n_heads,): natural logarithms of r1, in points of score.
    log_r2 : torch.nn.Parameter
        Shape (n_heads,): natural logarithms of r2, in 1/tokens.

    Examples
    --------
    >>> import pe_book as pe
    >>> bias = pe.nn.KERPLEBias(4, r2=[1.0, 0.3, 0.1, 0.03])
    >>> bias(1, start=3).shape, bias.r2
    (torch.Size([1, 4, 1, 4]), tensor([1.0000, 0.3000, 0.1000, 0.0300], grad_fn=<ExpBackward0>))

    References
    ----------
    :cite:t:`chi2022`, the logarithmic variant.
    """

    def __init__(
        self,
        n_heads: int,
        *,
        r1: ArrayLike = 1.0,
        r2: ArrayLike = 1.0,
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(n_heads)
        where, number = checked_device(device), torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        self._first = positive_of_each(r1, "r1", self.n_heads), positive_of_each(r2, "r2", self.n_heads)
        self.log_r1, self.log_r2 = (
            nn.Parameter(torch.empty(self.n_heads, device=where, dtype=number)) for _ in "12"
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again from the numbers that were given."""
        with torch.no_grad():
            for parameter, first in zip((self.log_r1, self.log_r2), self._first, strict=True):
                parameter.copy_(torch.tensor(first, dtype=torch.float64).log())

    @property
    def r1(self) -> Tensor:
        """In points of score, shape (n_heads,), float32."""
        return self.log_r1.float().exp()

    @property
    def r2(self) -> Tensor:
        """In 1/tokens, shape (n_heads,), float32."""
        return self.log_r2.float().exp()

    def _bias(self, away: Tensor) -> Tensor:
        return logarithmic(self.r1, self.r2, away)

    def _device(self) -> torch.device:
        return self.log_r1.device
