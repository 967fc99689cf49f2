"""Words as cards in two orders, joined word by word: what a shuffle does and what it leaves."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from pe_book.evidence.index import outputs
from pe_book.evidence.why.exact import THREE_WORDS, Vector
from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Facts, Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel

SIZE = (0.82, 0.56)
COLOURS = ("blue", "orange", "green")
NUMBERS = ("first number", "second number")
ALONE, PLACED = "Attention alone", "Attention, each word told its position"


def alone_and_placed(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words with what attention returns for each: without positions, and with them."""
    titles = {
        ALONE: "Attention alone. When words are shuffled, {changed, alone} of {numbers} numbers change",
        PLACED: "Each word told its position. When shuffled, {changed, placed} of {numbers} numbers change",
    }
    ways: dict[str, dict[str, Any]] = {ALONE: {}, PLACED: {"places": True}}
    layers = {"What attention returns": 1}
    return _movable(first, second, vectors, ways, layers, titles=titles, facts=changes)


def masked(first: str, second: str) -> Figure:
    """Two orders of the same words with what a causal layer returns for each, once and twice."""
    layers = {"After one layer": 1, "After two layers": 2}
    ways = {name: {"causal": True, "layers": depth} for name, depth in layers.items()}
    return _movable(first, second, THREE_WORDS, ways, layers, causal=True)


def changes(frame: Frame) -> dict[str, int]:
    """How many numbers the words have in a panel, and how many of them the other order changes."""

    def numbers(panel: str, order: str) -> dict[tuple[Any, str], Any]:
        rows = frame.where({"panel": panel, "order": order}).rows()
        return {(row["word"], name): row[name] for row in rows for name in NUMBERS}

    def changed(panel: str) -> int:
        one, other = (numbers(panel, frame.settings[order]) for order in ("first", "second"))
        return sum(one[place] != other[place] for place in one)

    count = len(numbers(ALONE, frame.settings["first"]))
    return {"numbers": count, "changed, alone": changed(ALONE), "changed, placed": changed(PLACED)}


def _movable(
    first: str, second: str, vectors: Mapping[str, Vector], ways: Mapping[str, Mapping[str, Any]],
    layers: Mapping[str, int], *, causal: bool = False, titles: Mapping[str, str] | None = None,
    facts: Facts | None = None,
) -> Figure:  # fmt: skip
    """Cards in two orders, a panel for each way of attention, that a reader puts in any order.

    With script a reader chooses a mask or none, and whether words are told their positions. `titles` are
    templates over `facts`, above the panels instead of their names.
    """

    def numbers(order: str, how: Mapping[str, Any]) -> list[list[float]]:
        found: list[list[float]] = outputs(order, vectors, **how).round(6).tolist()
        return found

    moved = {first: second}
    rows = [
        (title, order, place, word, *cells, f"{word} in {order}",
         f"{word} in {moved[order]}" if order in moved else None)
        for title, how in ways.items()
        for order in (first, second)
        for place, (word, cells) in enumerate(zip(order.split(), numbers(order, how), strict=True))
    ]  # fmt: skip
    text = "{first number:.2f}, {second number:.2f}"

    def told(frame: Frame) -> dict[str, Any]:
        def listed(title: str, order: str) -> str:
            cards = frame.where({"panel": title, "order": order}).rows()
            return ", ".join(f"{row['word']} ({text.format_map(row)})" for row in cards)

        said = {title: "; ".join(listed(title, order) for order in (first, second)) for title in ways}
        return said | dict(facts(frame) if facts else {})

    def given(frame: Frame) -> dict[str, Any]:
        """The numbers of each layer in every state: mask, positions, order."""
        words = frame.settings["first"].split()
        orders = [" ".join(order) for order in permutations(words)]
        states = {"": (False, False), "mask": (True, False), "place": (False, True), "both": (True, True)}

        def in_state(depth: int, mask: bool, place: bool) -> dict[str, Any]:
            how = {"causal": mask, "places": place, "layers": depth}
            return {order: numbers(order, how) for order in orders}

        every = {
            name: {state: in_state(depth, *how) for state, how in states.items()}
            for name, depth in layers.items()
        }
        return {"words": words, "masked": causal, "layers": every}

    def panel(title: str) -> Panel:
        marks: list[Any] = []
        for word, colour in zip(first.split(), COLOURS, strict=True):
            where = {"panel": title, "word": word}
            marks += [Boxes("{word}\n" + text, "place", "order", SIZE, where, colour, bold=True)]
            marks += [Arrows("card", "same word", "card", "place", "order", SIZE, where, colour)]
        written = titles[title] if titles else title
        return Panel(*marks, title=written, bare=True, width=296, height=206 if titles else 190)

    header = ("panel", "order", "place", "word", *NUMBERS, "card", "same word")
    return Figure(
        Frame.of_rows(header, rows, first=first, second=second), *map(panel, ways), facts=told,
        explorer="pe-order", given=given,
        alt="Cards for the words of {first} and of {second}; arrows join the cards of one word, and cross. "
        + " ".join(f"{title}: {{{title}}}." for title in ways),
    )  # fmt: skip
