"""Labels: what can be cited has an address that never changes meaning, and docs/labels.lock remembers it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_proof.domain import ProofDomain

from kernel.record import record_of
from kernel.refusals import refuse

KINDS = ("sec", "thm", "lem", "cor", "def", "ex", "rem", "exr", "sol", "dep", "fig", "tab", "eq")
LABEL = re.compile(rf"({'|'.join(KINDS)}):([a-z0-9-]+):([a-z0-9-]+)")
LOCK = "labels.lock"
SHARED_IDS = {
    "proof-content",
    "exercise-content",
    "solution-content",
}  # two extensions give the same id to every box


def read_lock(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Locked labels with their pages, and redirected labels with the label that took their place."""
    pages: dict[str, str] = {}
    moved: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line and not line.startswith("#"):
            label, _, rest = line.partition(" ")
            (moved if rest.startswith("-> ") else pages)[label] = rest.removeprefix("-> ")
    return pages, moved


def load_lock(app: Sphinx) -> None:
    app.pe_locked, app.pe_moved = read_lock(Path(app.srcdir) / LOCK)


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
        node["ids"] += [nodes.make_id(old) for old, new in app.pe_moved.items() if new in own_labels]
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


def check_lock(app: Sphinx, env: Any) -> None:
    """No locked label may be gone or on another page, and none of its kind may stand before it."""
    labels_of_pages = {page: record_of(env, page).labels for page in sorted(env.found_docs)}
    Path(app.doctreedir, "labels.json").write_text(json.dumps(labels_of_pages, indent=0), encoding="utf-8")
    for label, page in app.pe_locked.items():
        if page not in app.pe_left_out and label not in labels_of_pages.get(page, []):
            refuse("PE403", None, label=label, page=page)
    for page, labels in labels_of_pages.items():
        status = record_of(env, page).front.get("status")
        new_labels = [label for label in labels if label not in app.pe_locked]
        if status == "complete" and new_labels:
            refuse("PE404", page, labels=" ".join(new_labels))
        for moved in out_of_order(labels, [label for label, home in app.pe_locked.items() if home == page]):
            refuse("PE405", page, **moved)


def out_of_order(labels: list[str], locked: list[str]) -> list[dict[str, Any]]:
    """Within a kind the locked labels come first and in their order, since their numbers have been cited."""
    misplaced = []
    for kind in KINDS:
        if kind in ("sec", "sol", "dep"):
            continue
        now = [label for label in labels if label.startswith(kind + ":")]
        was = [label for label in locked if label.startswith(kind + ":") and label in now]
        if now[: len(was)] != was:
            misplaced.append({"kind": kind, "was": was, "now": now})
    return misplaced


def merge_proofs(app: Sphinx, env: Any, docnames: Any, other: Any) -> None:
    """sphinx-proof keeps its list on the environment and forgets it when pages are read in parallel."""
    proofs_of_all = env.__dict__.setdefault("proof_list", {})
    proofs_of_all.update(
        {
            label: proof
            for label, proof in getattr(other, "proof_list", {}).items()
            if proof["docname"] in docnames
        }
    )


def setup(app: Sphinx) -> dict[str, Any]:
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.connect("builder-inited", load_lock)
    app.connect("doctree-read", collect_labels, priority=800)
    app.connect("env-merge-info", merge_proofs)
    app.connect("env-check-consistency", check_lock)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
