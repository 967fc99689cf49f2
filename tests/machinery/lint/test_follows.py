"""Every page says something else when the package does: each chapter declares a mistake that must move its numbers.

The declaration stands beside the tests of the chapter, as PLANTED; the chapters are found on the disk. One page is
built with its mistake, and no other; cells go on after a failed assertion, so that every number is seen. What it
said before is known from the last build of the site, if there is one.
"""

import re
import shutil

import pytest

from tests.chapters import ROOT, judged, planted

PAGES = judged()
FOLLOWED = {"family/rotary", "reference/conventions", "sinusoidal/heads"}  # three kinds; the others weekly
# the first mistake of a page moves a number, the others may stop a statement
NO_LONGER_HOLDS = "WARNING: PE324 "
MISTAKES = [
    pytest.param(
        page,
        name,
        id=f"{page}: {name}",
        marks=[pytest.mark.thorough] if number or page not in FOLLOWED else [],
    )
    for page in PAGES
    for number, name in enumerate(planted(page))
]


def numbers(book, page: str) -> list[list[str]]:
    """The evaluated numbers of one page with their expressions."""
    return book.findings()[page]["found"]


def moved(before: list[list[str]], after: list[list[str]]) -> list[str]:
    """The expressions whose value is another one; a field that failed (`?`) has none."""
    pairs = zip(before, after, strict=False)
    return [field for (field, was), (same, now) in pairs if field == same and "?" != was != now != "?"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_declares_what_must_move_it(page):
    found = planted(page)
    assert found, f"{page}: say in its tests what moves its numbers, as PLANTED (see CONTRIBUTING.md)"
    for changes in found.values():
        for file, was, now in changes:
            assert re.match(r"pe_book/(?!show/|evidence/)", file), f"{file} does not define anything"
            assert was in (ROOT / file).read_text(encoding="utf-8"), f"{page}: {was!r} is not in {file}"
            assert was != now


@pytest.mark.parametrize(("page", "name"), MISTAKES)
def test_the_numbers_of_a_page_follow_the_package(remembering, page, name):
    built = remembering.remembered(page)
    assert built.code == 0, built.output
    before, changes = numbers(remembering, page), planted(page)[name]
    for file, was, now in changes:
        remembering.change(file, was, now)
    try:
        options = ["-D", f"pe_only={page}", "-D", "nb_execution_allow_errors=1", "-D", "pe_draw=0"]
        said = remembering.build(*options, strict=False).output
    finally:
        for file, *_ in changes:
            shutil.copy(ROOT / file, remembering.root / file)
    after = numbers(remembering, page)
    assert before, page
    assert len(before) == len(after)
    first = name == next(iter(planted(page)))
    followed = moved(before, after) or (not first and NO_LONGER_HOLDS in said)
    assert followed, f"{page} says the same of another package\n{said[-2000:]}"


def test_a_page_that_does_not_follow_is_seen():
    field = ["bank[2]:.4f", "0.0464"]
    assert moved([field], [field]) == []
    assert moved([field], [["bank[2]:.4f", "?"]]) == []
    assert moved([["bank[2]:.4f", "?"]], [field]) == []
    assert moved([field], [["bank[2]:.4f", "0.0465"]]) == ["bank[2]:.4f"]
