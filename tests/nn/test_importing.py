"""What importing the torch side costs beyond torch: none of torch's own workshops."""

import subprocess
import sys

import pytest

pytest.importorskip("torch")

USED = """
import sys
import torch
before = set(sys.modules)
{code}
print(*sorted({{name for name in set(sys.modules) - before if name.split(".")[0] != "pe_book"}}))
"""
ALL = "from pe_book import nn; [getattr(nn, name) for name in nn.__all__]"
MADE = (
    "; nn.RotaryEncoding(8, layout='halves').turn(torch.zeros(3, 8))"
    "; nn.SinusoidalEncoding(8)(torch.zeros(1, 3, 8))"
)


def loaded(code):
    done = subprocess.run(
        [sys.executable, "-c", USED.format(code=code)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_compiler_is_not_imported_before_something_is_compiled():
    found = loaded(ALL + MADE)
    assert "torch._dynamo" not in found
    assert not {name for name in found if name.split(".")[0] in ("sympy", "matplotlib", "numba")}
