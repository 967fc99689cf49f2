"""Figures and tables of the chapter on relative position."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pe_book.family.offsets import whole_offsets
from pe_book.family.relative.deberta import deberta_offsets, deberta_scores
from pe_book.show.drawing.diagram import Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat, Line
from pe_book.show.drawing.table import Column, Table

COLOURS = ("muted", "red", "orange", "ink", "green", "blue", "purple")  # of the offsets, least first


def diagonals(words: int = 4) -> Figure:
    """The offset of every pair, a colour for each diagonal, and the offsets that there are."""
    offsets = whole_offsets(range(words), range(words))
    rows: list[tuple[Any, ...]] = [
        ("pair", i, j, int(offsets[i, j]), None) for i in range(words) for j in range(words)
    ]
    different = np.unique(offsets)
    rows += [("entry", None, None, int(offset), 0) for offset in different]
    frame = Frame.of_rows(("kind", "query", "key", "offset", "strip"), rows, words=words)

    def boxes(kind: str, x: str, y: str) -> list[Boxes]:
        return [
            Boxes("{offset}", x, y, (0.9, 0.86), {"kind": kind, "offset": int(offset)}, colour, bold=True)
            for offset, colour in zip(different, COLOURS, strict=True)
        ]

    return Figure(
        frame,
        Panel(
            *boxes("pair", "key", "query"), title="every pair", xticks="key", yticks="query", down=True,
            width=240, height=240, equal=True,
        ),
        Panel(
            *boxes("entry", "offset", "strip"), title="every entry once", bare=True, width=300, height=80,
            ylim=(-0.6, 0.6),
        ),
        facts=lambda f: {
            "pairs": f.columns["kind"].count("pair"),
            "entries": f.columns["kind"].count("entry"),
            "first": ", ".join(f"{x:.0f}" for x in f.where({"kind": "pair", "query": 0})["offset"]),
            "last": ", ".join(f"{x:.0f}" for x in f.where({"kind": "pair", "query": words - 1})["offset"]),
        },
        alt="A table of {words} queries by {words} keys with the offset in each cell: the first row is "
        "{first}, the last {last}. Each diagonal has one colour. Beside it the offsets once each: {pairs} "
        "pairs, {entries} entries.",
    )  # fmt: skip


def held(head_dim: int, clip: int, most: int = 4096) -> Figure:
    """How many numbers each way to have the vectors holds, over the length of the text."""
    lengths = 2 ** np.arange(4, int(np.log2(most)) + 1)
    counts = {
        "vectors of pairs": lengths**2 * head_dim,
        "scores of pairs": lengths**2,
        "vectors of offsets": np.full(len(lengths), (2 * clip + 1) * head_dim),
    }
    rows = [
        (way, int(n), int(count))
        for way, numbers in counts.items()
        for n, count in zip(lengths, numbers, strict=True)
    ]
    return Figure(
        Frame.of_rows(("way", "words", "numbers"), rows, head_dim=head_dim, clip=clip),
        Panel(
            *(
                Line("words", "numbers", {"way": way}, way, colour)
                for way, colour in zip(counts, ("red", "ink", "blue"), strict=True)
            ),
            log="xy", height=240,
        ),
        facts=lambda f: {
            "longest": f["words"].max(),
            **{way.replace(" ", "_"): f.where({"way": way})["numbers"].max() for way in counts},
        },
        alt="Numbers held for one head of width {head_dim} over the words of a text, clip {clip}. At "
        "{longest} words vectors of pairs take {vectors_of_pairs:,.0f}, scores of pairs "
        "{scores_of_pairs:,.0f}, and the vectors of offsets {vectors_of_offsets:,.0f}, as at every length.",
    )  # fmt: skip


def terms(
    q: Sequence[float], k: Sequence[float], as_keys: Sequence[float], as_queries: Sequence[float]
) -> Figure:
    """The terms of DeBERTa and their sum, a cell for each pair of words whose rows are one number each."""
    span, n = len(as_keys) // 2, len(q)
    there = deberta_offsets(range(n), range(n), span=span)
    found = {
        "content to content": np.outer(q, k),
        "content to position": np.array(q)[:, None] * np.array(as_keys)[there],
        "position to content": np.array(k) * np.array(as_queries)[there.T],
    }
    found["sum"] = np.sum(list(found.values()), axis=0)
    rows = [
        (term, i, j, float(table[i, j])) for term, table in found.items() for i in range(n) for j in range(n)
    ]

    def facts(f: Frame) -> dict[str, Any]:
        of = {term.replace(" ", "_"): f.where({"term": term}) for term in found}
        last = {
            f"last_{name}": one.where({"query": n - 1, "key": 0})["product"][0] for name, one in of.items()
        }
        return {**last, "most": of["sum"]["product"].max()}

    return Figure(
        Frame.of_rows(("term", "query", "key", "product"), rows, words=n),
        *(
            Panel(
                Heat("key", "query", "product", {"term": term}, signed=False, text="{product:.0f}"),
                title=term, xticks=list(range(n)), yticks=list(range(n)), width=156, height=176,
            )
            for term in found
        ),
        facts=facts,
        alt="Tables of {words} queries by {words} keys, one for each term of DeBERTa and one for the sum. "
        "The last query and the first key have {last_content_to_content:.0f} from content to content, "
        "{last_content_to_position:.0f} from content to position, {last_position_to_content:.0f} from "
        "position to content and {last_sum:.0f} in the sum; the largest sum is {most:.0f}.",
    )  # fmt: skip


def three_terms(
    q: Sequence[float], k: Sequence[float], as_keys: Sequence[float], as_queries: Sequence[float]
) -> Table:
    """The terms of DeBERTa for each pair of words whose queries and keys are one number each."""
    span, n = len(as_keys) // 2, len(q)
    there = deberta_offsets(range(n), range(n), span=span)
    rows, partners, keys, queries = (
        np.array(x, dtype=float)[:, np.newaxis] for x in (q, k, as_keys, as_queries)
    )
    wholes = deberta_scores(rows, partners, keys, queries, range(n), range(n), convention="paper") * np.sqrt(
        3
    )
    pairs = [(i, j) for i in range(n) for j in range(n)]
    return Table(
        Column("query, key", [f"{i}, {j}" for i, j in pairs]),
        Column("sum", [float(wholes[pair]) for pair in pairs], "{:.0f}"),
        Column("$q_i k_j$", [q[i] * k[j] for i, j in pairs]),
        Column("δ(i, j)", [int(there[i, j]) for i, j in pairs]),
        Column("$q_i K^r$", [q[i] * as_keys[there[i, j]] for i, j in pairs]),
        Column("δ(j, i)", [int(there[j, i]) for i, j in pairs]),
        Column("$k_j Q^r$", [k[j] * as_queries[there[j, i]] for i, j in pairs]),
    )
