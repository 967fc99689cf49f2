"""Labels: what can be cited has one, of a known form and of its own, and docs/labels.lock lists them."""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

from bookish.lint.lock import FILE, read
from bookish.run.foreign import Proofs
from bookish.run.record import record_of
from bookish.run.refusals import message, refuse

KINDS = ("sec", "thm", "lem", "cor", "def", "ex", "rem", "exr", "sol", "dep", "fig", "tab", "eq", "cla")
LABEL = re.compile(rf"({'|'.join(KINDS)}):([a-z0-9-]+):([a-z0-9-]+)")
SHARED_IDS = {"proof-content", "exercise-content", "solution-content"}  # of every box of an extension


def load_lock(app: Sphinx) -> None:
    try:
        app.pe_lock = read(Path(app.srcdir) / FILE)
    except ValueError as error:
        raise ConfigError(message("PE406", error=error)) from None


def collect_labels(app: Sphinx, doctree: nodes.document) -> None:
    """The labels of a page in their order; every section must have one, and each must be well formed."""
    labels: list[str] = []
    proofs = 0
    for node in doctree.findall(nodes.Element):
        label = node.get("label")
        written = [label] if isinstance(label, str) and ":" in label else []
        own_labels = [
            name for name in dict.fromkeys([*node.get("names", []), *written]) if LABEL.fullmatch(name)
        ]
        labels += [name for name in own_labels if name not in labels]
        if written and not own_labels:
            refuse("PE401", node, label=label, kinds=", ".join(KINDS))
        if "proof" in node["ids"]:  # sphinx-proof gives every proof the same id
            proofs += 1
            node["ids"] = [f"proof-{proofs}"]
        if isinstance(node, nodes.section):
            if SHARED_IDS & set(node["ids"]):
                node["ids"] = [f"{nodes.make_id(node.parent['label'])}-content"]
            elif (
                node.children
                and isinstance(node[0], nodes.title)
                and not own_labels
                and type(node.parent) in (nodes.document, nodes.section)
            ):
                refuse("PE402", node, title=node[0].astext())
        if isinstance(node, nodes.rubric) and "heading-level" in node and not own_labels:  # inside a fold
            refuse("PE402", node, title=node.astext())
    record_of(app.env).labels = labels


def check_labels(app: Sphinx, env: Any) -> None:
    """A label stands on one page, which the list names; once the list binds none is gone from there."""
    lock = app.pe_lock
    labels = {page: record_of(env, page).labels for page in sorted(env.found_docs)}
    Path(app.doctreedir, "labels.json").write_text(json.dumps(labels, indent=0), encoding="utf-8")
    home: dict[str, str] = {}
    for page, own in labels.items():
        for label in own:
            if home.setdefault(label, page) != page:  # Sphinx does not see it when pages are read in parallel
                refuse("PE405", page, label=label, other=home[label])
        new = [label for label in own if lock.pages.get(label) != page]
        if new and record_of(env, page).front.get("status") == "complete":
            refuse("PE404", page, labels=" ".join(new))
    for label, page in lock.pages.items():
        if lock.binding and page not in app.pe_left_out and label not in labels.get(page, ()):
            refuse("PE403", None, label=label, page=page)


def setup(app: Sphinx) -> None:
    app.add_domain(Proofs, override=True)
    app.connect("builder-inited", load_lock)
    app.connect("doctree-read", collect_labels, priority=800)
    app.connect("env-check-consistency", check_labels)
