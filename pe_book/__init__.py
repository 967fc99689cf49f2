"""Positional encoding for transformers: every definition of the book, as plain numpy.

>>> import pe_book as pe
>>> river, bank = pe.encode([0, 1], d_model=6)
>>> river
array([0., 1., 0., 1., 0., 1.])

The names below are loaded when they are first used, so importing ``pe_book`` costs next to nothing.
``pe_book.nn`` has the same for torch.
"""

from pe_book.catalogue import _homes
from pe_book.catalogue import catalogue as catalogue  # the function hides its module, see test_names.py

_HOME = _homes("numpy")
__all__ = sorted([*_HOME, "nn"])


def __getattr__(name: str) -> object:
    """Load an everyday name from the chapter that defines it (PEP 562)."""
    from importlib import import_module

    if name == "__version__":
        value = import_module("pe_book._version").version_of_copy(__path__[0])
    elif name == "nn":
        value = import_module("pe_book.nn")
    elif name in _HOME:
        value = import_module("pe_book._names").loaded(_HOME[name], name)
    else:
        no_such = import_module("pe_book._names").no_such
        raise AttributeError(no_such("pe_book", name, __all__))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
