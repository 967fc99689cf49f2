"""What must move the numbers of the page on the format of the angle."""

PLANTED = {
    "exponent": [
        ("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / (rungs + 1)")
    ],
}
