"""What the statements of Part III rest on: one function per decision, which returns its evidence."""
