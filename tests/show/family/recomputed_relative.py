"""The figures and tables of the chapter on relative position by another path."""

LENGTHS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
WAYS = {"vectors of pairs": lambda n: n * n * 64, "scores of pairs": lambda n: n * n,
        "vectors of offsets": lambda n: 33 * 64}  # fmt: skip
Q, K, AS_KEYS, AS_QUERIES = (1, 2, 3), (1, 0, 2), (0, 1, 5, 2), (3, 0, 1, 4)
ROW_OF = {-2: 0, -1: 1, 0: 2, 1: 3, 2: 3}  # query minus key, with k = 2


def pair(row):
    i, j = row["query, key"].split(", ")
    return int(i), int(j)


def content(row, p):
    i, j = pair(row)
    return Q[i] * K[j]


def by_query(row, p):
    i, j = pair(row)
    return Q[i] * AS_KEYS[ROW_OF[i - j]]


def by_key(row, p):
    i, j = pair(row)
    return K[j] * AS_QUERIES[ROW_OF[j - i]]


BY_TERM = {"content to content": content, "content to position": by_query, "position to content": by_key}


def product(row, p):
    """Of a cell of the figure, by the terms of the table."""
    named = {"query, key": f"{int(row['query'])}, {int(row['key'])}"}
    return sum(term(named, p) for name, term in BY_TERM.items() if row["term"] in (name, "sum"))


RECOMPUTED = {
    "fig:relative:diagonals": {
        "rows": 16 + 7,
        "kind": ["pair", "entry"],
        "query": lambda r, p: None if r["kind"] == "entry" else r["query"],
        "key": lambda r, p: None if r["kind"] == "entry" else r["query"] + r["offset"],
        "offset": [0, 1, 2, 3, -1, -2, -3],
        "strip": lambda r, p: 0 if r["kind"] == "entry" else None,
        "facts": {"pairs": 16, "entries": 7, "first": "0, 1, 2, 3", "last": "-3, -2, -1, 0"},
    },
    "fig:relative:held": {
        "rows": 3 * len(LENGTHS),
        "way": list(WAYS),
        "words": LENGTHS,
        "numbers": lambda r, p: WAYS[r["way"]](int(r["words"])),
        "facts": {"longest": 4096, "vectors_of_pairs": 2**30, "scores_of_pairs": 2**24,
                  "vectors_of_offsets": 2112},
    },
    "fig:relative:terms": {
        "rows": 4 * 9,
        "term": [*BY_TERM, "sum"],
        "query": range(3),
        "key": range(3),
        "product": product,
        "facts": {"last_content_to_content": 3, "last_content_to_position": 6, "last_position_to_content": 3,
                  "last_sum": 12, "most": 23},
    },
    "tab:relative:terms": {
        "query, key": [f"{i}, {j}" for i in range(3) for j in range(3)],
        "sum": lambda r, p: content(r, p) + by_query(r, p) + by_key(r, p),
        "$q_i k_j$": content,
        "δ(i, j)": lambda r, p: ROW_OF[pair(r)[0] - pair(r)[1]],
        "$q_i K^r$": by_query,
        "δ(j, i)": lambda r, p: ROW_OF[pair(r)[1] - pair(r)[0]],
        "$k_j Q^r$": by_key,
    },
}  # fmt: skip
