"""What refuses a number, a quotation, a held statement or a label that nothing stands behind."""

from bookish.run import of_parts

PARTS = ("labels", "numbers", "computed", "formulas", "quotations")
setup = of_parts(__name__, PARTS)
