"""The figure and the table of the page on recurrence and attention."""

from collections.abc import Sequence
from typing import Any

from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.table import Column, Table
from pe_book.show.drawing.texts import scientific
from pe_book.why.chain import operation_counts


def counts(lengths: Sequence[int], d_model: int) -> Table:
    """Steps and multiplications of a chain and of a product, for texts of several lengths."""
    found = [operation_counts(n, d_model) for n in lengths]
    return Table(
        Column("tokens $n$", lengths),
        Column("ratio $n/d$", [count.product / count.chain for count in found], "{:.3g}"),
        Column("steps, chain", [count.chain_steps for count in found]),
        Column("steps, product", [count.product_steps for count in found]),
        Column("chain $n d^2$", [count.chain for count in found], _short),
        Column("product $n^2 d$", [count.product for count in found], _short),
    )


def chain_and_product(n_tokens: int) -> Figure:
    """States that wait for one another, and the scores of all pairs, none of which waits."""
    places = range(n_tokens)
    states: list[Any] = [
        ("chain", i, None, i + 1, f"state {i}", f"state {i - 1}" if i else None) for i in places
    ]
    scores = [("product", i, j, 1, None, None) for i in places for j in places]
    header = ("design", "word", "other word", "step", "state", "waits for")
    chain, product, box = {"design": "chain"}, {"design": "product"}, (0.7, 0.7)
    return Figure(
        Frame.of_rows(header, states + scores, words=n_tokens),
        Panel(
            Boxes("{step}", "word", "design", box, chain),
            Arrows("waits for", "state", "state", "word", "design", box, chain),
            title="a chain takes {chain} steps", x="word", y="", xticks="word", yticks=(),
            ylim=(0.6, -0.45), width=296, height=126,
        ),
        Panel(
            Boxes("{step}", "word", "other word", (0.88, 0.88), product, "orange"),
            title="a product takes {product} step", x="word of the key", y="word of the query",
            xticks="word", yticks="word", equal=True, down=True, width=296, height=250,
        ),
        facts=lambda f: {
            "chain": int(f.where(chain)["step"].max()), "product": int(f.where(product)["step"].max()),
            "scores": len(f.where(product)),
        },
        alt="A chain of boxes joined by arrows, one for each of {words} words, numbered up to {chain}; and a "
        "square of {scores} cells, one for each pair of words, all with the number {product}.",
    )  # fmt: skip


def _short(number: int) -> str:
    return f"${scientific(number, 2)}$" if number >= 10**6 else f"{number:,}"
