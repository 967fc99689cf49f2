"""How definitions become pages: figures, tables and derivations, each computed from what it describes."""
