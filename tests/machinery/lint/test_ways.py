"""Typed findings are refused, and what an author rightly writes is not: see ways.toml."""

import tomllib
from pathlib import Path

import pytest

from bookish.lint import numerals

LISTED = tomllib.loads(Path(__file__).with_name("ways.toml").read_text(encoding="utf-8"))
REFUSED, HARMLESS = (
    {
        f"{kind}-{group}-{name}".replace("_", "-"): text.strip()
        for group, listed in LISTED[kind].items()
        for name, text in listed.items()
    }
    for kind in ("refused", "harmless")
)
FRONT = {  # what search engines find
    "refused-description": ("description: A page", "description: Off by 0.0464, a page"),
    "refused-keywords": ("needs:", "myst: {html_meta: {keywords: off by 0.0464}}\nneeds:"),
}


@pytest.fixture(scope="module")
def refusals(new_book, tmp_path_factory):
    """One build of a page for each."""
    book = new_book(tmp_path_factory.mktemp("ways"))
    picture = '<svg xmlns="http://www.w3.org/2000/svg"><text>off by 0.0464</text></svg>'
    (book.root / "docs" / "ways.svg").write_text(picture)
    pages = REFUSED | HARMLESS | dict.fromkeys(FRONT, "A word.")
    for name, text in pages.items():
        book.page(name, f"(sec:{name}:top)=\n# A page\n\n{text.replace('NAME', name)}\n")
    for name, (was, now) in FRONT.items():
        book.change(f"docs/{name}.md", was, now)
    listed = "\n".join(pages)
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{listed}\n```\n")
    built = book.build(strict=False)
    assert built.code == 0, built.output[-2000:]
    return built


@pytest.mark.parametrize("name", [*REFUSED, *FRONT])
def test_a_typed_finding_is_refused(refusals, name):
    assert "WARNING: PE3" in refusals.about(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_rightly_written_passes(refusals, name):
    assert "PE3" not in refusals.about(name)


@pytest.mark.parametrize("pattern", numerals.NAMES, ids=lambda pattern: pattern.pattern[:40])
def test_each_name_has_a_sentence_that_is_refused_without_it(monkeypatch, pattern):
    def written(text):
        return [found.written for found in numerals.numerals(text)]

    whole = {name: written(text) for name, text in HARMLESS.items()}
    monkeypatch.setattr(numerals, "NAMES", [other for other in numerals.NAMES if other != pattern])
    assert any(written(text) != whole[name] for name, text in HARMLESS.items())
