"""Exercises by hand have fields: a reader types a result and hears how far it is right.

Typed may be 0.0464, 4.64e-2, 1/2, √2/2, sqrt(2)/2, π/6, 2^-3 or −1, lists with commas or spaces, rows of a
matrix on lines of their own or behind semicolons; degrees and radians are converted into each other.
"""
