"""Figures and tables of the chapter on reading a config."""

from collections.abc import Sequence
from dataclasses import replace

from pe_book.config.findings import Finding
from pe_book.evidence.family.reading_a_config import CASES, reports
from pe_book.evidence.family.recorded import recorded
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Points
from pe_book.show.drawing.table import Column, Table

# what a layer sees and does: the colour of its mark, and whether that is a ring
LOOKS = {
    "full, turns": ("blue", False), "window, turns": ("orange", False), "full, still": ("ink", True),
    "no softmax, still": ("green", True),
}  # fmt: skip
LAYERED = ("llama-3.1-8b", "gemma-3-27b", "smollm3-3b", "command-r7b", "qwen3-next-80b")


def layers(names: Sequence[str] = LAYERED) -> Figure:
    """Every layer of some models: what it sees, and whether it turns."""
    layer, model, kind = "layer", "model", "what it does"
    line = "line"
    rows = []
    for name in names:
        for record in reports()[name].reading.records:
            turns = record.kind == "rotary"
            sees = {"full": "full", "window": "window", "linear": "no softmax"}[record.attention]
            does = f"{sees}, {'turns' if turns else 'still'}"
            rows.append((recorded(name)["name"], record.layer, does, list(LOOKS).index(does)))
    frame = Frame.of_rows((model, layer, kind, line), rows)
    panels = []
    for i, name in enumerate(names):
        at = {model: recorded(name)["name"]}
        kinds = [one for one in LOOKS if (frame.where(at)[kind] == one).any()]
        ticks: dict[float, str] = {list(LOOKS).index(one): one for one in kinds}
        panels.append(
            Panel(
                *(
                    Points(layer, line, {**at, kind: one}, colour=colour, hollow=hollow, size=3.5)
                    for one, (colour, hollow) in LOOKS.items() if one in kinds
                ),
                title=f"{{name_{i}}}", y="", height=66 + 22 * len(kinds), down=True,
                ylim=(max(ticks) + 0.5, min(ticks) - 0.5), yticks=ticks,
            )
        )  # fmt: skip

    def facts(f: Frame) -> dict[str, str]:
        shown = list(dict.fromkeys(f.columns[model]))
        counted = {f"count_{i}": _counted(f.where({model: at}).columns[kind]) for i, at in enumerate(shown)}
        return {**{f"name_{i}": str(at) for i, at in enumerate(shown)}, **counted}

    told = "; ".join(f"{{name_{i}}}: {{count_{i}}}" for i in range(len(names)))
    return Figure(frame, *panels, facts=facts, alt=f"Every layer of some models. {told}.")


def _counted(kinds: Sequence[object]) -> str:
    return ", ".join(f"{list(kinds).count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def cases() -> Table:
    """What goes wrong in practice, and what the report says of it."""
    return Table(
        Column("trouble", [case.trouble for case in CASES]),
        Column("the report says", [case.says() for case in CASES]),
        Column("key", [case.key for case in CASES], "`{}`"),
    )


def found_in_models() -> Table:
    """The recorded configs on which a report has findings, or names what acts and is not computed."""
    models: dict[Finding, list[str]] = {}
    for name, report in reports().items():
        for finding in (*report.findings, *report.notes):
            if finding.kind not in ("ignored", "note"):
                models.setdefault(replace(finding, cure=""), []).append(recorded(name)["name"])
    return Table(
        Column("model", [", ".join(found) for found in models.values()]),
        Column("finding", [finding.says for finding in models]),
        Column("key", [finding.key for finding in models], "`{}`"),
    )
