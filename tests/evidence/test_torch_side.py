"""The verdicts on the torch side hold for the book's modules and fail for each mistake planted here."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.family.learned import lookup

torch = pytest.importorskip("torch")

from pe_book import nn
from pe_book.evidence import torch_side


def sinusoid(**how: Any) -> Any:
    return nn.SinusoidalEncoding(8, max_len=12, dropout=0.0, **how)


def rows_at(module: Any, positions: Any) -> Any:
    return pe.encode(positions, 8)


def test_both_modules_add_their_rows() -> None:
    def learned(**how: Any) -> Any:
        return nn.LearnedEncoding(8, max_len=9, dropout=0.0, **how)

    assert torch_side.adds_rows(sinusoid, rows_at)
    assert torch_side.adds_rows(learned, lambda module, p: lookup(module.weight.detach().numpy(), p))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m, x, where: m(x, positions=where.get("positions")),
        lambda m, x, where: m(x, start=where.get("start", 0)),
        lambda m, x, where: m(x, **where) if "positions" in where else m(x, start=where.get("start", 0) + 1),
        lambda m, x, where: m(x * 8**0.5, **where),  # scaled twice
    ],
)
def test_a_module_that_adds_other_rows_is_noticed(wrong: Any) -> None:
    def make(**how: Any) -> Any:
        module = sinusoid(**how)
        return lambda x, **where: wrong(module, x, where)

    assert not torch_side.adds_rows(make, rows_at)


def test_a_module_that_does_not_hear_its_axes_is_noticed() -> None:
    with pytest.raises(ValueError, match="positions must have shape"):  # its own positions do not fit then
        torch_side.adds_rows(lambda scale, batch_first: sinusoid(scale=scale), rows_at)


def test_a_table_that_shrinks_or_is_cast_twice_is_noticed() -> None:
    class Shrinks(nn.SinusoidalEncoding):
        def _reaching(self, end: int, seq_len: int, device: Any) -> Any:
            if end != len(self.table):
                self.table = self._made(end, self.table.dtype, device)
            return self.table

    class CastTwice(nn.SinusoidalEncoding):
        def _apply(self, fn: Any, recurse: bool = True) -> Any:
            self.table = fn(self.table)
            self._like = self.table[:0]
            return self

    class FarIsOneOff(nn.SinusoidalEncoding):
        def _rows_at(self, positions: Any, found: Any, device: Any) -> Any:
            return super()._rows_at(positions, found - (found == 9 * 10**5), device)

    assert torch_side.table_is_kept()
    for wrong in (Shrinks, CastTwice, FarIsOneOff):
        assert not torch_side.table_is_kept(wrong), wrong


def test_roads_that_are_one_off_are_noticed() -> None:
    class OneOff(nn.LearnedEncoding):
        def _looked_up(self, positions: Any, highest: Any, device: Any) -> Any:
            policy = self.beyond
            last = self.max_len - 1
            if policy == "clamp":
                return self.weight[positions.clamp(max=max(last - 1, 0))]
            if policy == "wrap":
                return self.weight[positions % max(last, 1)]
            return super()._looked_up(positions, highest, device)

    class HalfPixels(nn.LearnedEncoding):
        def _stretched(self, positions: Any, highest: Any) -> Any:
            from pe_book.family.learned import resize

            longest = max(int(positions.max()) + 1, self.max_len)
            rows = resize(self.weight.detach().numpy(), longest, align="half-pixels")
            return torch.from_numpy(rows)[positions]

    class Loud(nn.LearnedEncoding):
        def reset_parameters(self) -> None:
            torch.nn.init.normal_(self.weight, std=1.0)

    assert torch_side.policies_agree()
    for wrong in (OneOff, HalfPixels, Loud):
        assert not torch_side.policies_agree(wrong), wrong
    found = torch_side.policies_agree(OneOff).evidence
    policies = {name: found[name] for name in ("clamp", "wrap", "interpolate")}
    assert np.array_equal([gap > 1e-6 for gap in policies.values()], [True, True, False])
