"""Weights carried from one pairing to another: names, entries, heads, a plan, and whether scores agree."""
