"""Relative vectors as modules: Shaw's on keys and values, and what a layer of DeBERTa makes of its table."""

from typing import cast

import torch
from torch import Tensor, nn

from pe_book.family.relative.deberta import CONVENTIONS, Convention
from pe_book.family.relative.log_buckets import edges_of
from pe_book.inputs.checking import flag, one_of, real_number, room_for, whole_number
from pe_book.nn.functional.deberta import deberta_bias
from pe_book.nn.functional.relative import relative_scores, relative_values, require_matrices, shaw_attention
from pe_book.nn.tensors import Positions, checked_device, checked_dtype, memory_on


class RelativeVectors(nn.Module):
    r"""A learned vector for each clipped offset, on keys and on values (:cite:t:`shaw2018`).

    Parameters
    ----------
    head_dim
        Width of a head, at least 1.
    clip
        K, at least 0: 2K+1 vectors, whatever the length of the texts.
    n_heads
        Vectors of their own for each head; None is one set for all, as in section 3.3 of the source.
    values
        Whether values get vectors, too. Without them the whole is a bias, and attention stays fused.
    std
        Standard deviation of the normal distribution that vectors are drawn from, 0 or more.
    device, dtype
        Of the vectors; without them, torch's defaults.

    Attributes
    ----------
    key_vectors : torch.nn.Parameter
        Shape (2K+1, head_dim) or (n_heads, 2K+1, head_dim).
    value_vectors : torch.nn.Parameter or None
        Of the same shape; None without `values`.

    Raises
    ------
    ValueError
        If the vectors ask for more memory than there is.

    Examples
    --------
    >>> import pe_book as pe
    >>> relative = pe.nn.RelativeVectors(64, clip=16)
    >>> sum(p.numel() for p in relative.parameters())
    4224
    >>> q, k, v = torch.randn(3, 2, 8, 5, 64)  # batch, heads, words
    >>> relative(q, k, v, range(5), range(5)).shape
    torch.Size([2, 8, 5, 64])
    >>> mask = relative.bias(q[..., -1:, :], [4], range(5))  # a cached step
    >>> mask.shape
    torch.Size([2, 8, 1, 5])

    See Also
    --------
    pe_book.family.relative : the definitions.
    """

    def __init__(
        self,
        head_dim: int,
        *,
        clip: int,
        n_heads: int | None = None,
        values: bool = True,
        std: float = 0.02,
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.head_dim = whole_number(head_dim, "head_dim", least=1)
        self.clip = whole_number(clip, "clip", least=0)
        self.n_heads = None if n_heads is None else whole_number(n_heads, "n_heads", least=1)
        self.std = real_number(std, "std")
        if self.std < 0:
            raise ValueError(f"std must be 0 or more, got {std!r}; 0.02 is the default")
        where, number = checked_device(device), torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        heads = () if self.n_heads is None else (self.n_heads,)
        entries = 2 * (self.n_heads or 1) * (2 * self.clip + 1) * self.head_dim
        room_for(entries * number.itemsize, "clip", clip, most=memory_on(where))
        shape = (*heads, 2 * self.clip + 1, self.head_dim)
        self.key_vectors = nn.Parameter(torch.empty(shape, device=where, dtype=number))
        self.value_vectors: nn.Parameter | None = None
        if flag(values, "values"):
            self.value_vectors = nn.Parameter(torch.empty(shape, device=where, dtype=number))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw every vector anew: normal, mean 0, standard deviation `std`."""
        for vectors in self.parameters():
            nn.init.normal_(vectors, std=self.std)

    def bias(self, q: Tensor, queries: Positions, keys: Positions) -> Tensor:
        """What goes to ``scaled_dot_product_attention`` as ``attn_mask``: divided by √head_dim already.

        Parameters
        ----------
        q
            Shape (..., n_q, head_dim).
        queries, keys
            As for :func:`pe_book.nn.functional.relative.relative_scores`.

        Returns
        -------
        Tensor
            Shape (..., n_q, n_k), in the dtype of `q`.
        """
        require_matrices(q, "q", on=self.key_vectors.device)
        if q.shape[-1] != self.head_dim:
            raise ValueError(f"q must have {self.head_dim} columns, head_dim, got shape {tuple(q.shape)}")
        divided: Tensor = relative_scores(q, self.key_vectors, queries, keys) / self.head_dim**0.5
        return divided

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        queries: Positions,
        keys: Positions,
        *,
        bias: Tensor | None = None,
        causal: bool = False,
    ) -> Tensor:
        """The attention as a whole.

        Parameters
        ----------
        q, k, v, queries, keys, bias, causal
            As for :func:`pe_book.nn.functional.relative.shaw_attention`.

        Returns
        -------
        Tensor
            Shape (..., n_q, head_dim).
        """
        return shaw_attention(
            q, k, v, self.key_vectors, self.value_vectors, queries=queries, keys=keys, bias=bias,
            causal=causal,
        )  # fmt: skip

    def of_values(self, weights: Tensor, queries: Positions, keys: Positions) -> Tensor:
        """What the offsets add to the outputs, for weights that you have computed yourself.

        Parameters
        ----------
        weights, queries, keys
            As for :func:`pe_book.nn.functional.relative.relative_values`.

        Returns
        -------
        Tensor
            Shape (..., n_q, head_dim).
        """
        if self.value_vectors is None:
            raise ValueError(
                "weights have no vectors to add, got a module with values=False; use values=True"
            )
        require_matrices(weights, "weights", on=self.value_vectors.device)
        return relative_values(weights, self.value_vectors, queries, keys)

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        values = self.value_vectors is not None
        return f"{self.head_dim}, clip={self.clip}, n_heads={self.n_heads}, values={values}, std={self.std:g}"


class DisentangledBias(nn.Module):
    r"""What one layer of DeBERTa adds to its scores: content to position and position to content.

    The table of offsets is a parameter of the model, shared by its layers, and is given to each call; a layer
    has the two projections (:cite:t:`he2021`, equation 4).

    Parameters
    ----------
    d_model
        Width of the model, a multiple of `n_heads`.
    n_heads
        How many heads.
    convention
        As for :func:`pe_book.family.relative.deberta.deberta_bias`; for a checkpoint ``"library"``.
    max_position
        As for :func:`pe_book.family.relative.deberta.deberta_offsets`; None is without buckets.
    device, dtype
        Of the projections; without them, torch's defaults.

    Attributes
    ----------
    key_projection : torch.nn.Linear
        Of the table, to offsets as keys; without bias, as in the paper.
    query_projection : torch.nn.Linear
        Of the table, to offsets as queries.
    scale : float
        What the product of queries and keys has to be multiplied by: 1/√(3 head_dim).

    Examples
    --------
    >>> import pe_book as pe
    >>> layer = pe.nn.DisentangledBias(16, 2, convention="library")
    >>> table = torch.randn(2 * 4, 16)  # k = 4
    >>> q, k, v = torch.randn(3, 2, 5, 8)
    >>> mask = layer(q, k, table, range(5), range(5))
    >>> attend = torch.nn.functional.scaled_dot_product_attention
    >>> attend(q, k, v, attn_mask=mask, scale=layer.scale).shape
    torch.Size([2, 5, 8])

    See Also
    --------
    pe_book.family.relative.deberta : the definitions.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        convention: Convention,
        max_position: int | None = None,
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_model = whole_number(d_model, "d_model", least=1)
        self.n_heads = whole_number(n_heads, "n_heads", least=1)
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, {n_heads}, got {d_model}")
        if max_position is not None:
            edges_of(4, max_position, "span")
        self.max_position = max_position
        self.convention = cast(Convention, one_of(convention, CONVENTIONS, "convention"))
        where, number = checked_device(device), torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        room_for(2 * self.d_model**2 * number.itemsize, "d_model", d_model, most=memory_on(where))
        width = self.d_model
        self.key_projection = nn.Linear(width, width, bias=False, device=where, dtype=number)
        self.query_projection = nn.Linear(width, width, bias=False, device=where, dtype=number)
        self.scale = (3 * self.d_model // self.n_heads) ** -0.5

    def forward(self, q: Tensor, k: Tensor, table: Tensor, queries: Positions, keys: Positions) -> Tensor:
        """What goes to ``scaled_dot_product_attention`` as ``attn_mask``, beside ``scale=module.scale``.

        Parameters
        ----------
        q, k
            Shape (..., n_heads, n, head_dim).
        table
            The rows of the offsets, shape (2k, d_model).
        queries, keys
            As for :func:`pe_book.nn.functional.deberta.deberta_bias`.

        Returns
        -------
        Tensor
            Shape (..., n_heads, n_q, n_k).
        """
        require_matrices(table, "table")
        if table.dim() != 2 or len(table) % 2 or table.shape[-1] != self.d_model:
            raise ValueError(f"table must have shape (2k, {self.d_model}), got {tuple(table.shape)}")
        as_keys, as_queries = (
            projection(table.to(projection.weight)).unflatten(-1, (self.n_heads, -1)).transpose(0, 1)
            for projection in (self.key_projection, self.query_projection)
        )
        return deberta_bias(
            q, k, as_keys, as_queries, queries, keys, max_position=self.max_position,
            convention=self.convention,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        return (
            f"{self.d_model}, {self.n_heads}, max_position={self.max_position}, "
            f"convention={self.convention!r}"
        )
