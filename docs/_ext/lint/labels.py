"""Labels: what can be cited has an address that never changes meaning, and docs/labels.lock remembers it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx_proof.domain import ProofDomain

from kernel.record import record_of
from kernel.refusals import message, refuse
from lint.lock import FILE, Lock, Place, anchor, read

KINDS = ("sec", "thm", "lem", "cor", "def", "ex", "rem", "exr", "sol", "dep", "fig", "tab", "eq", "cla")
SHOWN = 3  # labels that a complaint names
LABEL = re.compile(rf"({'|'.join(KINDS)}):([a-z0-9-]+):([a-z0-9-]+)")
SHARED_IDS = {
    "proof-content",
    "exercise-content",
    "solution-content",
}  # two extensions give the same id to every box


def load_lock(app: Sphinx) -> None:
    try:
        app.pe_lock = read(Path(app.srcdir) / FILE)
    except ValueError as error:
        raise ConfigError(message("PE407", error=error)) from None
    app.pe_locked = {label: entry.place.page for label, entry in app.pe_lock.entries.items()}


def collect_labels(app: Sphinx, doctree: nodes.document) -> None:
    """The labels of a page in their order; every section must have one, and each must be well formed."""
    labels: list[str] = []
    renamed = [label for label, entry in app.pe_lock.entries.items() if entry.successor]
    proofs = 0
    for node in doctree.findall(nodes.Element):
        label = node.get("label")
        written = [label] if isinstance(label, str) and ":" in label else []
        own_labels = [
            name for name in dict.fromkeys([*node.get("names", []), *written]) if LABEL.fullmatch(name)
        ]
        labels += [name for name in own_labels if name not in labels]
        node["ids"] += [anchor(old) for old in renamed if app.pe_lock.now(old) in own_labels]
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


def place_of(env: Any, page: str, label: str, first: bool, whole: bool) -> Place:
    """Where a label stands; its number is known once the whole book has been read."""
    if not whole:
        return Place(page)
    sections = env.toc_secnumbers.get(page, {})
    kinds, own = env.toc_fignumbers.get(page, {}).values(), anchor(label)
    number = next((numbers[own] for numbers in kinds if own in numbers), None)
    return Place(page, ".".join(map(str, number or sections.get("" if first else f"#{own}") or ())))


def check_lock(app: Sphinx, env: Any) -> None:
    """No label of an edition may be gone, on another page, or under another number."""
    lock, whole = app.pe_lock, not app.pe_left_out
    labels = {page: record_of(env, page).labels for page in sorted(env.found_docs)}
    listed = {
        page: {label: place_of(env, page, label, label == own[0], whole) for label in own}
        for page, own in labels.items()
    }
    numbers = {page: {label: place.number for label, place in own.items()} for page, own in listed.items()}
    Path(app.doctreedir, "labels.json").write_text(json.dumps(numbers, indent=0), encoding="utf-8")
    for page, own in labels.items():
        new = [label for label in own if label not in lock.entries]
        if new and record_of(env, page).front.get("status") == "complete":
            refuse("PE404", page, labels=" ".join(new))
    places = {label: place for own in listed.values() for label, place in own.items()}
    if whole:
        check_places(lock, places)
    else:
        check_part(app, labels)


def check_places(lock: Lock, places: dict[str, Place]) -> None:
    """Every label stands where the lock says; what has moved is told once for each page."""
    moved: dict[str, list[str]] = {}
    for label, entry in lock.entries.items():
        now, was = places.get(lock.now(label)), entry.place
        if now is None:
            refuse(
                "PE408" if entry.successor else "PE403", None, label=label, page=was.page, now=lock.now(label)
            )
        elif not entry.successor and (now.page, was.number or now.number) != (was.page, now.number):
            moved.setdefault(was.page, []).append(f"{label} ({was}) at {now}")
    for page, found in moved.items():
        said = "; ".join(
            [*found[:SHOWN], *([f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else [])]
        )
        refuse(
            "PE406" if lock.making else "PE405", page, edition=lock.edition, next=lock.edition + 1, moved=said
        )


def check_part(app: Sphinx, labels: dict[str, list[str]]) -> None:
    """Of some pages alone: nothing is gone, and within a kind what is locked comes first, in its order."""
    if app.pe_lock.making:
        return  # a label may have gone to a page that is not read
    for label, entry in app.pe_lock.entries.items():
        page = entry.place.page
        if not entry.successor and page in labels and label not in labels[page]:
            refuse("PE403", None, label=label, page=page)
    for page, own in labels.items():
        for moved in out_of_order(own, [label for label in app.pe_locked if app.pe_locked[label] == page]):
            refuse("PE405", page, edition=app.pe_lock.edition, next=app.pe_lock.edition + 1, moved=moved)


def out_of_order(labels: list[str], locked: list[str]) -> list[str]:
    """Of each kind with a number the first label that would get that of another."""
    misplaced = []
    for kind in KINDS:
        if kind in ("sec", "sol", "dep", "cla"):
            continue
        now = [label for label in labels if label.startswith(kind + ":")]
        was = [label for label in locked if label.startswith(kind + ":") and label in now]
        misplaced += [f"{new} before {old}" for new, old in zip(now, was, strict=False) if new != old][:1]
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
