"""Tables and figures of the chapter on order blindness."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pe_book.evidence.why.exact import (
    BANKS,
    THREE_WORDS,
    Exact,
    Vector,
    exact_attention,
    powers_of_two,
    rows_of,
)
from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Points
from pe_book.show.drawing.table import Column, Table
from pe_book.show.drawing.texts import scientific
from pe_book.show.why.cards import shuffled
from pe_book.why.chain import operation_counts
from pe_book.why.layers import power_of_two_layer
from pe_book.why.order_blindness import self_attention


def two_sentences(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """What attention computes for each word of two sentences, side by side."""
    outputs = [map(_vector, exact_attention(rows_of(order, vectors))) for order in (first, second)]
    return Table(
        Column("place", range(len(first.split()))),
        Column(f"“{first}”", first.split()), Column("output", outputs[0]),
        Column(f"“{second}”", second.split()), Column("its output", outputs[1]),
    )  # fmt: skip


def by_hand(order: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """Scores, weights and outputs of a short sentence, as one would write them on paper."""
    rows, powers = rows_of(order, vectors), powers_of_two(rows_of(order, vectors))
    scores = [[sum(a * b for a, b in zip(row, key, strict=True)) for key in rows] for row in rows]
    return Table(
        Column("word $i$", order.split()),
        Column("$x_i$", map(_vector, rows)),
        Column(r"scores $x_i \cdot x_j$", [f"${', '.join(map(str, line))}$" for line in scores], align="c"),
        Column("powers of two", [f"${', '.join(map(str, line))}$" for line in powers], align="c"),
        Column("sum", [int(sum(line)) for line in powers]),
        Column("output", map(_vector, exact_attention(rows))),
    )


def all_orders(orders: Sequence[str], vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """The outputs of several orders of the same words, and their mean."""
    outputs = [exact_attention(rows_of(order, vectors)) for order in orders]
    means = [[sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)] for rows in outputs]
    return Table(Column("order", orders), *_by_place(outputs), Column("mean", map(_vector, means)))


def causal_layers(orders: Sequence[str], vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """What a causal layer returns for each place, and what the same layer makes of that for the last word."""
    layer = power_of_two_layer(len(next(iter(vectors.values()))))
    given = [rows_of(order, vectors) for order in orders]
    twice = [self_attention(self_attention(rows, *layer, causal=True), *layer, causal=True) for rows in given]
    last = ["$(" + ", ".join(f"{number:.4f}" for number in rows[-1]) + ")$" for rows in twice]
    once = [exact_attention(rows, causal=True) for rows in given]
    return Table(Column("order", orders), *_by_place(once), Column("last row, second layer", last))


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


def cards(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words before and after attention: the cards swap, the arrows cross."""

    def given(order: str) -> list[tuple[str]]:
        return [(", ".join(map(str, row)),) for row in rows_of(order, vectors)]

    def outputs(order: str) -> list[tuple[str]]:
        return [(", ".join(map(str, row)),) for row in exact_attention(rows_of(order, vectors))]

    panels = {"What goes in": given, "What comes out": outputs}
    return shuffled(first, second, panels, ("vector",), "{vector}")


def two_contexts(
    word: str, others: Sequence[str], vectors: Mapping[str, Vector] = BANKS,
    axes: Sequence[str] = ("finance", "water"),
) -> Figure:  # fmt: skip
    """A word's vector as it is looked up, and what attention makes of it beside two different words."""
    start = f"{word}, looked up"
    rows: list[tuple[Any, ...]] = [(start, *vectors[word], None, None)]
    for other in others:
        output = map(float, exact_attention([vectors[other], vectors[word]])[-1])
        rows += [
            (other, *vectors[other], other, None),
            (f"{word} in “{other} {word}”", *output, other, start),
        ]
    x, y = axes
    marks: list[Any] = [Points(x, y, {"vector": start}, text="{vector}", colour="ink", size=7)]
    for other, colour in zip(others, ("blue", "orange"), strict=True):
        beside = {"beside": other}
        marks.append(Points(x, y, beside, text="{vector}", colour=colour, size=7))
        marks.append(Arrows("moved from", "vector", "vector", x, y, (0.16, 0.16), beside, colour))

    reach = max(map(max, vectors.values()))
    ticks, limits = range(reach + 1), ((-0.15, reach + 1.45), (-0.25, reach + 0.25))
    return Figure(
        Frame.of_rows(("vector", *axes, "beside", "moved from"), rows, word=word),
        Panel(*marks, xticks=ticks, yticks=ticks, xlim=limits[0], ylim=limits[1], height=250),
        facts=lambda f: {"points": "; ".join(f"{r['vector']} at ({r[x]:g}, {r[y]:g})" for r in f.rows())},
        alt="Vectors in a plane: {points}. Arrows lead from {word} as it is looked up to {word} beside its "
        "neighbours.",
    )  # fmt: skip


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


def _by_place(outputs: Sequence[Sequence[Exact]]) -> Iterable[Column]:
    """One column for each place of a sentence, with the vectors that stand there."""
    for place, vectors in enumerate(zip(*outputs, strict=True)):
        yield Column(f"row {place}", map(_vector, vectors), align="c")


def _vector(vector: Sequence[Any]) -> str:
    cells = [str(x) if x.denominator == 1 else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}" for x in vector]
    return "$(" + r",\; ".join(cells) + ")$"


def _short(number: int) -> str:
    return f"${scientific(number, 2)}$" if number >= 10**6 else f"{number:,}"
