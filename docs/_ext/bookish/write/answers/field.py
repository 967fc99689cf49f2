"""``{answer}``: a field in an exercise by hand, with the mistakes that people make and what helps.

Its value and the values of the mistakes are evaluated in the page's kernel at that place. Without script, and
on paper, it is a line that says what is asked for; `answers.js` makes a field of it.
"""

import json
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from bookish.run.record import page_being_read, parents, record_of
from bookish.run.refusals import refuse
from bookish.run.values import value_of
from bookish.write.answers.values import Digits, Fault, given
from bookish.write.nodes import as_tags

MISTAKE = re.compile(r"- `(?P<expression>[^`]+)`:\s+(?P<words>.+)", re.DOTALL)
BEGINS = re.compile(r"^[ \t]*(?:`{3,}|~{3,}|:{3,})\{answer\}", re.MULTILINE)
BY_HAND = "by hand"
EXERCISES = (exercise_node, exercise_enumerable_node)
MOST_LINES = 8  # to write on, on paper


class answer(nodes.General, nodes.Element):
    """A field: what is asked, and what is said to each mistake."""


class answer_asked(nodes.General, nodes.TextElement):
    """The line that stands there without script, and the label of the field with it."""


class answer_said(nodes.General, nodes.TextElement):
    """What helps somebody who made one of the mistakes; nobody reads it before."""


class Answer(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "is": directives.unchanged_required,
        "decimals": directives.nonnegative_int,
        "significant": directives.positive_int,
        "unit": directives.unchanged_required,
        "matters": directives.unchanged_required,
        "choices": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        label = " ".join(self.arguments[0].split())
        self.env.temp_data["pe_fields"] = self.env.temp_data.get("pe_fields", 0) + 1
        try:
            return [self.field(label)]
        except Fault as fault:
            refuse(fault.code, self.get_location(), asked=label, what=fault)
            return []

    def field(self, label: str) -> nodes.Node:
        if "is" not in self.options or {"decimals", "significant"} <= self.options.keys():
            raise Fault("PE711", "it says no :is:, or both :decimals: and :significant:")
        choices = [one.strip() for one in self.options.get("choices", "").split("|") if one.strip()]
        unit = self.options.get("unit", "").strip()
        digits = Digits(self.options.get("decimals"), self.options.get("significant"))
        expression = " ".join(self.options["is"].split())
        mistakes = list(self.mistakes())
        right = self.evaluate(expression, computed=True)
        values = [one if one in choices else self.evaluate(one) for one, _ in mistakes]
        matters = self.evaluate(self.options["matters"]) if "matters" in self.options else []
        if right is None or matters is None or None in values:  # refused already
            return nodes.comment()
        made = given(right, values, digits, choices, unit, matters)
        found = answer(given=made, expr=expression, made="answer")
        extra = [f"in {unit}"] if unit else []
        extra += [one for one in [digits.words(made["k"])] if one and not choices]
        found += self.words(answer_asked, label, "".join(f", {one}" for one in extra))
        if choices:
            listed = f": {', '.join(choices[:-1])} or {choices[-1]}"
            found[0] += nodes.inline("", listed, classes=["options"], made="found")
        found += [self.words(answer_said, words) for _, words in mistakes]
        self.set_source_info(found)
        return found

    def words(self, kind: type[nodes.TextElement], text: str, extra: str = "") -> nodes.Node:
        parsed, messages = self.state.inline_text(text, self.lineno)
        made = kind(text, "", *parsed, *messages)
        if extra:
            made += nodes.inline("", extra, made="found")
        self.set_source_info(made)
        return made

    def mistakes(self) -> list[tuple[str, str]]:
        """The list below the options: what a mistake gives, and what helps."""
        items = re.split(r"\n(?=- )", "\n".join(self.content).strip())
        found = []
        for item in filter(None, items):
            parts = MISTAKE.fullmatch(" ".join(item.split()))
            if parts is None:
                raise Fault("PE711", f"`{item}` is no mistake")
            found.append((parts["expression"], parts["words"]))
        return found

    def evaluate(self, expression: str, computed: bool = False) -> Any:
        """The value of an expression as lists and numbers; None where it is refused."""
        page, where = page_being_read(self.env), self.get_location()
        return value_of(page, "plain", expression, where, expression, computed=computed)


# ---------------------------------------------------------------- while a page is read


def by_hand(node: nodes.Element) -> bool:
    return isinstance(node, EXERCISES) and node.get("kind") == BY_HAND


def check_fields(app: Sphinx, doctree: nodes.document) -> None:
    """Fields stand in exercises by hand, with a mistake; pages that demand them have one in each."""
    for field in doctree.findall(answer):
        if not any(isinstance(node, nodes.Element) and by_hand(node) for node in parents(field)):
            refuse("PE711", field, asked=field[0].astext(), what="it stands in no exercise by hand")
    text = Path(app.env.doc2path(app.env.docname)).read_text(encoding="utf-8")
    unread = len(BEGINS.findall(text)) - app.env.temp_data.get("pe_fields", 0)
    if unread > 0:
        what = f"{unread} of this page stay text, as a label with a backtick does"
        refuse("PE711", app.env.docname, asked="?", what=what)
    demanded = record_of(app.env).front.get("exercises") == "answer"
    for exercise in doctree.findall(lambda node: isinstance(node, nodes.Element) and by_hand(node)):
        fields = list(exercise.findall(answer))
        if fields and not any(len(field) > 1 for field in fields):
            refuse("PE714", exercise, label=exercise.get("label"), what="declares no mistake in any field")
        elif demanded and not fields and not has_points(text, exercise.get("label", "")):
            refuse("PE714", exercise, label=exercise.get("label"), what="has no field")


def has_points(text: str, label: str) -> bool:
    solution = re.search(
        rf"\{{solution-start\}}\s+{re.escape(label)}\s*$(.*?)\{{solution-end\}}",
        text,
        re.DOTALL | re.MULTILINE,
    )
    return bool(solution and "{points}" in solution[1])


# ---------------------------------------------------------------- while a page is written


def visit_answer(self: Any, node: answer) -> None:
    made = json.dumps(node["given"], ensure_ascii=False, separators=(",", ":"))
    self.body.append(f'<pe-answer data-is="{self.attval(made)}">\n')


def depart_answer(self: Any, node: answer) -> None:
    rows = len(node["given"]["v"]) if node["given"]["k"] == "matrix" else 1
    self.body.append('<span class="line"></span>' * min(rows, MOST_LINES) + "</pe-answer>\n")


def setup(app: Sphinx) -> None:
    app.add_node(answer, html=(visit_answer, depart_answer))
    app.add_node(answer_asked, html=as_tags('<p class="asked"><label>', "</label></p>\n"))
    app.add_node(answer_said, html=as_tags("<p hidden>", "</p>\n"))
    app.add_directive("answer", Answer)
    app.connect("doctree-read", check_fields)
