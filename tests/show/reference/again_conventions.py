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


def turn(first, second, i, width, position=1):
    """What stands in the two columns of pair i when the row 1, …, 6 is turned."""
    angle = position / mpf(10_000) ** (mpf(2 * i) / width)
    a, b = first + 1, second + 1
    return {first: a * cos(angle) - b * sin(angle), second: a * sin(angle) + b * cos(angle)}


def row_of(pairs, width=6, position=1):
    """The whole row, from pairs of columns in the order of their frequencies."""
    row = {c: mpf(c + 1) for c in range(6)}
    for i, (first, second) in enumerate(pairs):
        row |= turn(first, second, i, width, position)
    return row


NEIGHBOURS, APART = [(0, 1), (2, 3), (4, 5)], [(0, 3), (1, 4), (2, 5)]
TURNED = {
    "this book, the paper": row_of(NEIGHBOURS),
    "halves": row_of(APART),
    "clockwise": row_of(NEIGHBOURS, position=-1),
    "first columns": row_of(NEIGHBOURS[:2], width=4),
    "first columns, halves": row_of([(0, 2), (1, 3)], width=4),
    "last columns": row_of(NEIGHBOURS[1:], width=4),
    "first columns, exponent of the head": row_of(NEIGHBOURS[:2]),
    "p-RoPE, halves": row_of(APART[:2]),
}
AGAIN = {
    "tab:conventions:turned": {
        "convention": list(TURNED),
        **{str(c): lambda row, p, c=c: TURNED[row["convention"]][c] for c in range(6)},
    },
    "tab:conventions:row": {
        "convention": list(RULES),
        **{str(c): lambda row, p, c=c: RULES[row["convention"]](c) for c in range(6)},
    },
}
