"""Definitions that look at the shapes of what their comments are of, while they run.

``python -m tests.watched`` runs the examples of all that have such comments, and prints what was seen.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import find_spec
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tests.shapes import Shape, comments, documented, modules, owners

LETTER = re.compile(r"[A-Za-z_]\w*")


class Letters(dict[str, int]):
    """The sizes of the letters of one call; a round of a loop goes on with its own.

    A letter that names a whole number where it is used is that number.
    """

    def round(self) -> Letters:
        return Letters(self)

    def refused(self, shape: Shape, sizes: tuple[int, ...], named: dict[str, Any]) -> str:
        """Why these are not the sizes of that shape; empty if they are, and then its letters have these."""
        solved = self | {name: int(held) for name, held in named.items() if _whole(held)}
        any_lead = shape[:1] == ("...",)
        wanted = shape[1:] if any_lead else shape
        if len(sizes) < len(wanted) or (len(sizes) > len(wanted) and not any_lead):
            return f"{len(sizes)} axes"
        for axis, size in zip(wanted, sizes[len(sizes) - len(wanted) :], strict=True):
            text = re.sub(r"(\d)(?=[A-Za-z_])", r"\1*", axis)
            unknown = sorted(set(LETTER.findall(text)) - solved.keys())
            if len(unknown) > 1:
                return f"{axis} has letters {unknown} to which nothing before it gives a size"
            if unknown:
                zero, one = (_value(text, solved | {unknown[0]: number}) for number in (0, 1))
                number = (size - zero) / (one - zero)
                if number.denominator != 1 or number < 0:
                    return f"{axis} would need {unknown[0]} = {number}"
                solved[unknown[0]] = int(number)
            elif _value(text, solved) != size:
                return f"{axis} is {_value(text, solved)}"
        self.update({letter: solved[letter] for letter in LETTER.findall(" ".join(wanted))})
        return ""


class Watch:
    """What was reached of the comments of a run, and what was not as they say."""

    def __init__(self) -> None:
        self.reached: set[str] = set()
        self.wrong: dict[str, str] = {}

    def shape(self, value: Any, place: str, shapes: list[Shape], either: bool, letters: Letters) -> Any:
        """Look at a value and hand it on."""
        self.reached.add(place)
        one_by_one = len(shapes) > 1 and not either
        if one_by_one and not (isinstance(value, tuple) and len(value) == len(shapes)):
            self.wrong[place] = f"{len(shapes)} shapes, but no such tuple"
            return value
        named = sys._getframe(1).f_locals
        for part, shape in zip(value if one_by_one else [value], shapes, strict=one_by_one):
            for sizes in _sizes(part):
                said = "no shape" if sizes is None else letters.refused(shape, sizes, named)
                if said and not (
                    either and sizes is not None and not letters.refused(shapes[1], sizes, named)
                ):
                    self.wrong.setdefault(place, f"({', '.join(shape)}) for {sizes}: {said}")
        return value

    def given(self, place: str, shapes: list[tuple[str, Shape]], named: dict[str, Any]) -> Letters:
        """The letters of a call as its docstring has them."""
        letters = Letters()
        for name, shape in shapes:
            sizes = tuple(getattr(named[name], "shape", None) or np.shape(named[name]))
            if named[name] is not None and (said := letters.refused(shape, sizes, named)):
                self.wrong.setdefault(f"{place} {name}", f"({', '.join(shape)}) for {sizes}: {said}")
        return letters


def _sizes(value: Any) -> Iterator[tuple[int, ...] | None]:
    if hasattr(value, "shape"):
        yield tuple(value.shape)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _sizes(part)
    else:
        yield () if isinstance(value, (int, float, complex)) else None


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _value(text: str, known: dict[str, int]) -> Fraction:
    letters = {name: Fraction(size) for name, size in known.items()}
    return Fraction(eval(text, {"__builtins__": {}}, letters))


class _Watched(ast.NodeTransformer):
    """A module with a look at every value that a comment is of."""

    def __init__(self, source: str, name: str) -> None:
        self.tree = ast.parse(source)
        self.name, self.letters, self.count = name, "", 0
        self.said = {}
        found = owners(self.tree)[0]
        for line, said in comments(source).items():
            if line not in found:
                raise ValueError(f"{name}:{line}: a shape of nothing, for no value ends on this line")
            self.said |= dict.fromkeys(found[line], (line, *said))

    def visit(self, node: ast.AST) -> Any:
        made = super().visit(node)
        if node not in self.said or not self.letters:
            return made
        line, shapes, either = self.said[node]
        look = f"_watch_.shape(0, {f'{self.name}:{line}'!r}, {shapes!r}, {either}, {self.letters})"
        call: Any = ast.parse(look, mode="eval").body
        call.args[0] = made
        return ast.copy_location(call, node)

    def _with(self, made: str, node: Any, after: int = 0) -> Any:
        outer, self.count = self.letters, self.count + 1
        self.letters = f"_letters_{self.count}"
        node.body = [self.visit(statement) for statement in node.body]
        node.body.insert(after, ast.parse(f"{self.letters} = {made}").body[0])
        self.letters = outer
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        text = ast.get_docstring(node)
        made = f"_watch_.given({f'{self.name}.{node.name}'!r}, {documented(text or '')!r}, locals())"
        return self._with(made, node, text is not None)

    def visit_For(self, node: Any) -> Any:
        if not self.letters:
            return self.generic_visit(node)
        body, node.body = node.body, []
        self.generic_visit(node)
        node.body = body
        return self._with(f"{self.letters}.round()", node)

    visit_While = visit_For

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        outer, self.letters = self.letters, "_Letters_()"
        node.body = self.visit(node.body)
        self.letters = outer
        return node


def watched(source: str, name: str) -> ast.Module:
    """The tree of a module that looks at its shapes."""
    made = _Watched(source, name)
    return ast.fix_missing_locations(made.visit(made.tree))


def run(source: str) -> Watch:
    """A small source run, and what was seen."""
    watch = Watch()
    names = {"_watch_": watch, "_Letters_": Letters, "np": np}
    exec(compile(watched(source, "small"), "small", "exec"), names)
    return watch


class _Loader(SourceFileLoader):
    watch = Watch()

    def get_code(self, fullname: str) -> Any:
        return compile(watched(self.get_source(fullname), fullname), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        vars(module).update(_watch_=self.watch, _Letters_=Letters)
        super().exec_module(module)


class _Finder(PathFinder):
    commented: ClassVar[set[str]] = set()

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        spec = PathFinder.find_spec(name, path) if name in cls.commented else None
        if spec:
            spec.loader = _Loader(name, spec.origin)
        return spec


def main() -> None:
    """Run the examples, and print the comments reached, those not true, and how many there are."""
    texts = {name: file.read_text(encoding="utf-8") for name, file in modules().items()}
    torch = find_spec("torch") is not None
    said = {name: len(found) for name, text in texts.items() if (found := comments(text))}
    _Finder.commented = {name for name in said if torch or "import torch" not in texts[name]}
    sys.meta_path.insert(0, _Finder)
    for name in sorted(_Finder.commented):
        doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    watch, total = _Loader.watch, sum(said[name] for name in _Finder.commented)
    print(json.dumps({"reached": sorted(watch.reached), "wrong": watch.wrong, "comments": total}))


if __name__ == "__main__":
    main()
