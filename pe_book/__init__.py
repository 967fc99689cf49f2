"""Positional encoding for transformers: every definition of the book, as plain numpy.

>>> import pe_book as pe
>>> river, bank = pe.encode([0, 1], d_model=6)
>>> river
array([0., 1., 0., 1., 0., 1.])

The names below are loaded when they are first used, so importing ``pe_book`` costs next to nothing.
``pe_book.nn`` has the same for torch.
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from pe_book import nn as nn
    from pe_book.sinusoidal.computing import table as table
    from pe_book.sinusoidal.distance import similarity as similarity
    from pe_book.sinusoidal.formula import encode as encode
    from pe_book.sinusoidal.formula import frequencies as frequencies
    from pe_book.sinusoidal.formula import permutation as permutation
    from pe_book.sinusoidal.formula import relayout as relayout
    from pe_book.sinusoidal.formula import wavelengths as wavelengths
    from pe_book.sinusoidal.precision import error as error
    from pe_book.sinusoidal.shift import fit_shift as fit_shift
    from pe_book.sinusoidal.shift import generator as generator
    from pe_book.sinusoidal.shift import shift as shift
    from pe_book.sinusoidal.shift import shift_matrix as shift_matrix
    from pe_book.why.order_blindness import attention as attention
    from pe_book.why.rounding import collisions as collisions

    __version__: str

__all__ = [
    "attention",
    "collisions",
    "encode",
    "error",
    "fit_shift",
    "frequencies",
    "generator",
    "nn",
    "permutation",
    "relayout",
    "shift",
    "shift_matrix",
    "similarity",
    "table",
    "wavelengths",
]

_HOME = {
    "attention": "pe_book.why.order_blindness",
    "collisions": "pe_book.why.rounding",
    "encode": "pe_book.sinusoidal.formula",
    "error": "pe_book.sinusoidal.precision",
    "fit_shift": "pe_book.sinusoidal.shift",
    "frequencies": "pe_book.sinusoidal.formula",
    "generator": "pe_book.sinusoidal.shift",
    "permutation": "pe_book.sinusoidal.formula",
    "relayout": "pe_book.sinusoidal.formula",
    "shift": "pe_book.sinusoidal.shift",
    "shift_matrix": "pe_book.sinusoidal.shift",
    "similarity": "pe_book.sinusoidal.distance",
    "table": "pe_book.sinusoidal.computing",
    "wavelengths": "pe_book.sinusoidal.formula",
}

if not _typing.TYPE_CHECKING:  # to a type checker a name that is not imported above is a mistake

    def __getattr__(name):
        """Load an everyday name from the chapter that defines it (PEP 562)."""
        from importlib import import_module

        if name == "__version__":
            value = import_module("pe_book._version").version_of_copy(__path__[0])
        elif name == "nn":
            value = import_module("pe_book.nn")
        elif name in _HOME:
            value = getattr(import_module(_HOME[name]), name)
        else:
            offered = ", ".join(__all__)
            raise AttributeError(f"module 'pe_book' has no attribute {name!r}; it offers {offered}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
