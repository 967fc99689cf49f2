"""What the statements of the reference rest on: one function per decision, which returns its evidence."""
