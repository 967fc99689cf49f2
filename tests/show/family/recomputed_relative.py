"""The figures and tables of the chapter on relative position by another path."""

import numpy as np

LENGTHS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
WAYS = {"vectors of pairs": lambda n: n * n * 64, "scores of pairs": lambda n: n * n,
        "vectors of offsets": lambda n: 33 * 64}  # fmt: skip
Q, K, AS_KEYS, AS_QUERIES = (1, 2, 3), (1, 0, 2), (0, 1, 5, 2), (3, 0, 1, 4)
ROW_OF = {-2: 0, -1: 1, 0: 2, 1: 3, 2: 3}  # query minus key, with k = 2


PAIRS = [(i, j) for i in range(3) for j in range(3)]
TERMS = {
    "content to content": np.array([Q[i] * K[j] for i, j in PAIRS]),
    "content to position": np.array([Q[i] * AS_KEYS[ROW_OF[i - j]] for i, j in PAIRS]),
    "position to content": np.array([K[j] * AS_QUERIES[ROW_OF[j - i]] for i, j in PAIRS]),
}
TERMS["sum"] = sum(TERMS.values())

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
        "way": list(WAYS),
        "words": LENGTHS,
        "numbers": lambda r, p: WAYS[r["way"]](int(r["words"])),
        "facts": {"longest": 4096, "vectors_of_pairs": 2**30, "scores_of_pairs": 2**24,
                  "vectors_of_offsets": 2112},
    },
    "fig:relative:terms": {
        "term": list(TERMS),
        "query": range(3),
        "key": range(3),
        "product": np.array(list(TERMS.values())),
        "facts": {"last_content_to_content": 3, "last_content_to_position": 6, "last_position_to_content": 3,
                  "last_sum": 12, "most": 23},
    },
    "tab:relative:terms": {
        "query, key": [f"{i}, {j}" for i, j in PAIRS],
        "sum": TERMS["sum"],
        "$q_i k_j$": TERMS["content to content"],
        "δ(i, j)": np.array([ROW_OF[i - j] for i, j in PAIRS]),
        "$q_i K^r$": TERMS["content to position"],
        "δ(j, i)": np.array([ROW_OF[j - i] for i, j in PAIRS]),
        "$k_j Q^r$": TERMS["position to content"],
    },
}  # fmt: skip
