"""Claims: ``{claims} show.group("order")`` shows each as a box with its verdict; ``:lines:`` lists them.

What the boxes say comes from the records of a ``Told``, decided in the page's kernel. A claim whose evidence
gives another verdict than its record tells stops the build. Below a chapter stand the claims
that it treats.
"""

from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from bookish.lint.numerals import SIZES, counts, numerals, words_for_numbers
from bookish.run.foreign import name_target
from bookish.run.record import page_being_read, record_of
from bookish.run.refusals import refuse
from bookish.write.shown import Shown, filtered

#: What readers type for words of the claims.
OTHER_WORDS = {
    "trigonometric": "sinusoidal",
    "sines": "sinusoidal",
    "append": "concatenate concatenation",
    "root": "square sqrt",
    "counting": "counter",
    "degradation": "extrapolate extrapolation generalize generalise longer",
    "extrapolate": "extrapolation generalization generalisation",
    "generalises": "generalize generalization",
    "no upper limit": "extrapolate extrapolation unlimited",
    "dot product": "inner similarity",
    "rope": "rotary",
    "learned": "trainable",
}


class claim_box(nodes.admonition):
    """A statement, which the search has as an entry of its own."""


class claim_lines(nodes.bullet_list):
    """Their list, which says nothing that the boxes do not say."""


class claim_how(nodes.container):
    """How a claim was decided, and at its end what somebody presses who sees it otherwise (report.js)."""


REPORT = '<p><button type="button" class="report">Report an error, or dispute this</button></p>'


def depart_how(writer: Any, node: claim_how) -> None:
    writer.body.append(REPORT)
    writer.depart_container(node)


class Claims(Shown):
    """Boxes for claims or contradictions, or the lines of an index."""

    kind = "Told"
    has_content = False
    option_spec: ClassVar = {"lines": directives.flag}

    def run(self) -> list[nodes.Node]:
        entries = self.evaluate()
        if entries is None:
            return []
        shown = self.lines(entries) if "lines" in self.options else [self.box(entry) for entry in entries]
        outer = nodes.container("", *shown, classes=["claims"], made="found")
        outer["expr"] = self.expression
        self.set_source_info(outer)
        return [outer]

    def box(self, entry: dict[str, Any]) -> nodes.Element:
        """One statement with what is right, how that was decided, and where it is treated."""
        label = f"cla:claims:{entry['key'].lower()}"
        verdict = entry.get("verdict", "")
        kind = "Claim" if verdict else "Contradiction"
        number = nodes.inline("", f"{kind} {entry['key']} ", classes=["caption-number"])
        title = nodes.title("", "", number, *self.inline(entry["said"]))
        if verdict:
            title += [nodes.Text(" "), verdict_of(verdict)]
        box = claim_box("", title, classes=["proof", "claim", slug(verdict)], made="found")
        box["label"], box["cited"] = label, f"{kind.lower()} {entry['key']}"
        box["ids"], box["names"] = [label], [label]
        self.state.document.note_explicit_target(box, box)
        self.set_source_info(box)
        if verdict and verdict != entry["told"]:
            said = {"key": entry["key"], "said": entry["said"], "told": entry["told"], "verdict": verdict}
            refuse("PE511", self.get_location(), **said)
        if verdict:
            told = {name: entry[name] for name in ("key", "said", "verdict", "chapter")}
            record_of(self.env).claims.append(told | {"label": label})
        for number in typed_numbers(entry):
            refuse("PE512", self.get_location(), key=entry["key"], number=number, typed=entry["typed"])
        box += self.parsed(body(entry)).children
        if verdict:
            how = claim_how("", *self.parsed(decided(entry)).children, classes=["claim-how"])
            how["calls"] = entry["decisions"]
            box += how
        return box

    def inline(self, text: str) -> list[nodes.Node]:
        first = self.parsed(text)
        return first[0].children if first.children else [nodes.Text(text)]

    def lines(self, entries: list[dict[str, Any]]) -> list[nodes.Node]:
        """Each statement with its verdict, leading to its box; the element around them filters."""
        listed = claim_lines(classes=["claim-lines"])
        for entry in entries:
            text = f"{{ref}}`{entry['key']} <cla:claims:{entry['key'].lower()}>` {entry['said']}"
            line = self.parsed(text)[0]
            line += [nodes.Text(" "), verdict_of(entry["verdict"])]
            words = escape(f"{entry['right']} {other_words(entry)}".strip())
            found_by = nodes.raw("", f'<span data-words="{words}"></span>', format="html")
            listed += nodes.list_item("", line, found_by)
        words = "Words of the statement, or of what is right"
        return filtered([listed], kind="Verdict", words=words, counted="statements")


def other_words(entry: dict[str, Any]) -> str:
    text = f"{entry['said']} {entry['right']}".lower()
    return " ".join(others for word, others in OTHER_WORDS.items() if word in text)


def slug(verdict: str) -> str:
    """A verdict as a class: its first word, which is another one for each."""
    return {"true with a condition": "condition"}.get(verdict, verdict.partition(" ")[0])


def verdict_of(verdict: str, **made: str) -> nodes.Node:
    return nodes.inline("", verdict, classes=["verdict", slug(verdict)], **made)


def told_verdict(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """``{verdict}`C045` ``: what was decided of a claim, as the boxes show it."""
    env = inliner.document.settings.env
    page = page_being_read(env)
    answer = page.evaluate_in_kernel("plain", field=f'stands("{text}").evidence["verdict"]') if page else {}
    if "value" not in answer:
        refuse("PE314", (env.docname, lineno), field=text, error=answer.get("error", "no kernel"))
        return [], []
    return [verdict_of(str(answer["value"]), made="found")], []


def body(entry: dict[str, Any]) -> str:
    if "one" in entry:
        decided_by = ", ".join(f"{{ref}}`{key} <cla:claims:{key.lower()}>`" for key in entry["claims"])
        return f"{entry['one']} {entry['other']} {entry['right']}\n\nDecided by {decided_by}."
    against = f"*Another source:* {entry['against']}\n\n" if entry["against"] else ""
    return against + entry["right"]


def decided(entry: dict[str, Any]) -> str:
    """How it was decided, in Markdown."""
    judged, change = entry["judged"], entry["change"]
    parts = ["*Computed* here." if change else "*Not decided* here."]
    if judged:
        cited = f"{{cite:t}}`{judged['key']}`, " if judged["key"] else ""
        day = f"read on {judged['read']}" if judged["read"] else "on which day it was read is not recorded"
        says = f"“{judged['says']}”"
        if not judged["verbatim"]:
            says = f"in the book's words: {judged['says'].rstrip('.')}"
        parts = [f"*Judged* by what was read: {cited}{judged['where']} ({says}; {day})."]
    if change:
        parts.append(f"It gets another verdict if {change}.")
    return " ".join([*parts, f"Treated in {{ref}}`{entry['chapter']}`."])


def typed_numbers(entry: dict[str, Any]) -> list[str]:
    """The numbers and sizes of what is right that neither a field gives nor the statement itself has."""
    said = " ".join(entry.get(part, "") for part in ("said", "against", "one", "other"))
    own = {0, 1, 2} | {found.value for found in [*numerals(said), *words_for_numbers(said)]}
    found = [*numerals(entry["typed"]), *counts(entry["typed"])]
    sizes = [size[0] for size in SIZES.finditer(entry["typed"])]
    return [one.written for one in found if one.value not in own] + sizes


# ---------------------------------------------------------------- when a page has been read


def note_claims(app: Sphinx, doctree: nodes.document) -> None:
    """A reference to a claim says its key; the sources of its decisions get a page."""
    calls = set(record_of(app.env).calls)
    for box in doctree.findall(claim_box):
        name_target(app.env, box["label"], box["label"], box["cited"])
    for how in doctree.findall(claim_how):
        calls |= set(how["calls"])
    record_of(app.env).calls = sorted(calls)


def below_chapter(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """What is claimed elsewhere and treated on this page, with links to the verdicts."""
    if pagename not in app.env.found_docs:
        return
    own = set(record_of(app.env, pagename).labels)
    context["claims"] = [
        {
            "key": claim["key"],
            "said": escape(claim["said"], quote=False).replace("*", ""),
            "verdict": claim["verdict"],
            "slug": slug(claim["verdict"]),
            "link": f"{app.builder.get_relative_uri(pagename, page)}#{claim['label']}",
        }
        for page in sorted(app.env.found_docs)
        for claim in record_of(app.env, page).claims
        if claim["chapter"] in own
    ]
    context["claims"].sort(key=lambda claim: claim["key"])


def setup(app: Sphinx) -> None:
    for node in (claim_box, claim_lines):
        app.add_node(node)  # written as the one that it derives from
    app.add_node(claim_how, html=(lambda writer, node: writer.visit_container(node), depart_how))
    app.add_directive("claims", Claims)
    app.add_role("verdict", told_verdict)
    app.connect("doctree-read", note_claims, priority=410)  # behind the origins of what was evaluated
    app.connect("html-page-context", below_chapter)
