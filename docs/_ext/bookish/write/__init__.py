"""What makes the parts of a page."""

from bookish.run import of_parts

PARTS = (
    "nodes",
    "pages",
    "listing",
    "shown",
    "claims",
    "figures.downloads",
    "figures.small",
    "exercises",
    "answers.field",
    "maths",
    "responsive",
    "folds",
    "words",
    "opening",
    "forms",
    "accessibility",
    "bundle",
)
setup = of_parts(__name__, PARTS)
