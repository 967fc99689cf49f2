"""Where the value of an expression comes from: the package, a computation, or a typed literal.

From the page's cells as code, backwards: behind a name stands what the statements before bound to it. The
walk follows more than can flow (both branches, all that a function mentions), so that an expression is
refused only if there are literals alone behind it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernel.cells import Cell, tree_of
from kernel.flow import own_names, parsed
from lint.numerals import numerals

BY_HAND = 9  # single digits are settings
# calls that return their arguments in another form: a literal that went through them is still typed
PASS_THROUGH_CALLS = {
    "float", "int", "str", "repr", "format", "round", "abs", "bool", "list", "tuple", "dict", "set",
    "frozenset", "sorted", "reversed", "next", "iter", "max", "min", "sum", "print", "zip", "enumerate",
    "complex", "isinstance", "type", "Decimal", "Fraction", "SimpleNamespace", "namedtuple", "array",
    "asarray", "float64", "float32", "float16", "int64", "int32", "around", "full", "squeeze", "atleast_1d",
    "ravel", "flatten", "reshape", "copy", "astype", "tolist", "item", "tensor", "as_tensor", "from_numpy",
    "Float", "Rational", "Integer", "Number", "sympify", "S", "N", "nsimplify", "strip", "replace", "split",
    "join", "upper", "lower", "get", "keys", "values", "items", "append", "extend", "update", "pop",
    "Table", "Figure", "Derivation", "Step", "Verdict",
}  # fmt: skip


@dataclass(frozen=True)
class Binding:
    """What one statement assigns to a name: the expressions that its value is made from."""

    cell: int  # its number
    values: tuple[ast.AST, ...]
    whole: bool  # earlier values of the name are lost
    local_names: frozenset[str] = frozenset()  # names that are local to the function


@dataclass
class Origins:
    """What stands behind an expression."""

    package: bool = False
    computed: bool = False
    arithmetic: bool = False
    called: bool = False
    integers: set[int] = field(default_factory=set)
    typed: list[str] = field(default_factory=list)  # decimals, and texts with digits


class PageBindings:
    """The cells of one page as bindings, in the order in which they run."""

    def __init__(self, cells: Sequence[Cell]):
        self.bindings: dict[str, list[Binding]] = {}
        self.imports: dict[str, str] = {}
        self.read: dict[str, int] = {}  # how often the cells read a name
        for cell in cells:
            self.imports |= cell.imports
            statements = parsed(cell.source)
            for node in (node for statement in statements for node in ast.walk(statement)):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    self.read[node.id] = self.read.get(node.id, 0) + 1
            for statement in statements:
                self.note(statement, cell.number, whole=True)

    def note(self, node: ast.stmt, cell: int, *, whole: bool) -> None:
        for target, values in assignments(node):
            name = root_of(target)
            plain = isinstance(target, ast.Name) and isinstance(node, (ast.Assign, ast.AnnAssign))
            if name:
                self.add(name, Binding(cell, tuple(values), whole and plain))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            body = (*node.decorator_list, *node.body)
            self.add(node.name, Binding(cell, body, whole, frozenset(own_names(node))))
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case)):
                self.note(part, cell, whole=False)  # type: ignore[arg-type]

    def add(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def bindings_behind(self, name: str, cells_run: float) -> list[Binding]:
        """What a name can hold after so many cells, back to the binding that left nothing before it."""
        bindings = self.bindings.get(name, [])
        above = [binding for binding in bindings if binding.cell <= cells_run] or bindings
        whole = [place for place, binding in enumerate(above) if binding.whole]
        return above[whole[-1] if whole else 0 :]

    def origins(self, expression: str, cells_run: float = float("inf")) -> Origins:
        found = Origins()
        self.follow(tree_of(expression), cells_run, found, frozenset(), set())
        return found

    def follow(
        self, node: ast.AST, cells_run: float, found: Origins, local_names: frozenset[str], visited: set[Any]
    ) -> None:
        if isinstance(node, ast.Constant):
            note_literal(node.value, found)
        elif isinstance(node, ast.Name):
            self.follow_name(node.id, cells_run, found, local_names, visited)
            return
        elif isinstance(node, ast.Call):
            self.note_call(node, found, local_names)
        elif isinstance(node, ast.BinOp):
            found.arithmetic = True
            found.computed |= isinstance(node.op, ast.Pow)  # a root of a setting is a function of it
        elif isinstance(node, ast.Attribute) and self.path(node, local_names):
            found.computed = True  # np.pi and other constants of a module
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.IfExp):
            parts = (node.body, node.orelse)  # the condition selects a value, and none flows from it
        elif isinstance(node, ast.Call):
            parts = [*node.args, *node.keywords, *([] if self.path(node.func, local_names) else [node.func])]
            if (
                self.path(node.func, local_names).startswith("pe_book")
                and name_of(node.func) not in PASS_THROUGH_CALLS
            ):
                found.package = True
        elif isinstance(node, ast.FormattedValue):
            parts = (node.value,)
        elif isinstance(node, ast.Subscript):
            parts = (node.value,)  # an index selects a value, and none flows from it
        for part in parts:
            self.follow(part, cells_run, found, local_names, visited)

    def follow_name(
        self, name: str, cells_run: float, found: Origins, local_names: frozenset[str], visited: set[Any]
    ) -> None:
        if name in local_names:
            return
        if name in self.imports and name not in self.bindings:
            found.package |= self.imports[name].startswith("pe_book")
            found.computed |= not self.imports[name].startswith("pe_book")
            return
        for binding in self.bindings_behind(name, cells_run):
            if id(binding) not in visited:
                visited.add(id(binding))
                for value in binding.values:
                    self.follow(value, cells_run, found, binding.local_names, visited)

    def note_call(self, node: ast.Call, found: Origins, local_names: frozenset[str]) -> None:
        """A call computes, unless it hands on what it is given; a function of the page is followed inside."""
        found.called = True
        name = name_of(node.func)
        defined_on_page = (
            isinstance(node.func, ast.Name) and name in self.bindings and name not in local_names
        )
        if name not in PASS_THROUGH_CALLS and not defined_on_page:
            found.computed = True

    def path(self, node: ast.AST, local_names: frozenset[str]) -> str:
        """What an import says that a dotted name means, or nothing."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if (
            isinstance(node, ast.Name)
            and node.id in self.imports
            and node.id not in local_names | self.bindings.keys()
        ):
            return ".".join([self.imports[node.id], *reversed(parts)])
        return ""

    def what_is_typed(
        self, expression: str, cells_run: float = float("inf"), given: Iterable[int] = ()
    ) -> str:
        """The literals that a field prints again, or nothing if something was computed."""
        found = self.origins(expression, cells_run)
        if found.package or found.computed:
            return ""
        if found.typed:
            return ", ".join(found.typed)
        typed_integers = sorted(
            number for number in found.integers if number > BY_HAND and number not in set(given)
        )
        if found.arithmetic or not typed_integers:
            return ""
        setting = [name for name in names_in(expression) if self.read.get(name)]
        return "" if setting else ", ".join(map(str, typed_integers))

    def is_setting(self, expression: str, cells_run: float = float("inf")) -> bool:
        """Whether a field prints a number that a cell sets, as it stands there."""
        found = self.origins(expression, cells_run)
        return bool(found.integers or found.typed) and not (
            found.package or found.computed or found.called or found.arithmetic
        )

    def names_behind(self, expression: str, cells_run: float = float("inf")) -> set[str]:
        """The names in an expression, and those that flow into them."""
        found: set[str] = set()
        left: list[ast.AST] = [tree_of(expression)]
        while left:
            names = {node.id for node in ast.walk(left.pop()) if isinstance(node, ast.Name)} - found
            found |= names
            left += [
                value
                for name in names
                for binding in self.bindings_behind(name, cells_run)
                for value in binding.values
            ]
        return found

    def decides_nothing(self, expression: str, cells_run: float = float("inf")) -> bool:
        """Whether a check compares literals only."""
        found = self.origins(expression, cells_run)
        return not (found.package or found.called or found.computed or found.arithmetic)


def assignments(node: ast.stmt) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """What a statement binds or changes, and the expressions that flow into it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from pair_targets(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        yield node.target, [node.value]
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        yield from pair_targets(node.target, node.iter)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                yield from pair_targets(item.optional_vars, item.context_expr)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        name = name_of(call.func)
        if isinstance(call.func, ast.Attribute):  # rows.append(x) changes rows
            yield call.func.value, [*call.args, *call.keywords] if name in PASS_THROUGH_CALLS else [call]
        if name == "shuffle" or name.endswith("_"):
            yield from ((argument, [call]) for argument in call.args)
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            yield inner.target, [inner.value]
        elif isinstance(inner, ast.Call):
            yield from ((word.value, [inner]) for word in inner.keywords if word.arg == "out")


def pair_targets(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """a, b = 1, f(x): each name with its own value."""
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        fits = len(values) == len(target.elts) and not any(isinstance(v, ast.Starred) for v in values)
        for place, part in enumerate(target.elts):
            yield from pair_targets(part, values[place] if fits else value)
    else:
        yield target, [value]


def root_of(node: ast.AST) -> str:
    """The name that is bound or changed: rows in rows[0].x."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) and not hasattr(builtins, node.id) else ""


def name_of(function: ast.AST) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def names_in(expression: str) -> set[str]:
    return {node.id for node in ast.walk(tree_of(expression)) if isinstance(node, ast.Name)}


def note_literal(value: object, found: Origins) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        found.integers.add(int(value))
    elif isinstance(value, float):
        found.typed.append(repr(value))
    elif isinstance(value, str):
        found.typed += [n.written for n in numerals(value) if n.decimal or n.value > BY_HAND]
