"""Folds: what stands between ``depth-start`` and ``depth-end``, and every solution, is ``<details>``.

The markers are siblings, as those of solutions are, because a cell cannot stand inside a directive. The fold
has a label that can be cited; its cells are executed with those of the page, and no cell outside may lean on
them.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node

from bookish.run.cells import borrowing, from_notebook, leaning
from bookish.run.foreign import name_target
from bookish.run.record import page_being_read, parents
from bookish.run.refusals import refuse

KIND = "dep:"
PREFIX = "In depth: "


class fold(nodes.General, nodes.Element):
    """A summary, and what it opens."""


class fold_summary(nodes.Part, nodes.TextElement):
    """What a fold says while it is closed."""


class depth_end(nodes.Invisible, nodes.Element):
    """Where a fold ends, until it has been put together."""


class DepthStart(SphinxDirective):
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"label": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        title = self.arguments[0].strip() if self.arguments else ""
        label = self.options.get("label", "").strip()
        begun = fold(classes=["depth"], title=title)
        self.set_source_info(begun)
        if not title or not label.startswith(KIND):
            refuse("PE122", begun, title=title, label=label)
        if label:
            begun["label"] = label
            begun["names"] = [nodes.fully_normalize_name(label)]
            self.state.document.note_explicit_target(begun, begun)
        words, messages = self.state.inline_text(title, self.lineno)
        begun += fold_summary(title, "", *words)
        self.set_source_info(begun[0])
        return [begun, *messages]


class DepthEnd(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        end = depth_end()
        self.set_source_info(end)
        return [end]


# ---------------------------------------------------------------- while a page is read


class PutFoldsTogether(SphinxTransform):
    """Move what stands between the markers into the fold; what follows stays where its heading is.

    Every fold that begins ends before the next begins, and none ends that has not begun.
    """

    default_priority = 11  # when solutions have been put together, and before labels find what they name

    def apply(self, **kwargs: Any) -> None:
        begun: fold | None = None
        kinds = (fold, depth_end, solution_node)
        for marker in list(self.document.findall(lambda node: isinstance(node, kinds))):
            around = begun or next((one for one in parents(marker.parent) if isinstance(one, kinds)), None)
            if isinstance(marker, depth_end):
                if begun is None:
                    refuse("PE123", marker, what="ends with depth-end, but none has begun")
                else:
                    self.put_together(begun, marker)
                begun = None
            elif around is not None:
                what = f"begins inside the one of line {around.line}, which has not ended"
                refuse("PE123", marker, what=what)
            elif isinstance(marker, fold):
                begun = marker
        if begun is not None:
            refuse("PE123", begun, what="begins with depth-start and does not end")
        for end in list(self.document.findall(depth_end)):
            end.parent.remove(end)

    def put_together(self, begun: fold, end: depth_end) -> None:
        home, nested = begun.parent, [end]
        while nested[-1].parent is not home and isinstance(nested[-1].parent, nodes.section):
            nested.append(nested[-1].parent)
        if nested[-1].parent is not home:
            refuse("PE124", begun, title=begun["title"])
            return
        behind: list[nodes.Node] = []  # what follows the end in a section that began within the fold
        for node in nested[:-1]:
            index = node.parent.index(node) + 1
            behind += node.parent.children[index:]
            del node.parent.children[index:]
        first, after = home.index(begun) + 1, home.index(nested[-1]) + 1
        inside = home.children[first:after]
        home[first:after] = behind
        level = 1 + sum(isinstance(node, nodes.section) for node in parents(begun))
        begun += list(self.without_sections(inside, level))

    def without_sections(self, inside: list[nodes.Node], level: int) -> Iterator[nodes.Node]:
        """Headings inside a fold have their labels, but no number and no place in the contents."""
        for node in inside:
            if isinstance(node, nodes.section) and node.children and isinstance(node[0], nodes.title):
                heading = nodes.rubric("", "", *node[0].children, ids=node["ids"], names=node["names"])
                heading["heading-level"] = level
                heading.source, heading.line = node[0].source, node[0].line
                self.document.ids.update(dict.fromkeys(node["ids"], heading))
                yield heading
                yield from self.without_sections(node.children[1:], level + 1)
            else:
                yield node


def name_folds(app: Sphinx, doctree: nodes.document) -> None:
    for found in doctree.findall(fold):
        for name in found["names"]:
            name_target(app.env, name, found["ids"][0], found[0].astext())


def refuse_leaning_cells(app: Sphinx, doctree: nodes.document) -> None:
    """What a reader may leave closed, or does not see at all, is used nowhere else."""
    page = page_being_read(app.env)
    cells = from_notebook(page.notebook) if page else []
    for cell, missing in borrowing(cells):
        refuse("PE217", (app.env.docname, cell.line), cell=cell.number, names=", ".join(missing))
    for cell, names in leaning(cells):
        said = ", ".join(f"{name} (cell {number})" for name, number in names.items())
        refuse("PE125", (app.env.docname, cell.line), cell=cell.number, names=said)


# ---------------------------------------------------------------- while a page is written


def fold_solutions(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A solution of the class ``dropdown`` is closed until a reader opens it."""
    for solution in list(doctree.findall(solution_node)):
        if "dropdown" in solution["classes"]:
            summary = fold_summary("", solution[0].astext())
            solution.replace_self(
                fold("", summary, *solution.children[1:], ids=solution["ids"], classes=["solution"])
            )


def visit_fold(self: Any, node: fold) -> None:
    self.body.append("\n" + self.starttag(node, "details", CLASS="fold"))


def depart_fold(self: Any, node: fold) -> None:
    self.body.append("</details>\n")


def visit_summary(self: Any, node: fold_summary) -> None:
    self.body.append(self.starttag(node, "summary", ""))
    self.body.append(PREFIX if "depth" in node.parent["classes"] else "")


def depart_summary(self: Any, node: fold_summary) -> None:
    self.body.append("</summary>\n")


def setup(app: Sphinx) -> None:
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_node(fold_summary, html=(visit_summary, depart_summary))
    app.add_node(depth_end)
    app.add_directive("depth-start", DepthStart)
    app.add_directive("depth-end", DepthEnd)
    app.add_transform(PutFoldsTogether)
    app.connect("doctree-read", name_folds)
    app.connect("doctree-read", refuse_leaning_cells)
    app.connect("doctree-resolved", fold_solutions, priority=950)
