"""The figure of the page on large numbers in training."""

from typing import Any

import numpy as np

from pe_book.evidence.why.training import loss_after, training_codes, updates_to_a_thousandth
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line


def training() -> Figure:
    """Gradient descent at its best fixed step, for features that differ in scale alone."""
    codes = training_codes()
    needed = [updates_to_a_thousandth(code) for code in codes.values()]
    made = np.unique([0, *np.geomspace(1, 10**6, 120).astype(int), *needed])
    rows = [
        (name, updates, updates + 1, loss)
        for name, code in codes.items()
        for updates, loss in zip(made, loss_after(made, code).round(6), strict=True)
    ]

    looks = {
        "4 words, counted": ("blue", "", 30), "4 words, pos / 512": ("orange", "dashed", 1e5),
        "100 words, counted": ("blue", "", 2e3), "100 words, standardised": ("green", "dashed", 30),
    }  # fmt: skip
    names = {part: part for code in codes for part in code.split(", ")}

    def panel(words: str) -> Panel:
        lines = [
            Line("next update", "loss", {"code": code}, f"{{{code.split(', ')[1]}}}", colour, dash, near=near)
            for code, (colour, dash, near) in looks.items()
            if code.startswith(words)
        ]
        name = "loss before it, as part of the first"
        return Panel(*lines, title=f"{{{words}}}", y=name, log="x", yticks=(0, 0.5, 1), width=296)

    def facts(frame: Frame) -> dict[str, Any]:
        done = {
            row["code"]: row["updates made"]
            for row in reversed(list(frame.rows()))
            if row["loss"] <= frame.settings["left"]
        }
        return {"needed": "; ".join(f"{name}: {done[name]:,}" for name in codes)}

    header = ("code", "updates made", "next update", "loss")
    return Figure(
        Frame.of_rows(header, rows, left=0.001, **names),
        panel("4 words"), panel("100 words"),
        facts=facts,
        alt="The loss against the number of updates: curves that fall from one to nearly nothing at very "
        "different times; updates after which at most {left} of it remains: {needed}.",
    )  # fmt: skip
