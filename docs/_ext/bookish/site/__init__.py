"""What makes one site of the pages: the shell around them, the map, the search, their texts."""

from bookish.run import of_parts

PARTS = (
    "report",
    "map",
    "contents",
    "search",
    "terms",
    "texts",
    "minify",
    "statements",
    "coursework",
    "layout",
)
setup = of_parts(__name__, PARTS)
