"""Words as cards in two orders, joined word by word: what a shuffle does and what it leaves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Facts, Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel

SIZE = (0.82, 0.56)
COLOURS = ("blue", "orange", "green")


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
