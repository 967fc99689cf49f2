"""Folds, the first-screen box and the length of a page, in a small book; what is refused is in test_planted."""

import json
import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from bookish.run.record import Record
from bookish.write import words
from bookish.write.words import LIMITS, minutes

HAND = """(sec:hand:top)=
# Counted by hand

:::{first-screen}
:needs: a pencil
count the words of this page.
:::

One two three $x$ five six, *seven* and {ref}`the last part <sec:hand:end>`

```{code-cell} python
import pe_book as pe
row = pe.encode(1, 6)
```

$$ y = x $$ (eq:hand:same)

| nothing | here |
|:---|:---|
| is | counted |

:::{depth-start} Two words
:label: dep:hand:deep
:::

Six more that nobody must read.

(sec:hand:inside)=
## Inside

```{code-cell} python
inside = row[0]
```

The first number is {{ inside:.2f }}.

:::{depth-end}
:::

This stays under the first heading.

(sec:hand:end)=
## The end

See {ref}`dep:hand:deep` and {ref}`sec:hand:inside`

(sec:hand:exercises)=
## Exercises

:::{exercise} [in code, level 1, 5 min] One
:label: exr:hand:one

Do it now.
:::

:::{solution-start} exr:hand:one
:label: sol:hand:one
:class: dropdown
:::

Done.

:::{solution-end}
:::
"""
# title and its number, a line with a formula and a link, a formula with its number, and so on
MAIN = [3 + 1, 6 + 1 + 1 + 3, 1 + 1, 6, 2 + 1, 1 + 2 + 1 + 1]
# summary, paragraph, heading, number; Exercises; Exercise 1, its mark and name, text; Solution to 1, Done.
WHOLE = [*MAIN, 2, 6, 1, 4 + 1 + 1, 1 + 1, 2 + 3 + 6, 3, 3 + 1]


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    book = new_book(tmp_path_factory.mktemp("folds"))
    book.page("why/hand", HAND, front="form: new\n")
    book.page("other", "(sec:other:top)=\n# Other\n\nSee {ref}`dep:hand:deep`.\n")
    book.page("report", "(sec:report:top)=\n# Report\n\n```{build-report}\n```\n")
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\nwhy/hand\nother\nreport\n```\n")
    done = book.build("-j", "2", builder="html")
    assert done.code == 0, done.output[-3000:]
    return book


def soup(book, page):
    return BeautifulSoup((book.root / "out" / f"{page}.html").read_text(encoding="utf-8"), "html.parser")


def test_words_are_those_that_a_reader_counts(built):
    table = next(t for t in soup(built, "report").select("table") if "words in all" in t.get_text())
    rows = {
        row[0].replace("\u200b", ""): row[1:]  # a name may break behind its slash
        for row in ([c.get_text() for c in r.select("th, td")] for r in table.select("tr"))
        if row
    }
    assert rows["why/hand"] == ["new", str(sum(MAIN)), str(sum(WHOLE)), "2", "1", "21"]


@pytest.mark.parametrize(
    ("words", "shown", "lines", "needed"),
    [
        (0, 0, 0, 0),
        (1, 0, 0, 1),
        (LIMITS["main"], 8, 0, 20),
        (1500, 0, 0, 10),
        (1501, 0, 0, 15),
        (1350, 0, 20, 10),
    ],
)
def test_minutes(words, shown, lines, needed):
    assert minutes(words, shown, lines) == needed


OTHERS = ", where the title of another page counts as one word"


@pytest.mark.parametrize(
    ("length", "again"),
    [
        ((2400, 5000, 25, 8, 60), "nothing"),
        ((2401, 5000, 30, 9, 61), "main over 2,400, minutes over 25, sections over 8, columns over 60"),
    ],
)
def test_a_chapter_that_is_built_alone_says_how_long_it_is(monkeypatch, length, again):
    said = []
    monkeypatch.setattr(words, "length_of", lambda env, page: words.Length(*length))
    monkeypatch.setattr(words, "record_of", lambda env, page: Record(front={"form": "revised"}))
    monkeypatch.setattr(words.log, "info", lambda text, *parts: said.append(text % parts))
    words.tell(SimpleNamespace(config=SimpleNamespace(pe_only="why/hand"), env=None), None)
    assert [line.partition(": ")[2].split(". For information, refuses nothing: ") for line in said] == [
        ["main {:,}, whole {:,}, minutes {}, sections {}, columns {}".format(*length) + OTHERS, again]
    ]


def test_a_fold_is_whole_and_what_follows_it_is_outside(built):
    page = soup(built, "why/hand")
    fold = page.select_one("details.depth#dep-hand-deep")
    assert fold.summary.get_text() == "In depth: Two words"
    assert fold.select_one("h2#sec-hand-inside, h2 #sec-hand-inside")
    assert fold.select_one("a.found[href='#cell-2']").get_text() == "0.84"
    assert fold.find_next_sibling("p").get_text() == "This stays under the first heading."
    assert fold.parent.h1
    assert [a.get_text() for a in page.select("nav.bd-toc a")][-2:] == ["The end", "Exercises"]
    solution = page.select_one("details.solution")
    assert solution.summary.get_text() == "Solution to Exercise 1"
    assert not page.select("details[open]")


def test_a_fold_can_be_cited_from_everywhere(built):
    link = soup(built, "other").select_one("a[href='why/hand.html#dep-hand-deep']")
    assert link.get_text() == "Two words"
    labels = json.loads((built.root / "doctrees" / "labels.json").read_text())["why/hand"]
    assert {"dep:hand:deep", "sec:hand:inside"} <= set(labels)


def test_the_box_says_question_needs_and_minutes(built):
    said = soup(built, "why/hand").select_one(".opening").get_text(" ", strip=True)
    assert re.sub(r"\s+", " ", said) == (
        "What is tried out on this page? Afterwards you can count the words of this page. "
        "You need a pencil It takes about 2 minutes, without the exercises"
    )


@pytest.mark.parametrize(
    "half", [":::{solution-start} exr:one:one\n:label: sol:one:one\n", ":::{solution-end}\n"]
)
def test_half_a_solution_is_named(book, half):
    exercise = ":::{exercise} [in code, level 1, 5 min] Add\n:label: exr:one:one\n\nDo it.\n:::\n\n"
    book.page("index", f"(sec:one:top)=\n# One\n\n{exercise}{half}:::\n")
    built = book.build()
    assert built.code != 0
    missing = "end" if "start" in half else "start"
    assert f"The document (index) is missing a solution-{missing} directive" in built.output
