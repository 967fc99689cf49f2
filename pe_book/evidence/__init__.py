"""What the book says holds: decisions, derivations, and experiments with their recorded results."""
