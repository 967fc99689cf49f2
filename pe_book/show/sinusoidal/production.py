"""Figures and tables of the chapter on what breaks on the server. Verdicts are computed by the page."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.outcome import PASSED, SAID_NO
from pe_book.evidence.sinusoidal.production_ways import WAYS, refuse_unproved
from pe_book.show.drawing.diagram import Boxes, Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.production import packed_positions, position_ids

BATCH = (("the", "lion", "sleeps", "at", "noon"), ("Nitish", "killed", "lion"), ("the", "bank", "is", "wet"))
PACKED = (("the", "lion", "sleeps"), ("Nitish", "runs"))


def mask_of(sentences: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The mask of the sentences, padded on the left to the longest: 1 for a token, 0 for padding."""
    width = max(map(len, sentences))
    rows = [[0] * (width - len(words)) + [1] * len(words) for words in sentences]
    return np.array(rows, dtype=np.int64)


def padded_batch(sentences: Sequence[Sequence[str]] = BATCH) -> Figure:
    """A left-padded batch: above each token its column number, below it its place in its own sentence."""
    mask = mask_of(sentences)
    positions, width = position_ids(mask), mask.shape[1]
    rows = []
    for row, words in enumerate(sentences):
        for column in range(width):
            real = bool(mask[row, column])
            word = words[column - width + len(words)] if real else "pad"
            told = "padding" if not real else "right" if column == positions[row, column] else "wrong"
            rows.append(
                (row, column, word, mask[row, column], positions[row, column] if real else None, told)
            )
    columns = ("sentence", "column", "token", "mask", "position", "told by column")
    size = (0.9, 0.36)
    kinds = (("padding", "grid", "muted"), ("right", "ink", "muted"), ("wrong", "red", "red"))
    marks = [
        mark
        for kind, frame, above in kinds
        for where in [{"told by column": kind}]
        for mark in (
            Boxes("{token}", "column", "sentence", size, where, frame, tint=0.14 if kind == "wrong" else 0),
            Words("{column}", "column", "sentence", where, shift=(0, -0.31), colour=above),
        )
    ]
    return Figure(
        Frame.of_rows(columns, rows),
        Panel(
            *marks,
            Words("{position}", "column", "sentence", "position", shift=(0, 0.31), colour="blue"),
            bare=True, down=True, height=250,
        ),
        facts=lambda f: {
            "sentences": len(set(f["sentence"])),
            "words": ", ".join(
                f"{f.where({'sentence': s})['mask'].sum():.0f}" for s in sorted(set(f["sentence"]))
            ),
            "columns": len(set(f["column"])),
            "wrong": int((f["told by column"] == "wrong").sum()),
            "tokens": int(f["mask"].sum()),
            "shifted": len(set(f.where({"told by column": "wrong"})["sentence"])),
        },
        alt="{sentences} sentences of {words} words, padded on the left to {columns} columns. Column numbers "
        "stand above the tokens, places in the sentence below; they differ for {wrong} of {tokens} tokens, "
        "drawn in red, in {shifted} of the {sentences} sentences.",
    )  # fmt: skip


def packed_row(sentences: Sequence[Sequence[str]] = PACKED) -> Figure:
    """Two sentences in one row, and which token may see which."""
    words = [word for sentence in sentences for word in sentence]
    lengths = [len(sentence) for sentence in sentences]
    positions, owner = packed_positions(lengths), np.repeat(np.arange(len(lengths)), lengths)
    rows = []
    for q, query in enumerate(words):
        for k, key in enumerate(words):
            may = "no" if k > q else "yes" if owner[q] == owner[k] else "no, but a causal mask lets it"
            rows.append((f"{query} {positions[q]}", f"{key} {positions[k]}", positions[q], positions[k], may))
    columns = ("query", "key", "position of query", "position of key", "may see")
    looks = {"no": ("grid", 0.35), "yes": ("blue", 0.8), "no, but a causal mask lets it": ("red", 0.8)}
    return Figure(
        Frame.of_rows(columns, rows),
        Panel(
            *(Boxes("", "key", "query", (0.92, 0.92), {"may see": may}, colour, tint)
              for may, (colour, tint) in looks.items()),
            height=270, x="key, and its position", y="query, and its position",
            xticks={float(k): f"{w}\n{positions[k]}" for k, w in enumerate(words)},
        ),
        facts=lambda f: {
            "tokens": len(set(f["query"])),
            "sentences": sum(f.where({"query": f["query"][0]})["position of key"] == 0),
            "listed": ", ".join(f"{p:.0f}" for p in f.where({"query": f["query"][0]})["position of key"]),
            "seen": int((f["may see"] != "no").sum()),
            "leaks": len(f.where({"may see": "no, but a causal mask lets it"})),
        },
        alt="{tokens} tokens of {sentences} sentences in one row, with positions {listed}. A causal mask "
        "lets each token see itself and all before it; {leaks} of these {seen} cells, in red, reach into "
        "another sentence.",
    )  # fmt: skip


def two_clocks(kept: Sequence[int], seen: int) -> Table:
    """How far each kept token lies behind the next one, by the true count and by the number kept."""
    names = ["behind, counted", "behind, by cache size"]
    return Table(
        Column("kept token", names), *(Column(f"${p}$", [seen - p, len(kept) - p], "${}$") for p in kept)
    )


def verdicts(results: Mapping[str, Mapping[str, str]]) -> Table:
    """Which class passes which check: `results` has a column for each class, an outcome for each check."""
    checks = list(next(iter(results.values())))
    columns = (
        Column(f"`{name}`" if name.isidentifier() else name, [of[c] for c in checks], mark_of, align="c")
        for name, of in results.items()
    )
    return Table(Column("check", checks, "`{}`"), *columns)


def mark_of(outcome: str) -> str:
    """An outcome as a sign, with the error that stands behind it."""
    return "✓" if outcome == PASSED else "✗" if outcome == SAID_NO else f"✗ {outcome}"


def ways_to_fail(outcomes: Mapping[str, str], cured: Mapping[str, str]) -> Table:
    """The table of the chapter; raises unless every test fails on the usual code and passes on the cure."""
    refuse_unproved(outcomes, cured)
    return Table(
        Column(
            "what one does, what breaks, and who met it", [f"{w.does}: {w.breaks} ({w.met})" for w in WAYS]
        ),
        Column("test, and what it says", [f"`{w.check}` {outcomes[w.check]}" for w in WAYS]),
        Column("what cures it", [way.cure for way in WAYS]),
    )
