"""What the letters of the chapter on the four doors stand for."""

from pe_book.evidence.letters import by_hand

AT = {"ex:doors:hand": by_hand}
