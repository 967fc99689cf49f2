"""Trained short, tested long: decoders that differ in their positional encoding alone, on longer texts."""
