"""Words as cards by another path: attention in a loop over words, changes counted word by word."""

from itertools import permutations
from math import cos, sin

ALONE, PLACED = "Attention alone", "Attention, each word told its position"


def attended(order, vectors, *, places=False, causal=False, layers=1):
    """Rows of two numbers, each a mean of rows weighed by two to the power of their dot product."""
    rows = [vectors[word] for word in order.split()]
    if places:
        rows = [(x + sin(p), y + cos(p)) for p, (x, y) in enumerate(rows)]
    for _ in range(layers):
        after = []
        for i, (x, y) in enumerate(rows):
            seen = rows[: i + 1] if causal else rows
            weights = [2 ** (x * a + y * b) for a, b in seen]
            after.append(
                [sum(w * row[c] for w, row in zip(weights, seen, strict=True)) / sum(weights) for c in (0, 1)]
            )
        rows = after
    return rows


def told(vectors, orders, panels, layers, *, masked=False):
    """The entry of a figure of cards: `panels` and `layers` say how attention is computed, by their names."""

    def numbers(panel, order):
        return attended(order, vectors, **panels[panel])

    def listed(panel):
        return "; ".join(
            ", ".join(
                f"{word} ({a:.2f}, {b:.2f})"
                for word, (a, b) in zip(order.split(), numbers(panel, order), strict=True)
            )
            for order in orders
        )

    def changed(panel):
        first, second = (dict(zip(order.split(), numbers(panel, order), strict=True)) for order in orders)
        return sum(abs(first[word][c] - second[word][c]) > 1e-6 for word in vectors for c in (0, 1))

    def every(depth, causal, places):
        found = {}
        for order in map(" ".join, permutations(orders[0].split())):
            rows = attended(order, vectors, places=places, causal=causal, layers=depth)
            found[order] = [[round(x, 6) for x in row] for row in rows]
        return found

    states = {"": (False, False), "mask": (True, False), "place": (False, True), "both": (True, True)}
    given = {
        name: {state: every(depth, *how) for state, how in states.items()} for name, depth in layers.items()
    }
    facts = (
        {"numbers": 2 * len(vectors), "changed, alone": changed(ALONE), "changed, placed": changed(PLACED)}
        if ALONE in panels
        else {}
    )
    return {
        "given": {"words": orders[0].split(), "masked": masked, "layers": given},
        "panel": list(panels),
        "order": orders,
        "place": lambda row, p: row["order"].split().index(row["word"]),
        "word": list(vectors),
        "first number": lambda row, p: numbers(row["panel"], row["order"])[row["place"]][0],
        "second number": lambda row, p: numbers(row["panel"], row["order"])[row["place"]][1],
        "card": lambda row, p: f"{row['word']} in {row['order']}",
        "same word": lambda row, p: f"{row['word']} in {orders[1]}" if row["order"] == orders[0] else None,
        "facts": {panel: listed(panel) for panel in panels} | facts,
    }


def alone_and_placed(vectors, orders):
    """The entry of a figure that tells the words no position, and then their positions."""
    return told(vectors, orders, {ALONE: {}, PLACED: {"places": True}}, {"What attention returns": 1})
