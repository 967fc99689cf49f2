"""Pages are executed, and each notes what it used, so that a change re-executes those pages and no others.

MyST-NB re-executes a page when its text changes, never when a module that it imports does. Asked at the end
of the page, the kernel itself knows best what was loaded (lazily, too) and which data files were opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from myst_nb.core.execute.inline import NotebookClientInline
from myst_nb.sphinx_ import SphinxNbRenderer
from pe_record import of
from pe_refusals import refuse
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

REFUSED_TAGS = {
    "remove-cell": "runs late or never; use remove-input with remove-output",
    "raises-exception": "hides a failure; catch the exception in the cell and show it",
    "skip-execution": "shows code that nobody ran",
}
NOT_PART_OF_A_PAGE = {"book.py", "environment.py", "look.py"}  # these start builds or look at their results
STARTS = 3
IMAGES = ("image/png", "image/svg+xml", "image/jpeg", "image/gif", "application/pdf")
USED = """
import json as _json, os as _os, sys as _sys
try:
    import resource as _resource
    _unit = 1024 if _sys.platform == "linux" else 2**20
    _peak = _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss // _unit
except ImportError:
    _peak = None
_root = _os.path.join(_os.environ["PE_BOOK_ROOT"], "")
_files = {getattr(_m, "__file__", None) or "" for _m in list(_sys.modules.values())}
_files |= _sys.modules["_pe_opened"].files
_packages = _os.path.join(_sys.prefix, "")
_files = sorted(_f for _f in _files if _f.startswith(_root) and not _f.startswith(_packages))
print(_json.dumps({"memory": _peak, "files": _files}))
"""

_used: dict[str, dict[str, Any]] = {}
_finalise = NotebookClientInline.finalise_client
_start_client = NotebookClientInline.start_client
_code_cell_outputs = NotebookClientInline.code_cell_outputs
_initialise = SphinxNbRenderer.render_nb_initialise
_render_cell = SphinxNbRenderer.render_nb_cell_code


def ask(client: Any, code: str) -> tuple[str, str]:
    """Run code in the page's kernel: what it printed, and what went wrong ('' if nothing did)."""
    printed, wrong = "", ""
    for output in client._client.eval_expression(code):
        if output.output_type == "stream" and output.name == "stdout":
            printed += output.text
        elif output.output_type == "stream":
            wrong = wrong or output.text.strip()
        elif output.output_type == "error":
            wrong = f"{output.ename}: {output.evalue}"
    return printed, wrong


def finalise(self: NotebookClientInline) -> None:
    printed, wrong = ask(self, USED)
    _used[str(self.path)] = {"files": [], "memory": None} if wrong else json.loads(printed)
    _finalise(self)


def start_client(self: NotebookClientInline) -> None:
    """Kernels that start side by side can be dealt one port; the one that loses it is started anew."""
    for left in reversed(range(STARTS)):
        try:
            return _start_client(self)
        except RuntimeError:
            if not left:
                raise


def code_cell_outputs(self: NotebookClientInline, cell_index: int) -> Any:
    """Join the pieces in which a stream arrived: where they were cut depends on the clock."""
    count, outputs = _code_cell_outputs(self, cell_index)
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and output.get("name") == last.get("name"):
            last["text"] += output["text"]
        else:
            joined.append(output)
    outputs[:] = joined
    return count, outputs


def initialise(self: SphinxNbRenderer, token: Any) -> None:
    """Look at the tags of all cells: MyST-NB drops a remove-cell cell before it is rendered."""
    for index, cell in enumerate(self.nb_client.notebook.cells):
        for tag in REFUSED_TAGS.keys() & set(cell.metadata.get("tags", [])):
            refuse("PE201", self.sphinx_env.docname, cell=index, tag=tag, why=REFUSED_TAGS[tag])
    _initialise(self, token)


def render_cell(self: SphinxNbRenderer, token: Any) -> None:
    where = (self.sphinx_env.docname, token.map[0] + 1 if token.map else None)
    index = token.meta["index"]
    _render_cell(self, token)
    _, outputs = self.nb_client.code_cell_outputs(index)
    for output in outputs:
        if set(IMAGES) & set(output.get("data", {})):
            refuse("PE202", where, cell=index)
        if output.output_type == "stream" and output.name == "stderr":
            refuse("PE203", where, cell=index, text=output.text)


def note_used(app: Sphinx, doctree: Any) -> None:
    docname = app.env.docname
    used = _used.pop(str(app.env.doc2path(docname)), None)
    if used is None:
        return
    for file in used["files"]:
        app.env.note_dependency(file, docname=docname)
    runtime = app.env.nb_metadata[docname].get("exec_data", {}).get("runtime")
    of(app.env).execution = {"memory": used["memory"], "seconds": runtime}


def nothing_yet(app: Sphinx) -> None:
    """Sphinx skips the later events when no page is out of date."""
    app.env.pe_read = []
    Path(app.doctreedir, "executed.json").write_text("[]", encoding="utf-8")


def remember_read(app: Sphinx, env: Any, docnames: list[str]) -> None:
    env.pe_read = list(docnames)


def note_executed(app: Sphinx, env: Any) -> None:
    """Leave a list of the pages executed by this build: tests count on it, and an author sees it."""
    pages = sorted(page for page in env.pe_read if of(env, page).execution)
    Path(app.doctreedir, "executed.json").write_text(json.dumps(pages), encoding="utf-8")
    log.info("executed %d page%s", len(pages), "" if len(pages) == 1 else "s")


def fingerprint(root: Path) -> str:
    """What every page depends on: the requirements, Python, and the machinery itself."""
    digest = hashlib.sha256(f"{sys.version} {platform.machine()} {os.environ.get('PE_TORCH', '')}".encode())
    machinery = [*(root / "docs" / "_ext").glob("*.py"), *(root / "docs" / "_jupyter").rglob("*.*")]
    for file in [root / "requirements.txt", *sorted(machinery)]:
        if file.is_file() and "__pycache__" not in file.parts and file.name not in NOT_PART_OF_A_PAGE:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def setup(app: Sphinx) -> dict[str, Any]:
    NotebookClientInline.finalise_client = finalise
    NotebookClientInline.start_client = start_client
    NotebookClientInline.code_cell_outputs = code_cell_outputs
    SphinxNbRenderer.render_nb_initialise = initialise
    SphinxNbRenderer.render_nb_cell_code = render_cell
    app.add_config_value("pe_fingerprint", fingerprint(Path(os.environ["PE_BOOK_ROOT"])), "env", str)
    app.connect("builder-inited", nothing_yet)
    app.connect("env-before-read-docs", remember_read)
    app.connect("doctree-read", note_used)
    app.connect("env-check-consistency", note_executed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
