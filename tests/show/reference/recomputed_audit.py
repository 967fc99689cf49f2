"""The tables of the recorded audit by another path: the record read as plain JSON."""

import json
from pathlib import Path

RECORDS = Path(__file__).parents[3] / "pe_book" / "evidence" / "records"
FOUND = json.loads((RECORDS / "audit.json").read_text(encoding="utf-8"))
PAGES = ["{doc}`/" + page + "`" for page in FOUND["scores"]]
KINDS = ("HTML", "CSS", "JavaScript", "fonts", "figures")


def page_of(row):
    return row["page"].removeprefix("{doc}`/").removesuffix("`")


def kilobytes(kind):
    return lambda row, p: FOUND["weights"][page_of(row)][kind] / 1000


def points(device):
    return lambda row, p: FOUND["scores"][page_of(row)][device]["performance"]


RECOMPUTED = {
    "tab:audit:weight": {
        "page": PAGES,
        **{f"{kind}, kB": kilobytes(kind) for kind in KINDS},
        # every byte is of one of the kinds, or of something else that the page asks for
        "together, kB": lambda row, p: (
            sum(FOUND["weights"][page_of(row)][kind] for kind in (*KINDS, "else")) / 1000
        ),
        "requests": lambda row, p: FOUND["weights"][page_of(row)]["requests"],
        "elements": lambda row, p: FOUND["weights"][page_of(row)]["elements"],
    },
    "tab:audit:scores": {
        "page": PAGES,
        "mobile": points("mobile"),
        "desktop": points("desktop"),
    },
}
