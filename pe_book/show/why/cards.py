"""Words as cards in two orders, joined word by word: what a shuffle does and what it leaves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
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


def shuffled(
    first: str, second: str, panels: Mapping[str, Callable[[str], Iterable[Sequence[Any]]]],
    columns: Sequence[str], text: str, *, titles: Mapping[str, str] | None = None, facts: Facts | None = None,
    explorer: str = "", given: Facts | None = None,
) -> Figure:  # fmt: skip
    """Two orders of the same words as cards, in each panel with what it computes for the words.

    Parameters
    ----------
    first, second : str
        The words, separated by spaces.
    panels : mapping of str to callable
        The title of a panel, and what gives the cells of each word of an order.
    columns : sequence of str
        The names of these cells.
    text : str
        Template over these names, written below each word.
    titles : mapping of str to str, optional
        Templates over the facts, above the panels instead of their names.
    facts : callable, optional
        What the titles name, computed from the frame.
    explorer, given
        As for :class:`~pe_book.show.drawing.figure.Figure`.
    """
    rows = [
        (
            panel,
            order,
            place,
            word,
            *cells,
            f"{word} in {order}",
            f"{word} in {second}" if order == first else None,
        )
        for panel, compute in panels.items()
        for order in (first, second)
        for place, (word, cells) in enumerate(zip(order.split(), compute(order), strict=True))
    ]
    header = ("panel", "order", "place", "word", *columns, "card", "same word")

    def told(frame: Frame) -> dict[str, Any]:
        return {
            panel: "; ".join(
                ", ".join(
                    f"{row['word']} ({text.format_map(row)})"
                    for row in frame.where({"panel": panel, "order": order}).rows()
                )
                for order in (first, second)
            )
            for panel in panels
        } | dict(facts(frame) if facts else {})

    def panel(title: str) -> Panel:
        marks: list[Any] = []
        for word, colour in zip(first.split(), COLOURS, strict=True):
            where = {"panel": title, "word": word}
            marks += [Boxes("{word}\n" + text, "place", "order", SIZE, where, colour, bold=True)]
            marks += [Arrows("card", "same word", "card", "place", "order", SIZE, where, colour)]
        written = titles[title] if titles else title
        return Panel(*marks, title=written, bare=True, width=296, height=206 if titles else 190)

    return Figure(
        Frame.of_rows(header, rows, first=first, second=second), *map(panel, panels), facts=told,
        explorer=explorer, given=given,
        alt="Cards for the words of {first} and of {second}; arrows join the cards of one word, and cross. "
        + " ".join(f"{title}: {{{title}}}." for title in panels),
    )  # fmt: skip


def alone_and_placed(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words with what attention returns for each: without positions, and with them."""
    titles = {
        ALONE: "Attention alone. When words are shuffled, {changed, alone} of {numbers} numbers change",
        PLACED: "Each word told its position. When shuffled, {changed, placed} of {numbers} numbers change",
    }
    panels = {
        ALONE: partial(outputs, vectors=vectors),
        PLACED: partial(outputs, vectors=vectors, places=True),
    }
    return _movable(
        first, second, panels, vectors, {"What attention returns": 1}, titles=titles, facts=changes
    )


def masked(first: str, second: str, vectors: Mapping[str, Vector] = THREE_WORDS) -> Figure:
    """Two orders of the same words with what a causal layer returns for each, once and twice."""
    layers = {"After one layer": 1, "After two layers": 2}
    panels = {
        name: partial(outputs, vectors=vectors, causal=True, layers=depth) for name, depth in layers.items()
    }
    return _movable(first, second, panels, vectors, layers, causal=True)


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
    first: str, second: str, panels: Mapping[str, Callable[[str], Any]], vectors: Mapping[str, Vector],
    layers: Mapping[str, int], *, causal: bool = False, titles: Mapping[str, str] | None = None,
    facts: Facts | None = None,
) -> Figure:  # fmt: skip
    """Cards that a reader puts in any order, with a mask or without, told their positions or not."""

    def given(frame: Frame) -> dict[str, Any]:
        """The numbers of each layer in every state: mask, positions, order."""
        words = frame.settings["first"].split()
        orders = [" ".join(order) for order in permutations(words)]

        def numbers(depth: int, mask: bool, place: bool) -> dict[str, Any]:
            found = partial(outputs, vectors=vectors, causal=mask, places=place, layers=depth)
            return {order: found(order).round(6).tolist() for order in orders}

        states = {"": (False, False), "mask": (True, False), "place": (False, True), "both": (True, True)}
        every = {
            name: {state: numbers(depth, *how) for state, how in states.items()}
            for name, depth in layers.items()
        }
        return {"words": words, "masked": causal, "layers": every}

    rounded = {name: lambda order, panel=panel: panel(order).round(6) for name, panel in panels.items()}
    text = "{first number:.2f}, {second number:.2f}"
    return shuffled(first, second, rounded, NUMBERS, text, titles=titles, facts=facts,
                    explorer="pe-order", given=given)  # fmt: skip
