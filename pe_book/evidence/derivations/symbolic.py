"""Formulas of derivations as SymPy's expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from pe_book.evidence.derivations import values
from pe_book.evidence.derivations.notation import Reader, Scope
from pe_book.evidence.derivations.tokens import END, NotationError, defined_name


def scope_of(symbols: Iterable[Any]) -> dict[str, Any]:
    r"""What each declared symbol is called in a formula.

    >>> omega, row = sympy.symbols("omega x_1")
    >>> scope_of([omega, row])
    {'\\omega': omega, 'x_{1}': x_1}
    """
    scope = {}
    for symbol in symbols:
        name = defined_name(sympy.latex(symbol))
        if name is None:
            raise NotationError(f"{symbol!r} cannot be declared: it is not written as one free name")
        scope[name] = symbol
    return scope


def sides(latex: str, scope: Scope, families: Mapping[str, Any] | None = None) -> list[Any]:
    r"""What stands on each side of the equality signs of a formula; None for the empty side of ``{} = x``.

    `scope` is what :func:`scope_of` gives; `families` are names that are read with an index, ``\omega`` for
    ``\omega_i``, with the function that takes it. What cannot be read, or in two ways, is a NotationError.

    >>> scope = scope_of(sympy.symbols("p k omega"))
    >>> sides(r"\sin\omega(p+k) = 2\,\cos\omega p\,\sin\omega k", scope)
    [sin(omega*(k + p)), 2*sin(k*omega)*cos(omega*p)]
    >>> sides(r"\sin\omega p/2", scope)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pe_book.evidence.derivations.tokens.NotationError: where does the argument of \sin end? Put it in ...
    """
    try:
        reader = Reader(latex, scope, families or {}, values)
        found = [reader.side()]
        while reader.take("="):
            found.append(reader.side())
        if reader.peek() != END:
            raise NotationError(f"{reader.peek()!r} is not expected")
        if any(side is None for side in found[1:]):
            raise NotationError("a side is empty")
        if any(side.has(sympy.zoo, sympy.nan, sympy.oo) for side in found if side is not None):
            raise NotationError("a part has no finite value")
    except NotationError as error:
        raise NotationError(f"{error}, in {latex!r}") from None
    return found
