"""Code followed name by name, in the order in which it runs: what it binds, reads, changes, and calls.

Names are those of the module level, where the cells of a page share them; which these are, Python's own
``symtable`` says. Function bodies come last: they run once the names that they read are there.
"""

import ast
from collections.abc import Iterable, Iterator
from copy import deepcopy
from symtable import SymbolTable, symtable
from typing import Any

from bookish.run.package import imports, resolve

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
AT_ONCE = {"genexpr"}  # scopes whose code runs where it stands


def parsed(source: str) -> list[ast.stmt]:
    """The statements of a cell; none where it is not Python, which its execution complains about."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def path_of(node: ast.AST) -> list[str]:
    """The names of a dotted name, ``np.random.rand``, in their order; none where it begins with no name."""
    if isinstance(node, ast.Name):
        return [node.id]
    before = path_of(node.value) if isinstance(node, ast.Attribute) else []
    return [*before, node.attr] if before and isinstance(node, ast.Attribute) else []


def steps(node: ast.AST) -> Iterator[ast.AST]:
    """A statement in steps, as they run: the head of a loop, then what stands in it."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        yield ast.Assign([node.target], node.iter, lineno=node.lineno)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            targets = [item.optional_vars] if item.optional_vars else []
            yield ast.Assign(targets, item.context_expr, lineno=node.lineno) if targets else item.context_expr
    elif isinstance(node, (ast.If, ast.While)):
        yield node.test
    elif isinstance(node, ast.ExceptHandler):
        if node.type:
            yield node.type
        if node.name:
            yield ast.Assign([ast.Name(node.name, ast.Store())], ast.Constant(None), lineno=node.lineno)
    elif not isinstance(node, ast.Try):
        yield node
        return
    for part in ("body", "handlers", "orelse", "finalbody"):
        for inner in getattr(node, part, ()):
            yield from steps(inner)
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield ast.Delete([ast.Name(node.name, ast.Del())])


class AsGenerators(ast.NodeTransformer):
    """Each comprehension as a generator: since Python 3.12 the others have no scope of their own."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)


def read_inside(table: SymbolTable) -> tuple[set[str], set[str]]:
    """The names of the module that the scopes inside another read at once, and those that they read later."""
    now, later = set[str](), set[str]()
    for scope in table.get_children():
        names = {
            symbol.get_name()
            for symbol in scope.get_symbols()
            if symbol.is_global() and symbol.is_referenced()
        }
        inner_now, inner_later = read_inside(scope)
        at_once = scope.get_name() in AT_ONCE or scope.get_type() == "class"
        now |= names | inner_now if at_once else set()
        later |= inner_later if at_once else names | inner_now | inner_later
    return now, later


class Flow:
    """Follows code in the order in which it runs and notes what happens to the names of the module."""

    def __init__(self, imported: dict[str, str]):
        self.imported = dict(imported)
        self.calls: dict[str, None] = {}  # in the order of the code, each once
        self.bound: set[str] = set()
        self.deleted: set[str] = set()
        self.altered: set[str] = set()
        self.needed: set[str] = set()

    def run(self, code: Iterable[ast.AST]) -> None:
        later: set[str] = set()
        bodies: list[ast.AST] = []
        for step in (step for node in code for step in steps(node)):
            table = symtable(ast.unparse(AsGenerators().visit(deepcopy(step))), "<cell>", "exec")
            now, inside = read_inside(table)
            later |= inside
            symbols = {symbol.get_name(): symbol for symbol in table.get_symbols()}
            read = now | {name for name, symbol in symbols.items() if symbol.is_referenced()}
            if isinstance(step, ast.AugAssign) and isinstance(step.target, ast.Name):
                read.add(step.target.id)
            self.needed |= read - self.bound
            self.follow(step, bodies)
            bound = {name for name, symbol in symbols.items() if symbol.is_assigned() or symbol.is_imported()}
            self.bind(step, bound)
        while bodies:
            self.follow(bodies.pop(0), bodies, at_once=False)
        self.needed |= later - self.bound

    def bind(self, step: ast.AST, names: set[str]) -> None:
        for name in names:
            self.imported.pop(name, None)
        if isinstance(step, ast.Delete):
            self.bound -= names
            self.deleted |= names
        else:
            self.bound |= names
            self.deleted -= names
            self.imported |= imports(step)

    def follow(self, node: ast.AST, bodies: list[ast.AST], *, at_once: bool = True) -> None:
        """Note what a piece of code means of the package and changes in place; function bodies wait."""
        if path := path_of(node):
            first, *rest = path
            if found := first in self.imported and resolve(".".join([self.imported[first], *rest])):
                self.calls[found] = None
        elif isinstance(node, FUNCTIONS):
            for part in (*getattr(node, "decorator_list", ()), node.args, getattr(node, "returns", None)):
                if part:
                    self.follow(part, bodies, at_once=at_once)
            bodies += node.body if isinstance(node.body, list) else [node.body]
        else:  # a comprehension begins with what it goes through
            for part in sorted(
                ast.iter_child_nodes(node), key=lambda part: not isinstance(part, ast.comprehension)
            ):
                self.follow(part, bodies, at_once=at_once)
        if (
            isinstance(node, (ast.Attribute, ast.Subscript))
            and not isinstance(node.ctx, ast.Load)
            and at_once
        ):
            root: Any = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            self.altered |= {root.id} if isinstance(root, ast.Name) else set()
