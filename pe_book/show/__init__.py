"""How definitions become pages: figures and tables, each made from named data."""
