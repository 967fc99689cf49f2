"""Code followed name by name, in the order in which it runs: what it binds, reads, changes, and calls.

Names are those of the module level, where the cells of a page share them. Function bodies come last: they run
once the names that they read are there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from kernel.package import imports, resolve

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


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


def own_names(scope: ast.AST) -> set[str]:
    """The names that belong to a function, class or comprehension, not to what surrounds it."""
    own: set[str] = set()
    outside: set[str] = set()
    inside: list[tuple[ast.AST, bool]] = []  # a node, and whether it stands in a comprehension
    if isinstance(scope, FUNCTIONS):
        own |= {one.arg for one in ast.iter_child_nodes(scope.args) if isinstance(one, ast.arg)}
    if isinstance(scope, COMPREHENSIONS):
        targets = [generator.target for generator in scope.generators]
        return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    body = scope.body  # type: ignore[attr-defined]
    inside += [(node, False) for node in (body if isinstance(body, list) else [body])]
    while inside:
        node, comprehended = inside.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outside |= set(node.names)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and not comprehended:
            own.add(node.id)
        if isinstance(node, ast.NamedExpr):  # binds in the function even from inside a comprehension
            own.add(node.target.id)
        own |= set(bound_by_statement(node))
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            comprehended = comprehended or isinstance(node, COMPREHENSIONS)
            inside += [(child, comprehended) for child in ast.iter_child_nodes(node)]
    return own - outside


def bound_by_statement(node: ast.AST) -> Iterator[str]:
    """Names that a node binds without having them as ``ast.Name``."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from imports(node)
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


class Flow(ast.NodeVisitor):
    """Walks code in the order in which it runs and notes what happens to the names of the module."""

    def __init__(self, imported: dict[str, str]):
        self.imported = dict(imported)
        self.calls: dict[str, None] = {}  # in the order of the code, each once
        self.own: list[set[str]] = []  # the names of the scopes around this place, outermost first
        self.bound: set[str] = set()
        self.deleted: set[str] = set()
        self.altered: set[str] = set()
        self.needed: set[str] = set()
        self.bodies: list[tuple[Any, list[set[str]]]] = []  # of functions, with the scopes around them

    def run(self, code: Iterable[ast.AST]) -> None:
        self.visit_all(*code)
        while self.bodies:
            function, self.own = self.bodies.pop(0)
            self.own = [*self.own, own_names(function)]
            self.visit_all(*(function.body if isinstance(function.body, list) else [function.body]))
        self.own = []

    def is_own(self, name: str) -> bool:
        return any(name in scope for scope in self.own)

    def bind(self, name: str, path: str | None = None) -> None:
        if self.is_own(name):
            return
        self.bound.add(name)
        self.deleted.discard(name)
        self.imported.pop(name, None)
        if path:
            self.imported[name] = path

    def use(self, name: str) -> None:
        if self.is_own(name):
            return
        if name not in self.bound:
            self.needed.add(name)

    # ---- names

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use(node.id)
            self.note([node.id])
        elif isinstance(node.ctx, ast.Store):
            self.bind(node.id)
        elif not self.is_own(node.id):
            self.bound.discard(node.id)
            self.imported.pop(node.id, None)
            self.deleted.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if path := path_of(node):
            self.use(path[0])
            self.note(path)
        else:
            self.visit(node.value)
        self.alter(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.generic_visit(node)
        self.alter(node)

    def alter(self, node: ast.Attribute | ast.Subscript) -> None:
        root: ast.AST = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if isinstance(root, ast.Name) and not isinstance(node.ctx, ast.Load) and not self.is_own(root.id):
            self.altered.add(root.id)

    def note(self, path: list[str]) -> None:
        """Note the object of the package that a dotted name means."""
        first, *rest = path
        if first in self.imported and not self.is_own(first):
            found = resolve(".".join([self.imported[first], *rest]))
            self.calls |= {found: None} if found else {}

    # ---- statements whose parts do not run in the order in which they stand

    def visit_all(self, *parts: ast.AST | None) -> None:
        for part in filter(None, parts):
            self.visit(part)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit_all(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit_all(node.annotation, node.value, node.target if node.value else None)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.use(node.target.id)
        self.visit_all(node.value, node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit_all(node.value, node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit_all(node.iter, node.target, *node.body, *node.orelse)

    visit_AsyncFor = visit_For

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.visit_all(node.type)
        bound_before = node.name is not None and node.name in self.bound
        if node.name:
            self.bind(node.name)
        self.visit_all(*node.body)
        if node.name and not bound_before and not self.is_own(node.name):
            self.bound.discard(node.name)  # Python deletes it when the handler ends

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, path in imports(node).items():
            self.bind(name, path)

    visit_ImportFrom = visit_Import

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        self.generic_visit(node)
        for name in bound_by_statement(node):
            self.bind(name)

    visit_MatchStar = visit_MatchMapping = visit_MatchAs

    # ---- scopes

    def visit_function(self, node: Any) -> None:
        self.visit_all(*getattr(node, "decorator_list", ()), node.args, getattr(node, "returns", None))
        self.bodies.append((node, list(self.own)))
        for name in bound_by_statement(node):
            self.bind(name)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_all(*node.decorator_list, *node.bases, *node.keywords)
        self.own.append(own_names(node))
        self.visit_all(*node.body)
        self.own.pop()
        self.bind(node.name)

    def visit_comprehension_scope(self, node: Any) -> None:
        first, *others = node.generators
        self.visit(first.iter)  # runs outside the comprehension
        self.own.append(own_names(node))
        self.visit_all(*first.ifs, *others, *(getattr(node, part, None) for part in ("elt", "key", "value")))
        self.own.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_scope
