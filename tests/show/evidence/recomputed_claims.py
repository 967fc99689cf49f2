"""The tables of the claims by another path: the words in TOML, and the record read as plain JSON."""

import json
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np

from pe_book.evidence.claims import GROUPS
from tests.show.recomputed import COUNT, WORDS

EVIDENCE = Path(__file__).parents[3] / "pe_book" / "evidence"
TOLD = [
    Counter(
        claim["told"]
        for claim in tomllib.loads((EVIDENCE / "claims" / f"{name}.toml").read_text("utf-8")).values()
    )
    for name in GROUPS
]
FAILING = json.loads((EVIDENCE / "records" / "claims.json").read_text(encoding="utf-8"))["failing"]
VERDICTS = ("false", "true with a condition", "sources disagree", "true", "cannot be checked here")

RECOMPUTED = {
    "tab:claims:counts": {
        "group": list(GROUPS.values()),
        **{verdict: np.array([told[verdict] for told in TOLD]) for verdict in VERDICTS},
        "together": np.array([told.total() for told in TOLD]),
    },
    "tab:claims:changes": {
        "change": list(FAILING),
        "claims that fail": lambda row, p: len(FAILING[row["change"]]),
        "what is changed": WORDS,
        "which": lambda row, p: ", ".join(
            f"{{ref}}`{key} <cla:claims:{key.lower()}>`" for key in FAILING[row["change"]]
        ),
    },
    "tab:claims:reading": {COUNT: 12, "claim": WORDS, "found": WORDS, "link": WORDS},
}
