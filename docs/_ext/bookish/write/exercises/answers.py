"""What a solution says beside itself: wrong tries with what the check answers, and the points of an answer.

A page whose front matter says ``exercises: answer`` is held to both: an exercise in code has a wrong try at
least, one to think about has its points.
"""

import re
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node

from bookish.run.record import page_being_read, record_of
from bookish.run.refusals import refuse
from bookish.run.solutions import BEGIN, END
from bookish.run.solutions.asked import SEE, try_out
from bookish.write.folds import fold, fold_summary

POINTS = range(2, 5)
NOT_TREATED = re.compile(r"Exercises|Sources|What to keep")  # headings that explain nothing


class wrong_try(nodes.General, nodes.Element):
    """A mistake that students make, with its code and what the check says to it."""


class WrongTry(SphinxDirective):
    required_arguments, final_argument_whitespace, has_content = 1, True, True

    def run(self) -> list[nodes.Node]:
        title, tried = " ".join(self.arguments[0].split()), "\n".join(self.content)
        page, code = page_being_read(self.env), self.env.temp_data.get("pe_cell", "")
        made = wrong_try(title=title)
        self.set_source_info(made)
        words, messages = self.state.inline_text(title, self.lineno)
        made += nodes.paragraph("", "", *words)
        made += nodes.literal_block(tried, tried, language="python")
        if page is None or BEGIN not in code or END not in code:
            fault = "stands behind no cell with the marks of a solution"
            refuse("PE706", self.get_location(), title=title, fault=fault)
            return [made, *messages]
        found = try_out(page, code, tried)
        if found.fault:
            refuse("PE706", self.get_location(), title=title, fault=found.fault)
        made["said"] = "" if found.fault else found.said
        made += nodes.paragraph("", "", nodes.inline("", found.said, made="found"), classes=["check-says"])
        return [made, *messages]


class Points(SphinxDirective):
    has_content = True
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        made = nodes.container(classes=["points"])
        self.set_source_info(made)
        made += nodes.paragraph("", "A good answer says", classes=["points-title"])
        self.state.nested_parse(self.content, self.content_offset, made)
        listed = made[-1] if len(made) == 2 else None
        number = len(listed) if isinstance(listed, nodes.bullet_list) else 0
        if number not in POINTS:
            refuse("PE708", self.get_location(), number=number, fewest=POINTS[0], most=POINTS[-1])
        return [made]


def names_on(doctree: nodes.document) -> set[str]:
    """What a reader finds by its name on a page: headings, folds, theorems, tables by their titles."""
    found = {
        title.astext()
        for title in doctree.findall(lambda n: isinstance(n, (nodes.title, nodes.rubric, fold_summary)))
    }
    own = {node[0].astext() for node in doctree.findall(solution_node)}
    return {name.strip("() ") for name in found - own if not NOT_TREATED.match(name)}


def refuse_unanswered(app: Sphinx, doctree: nodes.document) -> None:
    """What a check says to a wrong try leads somewhere, and on a page that answers every exercise does."""
    record = record_of(app.env)
    names = names_on(doctree)
    for tried in doctree.findall(wrong_try):
        missing = [name for name in SEE.findall(tried.get("said", "")) if name not in names]
        if missing:
            refuse("PE707", tried, title=tried["title"], name=missing[0], page=app.env.docname)
    if record.front.get("exercises") != "answer":
        return
    answered = {node["target_label"]: node for node in doctree.findall(solution_node)}
    for exercise in record.exercises:
        node = answered.get(exercise.label)
        wants = {"in code": wrong_try, "to think about": nodes.container}.get(exercise.kind)
        if node is None:
            refuse("PE709", app.env.docname, label=exercise.label, what="no solution")
        elif wants and not any(
            wants is wrong_try or "points" in found["classes"] for found in node.findall(wants)
        ):
            what = "no {wrong-try}" if wants is wrong_try else "no {points}"
            refuse("PE709", node, label=exercise.label, what=what)


def fold_tries(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for tried in list(doctree.findall(wrong_try)):
        summary = fold_summary("", "", nodes.Text("A wrong attempt: "), *tried[0].children)
        says = nodes.paragraph("", "The check says:", classes=["check-says-title"])
        tried.replace_self(fold("", summary, tried[1], *([says, tried[2]] if len(tried) > 2 else []),
                                classes=["wrong-try"]))  # fmt: skip


def setup(app: Sphinx) -> None:
    app.add_node(wrong_try)
    app.add_directive("wrong-try", WrongTry)
    app.add_directive("points", Points)
    app.connect("doctree-read", refuse_unanswered, priority=600)
    app.connect("doctree-resolved", fold_tries, priority=940)
