"""What the statements of Part I rest on: one function per decision, which returns its evidence."""
