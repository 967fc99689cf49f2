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


def _is(name: str, found_there: str) -> Decision:
    """Whether a name is what was found."""
    return lambda found=found_there: Verdict(name == found, {"said": name, "found": found})


def _other(said: str, found: str) -> Change:
    other = "somebody else" if said == found else said
    return Change(f"what was found is {other}", {"found": other})


DECIDED = {key: Decided(_is(said, found), instead=_is(found, found)) for key, (said, found) in FOUND.items()}
FAILS_WITH = {key: _other(*both) for key, both in FOUND.items()}
