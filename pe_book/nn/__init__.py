"""The encodings as torch has them: plain functions on tensors, and the modules that one ships.

``SinusoidalEncoding``, ``LearnedEncoding`` and ``RotaryEncoding`` are modules. The functions have the names,
signatures and conventions of the numpy definitions; a test compares both with them. Every name is loaded when
it is first used, so importing ``pe_book.nn`` does not import torch.

Without torch the package can be imported and has none of its names: ``hasattr(pe_book.nn, "encode")`` is
False, an attribute raises AttributeError and an import ModuleNotFoundError, which is an ImportError. Both say
what to install.
"""

import sys as _sys

from pe_book.catalogue import _homes

_HOME = _homes("torch")
__all__ = sorted(_HOME)


def _without_torch(name: str) -> str:
    """What to say of a name that cannot be had; empty if torch is there."""
    from importlib.util import find_spec

    if _sys.modules.get("torch") or find_spec("torch"):
        return ""
    return f"{name} needs torch: pip install 'pe_book[torch]'"


class _Refusal:
    """Stands before the finders of modules, and says what a module of this package is missing."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.startswith("pe_book.nn.") and (refusal := _without_torch(name)):
            raise ModuleNotFoundError(refusal, name="torch")


if _without_torch("pe_book.nn"):
    _sys.meta_path.insert(0, _Refusal)


def __getattr__(name: str) -> object:
    """Load a name from the module that defines it (PEP 562)."""
    from importlib import import_module

    if name not in _HOME:
        no_such = import_module("pe_book._names").no_such
        raise AttributeError(no_such("pe_book.nn", name, __all__))
    if refusal := _without_torch(f"pe_book.nn.{name}"):
        raise AttributeError(refusal)
    value = import_module("pe_book._names").loaded(_HOME[name], name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
