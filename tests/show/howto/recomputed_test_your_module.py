"""The tables of the how-to on tests of a module: each test run once more, without what wrote the table."""

from pe_book.evidence.sinusoidal.production_ways import WAYS
from tests.show.recomputed import COUNT

RECOMPUTED = {
    "tab:production:verdicts": {
        COUNT: 11,
        "check": lambda r, p: f"`{r['check']}`",
        **{
            header: lambda r, p, name=name: verdict(p, p["classes"][name], p[r["check"]])
            for name in ("Classic", "Unsaved", "Plain", "Angles", "the book's")
            for header in [f"`{name}`" if name.isidentifier() else name]
        },
    },
    "tab:production:ways": {
        "what one does, what breaks, and who met it": [f"{w.does}: {w.breaks} ({w.met})" for w in WAYS],
        "test, and what it says": lambda r, p: told_by(r, p),
        "what cures it": [way.cure for way in WAYS],
    },
}


def verdict(p, make, check):
    """Run the check once more, without the function that wrote the table."""
    check.__globals__.update(p)  # the page has named other things so since
    try:
        passed = check(make)
    except Exception as error:  # a mistake that raises is caught, too
        return f"✗ `{type(error).__name__}`"
    return "✓" if passed else "✗"


def told_by(row, p):
    """What the test of a way said on the code that makes the mistake."""
    way = next(way for way in WAYS if way.cure == row["what cures it"])
    return f"`{way.check}` {p['usual_says'][way.check]}"
