"""The lock of labels: within an edition nothing moves, a new one may move things and says what stood where."""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.labels import lock_labels
from environment import Refusal
from lint.lock import Entry, Lock, Place, anchor, read, recorded

REPO = Path(__file__).resolve().parents[3]
MAKING = "edition 2, in the making"


def written(path: Path, *lines: str) -> Lock:
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return read(path)


def test_the_lock_of_the_book_is_read_and_written_as_it_stands():
    file = REPO / "docs" / "labels.lock"
    lock = read(file)
    assert len(lock.entries) > 700
    assert lock.text() == file.read_text(encoding="utf-8")


def test_every_label_of_the_book_has_its_number():
    """A page built alone does not know it; `make html` and `make labels` fill it in."""
    lock = read(REPO / "docs" / "labels.lock")
    assert [label for label, entry in lock.entries.items() if entry.place.number is None] == []


@pytest.mark.parametrize(
    "line",
    [
        "thm:a:b",
        "thm:a:b -> thm:a:c",
        "thm:a:b page one",
        "thm:a:b page 1 < page 2",
        "thm:a:b page 1 -> ",
        "edition two",
        "thm:a:a page 2",
    ],
)
def test_a_line_that_says_nothing_known_is_refused(tmp_path, line):
    with pytest.raises(ValueError, match="line 3"):
        written(tmp_path / "labels.lock", "edition 1", "thm:a:a page 1", line)


OLD, NEW, THIRD = Place("old", "2.3.1"), Place("new", "2.4.1"), Place("third", "2.5.1")


@pytest.mark.parametrize(
    ("entry", "place", "after"),
    [
        (None, NEW, Entry(NEW, since=2)),
        (Entry(OLD), OLD, Entry(OLD)),
        (Entry(OLD), NEW, Entry(NEW, former={1: OLD})),
        (Entry(NEW, former={1: OLD}), THIRD, Entry(THIRD, former={1: OLD})),
        (Entry(NEW, former={1: OLD}), OLD, Entry(OLD)),
        (Entry(OLD, since=2), NEW, Entry(NEW, since=2)),
        (Entry(Place("old")), OLD, Entry(OLD)),
        (Entry(OLD), Place("old"), Entry(OLD)),
    ],
    ids=["new", "unmoved", "moved", "moved on", "moved back", "never printed", "number", "page alone"],
)
def test_what_an_edition_in_the_making_records(entry, place, after):
    lock = Lock(2, True, {"thm:a:b": entry} if entry else {})
    assert recorded(lock, "thm:a:b", place) == after


def test_a_second_new_edition_keeps_both_places():
    lock = Lock(3, True, {"thm:a:b": Entry(NEW, former={1: OLD})})
    assert recorded(lock, "thm:a:b", THIRD).line("thm:a:b") == (
        "thm:a:b third 2.5.1 < 2 new 2.4.1 < 1 old 2.3.1"
    )


def test_a_closed_edition_records_no_move():
    with pytest.raises(ValueError, match=r"old 2\.3\.1 and now stands at new 2\.4\.1"):
        recorded(Lock(1, False, {"thm:a:b": Entry(OLD)}), "thm:a:b", NEW)


def test_a_name_that_was_given_up_twice_leads_to_the_last(tmp_path):
    lines = ["fig:a:one p 1 -> fig:a:two", "fig:a:two p 1 -> fig:a:three", "fig:a:three p 1"]
    assert written(tmp_path / "labels.lock", *lines).now("fig:a:one") == "fig:a:three"


@pytest.mark.parametrize(
    ("label", "expected"),
    [("thm:a:b", "thm:a:b"), ("exr:a:b", "exr:a:b"), ("eq:a:b", "equation-eq-a-b"), ("fig:a:b", "fig-a-b")],
)
def test_anchors_are_those_of_the_site(label, expected):
    assert anchor(label) == expected


# ---------------------------------------------------------------- in a small book

CHAPTER = "(sec:{name}:top)=\n# {title}\n\n{more}"
THEOREM = ":::{{prf:theorem}} One\n:label: thm:{name}:{slug}\n\nTrue.\n:::\n\n"


def theorem(name, slug):
    return THEOREM.format(name=name, slug=slug)


@pytest.fixture(scope="module")
def numbered(new_book, tmp_path_factory):
    """A book of one part with two chapters, and its first edition."""
    book = new_book(tmp_path_factory.mktemp("numbered"))
    for name in ("first", "second"):
        text = CHAPTER.format(name=name, title=name.title(), more=theorem(name, "one"))
        book.page(f"part/{name}", text, front="form: old\n")
    listed = "\n```{toctree}\nfirst\nsecond\n```\n"
    book.page("part/index", CHAPTER.format(name="part", title="Part", more=listed))
    listed = "\n```{toctree}\n:numbered:\n\npart/index\n```\n"
    book.page("index", CHAPTER.format(name="index", title="Index", more=listed))
    for page in book.root.glob("docs/**/*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("status: draft", "status: complete"), encoding="utf-8")
    assert "PE404" in book.build("-E").output
    lock_labels(book.root / "docs", book.root)
    built = book.build("-E")
    assert built.code == 0, built.output
    return book


@pytest.fixture
def edition(numbered):
    """The book as its first edition has it; what a test changes is taken back."""
    kept = {
        file: file.read_bytes()
        for file in numbered.root.glob("docs/**/*.*")
        if file.suffix in (".md", ".lock")
    }
    yield numbered
    for file in numbered.root.glob("docs/**/*.md"):
        if file not in kept:
            file.unlink()
    for file, data in kept.items():
        file.write_bytes(data)


def lines(book):
    return (book.root / "docs" / "labels.lock").read_text(encoding="utf-8").splitlines()


def test_an_edition_holds_pages_and_numbers(edition):
    assert {"edition 1", "sec:second:top part/second 1.2", "thm:second:one part/second 1.2.1"} <= set(
        lines(edition)
    )


def insert_theorem(book):
    book.change("docs/part/second.md", ":::{prf:theorem}", theorem("second", "new") + ":::{prf:theorem}")


def insert_chapter(book):
    book.page("part/new", CHAPTER.format(name="new", title="New", more=""), front="form: old\n")
    book.change("docs/part/index.md", "second\n", "new\nsecond\n")


def move_theorem(book):
    book.change("docs/part/second.md", theorem("second", "one"), "")
    book.change(
        "docs/part/first.md", theorem("first", "one"), theorem("first", "one") + theorem("second", "one")
    )


@pytest.mark.parametrize("change", [insert_theorem, insert_chapter, move_theorem])
def test_what_moves_is_refused_in_an_edition_and_recorded_in_the_next(edition, change):
    change(edition)
    refused = edition.build("-E")
    assert refused.code != 0
    assert "PE405" in refused.output
    assert "thm:second:one" in refused.output
    with pytest.raises(Refusal, match=r"Edition 1 of .* is closed"):
        lock_labels(edition.root / "docs", edition.root)

    edition.change("docs/labels.lock", "edition 1", MAKING)
    waiting = edition.build("-E")
    assert waiting.code != 0
    assert "PE406" in waiting.output
    assert "PE405" not in waiting.output
    lock_labels(edition.root / "docs", edition.root)
    built = edition.build("-E")
    assert built.code == 0, built.output
    moved = [line for line in lines(edition) if line.startswith("thm:second:one ")]
    assert len(moved) == 1
    assert moved[0].endswith(" < 1 part/second 1.2.1")
    assert "thm:first:one part/first 1.1.1" in lines(edition)


def test_a_page_alone_sees_what_comes_before_what_was_cited(edition):
    insert_theorem(edition)
    built = edition.build("-E", "-D", "pe_only=part/second")
    assert "PE405" in built.output
    assert "thm:second:new before thm:second:one" in built.output


def test_a_name_must_lead_to_something(edition):
    edition.change(
        "docs/labels.lock", "edition 1", "edition 1\nthm:second:old part/second 1.2.1 -> thm:second:no"
    )
    built = edition.build("-E")
    assert built.code != 0
    assert "PE408 the locked label thm:second:old leads on to thm:second:no" in built.output


def test_a_lock_that_cannot_be_read_stops_the_build(edition):
    edition.change("docs/labels.lock", "edition 1", "edition one")
    built = edition.build("-E")
    assert built.code != 0
    assert "PE407" in built.output
