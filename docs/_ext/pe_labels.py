"""Labels: what can be cited has an address that never changes meaning, and docs/labels.lock remembers it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from pe_record import of
from pe_refusals import refuse
from sphinx.application import Sphinx
from sphinx_proof.domain import ProofDomain

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
            refuse("PE401", node, label=label, kinds=", ".join(KINDS))
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
                refuse("PE402", node, title=node[0].astext())
    of(app.env).labels = labels


def check(app: Sphinx, env: Any) -> None:
    """Hold the pages to the lock: nothing locked may vanish or move, nothing may squeeze in before it."""
    if app.config.pe_only:
        return
    there = {page: of(env, page).labels for page in sorted(env.found_docs)}
    Path(app.doctreedir, "labels.json").write_text(json.dumps(there, indent=0), encoding="utf-8")
    for label, page in app.pe_locked.items():
        if page not in app.pe_left_out and label not in there.get(page, []):
            refuse("PE403", None, label=label, page=page)
    for page, labels in there.items():
        status = of(env, page).front.get("status")
        fresh = [label for label in labels if label not in app.pe_locked]
        if status == "complete" and fresh:
            refuse("PE404", page, labels=" ".join(fresh))
        for moved in out_of_order(labels, [label for label, home in app.pe_locked.items() if home == page]):
            refuse("PE405", page, **moved)


def out_of_order(labels: list[str], locked: list[str]) -> list[dict[str, Any]]:
    """Within a kind the locked labels come first and in their order, since their numbers have been cited."""
    said = []
    for kind in KINDS:
        if kind in ("sec", "sol"):
            continue
        now = [label for label in labels if label.startswith(kind + ":")]
        was = [label for label in locked if label.startswith(kind + ":") and label in now]
        if now[: len(was)] != was:
            said.append({"kind": kind, "was": was, "now": now})
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
