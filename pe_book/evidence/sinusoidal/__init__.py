"""What the statements of Part II rest on: one function per decision, which returns its evidence."""
