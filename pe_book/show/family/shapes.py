"""What four methods add to the score of each query and key of a short text."""

from typing import Any

import numpy as np

from pe_book.family.score_bias.kerple import kerple_bias
from pe_book.family.score_bias.t5 import t5_bucket
from pe_book.family.score_bias.windows import window_mask
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat


def shapes(words: int = 4, buckets: int = 3, farthest: int = 4, window: int = 2) -> Figure:
    """Which learned number T5 adds, what KERPLE and a window add, and NoPE, which adds nothing."""
    places = np.arange(words)
    offset = places - places[:, None]
    seen = offset <= 0
    bucket = t5_bucket(offset, n_buckets=buckets, max_distance=farthest, bidirectional=False)
    near = window_mask(places, places, window=window)
    added = {
        "T5": (seen, bucket),
        "KERPLE": (seen, 0.0 + kerple_bias([1.0], [1.0], places, places)[0]),  # no −0
        "window": (near, np.zeros((words, words))),
        "NoPE": (seen, np.zeros((words, words))),
    }
    rows = [
        (method, int(i), int(j), float(values[i, j]))
        for method, (cells, values) in added.items()
        for i, j in np.argwhere(cells)
    ]

    def facts(f: Frame) -> dict[str, Any]:
        of = {method: f.where({"method": method}) for method in added}
        last = {
            method: [float(x) for x in of[method]["value"][of[method]["query"] == words - 1]]
            for method in added
        }
        return {
            "shared": ", ".join(f"{x:.0f}" for x in last["T5"]),
            "falls": ", ".join(f"{x:.1f}" for x in last["KERPLE"]),
            "left": len(last["window"]), "all": len(last["NoPE"]), "most": max(np.abs(of["NoPE"]["value"])),
        }  # fmt: skip

    return Figure(
        Frame.of_rows(("method", "query", "key", "value"), rows, words=words, buckets=buckets, window=window),
        *(
            Panel(
                Heat("key", "query", "value", {"method": method}, signed=method != "T5", limit=2.0,
                     text="{value:.0f}" if method in ("T5", "window", "NoPE") else "{value:.1f}"),
                title=f"{method}: bucket" if method == "T5" else method,
                xticks=list(places), yticks=list(places), width=156, height=186,
            )
            for method in added
        ),
        facts=facts,
        alt="Lower triangles for {words} words. T5 with {buckets} buckets: the last query takes the numbers "
        "of buckets {shared}. KERPLE adds {falls} to its scores. A window of {window} leaves it {left} keys "
        "of {all}. NoPE adds {most:.0f} to every score.",
    )  # fmt: skip
