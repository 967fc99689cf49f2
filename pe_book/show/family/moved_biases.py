"""The explorer of the chapter on score bias: a slope, a table or a window, and what the last word sees."""

from typing import Any

import numpy as np

from pe_book.family.score_bias import alibi_bias, alibi_slopes
from pe_book.family.score_bias.t5 import t5_boundaries
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line
from pe_book.why.order_blindness import attention_weights

NUMBERS = (0.0, 1.0, 0.5, 2.0, -1.0, -2.0)  # of one head, for the buckets of a small T5; chosen, not learned


def last_word(words: int = 10, heads: int = 8, head: int = 3, window: int = 4, sinks: int = 1) -> Figure:
    """Equal words under the slope of one head: weights, points by distance, weights of the last word."""
    places = range(words)
    bias = alibi_bias([alibi_slopes(heads)[head - 1]], places, places)[0]
    equal = np.zeros((words, 1))
    weights = attention_weights(equal, equal, bias=bias, causal=True)
    begins = t5_boundaries(n_buckets=len(NUMBERS), max_distance=words, bidirectional=False)
    distance, added = "tokens back", "points added"
    names = ("query", "key", "weight", distance, added, "bucket begins", "number")
    rows: list[tuple[Any, ...]] = [
        (i, j, weights[i, j], *[None] * 4) for i in places for j in places if j <= i
    ]
    rows += [(None, None, None, n, bias[-1, -1 - n] + 0.0, None, None) for n in places]
    rows += [(*[None] * 5, begin, number) for begin, number in zip(begins, NUMBERS, strict=True)]

    def facts(f: Frame) -> dict[str, Any]:
        last = f.where({"query": words - 1})["weight"]
        by_token = -np.diff(f.where(distance)[added])[0]
        return {"slope": by_token, "half": np.log(2) / by_token, "nearest": last[-1], "first": last[0]}

    def given(f: Frame) -> dict[str, Any]:
        table = f.where("number")
        return {
            **f.settings, "most": 2 * heads,
            "begins": [int(n) for n in table["bucket begins"]], "numbers": table["number"].tolist(),
        }  # fmt: skip

    last = {"query": words - 1}
    return Figure(
        Frame.of_rows(names, rows, words=words, heads=heads, head=head, window=window, sinks=sinks),
        Panel(
            Heat("key", "query", "weight", "query", signed=False), title="weights",
            width=156, height=190, xticks=(0, 3, 6, 9), yticks=(0, 3, 6, 9),
        ),
        Panel(
            Guide(y=0), Line(distance, added, distance, colour="orange", dots=True, width=1.2),
            width=156, height=190, xticks=(0, 3, 6, 9),
        ),
        Panel(
            Line("key", "weight", last, colour="blue", dots=True, width=1.2),
            title="weights of the last word", ylim=(0, 0.5), yticks=(0, 0.25, 0.5), xticks=(0, 3, 6, 9),
            height=150,
        ),
        facts=facts, explorer="pe-bias", given=given,
        alt="Attention of {words} equal words under the slope of head {head} of {heads}, {slope:.4f} points "
        "a token: a triangle of weights, the points added over the distance, a falling line, and the weights "
        "of the last word, from {first:.3f} for the first word to {nearest:.3f} for itself. A weight halves "
        "every {half:.1f} tokens.",
    )  # fmt: skip
