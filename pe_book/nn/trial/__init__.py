"""Models small enough to try a table, a class or a test on while one reads: right ones and mistaken ones."""
