"""The figures and tables of the chapter on production, counted token by token."""

from pe_book.show.sinusoidal.production import BATCH, PACKED

LONGEST = max(map(len, BATCH))
PACKED_WORDS = [word for sentence in PACKED for word in sentence]


def told(row):
    """The words of a sentence stand at the end of its row; how many of them come before this column."""
    return row["column"] - (LONGEST - len(BATCH[row["sentence"]]))


def packed(number):
    """Sentence and position of a token in the packed row."""
    for sentence, words in enumerate(PACKED):
        if number < len(words):
            return sentence, number
        number -= len(words)
    raise IndexError(number)


NAMES = [f"{word} {packed(number)[1]}" for number, word in enumerate(PACKED_WORDS)]


def may_see(row, p):
    q, k = NAMES.index(row["query"]), NAMES.index(row["key"])
    if k > q:
        return "no"
    return "yes" if packed(q)[0] == packed(k)[0] else "no, but a causal mask lets it"


RECOMPUTED = {
    "fig:production:padded": {
        "sentence": range(len(BATCH)),
        "column": range(LONGEST),
        "token": lambda r, p: BATCH[r["sentence"]][told(r)] if told(r) >= 0 else "pad",
        "mask": lambda r, p: int(told(r) >= 0),
        "position": lambda r, p: told(r),
        "told by column": lambda r, p: (
            "padding" if told(r) < 0 else "right" if len(BATCH[r["sentence"]]) == LONGEST else "wrong"
        ),
        "facts": {
            "sentences": len(BATCH),
            "words": ", ".join(str(len(words)) for words in BATCH),
            "columns": LONGEST,
            "wrong": sum(len(words) for words in BATCH if len(words) < LONGEST),
            "tokens": sum(map(len, BATCH)),
            "shifted": sum(len(words) < LONGEST for words in BATCH),
        },
    },
    "fig:production:packed": {
        "query": NAMES,
        "key": NAMES,
        "position of query": lambda r, p: packed(NAMES.index(r["query"]))[1],
        "position of key": lambda r, p: packed(NAMES.index(r["key"]))[1],
        "may see": may_see,
        "facts": {
            "tokens": len(PACKED_WORDS),
            "sentences": len(PACKED),
            "listed": ", ".join(str(packed(number)[1]) for number in range(len(PACKED_WORDS))),
            "seen": len(PACKED_WORDS) * (len(PACKED_WORDS) + 1) // 2,
            "leaks": len(PACKED[0]) * len(PACKED[1]),
        },
    },
    "tab:production:clocks": {
        "kept token": ["behind, counted", "behind, by cache size"],
        **{
            # the window keeps the first token and the latest three of ten that it has seen
            f"${kept}$": lambda r, p, kept=kept: (
                (p["window"].seen if "counted" in r["kept token"] else len(p["window"].kept)) - kept
            )
            for kept in range(64)
        },
    },
}
