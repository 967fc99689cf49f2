"""Words as cards by another path: what attention gives each order, and changes counted word by word."""

from itertools import permutations

from pe_book.evidence.index import outputs

ALONE, PLACED = "Attention alone", "Attention, each word told its position"
STATES = {
    "": {}, "mask": {"causal": True}, "place": {"places": True}, "both": {"causal": True, "places": True},
}  # fmt: skip


def told(vectors, orders, panels, layers, *, masked=False):
    """The entry of a figure of cards: `panels` and `layers` say how attention is computed, by their names."""

    def numbers(panel, order):
        return dict(zip(order.split(), outputs(order, vectors, **panels[panel]).tolist(), strict=True))

    def listed(panel):
        return "; ".join(
            ", ".join(f"{word} ({a:.2f}, {b:.2f})" for word, (a, b) in numbers(panel, order).items())
            for order in orders
        )

    def changed(panel):
        first, second = (numbers(panel, order) for order in orders)
        return sum(abs(first[word][c] - second[word][c]) > 1e-6 for word in vectors for c in (0, 1))

    every = [" ".join(order) for order in permutations(orders[0].split())]
    given = {
        name: {
            state: {order: outputs(order, vectors, layers=depth, **how).round(6).tolist() for order in every}
            for state, how in STATES.items()
        }
        for name, depth in layers.items()
    }
    facts = {"changed, alone": ALONE, "changed, placed": PLACED} if ALONE in panels else {}
    return {
        "given": {"words": orders[0].split(), "masked": masked, "layers": given},
        "panel": list(panels),
        "order": orders,
        "place": lambda row, p: row["order"].split().index(row["word"]),
        "word": list(vectors),
        "first number": lambda row, p: numbers(row["panel"], row["order"])[row["word"]][0],
        "second number": lambda row, p: numbers(row["panel"], row["order"])[row["word"]][1],
        "card": lambda row, p: f"{row['word']} in {row['order']}",
        "same word": lambda row, p: f"{row['word']} in {orders[1]}" if row["order"] == orders[0] else None,
        "facts": {panel: listed(panel) for panel in panels}
        | {name: changed(panel) for name, panel in facts.items()}
        | {"numbers": 2 * len(vectors)},
    }


def alone_and_placed(vectors, orders):
    """The entry of a figure that tells the words no position, and then their positions."""
    return told(vectors, orders, {ALONE: {}, PLACED: {"places": True}}, {"What attention returns": 1})
