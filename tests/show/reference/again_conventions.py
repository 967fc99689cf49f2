"""The conventions by another path: each is a rule that says what stands in column c, in mpmath."""

from mpmath import cos, mpf, sin


def entry(position=1, exponent=lambda i: mpf(2 * i) / 6, halves=False, cosine_first=False):
    """Column c of the row of a position, at width 6 and base 10000."""

    def compute(c):
        i, second = (c % 3, c >= 3) if halves else (c // 2, c % 2 == 1)
        angle = position / mpf(10_000) ** exponent(i)
        return cos(angle) if second != cosine_first else sin(angle)

    return compute


def released(i):
    return mpf(i) / 2


RULES = {
    "this book, the paper": entry(),
    "halves": entry(halves=True),
    "tensor2tensor ladder": entry(exponent=released),
    "both, as in tensor2tensor": entry(halves=True, exponent=released),
    "cosine first": entry(cosine_first=True),
    "halves, cosines first": entry(halves=True, cosine_first=True),
    "positions from 1": entry(position=2),
    "slip: exponent $i/d$": entry(exponent=lambda i: mpf(i) / 6),
    "slip: exponent $4i/d$": entry(exponent=lambda i: mpf(4 * i) / 6),
}
AGAIN = {
    "tab:conventions:row": {
        "convention": list(RULES),
        **{str(c): lambda row, p, c=c: RULES[row["convention"]](c) for c in range(6)},
    }
}
