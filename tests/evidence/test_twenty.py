"""Holds the page of twenty claims to its pictures, and its numbers to the package."""

from pathlib import Path

from pe_book.evidence.claims import stands
from pe_book.show.evidence import twenty as show

PAGE = (Path(__file__).parents[2] / "docs" / "evidence" / "twenty.md").read_text(encoding="utf-8")
#: In the order of the page: the claim with which each of the twenty begins.
TWENTY = (
    "C045 C033 C004 C076 C020 C099 C075 C077 C048 C082 C104 C058 C006 C078 C060 C039 C040 C025 C088 C085"
)  # fmt: skip


def test_the_page_tells_twenty():
    told = [
        line.split("<cla:claims:")[1][:4].upper()
        for line in PAGE.splitlines()
        if line.startswith("{ref}`Claim ")
    ]
    assert told == TWENTY.split()
    for key in told:
        assert f"{{verdict}}`{key}`" in PAGE


def test_random_rows_are_fitted_up_to_the_width_and_not_beyond():
    figure = show.when_it_is_special(8, 3, [4, 8, 16, 32])
    drawn, ours = (figure.frame[name] for name in (show.DRAWN, show.OURS))
    assert drawn[:2].max() < 1e-6 < 10 < drawn[2:].min()
    assert ours.max() < 0.1


def test_columns_wake_as_the_claim_says():
    found = show.when_columns_wake(128, [100, 5000]).frame["quiet columns"]
    assert found.tolist() == [stands("C058").evidence["quiet"], 0]
