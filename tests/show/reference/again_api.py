"""The table of everyday names holds names, places, pages and first lines of docstrings, all of them typed."""

from tests.show.again import WORDS

AGAIN = {"tab:api:names": dict.fromkeys(("name", "what it is", "position enters at", "page"), WORDS)}
