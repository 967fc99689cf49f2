"""What decides the claims about authors and links: C113 to C120, on what was read or on nothing."""

from __future__ import annotations

from pe_book.evidence.claims.claim import Change, Decided, Decision
from pe_book.evidence.verdict import Verdict

#: What a note names, and what was found where the thing is published.
FOUND = {
    "C113": ("Tim Dettmers", "Timo Denk"),
    "C114": ("poloclub", "TransformerLensOrg"),
    "C115": ("PAIR-code", "catherinesyeh"),
    "C116": ("anthropics", "openai"),
    "C117": ("2016/attention", "2016/augmented-rnns"),
    "C118": ("computed", "learned during training"),
    "C119": ("jessevig", "jessevig"),
}


#: The links of the notes, as they are given, each with what became of it and the claim that says why.
READING = (
    ("arxiv.org/abs/1706.03762, the paper", "right", "C120"),
    ("timdettmers.com, on linear relationships", "corrected", "C113"),
    ("blog.timodenk.com, with the name of Tim Dettmers", "corrected", "C113"),
    ("the Illustrated Transformer at jalammar.github.io", "right", "C119"),
    ("poloclub.github.io/transformerlens", "corrected", "C114"),
    ("distill.pub/2016/attention", "corrected", "C117"),
    ("github.com/jessevig/bertviz", "right", "C119"),
    ("github.com/PAIR-code/AttentionViz", "corrected", "C115"),
    ("github.com/anthropics/transformer-debugger", "corrected", "C116"),
    ("bbycroft.net/llm, as a view of positional encoding", "corrected", "C118"),
    ("a film on YouTube", "not checkable here", "C120"),
    ("two plots, a unit circle and a notebook to run elsewhere", "not checkable here", "C120"),
)


def _named(key: str) -> Decision:
    """Whether what a note names is what was found."""

    def decision(*, found: str = FOUND[key][1]) -> Verdict:
        said = FOUND[key][0]
        return Verdict(said == found, {"said": said, "found": found})

    return decision


def _found(key: str) -> Decision:
    def decision(*, found: str = FOUND[key][1]) -> Verdict:
        return Verdict(found == FOUND[key][1])

    return decision


def _other(key: str) -> Change:
    said, found = FOUND[key]
    other = "somebody else" if said == found else said
    return Change(f"what was found is {other}", {"found": other})


DECIDED = {key: Decided(_named(key), instead=_found(key), fails_with=_other(key)) for key in FOUND}
