"""Holds the heads of one weight, moved between layouts, to their word."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe


def test_the_conversion_that_is_known_for_llama() -> None:
    """From Meta's rows, interleaved, to those of most code, in halves: `permute` of the public script."""
    torch = pytest.importorskip("torch")
    n_heads, dim1, dim2 = 3, 24, 5
    w = torch.randn(dim1, dim2, generator=torch.Generator().manual_seed(0))
    permuted = w.view(n_heads, dim1 // n_heads // 2, 2, dim2).transpose(1, 2).reshape(dim1, dim2)
    assert torch.equal(pe.relayout_heads(w, n_heads=3, source="interleaved", to="halves"), permuted)
    assert torch.equal(pe.relayout_heads(permuted, n_heads=3, source="halves", to="interleaved"), w)
    assert not torch.equal(pe.relayout_heads(w, n_heads=3, source="halves", to="interleaved"), permuted)


def test_tensors_that_only_look_dense_are_refused() -> None:
    torch = pytest.importorskip("torch")

    class Packed(torch.Tensor):  # type: ignore[name-defined, misc]
        pass

    for weight in (torch.ones(8, 3).as_subclass(Packed), torch.ones(8, 3).to_sparse()):
        with pytest.raises(TypeError, match="weight must be a plain dense tensor, got a"):
            pe.relayout_heads(weight, n_heads=2, source="halves", to="interleaved")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weight": np.ones((6, 2))}, r"got shape \(6, 2\)"),
        ({"n_heads": 3}, "here 3, of an even number"),
        ({"rotary_dim": 8}, "rotary_dim must be at most the width of the head, 4, got 8"),
        ({"weight": np.ones(6)}, r"got shape \(6,\); the norm of one head is moved with n_heads=1"),
        (
            {"weight": np.ones(128), "n_heads": 32, "head_dim": 128},
            r"the rows of 32 heads of head_dim=128, got shape \(128,\); the norm of one head is moved with n",
        ),
    ],
)
def test_a_weight_that_cannot_be_moved_is_refused_by_name(arguments: Any, message: str) -> None:
    given = {"weight": np.ones((8, 2)), "n_heads": 2, "source": "halves", "to": "interleaved"} | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        pe.relayout_heads(given.pop("weight"), **given)
