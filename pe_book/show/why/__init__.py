"""Figures and tables of Part I."""
