"""The definitions for tensors, as plain functions."""
