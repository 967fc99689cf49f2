"""Trained short, tested long: small decoders that differ in their positional encoding alone, on longer texts."""
