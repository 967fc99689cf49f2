"""A written page in pieces, from which a notebook is put together: text, code with what it said, stubs.

The text is that of shell.markdown, with pictures in place of their words. Code comes from the cells as the
page has them, never from what was highlighted. Where a piece of code or a picture stands, the text has a mark
on a line of its own until it is cut.
"""

import base64
import builtins
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from bookish.run.cells import FOLDED, HIDDEN
from bookish.run.flow import Flow, parsed
from bookish.run.record import parents
from bookish.run.refusals import refuse
from bookish.run.solutions import BEGIN, split_solution
from bookish.site.markdown import Markdown, tidy

OPEN, CLOSE = "\ue000", "\ue001"  # of a mark; no text has these
MARK = re.compile(rf"^{OPEN}(\w*){CLOSE}$", re.MULTILINE)
CUT = OPEN + CLOSE  # where the text of one cell ends and that of the next begins
WIDEST = 960  # pixels
LARGER = 1.5  # than on the page, as the text of a notebook is beside that of a panel
PER_INCH = 96  # pixels of the page
COLOURS = 256
DRAWS = ("pe_book.show", "pe_book.evidence", "matplotlib", "sympy")  # needs more than the package alone


@lru_cache(maxsize=64)  # both notebooks of a page show it
def narrowed(png: str) -> str:
    """A PNG in base64 as wide as a notebook shows it, in as few colours as show no difference."""
    whole = Image.open(io.BytesIO(base64.b64decode(png)))
    # its resolution says how large it is on the page
    on_page = round(whole.width / whole.info["dpi"][0] * PER_INCH)
    picture = whole.convert("RGB")
    picture.thumbnail((min(WIDEST, round(LARGER * on_page)), picture.height))
    out = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def as_markdown(png: str, alt: str) -> str:
    """An image in the one form that Colab and JupyterLab both show (googlecolab/colabtools, 3836, 2092)."""
    words = re.sub(r"([\\\[\]*_`$<>])", r"\\\1", alt)
    return f"![{words}](data:image/png;base64,{narrowed(png)})"


@dataclass
class Piece:
    """One cell of a notebook; `exercise` is the label of the one whose stub it is."""

    source: str
    is_code: bool = False
    outputs: list[dict[str, Any]] = field(default_factory=list)
    folded: bool = False
    exercise: str = ""


class NotebookText(Markdown):
    """A page in pieces, with the solutions of its exercises or, for students, with stubs to fill in."""

    def __init__(self, env: Any, docname: str, link: Callable[[str], str], students: bool):
        super().__init__(env, docname, link)
        self.students = students
        self.kept: list[Piece] = []
        self.bound = set(dir(builtins)) | {"__name__"}
        self.imported: dict[str, str] = {}

    def of(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Element) and "cell_run" in node:
            return self.code_cell(json.loads(node["cell_run"]))
        return super().of(node)

    def placed(self, piece: Piece) -> str:
        self.kept.append(piece)
        return f"{OPEN}{len(self.kept) - 1}{CLOSE}"

    # ---- code

    def code_cell(self, run: dict[str, Any]) -> str:
        """A cell that a reader sees; a folded one is text where it needs more than the notebook has."""
        tags = set(run["tags"])
        if tags & HIDDEN:
            return ""
        code = split_solution(run["source"])[1] if BEGIN in run["source"] else run["source"]
        folded = bool(tags & FOLDED)
        if folded and not self.runs(code):
            said = [
                "```text\n" + text.rstrip("\n") + "\n```" for text in map(text_of, run["outputs"]) if text
            ]
            listing = f"```python\n{code}\n```"
            inside = "\n\n".join([listing, *said])
            return f"<details><summary>How this was computed</summary>\n\n{inside}\n\n</details>"
        self.note(code)
        return self.placed(Piece(code, is_code=True, outputs=run["outputs"], folded=folded))

    def flow(self, code: str) -> Flow:
        flow = Flow(dict(self.imported))
        flow.run(parsed(code))
        return flow

    def note(self, code: str) -> None:
        flow = self.flow(code)
        self.bound |= flow.bound
        self.imported = flow.imported

    def runs(self, code: str) -> bool:
        """Whether code needs no more than the cells above it and the package."""
        flow = self.flow(code)
        homes = [flow.imported[name] for name in flow.bound if name in flow.imported]
        whole = flow.needed <= self.bound and not any(home.startswith(DRAWS) for home in homes)
        if not whole:  # what it would have bound anew is not what a later cell means
            self.bound -= flow.bound
        return whole

    def on_literal_block(self, node: nodes.Element) -> str:
        if self.students and "stub" in node["classes"]:
            return self.placed(Piece(node.astext(), is_code=True, exercise=label_of(node)))
        return super().on_literal_block(node)

    def on_stub_says(self, node: nodes.Element) -> str:
        return ""  # there a check is run, and says so itself

    # ---- text

    def on_title(self, node: nodes.Element) -> str:
        return f"{CUT}\n\n{super().on_title(node)}"

    def on_rubric(self, node: nodes.Element) -> str:
        return f"{CUT}\n\n{super().on_rubric(node)}" if node.get("heading-level") else super().on_rubric(node)

    def on_exercise_enumerable_node(self, node: nodes.Element) -> str:
        return f"{CUT}\n\n{super().on_exercise_enumerable_node(node)}"

    on_exercise_node = on_exercise_enumerable_node

    def on_solution_node(self, node: nodes.Element) -> str:
        return "" if self.students else f"{CUT}\n\n{super().on_solution_node(node)}"

    def on_fold(self, node: nodes.Element) -> str:
        if "solution" in node["classes"]:
            return "" if self.students else f"{CUT}\n\n{super().on_fold(node)}"
        if "hint" in node["classes"]:
            said = "\n\n".join(map(self.of, node.children[1:]))
            return f"{CUT}\n\n<details><summary>A hint</summary>\n\n{said}\n\n</details>"
        return super().on_fold(node)

    def on_answer(self, node: nodes.Element) -> str:
        """A line to write an answer on; the value stays on the page."""
        return f"**Your answer** — {self.line(node[0])}: \\_\\_\\_\\_"

    # ---- pictures

    def on_figure(self, node: nodes.Element) -> str:
        """The picture, its caption below, in a cell of their own."""
        head, _, rest = super().on_figure(node).partition("\n\n")
        return "\n\n".join(part for part in (CUT, rest, head, CUT) if part)

    def on_raw(self, node: nodes.Element) -> str:
        if node.get("png"):
            return as_markdown(node["png"], node["alt"])
        text = super().on_raw(node)
        return text if not text.startswith("Data:") or "](" in text else ""

    # ---- the whole

    def pieces(self, doctree: nodes.document) -> list[Piece]:
        """The cells in their order; neighbouring marks leave no empty ones."""
        text = tidy(self.of(doctree))
        made: list[Piece] = []
        for place, part in enumerate(MARK.split(text)):
            if place % 2:
                made += [self.kept[int(part)]] if part else []
            elif OPEN in part:
                refuse("PE913", self.docname, text=part[max(0, part.index(OPEN) - 60) :][:80])
            elif part.strip():
                made.append(Piece(part.strip()))
        return made


def text_of(output: dict[str, Any]) -> str:
    """What an output says in plain text."""
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


def label_of(node: nodes.Node | None) -> str:
    """The label of the exercise around a node."""
    kinds = (exercise_node, exercise_enumerable_node)
    return next((str(one["label"]) for one in parents(node) if isinstance(one, kinds)), "")
