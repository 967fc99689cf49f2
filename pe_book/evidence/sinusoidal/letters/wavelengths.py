"""What the letters of the page on the longest wavelength stand for."""

from pe_book.evidence.sinusoidal.letters.waves import letters, printed

__all__ = ["AT", "letters", "printed"]

AT = {"eq:waves:last": printed}
