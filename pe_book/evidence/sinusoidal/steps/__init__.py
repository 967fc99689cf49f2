"""Derivations of Part II, as its pages display them."""
