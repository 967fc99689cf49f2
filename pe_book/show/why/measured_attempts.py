"""The figure of all attempts at several lengths of text, and what its explorer is given."""

from typing import Any

from pe_book.evidence.why.first_attempts import DEMANDS
from pe_book.show.drawing.diagram import Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.why.first_attempts import measured_text
from pe_book.why.requirements import ATTEMPTS, failures, measure

LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
NAMES = {"count": "counting", "pos/512": "pos / 512", "pos/(len−1)": "pos / (len − 1)",
         "one sine": "one sine", "three pairs": "three harmonic pairs"}  # fmt: skip


def by_length() -> Figure:
    """How many of the questions each attempt fails in texts of each length."""
    attempt, words, number, verdict = "attempt", "words in the text", "questions failed", "verdict"
    rows = []
    for name, code in NAMES.items():
        for n in LENGTHS:
            found = measure(ATTEMPTS[code], seq_len=n)
            failed = [demand for field, demand in DEMANDS.items() if field in failures(found)]
            values = [getattr(found, field) for field in DEMANDS]
            told = ["yes" if x is True else "no" if x is False else round(x, 9) for x in values]
            judged = "fails" if failed else "passes"
            rows.append((name, str(n), judged, len(failed), "; ".join(failed) or None, *told))

    def box(judged: str, colour: str) -> Boxes:
        return Boxes(f"{{{number}}}", words, attempt, (0.9, 0.8), {verdict: judged}, colour)

    def facts(frame: Frame) -> dict[str, Any]:
        told = (
            f"{name}: " + ", ".join(f"{x:.0f}" for x in frame.where({attempt: name})[number])
            for name in NAMES
        )
        return {"told": "; ".join(told), "least": LENGTHS[0], "most": LENGTHS[-1], "asked": len(DEMANDS)}

    def given(frame: Frame) -> dict[str, Any]:
        listed = {name: frame.where({attempt: name}).rows() for name in NAMES}
        return {
            "lengths": list(LENGTHS), "demands": list(DEMANDS.values()),
            "attempts": {
                name: [
                    {"failed": [demand in str(row["which"]).split("; ") for demand in DEMANDS.values()],
                     "values": [_text(row[demand]) for demand in DEMANDS.values()]}
                    for row in of
                ]
                for name, of in listed.items()
            },
        }  # fmt: skip

    return Figure(
        Frame.of_rows((attempt, words, verdict, number, "which", *DEMANDS.values()), rows),
        Panel(box("fails", "orange"), box("passes", "blue"), x=words, y="", height=220),
        facts=facts, explorer="pe-attempts", given=given,
        alt="How many of {asked} questions each attempt fails, in texts of {least} to {most} words, "
        "doubling: {told}.",
    )  # fmt: skip


def _text(value: Any) -> str:
    return value if isinstance(value, str) else measured_text(float(value))
