"""Tables and figures of the chapter on order blindness."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from matplotlib.patches import FancyBboxPatch

from pe_book.evidence.why.exact import BANKS, THREE_WORDS, Exact, Vector, exact_attention, rows_of
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.why.chain import operation_counts
from pe_book.why.layers import power_of_two_layer
from pe_book.why.order_blindness import self_attention

COLOURS = (PALETTE.blue, PALETTE.orange, PALETTE.green)


def two_sentences(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """What attention computes for each word of two sentences, side by side."""
    pairs = [(order.split(), exact_attention(rows_of(order, vectors))) for order in (first, second)]
    (words_a, rows_a), (words_b, rows_b) = pairs
    return Table(
        header=("place", f"“{first}”", "output", f"“{second}”", "output"),
        rows=[
            (str(place), words_a[place], _vector(rows_a[place]), words_b[place], _vector(rows_b[place]))
            for place in range(len(words_a))
        ],
        align="rlrlr",
    )


def by_hand(order: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """Scores, weights and outputs of a short sentence, as one would write them on paper."""
    rows, words = rows_of(order, vectors), order.split()
    cells = []
    for word, row, output in zip(words, rows, exact_attention(rows), strict=True):
        scores = [sum(a * b for a, b in zip(row, key, strict=True)) for key in rows]
        powers = [2**score for score in scores]
        cells.append(
            (
                word,
                f"$({', '.join(map(str, row))})$",
                f"${', '.join(map(str, scores))}$",
                f"${', '.join(map(str, powers))}$",
                f"${sum(powers)}$",
                _vector(output),
            )
        )
    return Table(
        header=("word $i$", "$x_i$", r"scores $x_i \cdot x_j$", "powers of two", "sum", "output"),
        rows=cells,
        align="lccccc",
    )


def all_orders(orders: Sequence[str], vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """The outputs of several orders of the same words, and their mean."""
    cells = []
    for order in orders:
        outputs = exact_attention(rows_of(order, vectors))
        mean = tuple(sum(column, Fraction(0)) / len(outputs) for column in zip(*outputs, strict=True))
        cells.append((order, *map(_vector, outputs), _vector(mean)))
    places = range(len(orders[0].split()))
    return Table(
        header=("order", *(f"row {place}" for place in places), "mean"),
        rows=cells,
        align="l" + "c" * (len(places) + 1),
    )


def causal_layers(orders: Sequence[str], vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """What a causal layer returns for each place, and what the same layer makes of that for the last word."""
    layer = power_of_two_layer(len(next(iter(vectors.values()))))
    cells = []
    for order in orders:
        rows = rows_of(order, vectors)
        outputs = exact_attention(rows, causal=True)
        last = self_attention(self_attention(rows, *layer, causal=True), *layer, causal=True)[-1]
        cells.append((order, *map(_vector, outputs), f"$({', '.join(f'{number:.4f}' for number in last)})$"))
    places = range(len(orders[0].split()))
    return Table(
        header=("order", *(f"row {place}" for place in places), "last row, second layer"),
        rows=cells,
        align="l" + "c" * (len(places) + 1),
    )


def counts(lengths: Sequence[int], d_model: int) -> Table:
    """Steps and multiplications of a chain and of a product, for texts of several lengths."""
    cells = []
    for n in lengths:
        count = operation_counts(n, d_model)
        ratio = Fraction(count.product, count.chain)
        cells.append(
            (
                f"{n:,}",
                f"{count.chain_steps:,}",
                f"{count.product_steps:,}",
                _scientific(count.chain),
                _scientific(count.product),
                f"{float(ratio):.3g}",
            )
        )
    return Table(
        header=(
            "tokens $n$",
            "steps, chain",
            "steps, product",
            "chain $n d^2$",
            "product $n^2 d$",
            "ratio $n/d$",
        ),
        rows=cells,
        align="rrrrrr",
    )


def cards(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words before and after attention: the cards swap, the arrows cross."""
    fig, ax = canvas(3.7)
    ax.set(xlim=(0, 7.2), ylim=(0, 3.7), aspect="equal")
    ax.set_axis_off()
    words = first.split()
    colours = dict(zip(words, COLOURS, strict=True))
    data: list[tuple[Any, ...]] = []
    centre: dict[tuple[int, int, str], float] = {}
    for line, order in enumerate((first, second)):
        y = 2.85 - 2.25 * line
        inputs = rows_of(order, vectors)
        outputs = exact_attention(inputs)
        for place, word in enumerate(order.split()):
            data.append((order, place, word, *inputs[place], *map(float, outputs[place])))
            for block, vector in enumerate((inputs[place], outputs[place])):
                x = centre[line, block, word] = 0.58 + 1.06 * place + 3.92 * block
                for look in (
                    {"alpha": 0.16, "edgecolor": "none"},
                    {"fill": False, "edgecolor": colours[word]},
                ):
                    ax.add_patch(
                        _box(x - 0.49, y - 0.37, 0.98, 0.74, facecolor=colours[word], lw=1.6, **look)
                    )
                ax.text(x, y + 0.15, word, ha="center", va="center", fontsize=11.5, fontweight="bold")
                ax.text(x, y - 0.16, _said(vector), ha="center", va="center", fontsize=11)
        _arrow(ax, (3.29, y), (3.91, y), PALETTE.ink)
        ax.text(3.6, y + 0.13, "attention", ha="center", va="bottom", fontsize=10)
    for (line, block, word), x in centre.items():
        if line == 0:
            _arrow(ax, (x, 2.36), (centre[1, block, word], 1.09), colours[word])
    for x, title in ((1.64, "what goes in"), (5.56, "what comes out")):
        ax.text(x, 3.38, title, ha="center", va="bottom", fontsize=11)
    outputs = exact_attention(rows_of(first, vectors))
    said = ", ".join(f"{word} {_said(output)}" for word, output in zip(words, outputs, strict=True))
    return Figure.of(
        fig,
        alt=f"Cards for “{first}” above and “{second}” below, before attention on the left and after it on "
        "the right. Arrows join each card to the card of the same word below; they cross in the same way on "
        "both sides. "
        f"In both orders the outputs are {said}.",
        columns=("order", "place", "word", "in 1", "in 2", "out 1", "out 2"),
        rows=data,
    )


def two_contexts(
    word: str,
    others: Sequence[str],
    vectors: Mapping[str, Vector] = BANKS,
    axes: Sequence[str] = ("finance", "water"),
) -> Figure:
    """A word's vector as it is looked up, and what attention makes of it beside two different words."""
    fig, ax = canvas(3.4)
    after = {
        other: [float(x) for x in exact_attention([vectors[other], vectors[word]])[-1]] for other in others
    }
    dots: list[tuple[str, Sequence[float], str, str]] = [
        (f"{word}, looked up", vectors[word], "o", PALETTE.ink)
    ]
    for other, colour in zip(others, (PALETTE.blue, PALETTE.orange), strict=True):
        _arrow(ax, vectors[word], after[other], colour, shrink=6)
        dots.append((other, vectors[other], "o", colour))
        dots.append((f"{word} in “{other} {word}”", after[other], "s", colour))
    for name, vector, marker, colour in dots:
        ax.plot(*vector, marker, color=colour, markersize=8)
        ax.annotate(name, vector, xytext=(11, 1), textcoords="offset points", fontsize=11, va="center")
    reach = max(map(max, vectors.values()))
    ax.set(xlim=(-0.15, reach + 1.4), ylim=(-0.25, reach + 0.3), xlabel=axes[0], ylabel=axes[1])
    ax.set(xticks=range(reach + 1), yticks=range(reach + 1))
    said = "; ".join(f"beside {other} it moves to {_said(vector)}" for other, vector in after.items())
    return Figure.of(
        fig,
        alt=f"The vector of {word} in a plane. Looked up it is always {_said(vectors[word])}; {said}.",
        columns=("vector", *axes),
        rows=[(name, *vector) for name, vector, _, _ in dots],
    )


def chain_and_product(n_tokens: int) -> Figure:
    """Left: states that wait for one another. Right: the scores of all pairs, none waiting."""
    fig, (left, right) = canvas(2.5, columns=2, width_ratios=(1.5, 1))
    count = operation_counts(n_tokens, 1)
    left.set(xlim=(-0.6, n_tokens - 0.4), ylim=(-1.35, 1.05), title=f"chain: {count.chain_steps} steps")
    right.set(xlim=(-1.2, n_tokens - 0.5), ylim=(n_tokens + 0.3, -0.5))
    right.set_title(f"product: {count.product_steps} step")
    for ax in (left, right):
        ax.set(aspect="equal")
        ax.set_axis_off()
    for place in range(n_tokens):
        left.add_patch(
            _box(place - 0.3, -0.3, 0.6, 0.6, facecolor=PALETTE.blue, edgecolor="none", alpha=0.75)
        )
        left.text(place, 0.42, f"step {place + 1}", ha="center", va="bottom", fontsize=9)
        left.text(place, -1.02, f"word {place}", ha="center", va="top", fontsize=9)
        _arrow(left, (place, -0.97), (place, -0.36), PALETTE.muted)
        if place:
            _arrow(left, (place - 0.68, 0), (place - 0.32, 0), PALETTE.ink)
        right.text(-0.7, place, str(place), ha="right", va="center", fontsize=10)
        right.text(place, n_tokens - 0.4, str(place), ha="center", va="top", fontsize=10)
        for other in range(n_tokens):
            look = {"facecolor": PALETTE.orange, "edgecolor": "none", "alpha": 0.75}
            right.add_patch(_box(other - 0.44, place - 0.44, 0.88, 0.88, **look))
    return Figure.of(
        fig,
        alt=f"Left: a chain of {n_tokens} boxes, one for each word, joined by {n_tokens - 1} arrows and "
        f"numbered step 1 to step {n_tokens}. Right: a square of {count.scores} equal cells, one for "
        "each pair of words, filled in one step.",
        columns=("design", "tokens", "steps that wait", "states or scores"),
        rows=[
            ("chain", n_tokens, count.chain_steps, n_tokens),
            ("product", n_tokens, count.product_steps, count.scores),
        ],
    )


def _box(x: float, y: float, width: float, height: float, **look: Any) -> FancyBboxPatch:
    return FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.07", **look)


def _arrow(ax: Any, tail: Sequence[float], head: Sequence[float], colour: str, *, shrink: float = 1) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "lw": 1.7, "shrinkA": shrink, "shrinkB": shrink}
    ax.annotate("", head, tail, arrowprops=look)


def _said(vector: Sequence[Any]) -> str:
    return "(" + ", ".join(str(x) if isinstance(x, Fraction) else f"{x:g}" for x in vector) + ")"


def _vector(row: Exact) -> str:
    cells = [str(x) if x.denominator == 1 else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}" for x in row]
    return "$(" + r",\; ".join(cells) + ")$"


def _scientific(count: int) -> str:
    digits, exponent = f"{count:.2e}".split("e")
    return rf"${digits} \cdot 10^{{{int(exponent)}}}$" if count >= 10**6 else f"{count:,}"
