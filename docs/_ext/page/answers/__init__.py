"""Exercises by hand have fields: a reader types a result and hears how far it is right."""
