"""Derivations as the pages display them, read and checked step by step."""
