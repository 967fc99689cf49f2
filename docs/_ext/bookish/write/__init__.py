"""What makes the parts of a page."""

from bookish.run import of_parts

PARTS = (
    "nodes",
    "pages",
    "listing",
    "shown",
    "claims",
    "figures",
    "exercises",
    "answers.field",
    "maths",
    "folds",
    "words",
    "forms",
    "accessibility",
    "bundle",
)
setup = of_parts(__name__, PARTS)
