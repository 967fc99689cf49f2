"""What is used of other packages that they do not document: all of it stands here, with the reason.

A new version may change any of it. Two classes of MyST-NB are replaced by ours (``run.engine``), which
were written for the versions in ``WRITTEN_FOR``; tests/machinery/run/test_engine.py names a method
of ours that is no longer called.
"""

from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import myst_nb
import myst_nb.core.execute
import myst_nb.sphinx_
from docutils import nodes
from myst_nb.core.execute.inline import NotebookClientInline
from myst_nb.core.read import read_myst_markdown_notebook
from myst_nb.sphinx_ import SphinxNbRenderer
from myst_parser.config.main import MdParserConfig
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.directives.patches import MathDirective as MathDirective  # what {math} is made of
from sphinx.environment.adapters.toctree import document_toc
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer as ModuleAnalyzer  # which attributes a module explains
from sphinx.util.math import get_node_equation_number as get_node_equation_number  # what stands beside it
from sphinx_exercise.directive import ExerciseDirective as ExerciseDirective  # its titles get marks
from sphinx_proof.domain import ProofDomain

# ---------------------------------------------------------------- MyST-NB

WRITTEN_FOR = ((1, 4), (1, 5))  # from, and below
EXTENSIONS = {"dollarmath", "colon_fence", "deflist", "substitution", "attrs_inline"}


class CellClient(NotebookClientInline):
    """Executes cells; the one that fails is not warned about but kept, with its number."""

    failed: tuple[int, Exception] | None = None

    def start_client(self) -> None:
        super().start_client()
        self._client.coalesce_streams = True  # where a stream was cut depends on the clock

    def code_cell_outputs(self, cell_index: int) -> tuple[int | None, list[NotebookNode]]:
        try:
            found = super().code_cell_outputs(cell_index)
        except DeadKernelError as error:
            found, self._cell_error = (None, []), error  # no cell behind it is tried
        if self._cell_error:
            self.failed = self._last_cell_executed, self._cell_error
        return found

    def close_client(self, *exception: Any) -> None:
        self._cell_error = self._exc_string = None
        self._client.shutdown_kernel = "immediate"  # a kernel that has answered has nothing to tidy
        super().close_client(*exception)


def install(client: type[CellClient], renderer: type[SphinxNbRenderer]) -> None:
    """MyST-NB has no setting for the classes that it uses."""
    version = tuple(int(part) for part in myst_nb.__version__.split(".")[:2])
    if not WRITTEN_FOR[0] <= version < WRITTEN_FOR[1]:
        raise ExtensionError(f"run/foreign.py was written for MyST-NB {WRITTEN_FOR}, this is {version}")
    myst_nb.core.execute.NotebookClientInline = client
    myst_nb.sphinx_.SphinxNbRenderer = renderer


def notebook_of(text: str) -> NotebookNode:
    """The notebook that MyST-NB reads from the text of a page, with the line of each cell."""
    config = MdParserConfig(enable_extensions=set(EXTENSIONS))
    return read_myst_markdown_notebook(text, config, add_source_map=True)


# ---------------------------------------------------------------- sphinx-proof


class Proofs(ProofDomain):
    """Sphinx asks each domain to merge what pages read in parallel have; theirs is merged by an event."""

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        pass


def proofs(env: Any) -> dict[str, dict[str, Any]]:
    """Every theorem and its kin by label."""
    return getattr(env, "proof_list", {})


# ---------------------------------------------------------------- Sphinx

Numbers = dict[str, tuple[Any, ...]]  # by address


def forget_pages(app: Sphinx) -> None:
    """What ``sphinx-build -E`` does, however the build is started."""
    Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def make_no_index(app: Sphinx) -> None:
    """Of the search: no setting leaves it out."""
    app.builder.search = False


def section_numbers(env: Any, page: str) -> Numbers:
    """Of a page, under the empty address, and of its sections; to be read, and to be changed."""
    return env.toc_secnumbers.get(page, {})


def counted(env: Any, page: str) -> Mapping[str, Numbers]:
    """The numbers of figures and the like by kind; to be read, and to be changed."""
    return env.toc_fignumbers.get(page, {})


def name_target(env: Any, label: str, anchor: str, title: str) -> None:
    """What a reference without words says; of itself Sphinx knows titles of sections, figures and tables."""
    labels = env.domains.standard_domain
    labels.anonlabels[label] = env.docname, anchor
    labels.labels[label] = env.docname, anchor, title


def html_of(app: Sphinx, node: nodes.Node) -> str:
    """A node as the page would have it, for what is shown elsewhere."""
    return str(app.builder.render_partial(node)["fragment"])


def sections_of(app: Sphinx, page: str) -> nodes.Node:
    """The list of its sections; the context of a page has it as HTML only."""
    return document_toc(app.env, page, app.tags)


def neighbours(app: Sphinx, page: str) -> list[str | None]:
    """The names of the page before and of the one after; the context of a page has their titles only."""
    return list(app.builder.relations.get(page, [None] * 3)[1:])


# ---------------------------------------------------------------- Python


def keep_entry_points() -> None:
    """The bibliography asks for them at each citation; they do not change during a build."""
    metadata.entry_points = cache(metadata.entry_points)
