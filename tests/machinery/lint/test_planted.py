"""One line is changed in a page that builds; the build must fail and say where and why."""

from __future__ import annotations

import re

import pytest

from kernel.refusals import catalogue
from tests.machinery.lint import planted_pages as pages
from tests.machinery.lint.planted_pages import CHAPTER, PLAIN, SHOWN

GIVEN = "{6: width of the example}"
NUMBER = "The third number is {{ bank[2]:.4f }}."
CELL = "assert total > 0.99"

# what the catalogue plants, and what Sphinx and MyST refuse by themselves: line that builds, line that must not, words
PLANTED = {
    f"{code} {planted['name']}": (planted["passes"], planted["refused"], [code, *planted["says"]])
    for code, entry in catalogue().items()
    for planted in entry.get("planted", ())
    if "passes" in planted
} | {
    "PE127 a main path that is too long": ("A short main path.", "A longer path. " * 801, ["PE127", "2,4", "2,400"]),
    "unknown citation": ("{cite:t}`vaswani2017`", "{cite:t}`planted2017`", ["planted2017"]),
    "dead reference": ("<sec:small:numbers>", "<sec:small:planted>", ["planted", "undefined label"]),
    "nested cell": ("Nothing is large.\n", "```{code-cell} python\nplanted_word\n```\n", ["code-cell"]),
    "cell inside a solution": (":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n",
        "::::{solution} exr:small:one\n:label: sol:small:three\n\n```{code-cell} python\nplanted_word\n```\n::::\n\n"
        ":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n", ["code-cell"]),
}  # fmt: skip


def page_name(fault: str) -> str:
    return "p-" + re.sub(r"[^a-z0-9]+", "-", fault.lower())


# the cheapest first: most need no kernel, and those that draw take the longest
DRAWN = [pages.DRAWING + drawn for drawn in (pages.BANK, pages.RIVER, pages.THIRD)]
WHOLE = {
    "text": pages.TEXT, "marked": pages.MARKED, "chapter": CHAPTER, "table": pages.TABLE, "derived": pages.DERIVED, "plain": PLAIN,
    "fields": pages.FIELDS, "bank": DRAWN[0], "river": DRAWN[1], "third": DRAWN[2],
}  # fmt: skip


def template_with(line: str) -> str:
    """The page on which a line stands that is to be changed; what stands in front of all pages is on the first."""
    if line == "form: new":
        return CHAPTER
    return next((one for one in WHOLE.values() if line in one), pages.TEXT)


def page_of(book, name: str, template: str, good: str = "", bad: str = "") -> None:
    if template is CHAPTER:
        path = book.page(f"why/{name}", template, front="form: new\n")
    else:
        front = "exercises: answer\n" if "{exercise}" in template and template is not pages.MARKED else ""
        path = book.page(name, template, given=GIVEN, front=front)
    text = path.read_text(encoding="utf-8")
    assert good in text, f"{good!r} is not on the page"
    path.write_text(text.replace(good, bad, 1).replace("small:", f"{name}:"), encoding="utf-8")


@pytest.fixture(scope="module")
def messages(new_book, tmp_path_factory):
    """One strict build of all pages, broken and whole: what it said about each."""
    book = new_book(tmp_path_factory.mktemp("planted"))
    for name, template in WHOLE.items():
        page_of(book, name, template)
    for fault, (good, bad, _) in PLANTED.items():
        page_of(book, page_name(fault), template_with(good), good, bad)
    listed = sorted(file.relative_to(book.root / "docs") for file in book.root.glob("docs/[!_]*/*.md"))
    listed += sorted(file.relative_to(book.root / "docs") for file in book.root.glob("docs/*.md"))
    toctree = "\n".join(["sources", *(file.with_suffix("").as_posix() for file in listed)])
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{toctree}\n```\n")
    book.page("sources", "(sec:sources:top)=\n# Sources\n\n```{bibliography}\n```\n")
    built = book.build(builder="html")
    assert "build finished with problems" in built.output, built.output[-3000:]
    return built


@pytest.mark.parametrize("page", WHOLE)
def test_the_passing_twin(messages, page):
    assert messages.about(page) == ""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted(messages, fault):
    """The page that differs by one line from a passing one is named, with the reason."""
    message = messages.about(page_name(fault))
    assert message, f"{fault} went unnoticed"
    for word in PLANTED[fault][2]:
        assert word in message, f"{word!r} is not in the message\n{message}"


def test_same_alt_for_different_data(book):
    book.page("index", SHOWN, given=GIVEN)
    book.change("docs/index.md", ":::{drawn} picture(bank)", ":::{drawn} picture(bank, same)")
    book.change("docs/index.md", ":::{drawn} picture(river)", ":::{drawn} picture(river, same)")
    built = book.build()
    assert built.code != 0
    assert "PE507" in built.output


def test_wrong_formula_in_the_package(book):
    book.page("index", PLAIN.partition("(sec:small:numbers)")[0] + "The width is 6.", given=GIVEN)
    book.change("docs/index.md", CELL, "assert abs(bank[2] - 0.046399) < 5e-7")
    assert book.build().code == 0
    book.change("pe_book/numerics/exact.py", "context.log(base) / rungs", "context.log(base) / rungs / 2")
    built = book.build()
    assert built.code != 0
    assert built.executed == ["index"]
    assert "AssertionError" in built.output
    assert "0.046399" in built.output
