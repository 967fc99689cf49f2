"""The two tables of times, read from the record by what each row says."""

from pe_book.evidence.records.bench import recorded

FORM = {
    "(1, h, 1, n)": "(1, h, 1, n)",
    "(1, h, n, n)": "(1, h, n, n)",
    "(h, n, n)": "(h, n, n)",
    "(1, h, n, n), -inf ahead": "(1, h, n, n), causal",
    "(h, n, n), -inf ahead": "(h, n, n), causal",
    "none: one more column": "one more column, is_causal",
}


def mask_of(row):
    """The record of a row of the first table."""
    found = recorded("masks")["rows"]
    return next(one for one in found if (one["method"], one["dtype"]) == (FORM[row["mask"]], "float32"))


def way_of(row, kind):
    """The ratio of a row of the second table: 'this book, x' or 'this book: one number …', else a library."""
    words = row["made by"].removeprefix("this book, ").replace("-inf ahead", "causal")
    words = {
        "this book: one number for each offset": "vector of offsets",
        "at any positions": "at positions",
    }.get(words, words)
    return next(
        one["over_floor"] for one in recorded("biases")["rows"] if one["method"] == f"{kind}, {words}"
    )


RECOMPUTED = {
    "tab:bias:masks": {
        "mask": list(FORM),
        "queries see": lambda r, p: "every key" if mask_of(r)["floor"] == "no mask" else "keys behind",
        "time, × without a mask": lambda r, p: mask_of(r)["over_floor"],
    },
    "tab:bias:making": {
        "made by": [
            "this book: one number for each offset",
            *(f"this book, {way}" for way in (
                "into a buffer", "into a buffer, -inf ahead", "into a buffer, compiled", "into new memory",
                "at any positions",
            )),
            "transformers", "x-transformers",
        ],
        "ALiBi, × filling": lambda r, p: way_of(r, "ALiBi"),
        "T5, × filling": lambda r, p: way_of(r, "T5"),
    },
}  # fmt: skip
