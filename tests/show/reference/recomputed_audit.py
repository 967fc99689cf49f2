"""The tables of the recorded audit by another path: the record read as plain JSON."""

import json

import numpy as np

from pe_book.evidence.records import bench

FOUND = json.loads((bench.HERE / "audit.json").read_text(encoding="utf-8"))
PAGES = [f"{{doc}}`/{page}`" for page in FOUND["scores"]]
WEIGHTS = [FOUND["weights"][page] for page in FOUND["scores"]]
KINDS = ("HTML", "CSS", "JavaScript", "fonts", "figures")


def weighed(*kinds, per=1000):
    return np.array([sum(row[kind] for kind in kinds) / per for row in WEIGHTS])


RECOMPUTED = {
    "tab:audit:weight": {
        "page": PAGES,
        **{f"{kind}, kB": weighed(kind) for kind in KINDS},
        # every byte is of one of the kinds, or of something else that the page asks for
        "together, kB": weighed(*KINDS, "else"),
        "requests": weighed("requests", per=1),
        "elements": weighed("elements", per=1),
    },
    "tab:audit:scores": {
        "page": PAGES,
        **{
            device: np.array([scores[device]["performance"] for scores in FOUND["scores"].values()])
            for device in ("mobile", "desktop")
        },
    },
}
