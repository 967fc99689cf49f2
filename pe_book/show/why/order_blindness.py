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
from pe_book.show.diagram import Arrows, Boxes, Words
from pe_book.show.figure import Figure
from pe_book.show.frame import Frame
from pe_book.show.panel import Panel
from pe_book.show.plots import Points
from pe_book.show.table import Column, Table
from pe_book.show.texts import scientific
from pe_book.show.why.cards import crossing, names
from pe_book.why.chain import operation_counts
from pe_book.why.order_blindness import power_of_two_layer, self_attention


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
        Column("steps, chain", [count.chain_steps for count in found]),
        Column("steps, product", [count.product_steps for count in found]),
        Column("chain $n d^2$", [count.chain for count in found], _short),
        Column("product $n^2 d$", [count.product for count in found], _short),
        Column("ratio $n/d$", [count.product / count.chain for count in found], "{:.3g}"),
    )


def cards(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words before and after attention: the cards swap, the arrows cross."""
    panels = {"what goes in": list, "what comes out": exact_attention}
    rows = [
        (panel, order, place, word, _plain(vector), *names(word, order, first, second))
        for panel, layer in panels.items()
        for order in (first, second)
        for place, (word, vector) in enumerate(
            zip(order.split(), layer(rows_of(order, vectors)), strict=True)
        )
    ]
    header = ("panel", "order", "place", "word", "vector", "card", "same word")
    frame = Frame.of_rows(header, rows, first=first, second=second, words=len(vectors))

    def facts(frame: Frame) -> dict[str, Any]:
        one, other = (
            {
                row["word"]: row["vector"]
                for row in frame.where({"panel": "what comes out", "order": order}).rows()
            }
            for order in (first, second)
        )
        listed = ", ".join(f"{word} {vector}" for word, vector in one.items())
        return {"outputs": listed, "kept": sum(one[word] == other[word] for word in one)}

    return Figure(
        frame, *(crossing(panel, vectors, "{word}\n{vector}") for panel in panels), facts=facts,
        alt="Cards of {words} words in the orders {first} and {second}, once with what goes into attention, "
        "once with what comes out. Arrows join the cards of one word; they cross in the same way both times. "
        "The outputs are {outputs}, and {kept} of {words} words have the same in both orders.",
    )  # fmt: skip


def two_contexts(
    word: str, others: Sequence[str], vectors: Mapping[str, Vector] = BANKS,
    axes: Sequence[str] = ("finance", "water"),
) -> Figure:  # fmt: skip
    """A word's vector as it is looked up, and what attention makes of it beside two different words."""
    looked_up = f"{word}, looked up"
    rows: list[tuple[Any, ...]] = [(looked_up, *vectors[word], None, None)]
    for other in others:
        beside = exact_attention([vectors[other], vectors[word]])[-1]
        rows += [(other, *vectors[other], other, None)]
        rows += [(f"{word} in “{other} {word}”", *map(float, beside), other, looked_up)]
    frame = Frame.of_rows(("vector", *axes, "beside", "moved from"), rows, word=word)
    marks: list[Any] = [Points(*axes, where={"vector": looked_up}, text="{vector}", colour="ink", size=7)]
    for other, colour in zip(others, ("blue", "orange"), strict=True):
        rows_of_other = {"beside": other}
        marks += [Points(*axes, where=rows_of_other, text="{vector}", colour=colour, size=7)]
        marks += [
            Arrows(
                "moved from", "vector", "vector", *axes, size=(0.16, 0.16), where=rows_of_other, colour=colour
            )
        ]

    def facts(frame: Frame) -> dict[str, Any]:
        points = {row["vector"]: f"({row[axes[0]]:g}, {row[axes[1]]:g})" for row in frame.rows()}
        moved = frame.where("moved from").rows()
        ends = "; ".join(f"beside {row['beside']} it moves to {points[row['vector']]}" for row in moved)
        return {"start": points[looked_up], "ends": ends}

    reach = max(map(max, vectors.values()))
    return Figure(
        frame, Panel(*marks, xticks=range(reach + 1), yticks=range(reach + 1), xlim=(-0.15, reach + 1.15),
                     ylim=(-0.25, reach + 0.25), height=250), facts=facts,
        alt="The vector of {word} in a plane. Looked up it is always {start}; {ends}.",
    )  # fmt: skip


def chain_and_product(n_tokens: int) -> Figure:
    """States that wait for one another, and the scores of all pairs, none of which waits."""
    places = range(n_tokens)
    states = [("chain", i, None, i + 1, f"state {i}", f"state {i - 1}" if i else None) for i in places]
    scores = [("product", i, j, 1, None, None) for i in places for j in places]
    header = ("design", "word", "other word", "step", "state", "waits for")
    frame = Frame.of_rows(header, states + scores, words=n_tokens)

    def facts(frame: Frame) -> dict[str, Any]:
        chain, product = (frame.where({"design": design}) for design in ("chain", "product"))
        steps = {"chain_steps": int(chain["step"].max()), "product_steps": int(product["step"].max())}
        return steps | {"arrows": len(chain.where("waits for")), "scores": len(product)}

    one = {"design": "chain"}
    return Figure(
        frame,
        Panel(Boxes("{step}", "word", "design", (0.7, 0.7), one),
              Words("word {word}", "word", "design", one, (0, 0.75)),
              Arrows("waits for", "state", "state", "word", "design", (0.7, 0.7), one),
              title="a chain takes {chain_steps} steps", bare=True, height=110),
        Panel(Boxes("{step}", "word", "other word", (0.88, 0.88), {"design": "product"}, "orange"),
              title="a product takes {product_steps} step", x="word of the key", y="word of the query",
              xticks="word", yticks="word", equal=True, down=True, height=250),
        facts=facts,
        alt="A chain of boxes, one for each of {words} words, numbered up to {chain_steps} and joined by "
        "{arrows} arrows; and a square of {scores} cells, one for each pair of words, all with the number "
        "{product_steps}.",
    )  # fmt: skip


def _by_place(outputs: Sequence[Sequence[Exact]]) -> Iterable[Column]:
    """One column for each place of a sentence, with the vectors that stand there."""
    for place, vectors in enumerate(zip(*outputs, strict=True)):
        yield Column(f"row {place}", map(_vector, vectors), align="c")


def _plain(vector: Sequence[Any]) -> str:
    return f"({', '.join(map(str, vector))})"


def _vector(vector: Sequence[Any]) -> str:
    cells = [str(x) if x.denominator == 1 else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}" for x in vector]
    return "$(" + r",\; ".join(cells) + ")$"


def _short(number: int) -> str:
    return f"${scientific(number, 2)}$" if number >= 10**6 else f"{number:,}"
