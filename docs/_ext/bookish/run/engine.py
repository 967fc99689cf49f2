"""A client executes the cells of a page, a renderer shows them: the two classes that MyST-NB is given.

What they borrow is listed in ``bookish.run.foreign``.
"""

import json
import re
import time
from pathlib import Path
from typing import Any

from docutils import nodes
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, from_dict
from sphinx.application import Sphinx
from sphinx.util import logging

from bookish.run import cellcode, copies, values
from bookish.run.cells import from_notebook
from bookish.run.executions import Executions
from bookish.run.foreign import CellClient, SphinxNbRenderer, install
from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.run.solutions import asked

log = logging.getLogger(__name__)

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ANSWER = "application/vnd.page-kernel+json"
START_ATTEMPTS = 3
MOST_OUTPUT = 2_000_000  # characters of one cell's outputs
IMAGES = {"image/png", "image/svg+xml", "image/jpeg", "image/gif", "application/pdf"}
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}  # what a kernel would report


class Client(CellClient):
    """The kernel of one page, started when something has changed; otherwise its record is used again."""

    app: Sphinx
    executions: Executions

    def start_client(self) -> None:
        self.docname = self.path.relative_to(self.app.srcdir).with_suffix("").as_posix()
        self.notebook.metadata["language_info"] = dict(LANGUAGE)
        # what was read, not the file: it may be saved again meanwhile
        read = [[cell.cell_type, cell.source, cell.metadata] for cell in self.notebook.cells]
        settings = [self.nb_config.execution_allow_errors, self.app.config.pe_draw]
        self.key = self.executions.key(read, settings)
        self.record = self.executions.recall(self.docname, self.key)
        self.kernel_started = False
        self.stopped = ""  # why no more questions are sent: the cell that failed
        self.questions: list[list[Any]] = []
        self.shown_cell = -1
        self.used: dict[str, Any] | None = None
        self.began = time.perf_counter()

    def start_kernel(self) -> None:
        """Start the kernel; one that loses its port to a neighbour is started anew."""
        if self.kernel_started:
            return
        self.record = None
        for attempts_left in reversed(range(START_ATTEMPTS)):
            try:
                super().start_client()
                break
            except RuntimeError:
                if not attempts_left:
                    raise
        self.kernel_started = True
        self.notebook.metadata["language_info"] = dict(LANGUAGE)
        if self.shown_cell >= 0:  # the record was incomplete: run the cells that are shown already
            self.outputs_of(self.shown_cell)

    def code_cell_outputs(self, cell_index: int) -> tuple[int | None, list[NotebookNode]]:
        self.shown_cell = max(self.shown_cell, cell_index)
        if self.record:
            cell = self.notebook.cells[cell_index]
            count, outputs = self.record["cells"][str(cell_index)]
            cell.execution_count, cell.outputs = count, [from_dict(output) for output in outputs]
            return count, cell.outputs
        self.start_kernel()
        return self.outputs_of(cell_index)

    def outputs_of(self, cell_index: int) -> tuple[int | None, list[NotebookNode]]:
        count, outputs = super().code_cell_outputs(cell_index)
        if self.failed and not self.stopped:
            self.stop(*self.failed)
        return count, outputs

    def stop(self, index: int, error: Exception) -> None:
        """Say at once which cell failed and why; what fails because of it is not reported beside it."""
        self.stopped = f"cell {index} failed"
        where = (self.docname, self.cell_line(index))
        seconds = self.nb_config.execution_timeout
        name, text = getattr(error, "ename", ""), getattr(error, "evalue", "")
        if isinstance(error, DeadKernelError):
            refuse("PE209", where, cell=index, error=error)
        elif isinstance(error, CellTimeoutError):
            refuse("PE208", where, cell=index, seconds=seconds)
        elif name == "TooMuchOutput":
            refuse("PE210", where, cell=index, size=text, limit="a page can hold")
        elif name == "Refused":
            refuse("PE206", where, cell=index, what=text)
        else:
            refuse("PE204", where, cell=index, error=COLOURS.sub("", str(error)).strip())

    def evaluate_in_kernel(self, method: str, **fields: Any) -> dict[str, Any]:
        """The answer of the kernel: ``value``, or ``error`` in words, or ``stopped`` where a cell failed."""
        question = json.dumps({"method": method, **fields}, sort_keys=True)
        if self.stopped:
            return {"stopped": self.stopped}
        if self.record:
            number = len(self.questions)
            if number < len(self.record["questions"]) and self.record["questions"][number][0] == question:
                self.questions.append(self.record["questions"][number])
                return dict(self.questions[-1][1])
        self.start_kernel()
        answer = self.send_question(question)
        self.questions.append([question, answer])
        return answer

    def send_question(self, question: str) -> dict[str, Any]:
        try:
            outputs = self.eval_variable('{"page":' + question + "}")
        except DeadKernelError as error:
            self.stopped = "the kernel died"
            return {"error": f"the kernel died: {error}"}
        except CellTimeoutError:
            self.stopped = "a question did not end"
            return {"error": f"it did not end within {self.nb_config.execution_timeout} s"}
        for output in outputs:
            if ANSWER in output.get("data", {}):
                return json.loads(output["data"][ANSWER])
        return {"error": f"the kernel gave no answer: {outputs}"}

    def finalise_client(self) -> None:
        if self.kernel_started and not self.stopped:
            answer = self.send_question(json.dumps({"method": "used"}))
            if "error" in answer:
                refuse("PE214", self.docname, error=answer["error"])
            else:
                self.used = answer["value"]
            super().finalise_client()

    def close_client(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        if self.kernel_started:
            super().close_client(exc_type, exc_val, exc_tb)
        if self.kernel_started or self.record:
            seconds = time.perf_counter() - self.began if self.kernel_started else 0
            record_of(self.app.env, self.docname).execution = seconds
        whole = self.kernel_started and exc_type is None and not self.stopped and self.used
        if whole and not any("error" in answer for _, answer in self.questions):
            cells = {
                str(index): [cell.get("execution_count"), cell.get("outputs", [])]
                for index, cell in enumerate(self.notebook.cells)
                if cell.cell_type == "code"
            }
            record = {"key": self.key, "cells": cells, "questions": self.questions}
            self.executions.remember(self.docname, record, self.used)


def line_of(token: Any) -> int | None:
    return token.map[0] + 1 if getattr(token, "map", None) else None


class Renderer(SphinxNbRenderer):
    """Shows what MyST-NB shows, with the book's fields, doctests and refusals."""

    @property
    def page(self) -> Client | None:
        return self.md_options.get("nb_client")

    def render_nb_initialise(self, token: Any) -> None:
        """Look at all cells first: MyST-NB drops some before they are rendered."""
        self.sphinx_env.temp_data["pe_page"] = self.nb_client
        cellcode.inspect(from_notebook(self.nb_client.notebook), self.sphinx_env.docname)
        super().render_nb_initialise(token)

    def render_nb_cell_code(self, token: Any) -> None:
        index = token.meta["index"]
        where = (self.sphinx_env.docname, line_of(token))
        code = self.nb_client.notebook.cells[index].source
        asked.ask(self.nb_client, code, index, where)
        self.sphinx_env.temp_data["pe_cell"] = code  # a wrong try behind it is tried in its place
        before = len(self.current_node.children)
        super().render_nb_cell_code(token)
        shown = self.current_node.children[before:]
        self.current_node.append(nodes.comment("", "", ran=index))  # kernel.provenance takes this mark out
        _, outputs = self.nb_client.code_cell_outputs(index)
        for node in shown:  # what a notebook is made of (notebooks.pieces)
            cell = self.nb_client.notebook.cells[index]
            kept = {"source": cell.source, "tags": cell.metadata.get("tags", []), "outputs": outputs}
            node["cell_run"] = json.dumps(kept)
        for output in outputs:
            if IMAGES & set(output.get("data", {})):
                refuse("PE202", where, cell=index)
            if output.output_type == "stream" and output.name == "stderr":
                refuse("PE203", where, cell=index, text=output.text)
            if output.output_type == "error" and not self.nb_client.stopped:
                refuse("PE204", where, cell=index, error=f"{output.ename}: {output.evalue}")
            if (size := len(json.dumps(output))) > MOST_OUTPUT:
                refuse("PE210", where, cell=index, size=f"{size:,} characters", limit=f"{MOST_OUTPUT:,}")

    def render_substitution(self, token: Any, inline: bool) -> None:
        node = values.evaluated_inline(
            self.page, token.content.strip(), (self.sphinx_env.docname, line_of(token))
        )
        self.add_line_and_source_path(node, token)
        self.current_node.append(node if inline else nodes.paragraph("", "", node))

    def create_highlighted_code_block(self, text: str, *args: Any, **options: Any) -> Any:
        node = super().create_highlighted_code_block(text, *args, **options)
        if text.lstrip().startswith(">>>"):
            values.run_doctest(self.page, text, (self.sphinx_env.docname, options.get("line")))
            node["made"] = "doctest"
        return node

    def render_filled(self, render: Any, token: Any) -> None:
        """Let MyST see a formula with its fields filled in, and keep what was typed for the lint."""
        inner = getattr(token, "token", None) or token
        source = inner.content
        inner.content = values.fill(self.page, source, (self.sphinx_env.docname, line_of(token)))
        before = len(self.current_node.children)
        render(token)
        inner.content = source
        for node in self.current_node.children[before:]:
            for maths in node.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
                values.note_fields(maths, source)

    def render_math_inline(self, token: Any) -> None:
        self.render_filled(super().render_math_inline, token)

    def render_math_block(self, token: Any) -> None:
        self.render_filled(super().render_math_block, token)

    def render_math_block_label(self, token: Any) -> None:
        self.render_filled(super().render_math_block_label, token)


def start(app: Sphinx) -> None:
    Client.app = app
    if app.parallel > 1 and not app.config.pe_only:  # for one page nothing is gained
        app.pe_copied = copies.start()
    Client.executions = Executions(Path(app.config.pe_executions or Path(app.doctreedir, "executions")))


def note_executed(app: Sphinx, env: Any) -> None:
    """Leave a list of the pages executed by this build: tests count on it, and an author sees it."""
    taken = {page: record_of(env, page).execution for page in sorted(env.found_docs)}
    pages = [page for page, seconds in taken.items() if seconds]
    Path(app.doctreedir, "executed.json").write_text(json.dumps(pages), encoding="utf-8")
    for page in pages:
        log.info("%s: %.1f s", page, taken[page])
    log.info("executed %d page%s", len(pages), "" if len(pages) == 1 else "s")


def end(app: Sphinx, _: Exception | None) -> None:
    if process := getattr(app, "pe_copied", None):
        copies.end(process)


def setup(app: Sphinx) -> None:
    install(Client, Renderer)
    app.add_config_value("pe_executions", "", "", str)
    app.connect("builder-inited", start)
    app.connect("env-check-consistency", note_executed)
    app.connect("build-finished", end)
