"""A table of the how-to on conventions: ladders of other methods, as they are computed for the other page."""

from tests.show.reference import recomputed_conventions as page

RECOMPUTED = {"tab:conventions:scaled": page.SCALED}
