// What a reader takes with him: formulas are copied as LaTeX.
