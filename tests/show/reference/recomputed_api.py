"""The table of everyday names holds names, places, pages and first lines of docstrings, all of them typed."""

import pe_book as pe
from tests.show.recomputed import COUNT, WORDS

RECOMPUTED = {
    "tab:api:names": {
        COUNT: len(set(pe.__all__) - {"nn"}),
        **dict.fromkeys(("name", "what it is", "position enters at", "page"), WORDS),
    }
}
