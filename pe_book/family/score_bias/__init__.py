"""Biases that are added to scores."""
