"""What the statements of the reference pages rest on: one function per decision, which returns its evidence."""
