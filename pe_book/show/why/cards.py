"""Words as cards in two orders, joined word by word: what a shuffle does and what it leaves."""

from collections.abc import Iterable

from pe_book.show.diagram import Arrows, Boxes
from pe_book.show.panel import Panel

CARD = (0.94, 0.56)
COLOURS = ("blue", "orange", "green")


def names(word: str, order: str, first: str, second: str) -> tuple[str, str | None]:
    """What a card is called, and the card of the same word in the other order, which its arrow leads to.

    Examples
    --------
    >>> names("b", "a b", "a b", "b a")
    ('b in a b', 'b in b a')
    """
    return f"{word} in {order}", f"{word} in {second}" if order == first else None


def crossing(panel: str, words: Iterable[str], text: str) -> Panel:
    """The rows of one panel as cards: a line of them for each order, and an arrow for each word."""
    cards, arrows = [], []
    for word, colour in zip(words, COLOURS, strict=True):
        rows = {"panel": panel, "word": word}
        cards.append(Boxes(text, "place", "order", CARD, rows, colour, bold=True))
        arrows.append(Arrows("card", "same word", "card", "place", "order", CARD, rows, colour))
    return Panel(*cards, *arrows, title=panel, bare=True, height=190)
