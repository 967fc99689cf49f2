"""The list of labels: a record until the first release, and from then on a promise."""

import json
import os
import re
from pathlib import Path

import pytest

from book import Refusal
from bookish.lint.lock import FILE, Lock, read
from driver.labels import lock_labels

REPO = Path(__file__).resolve().parents[3]


def test_the_list_of_the_book_is_read_and_written_as_it_stands():
    file = REPO / "docs" / FILE
    lock = read(file)
    assert len(lock.pages) > 700
    assert lock.text() == file.read_text(encoding="utf-8")
    assert [page for page in set(lock.pages.values()) if not (REPO / "docs" / f"{page}.md").exists()] == []


def test_it_binds_from_the_first_release_on():
    changes = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \S+, \d{4}-\d\d-\d\d$", changes, re.MULTILINE)
    assert read(REPO / "docs" / FILE).binding == bool(released)


@pytest.mark.parametrize("line", ["thm:a:b", "thm:a:b page 1", "binding: maybe", "thm:a:a other"])
def test_a_line_that_says_nothing_known_is_refused(tmp_path, line):
    file = tmp_path / FILE
    file.write_text(f"binding: no\nthm:a:a page\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 3"):
        read(file)


# ---------------------------------------------------------------- make labels


@pytest.fixture
def listed(tmp_path):
    """Writes what builds have listed, one after another, and the list; says what `make labels` makes of it."""
    docs, trees = tmp_path / "docs", [tmp_path / "doctrees", tmp_path / "page" / "one.doctrees"]
    for folder in (docs, *trees):
        folder.mkdir(parents=True)

    def listed(before: Lock, *listings: dict[str, list[str]], gone: str = "") -> Lock:
        for page in {*before.pages.values(), *(page for listing in listings for page in listing)} - {gone}:
            (docs / f"{page}.md").write_text(f"status: {'draft' if page == 'draft' else 'complete'}\n")
        for number, listing in enumerate(listings):
            file = trees[number] / "labels.json"
            file.write_text(json.dumps(listing))
            os.utime(file, (number, number))
        (docs / FILE).write_text(before.text(), encoding="utf-8")
        lock_labels(docs, tmp_path)
        return read(docs / FILE)

    return listed


ONE, TWO = "thm:a:one", "thm:a:two"


@pytest.mark.parametrize(
    ("listing", "record", "bound"),
    [
        ({"a": [ONE, TWO]}, {ONE: "a", TWO: "a"}, {ONE: "a", TWO: "a"}),
        ({"a": []}, {}, {ONE: "a"}),
        ({"a": [TWO]}, {TWO: "a"}, {ONE: "a", TWO: "a"}),
        ({"a": [ONE], "b": [TWO]}, {ONE: "a", TWO: "b"}, {ONE: "a", TWO: "b"}),
        ({"b": []}, {ONE: "a"}, {ONE: "a"}),
        ({"a": [ONE], "draft": [TWO]}, {ONE: "a"}, {ONE: "a"}),
        ({"a": [], "b": [ONE]}, {ONE: "b"}, None),
    ],
    ids=["new", "dropped", "renamed", "another page", "page not built", "draft", "moved"],
)
@pytest.mark.parametrize("binding", [False, True])
def test_a_record_follows_the_pages_and_a_binding_list_only_grows(listed, binding, listing, record, bound):
    before = Lock({ONE: "a"}, binding)
    if binding and bound is None:
        with pytest.raises(Refusal, match=f"{ONE} has stood on a since the first release"):
            listed(before, listing)
    else:
        assert listed(before, listing) == Lock(bound if binding else record, binding)


def test_labels_of_a_page_that_is_gone_leave_the_record(listed):
    assert listed(Lock({ONE: "a", TWO: "b"}), {"a": [ONE], "b": [TWO]}, gone="b") == Lock({ONE: "a"})


def test_the_modules_of_a_draft_keep_their_labels_though_their_page_was_built_before(listed):
    before = Lock({"sec:api:draft": "a", "sec:apitorch:draft": "a", "sec:api:gone": "a", TWO: "draft"})
    del (after := dict(before.pages))["sec:api:gone"]
    assert listed(before, {"a": []}, {"draft": [TWO]}) == Lock(after)


def test_what_was_built_last_says_where_a_label_stands(listed):
    """It has gone from one page to another, and that one alone was built since."""
    assert listed(Lock({ONE: "a"}), {"a": [ONE], "b": []}, {"b": [ONE]}) == Lock({ONE: "b"})


# ---------------------------------------------------------------- in a build

PAGE = "(sec:{name}:top)=\n# Page\n\n:::{{prf:theorem}} One\n:label: thm:{name}:one\n\nTrue.\n:::\n"
NAMES = [f"page{n}" for n in range(8)]  # enough to be read in parallel


@pytest.fixture(scope="module")
def small(new_book, tmp_path_factory):
    """A book of complete pages, and the list of their labels."""
    book = new_book(tmp_path_factory.mktemp("small"))
    for name in NAMES:
        book.page(name, PAGE.format(name=name))
    listed = "\n```{toctree}\n" + "\n".join(NAMES) + "\n```\n"
    book.page("index", "(sec:index:top)=\n# Index\n" + listed)
    for page in book.root.glob("docs/*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("status: draft", "status: complete"), encoding="utf-8")
    assert book.build().output.count("PE404") == len(NAMES) + 1
    lock_labels(book.root / "docs", book.root)
    built = book.build()
    assert built.code == 0, built.output
    return book


@pytest.fixture
def kept(small):
    """The same; what a test changes is taken back."""
    before = {file: file.read_bytes() for file in [*small.root.glob("docs/*.md"), small.root / "docs" / FILE]}
    yield small
    for file, data in before.items():
        file.write_bytes(data)


def bind(book):
    book.change(f"docs/{FILE}", "binding: no", "binding: yes")


def said(book, *options):
    """The complaints of a build about labels."""
    built = book.build(*options)
    return sorted(re.findall(r"PE40\d .*?(?=\. [A-Z`])", built.output))


def test_a_label_that_was_dropped_is_refused_once_the_list_binds(kept):
    kept.change("docs/page1.md", PAGE.format(name="page1").partition("\n\n")[2], "Text.\n")
    assert kept.build().code == 0
    bind(kept)
    for options in ((), ("-D", "pe_only=page1")):  # the page alone says it, too
        assert said(kept, *options) == ["PE403 the label thm:page1:one is gone from page1"]


def test_a_label_on_another_page_is_a_new_line_or_refused(kept):
    theorem = PAGE.format(name="page1").partition("\n\n")[2]
    kept.change("docs/page1.md", theorem, "Text.\n")
    kept.change("docs/page2.md", ":::{prf", theorem + "\n:::{prf")
    new = "PE404 docs/labels.lock does not list these labels for this page: thm:page1:one"
    assert said(kept) == [new]
    bind(kept)
    assert said(kept) == ["PE403 the label thm:page1:one is gone from page1", new]


def test_two_things_with_one_label_are_refused_though_two_processes_read_them(kept):
    kept.change("docs/page7.md", "thm:page7:one", "thm:page0:one")
    assert "PE405 the label thm:page0:one stands on page0, too" in said(kept, "-j", "2")


def test_a_list_that_cannot_be_read_stops_the_build(kept):
    kept.change(f"docs/{FILE}", "binding: no", "edition 1")
    assert said(kept) == [
        "PE406 the list of labels cannot be read: labels.lock, line 3: 'edition 1' is not `label page`"
    ]
