"""The encodings as torch has them: plain functions on tensors, and the modules that one ships.

``SinusoidalEncoding`` and ``LearnedEncoding`` are modules. The functions have the names, signatures and
conventions of the numpy definitions; a test compares both with them. Every name is loaded when it is first
used, so importing ``pe_book.nn`` does not import torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pe_book.nn.columns import permutation as permutation
    from pe_book.nn.columns import relayout as relayout
    from pe_book.nn.functions import encode as encode
    from pe_book.nn.functions import frequencies as frequencies
    from pe_book.nn.functions import table as table
    from pe_book.nn.functions import wavelengths as wavelengths
    from pe_book.nn.learned import LearnedEncoding as LearnedEncoding
    from pe_book.nn.shifting import generator as generator
    from pe_book.nn.shifting import shift as shift
    from pe_book.nn.shifting import shift_matrix as shift_matrix
    from pe_book.nn.sinusoidal import SinusoidalEncoding as SinusoidalEncoding

_HOME = {
    "LearnedEncoding": "pe_book.nn.learned",
    "SinusoidalEncoding": "pe_book.nn.sinusoidal",
    "encode": "pe_book.nn.functions",
    "frequencies": "pe_book.nn.functions",
    "generator": "pe_book.nn.shifting",
    "permutation": "pe_book.nn.columns",
    "relayout": "pe_book.nn.columns",
    "shift": "pe_book.nn.shifting",
    "shift_matrix": "pe_book.nn.shifting",
    "table": "pe_book.nn.functions",
    "wavelengths": "pe_book.nn.functions",
}


def __getattr__(name: str) -> Any:
    """Load a name from the module that defines it (PEP 562)."""
    if name not in _HOME:
        offered = ", ".join(sorted(_HOME))
        raise AttributeError(f"module 'pe_book.nn' has no attribute {name!r}; it offers {offered}")
    try:
        value = getattr(import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"pe_book.nn.{name} needs torch: pip install 'pe_book[torch]'") from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
