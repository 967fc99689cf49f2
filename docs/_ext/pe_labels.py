"""Labels: what can be cited has an address that never changes meaning, and docs/labels.lock remembers it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain

log = logging.getLogger(__name__)

KINDS = ("sec", "thm", "lem", "cor", "def", "ex", "rem", "exr", "sol", "fig", "tab", "eq")
LABEL = re.compile(rf"({'|'.join(KINDS)}):([a-z0-9-]+):([a-z0-9-]+)")
LOCK = "labels.lock"
SHARED_IDS = {
    "proof-content",
    "exercise-content",
    "solution-content",
}  # two extensions give these to every box


def read_lock(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Locked labels with their pages, and redirected labels with the label that took their place."""
    pages: dict[str, str] = {}
    moved: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line and not line.startswith("#"):
            label, _, rest = line.partition(" ")
            (moved if rest.startswith("-> ") else pages)[label] = rest.removeprefix("-> ")
    return pages, moved


def load(app: Sphinx) -> None:
    app.pe_locked, app.pe_moved = read_lock(Path(app.srcdir) / LOCK)


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """The labels of a page in their order; every section must have one, and each must be well formed."""
    labels: list[str] = []
    proofs = 0
    for node in doctree.findall(nodes.Element):
        label = node.get("label")
        written = [label] if isinstance(label, str) and ":" in label else []
        own = [name for name in dict.fromkeys([*node.get("names", []), *written]) if LABEL.fullmatch(name)]
        labels += [name for name in own if name not in labels]
        node["ids"] += [nodes.make_id(old) for old, new in app.pe_moved.items() if new in own]
        if written and not own:
            log.warning(
                "the label %r is not kind:chapter:slug with a kind of %s",
                label,
                ", ".join(KINDS),
                location=node,
            )
        if "proof" in node["ids"]:  # nor can every proof have one id
            proofs += 1
            node["ids"] = [f"proof-{proofs}"]
        if isinstance(node, nodes.section):
            if SHARED_IDS & set(node["ids"]):
                node["ids"] = [f"{nodes.make_id(node.parent['label'])}-content"]
            elif (
                node.children
                and isinstance(node[0], nodes.title)
                and not own
                and type(node.parent) in (nodes.document, nodes.section)
            ):
                log.warning("the heading %r has no label (sec:chapter:slug)", node[0].astext(), location=node)
    app.env.metadata[app.env.docname]["pe_labels"] = labels


def check(app: Sphinx, env: Any) -> None:
    """Hold the pages to the lock: nothing locked may vanish or move, nothing may squeeze in before it."""
    if app.config.pe_only:
        return
    there = {page: env.metadata[page].get("pe_labels", []) for page in sorted(env.found_docs)}
    Path(app.doctreedir, "labels.json").write_text(json.dumps(there, indent=0), encoding="utf-8")
    for label, page in app.pe_locked.items():
        if page not in app.pe_left_out and label not in there.get(page, []):
            log.warning(
                "the locked label %s is gone from %s: redirect it in %s (%s -> new), never drop it",
                label,
                page,
                LOCK,
                label,
            )
    for page, labels in there.items():
        status = env.metadata[page].get("pe_front", {}).get("status")
        fresh = [label for label in labels if label not in app.pe_locked]
        if status == "complete" and fresh:
            log.warning(
                "labels not in %s yet: %s; `make labels` adds them", LOCK, " ".join(fresh), location=page
            )
        for complaint in out_of_order(
            labels, [label for label, home in app.pe_locked.items() if home == page]
        ):
            log.warning("%s", complaint, location=page)


def out_of_order(labels: list[str], locked: list[str]) -> list[str]:
    """Within a kind the locked labels come first and in their order, since their numbers have been cited."""
    said = []
    for kind in KINDS:
        if kind in ("sec", "sol"):
            continue
        now = [label for label in labels if label.startswith(kind + ":")]
        was = [label for label in locked if label.startswith(kind + ":") and label in now]
        if now[: len(was)] != was:
            said.append(f"the numbers of {kind} would change: locked {was}, now {now}")
    return said


def merge_proofs(app: Sphinx, env: Any, docnames: Any, other: Any) -> None:
    """sphinx-proof keeps its list on the environment and forgets it when pages are read in parallel."""
    mine = env.__dict__.setdefault("proof_list", {})
    mine.update(
        {
            label: proof
            for label, proof in getattr(other, "proof_list", {}).items()
            if proof["docname"] in docnames
        }
    )


def setup(app: Sphinx) -> dict[str, Any]:
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.connect("builder-inited", load)
    app.connect("doctree-read", collect, priority=800)
    app.connect("env-merge-info", merge_proofs)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
