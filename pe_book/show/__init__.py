"""How definitions become pages: figures, tables and derivations, each made from named data."""
