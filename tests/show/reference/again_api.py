"""The table of everyday names holds names and the first lines of docstrings, which somebody typed."""

from tests.show.again import WORDS

AGAIN = {"tab:api:names": {"name": WORDS, "what it is": WORDS}}
