"""Part II: the sinusoidal encoding of 2017, defined, proved and measured."""
