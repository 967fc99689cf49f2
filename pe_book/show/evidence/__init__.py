"""Claims as the pages show them."""
