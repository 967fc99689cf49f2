"""How definitions become pages: figures and tables, each computed from what it describes."""
