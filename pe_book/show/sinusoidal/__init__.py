"""Figures and tables of Part II."""
