"""What the build holds a revised chapter, a side page, a how-to page and a section's own numbers to."""

import re

import pytest
from bs4 import BeautifulSoup

HEAD = "(sec:{name}:top)=\n# {title}\n\n"
BOX = ":::{first-screen}\n:needs: a pencil\nread this page.\n:::\n\n"
CELL = "```{{code-cell}} python\n{code}\n```\n\n"
SPEAKS = CELL.format(code="import pe_book as pe\nprint(pe.encode(1, 2).round(2))")
SILENT = CELL.format(code="value = 1")
EXERCISE = "(sec:{name}:exercises)=\n## Exercises\n\n"
SIDE = "A side page is {{ref}}`there <sec:{name}:top>`.\n\n"

REVISED = (
    HEAD + BOX + SPEAKS
    + "".join(f"(sec:{{name}}:part{n})=\n## Part {n}\n\nText.\n\n" for n in range(2))
    + "(sec:{name}:keep)=\n## What to keep\n\nThis.\n\n" + EXERCISE + SILENT
    + "(sec:{name}:sources)=\n## Sources\n\nNone.\n"
).replace("{first-screen}", "{{first-screen}}").replace("{code-cell}", "{{code-cell}}")  # fmt: skip
HOWTO = (
    HEAD + "You have a table and want to know how it was made.\n\n" + SPEAKS.replace("{code", "{{code").replace("l} py", "l}} py")
    + "(sec:{name}:worked)=\n## How to see that it worked\n\nIt prints.\n\n"
    + "(sec:{name}:wrong)=\n## Where it goes wrong\n\nNowhere.\n\n"
    + "(sec:{name}:why)=\n## Why: what the chapter says\n\nSee {{ref}}`a chapter <sec:plain:top>`.\n"
)  # fmt: skip
# what is planted on a page that passes: form, what stands there, what comes in its place, what is said
PLANTED = {
    "a silent cell": ("revised", "(sec:NAME:part0)=", f"{SILENT}(sec:NAME:part0)=", "PE130"),
    "no box": ("revised", BOX, "", "PE121"),
    "two sentences of task": ("howto", "You have a table and", "You have a table. You", "PE132"),
    "no sentence of task": ("howto", "You have a table and want to know how it was made.\n\n", "", "PE132"),
    "no code": ("howto", SPEAKS, "", "PE132"),
    "code that is folded": ("howto", "```{code-cell} python\n", "```{code-cell} python\n:tags: [hide-input]\n", "PE132"),
    "not how to see it": ("howto", "## How to see that it worked", "## And then", "PE132"),
    "not where it goes wrong": ("howto", "## Where it goes wrong", "## Traps", "PE132"),
    "not why": ("howto", "## Why", "## Because", "PE132"),
    "another order": ("howto", "## Where it goes wrong\n\nNowhere.\n\n(sec:NAME:why)=\n## Why", "## Why\n\nNowhere.\n\n(sec:NAME:why)=\n## Where it goes wrong", "PE132"),
    "no link to a chapter": ("howto", "sec:plain:top", "sec:index:top", "links to no chapter"),
    "a form of another kind": ("howto", "form: howto", "form: new", "PE103"),
}  # fmt: skip
PASSING = {"revised": (REVISED, "why"), "howto": (HOWTO, "howto")}


def page_of(book, form, name, was="", now=""):
    template, folder = PASSING[form]
    text = template.format(name=name, title="G")
    path = book.page(f"{folder}/{name}", text, front=f"form: {form}\n")
    was, now = was.replace("NAME", name), now.replace("NAME", name)
    text = path.read_text(encoding="utf-8")
    assert was in text, was
    path.write_text(text.replace(was, now, 1), encoding="utf-8")
    return f"{folder}/{name}"


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    """One strict build of all pages, and their names."""
    book = new_book(tmp_path_factory.mktemp("forms"))
    names = {fault: f"p-{re.sub('[^a-z]+', '-', fault)}" for fault in PLANTED}
    listed = [page_of(book, form, names[fault], was, now) for fault, (form, was, now, _) in PLANTED.items()]
    listed += [page_of(book, form, f"{form}-plain") for form in PASSING]
    book.page("why/plain", HEAD.format(name="plain", title="Plain"), front="form: old\n")
    toctree = "\n".join(["why/plain", *listed])
    book.page("index", HEAD.format(name="index", title="Index") + f"```{{toctree}}\n{toctree}\n```\n")
    done = book.build("-j", "2")
    assert "build finished with problems" in done.output, done.output[-3000:]
    return done, names


@pytest.mark.parametrize("form", PASSING)
def test_a_page_that_keeps_its_form_passes(built, form):
    assert built[0].about(f"{form}-plain") == ""


@pytest.mark.parametrize("fault", PLANTED)
def test_planted(built, fault):
    said = built[0].about(built[1][fault])
    assert PLANTED[fault][3] in said, said


# ---------------------------------------------------------------- side pages


@pytest.fixture
def part(book):
    """A part with two chapters and two side pages, and behind it another part."""
    drawn = ":::{prf:theorem} One\n:label: thm:NAME:one\n\nTrue.\n:::\n\n"
    for name, form in {"first": "old", "second": "old", "aside": "side", "away": "side"}.items():
        more = "See {ref}`sec:aside:top` and {ref}`sec:away:top`.\n" if name == "first" else ""
        text = HEAD.format(name=name, title=name.title()) + drawn.replace("NAME", name) + more
        book.page(f"part/{name}", text, front=f"form: {form}\n")
    book.page("next/chapter", HEAD.format(name="chapter", title="Next"), front="form: old\n")
    for name, below in {"part": "first\nsecond\naside\naway", "next": "chapter"}.items():
        text = HEAD.format(name=name, title=name.title())
        own = f"(sec:{name}:also)=\n## Also\n\n{drawn.replace('NAME', name)}"
        book.page(f"{name}/index", f"{text}```{{toctree}}\n{below}\n```\n\n{own}")
    text = HEAD.format(name="index", title="Index")
    book.page("index", f"{text}```{{toctree}}\n:numbered:\n\npart/index\nnext/index\n```\n")
    return book


def numbers(book, folder=""):
    """What a reader sees of each page: its number, and those of its theorems and tables."""
    seen = {}
    for file in (book.root / "out" / folder).glob("*.html"):
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        seen[file.stem] = [
            one.get_text().strip(" .") for one in page.select("h1 .section-number, .caption-number")
        ]
    return seen


def test_side_pages_count_by_letters_and_take_no_number_from_a_chapter(part):
    built = part.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    before = numbers(part, "part")
    assert before["index"] == ["1", "Theorem 1.1"]
    assert before["second"] == ["1.2", "Theorem 1.2.1"]
    assert before["aside"] == ["1.A", "Theorem 1.A.1"]
    assert before["away"] == ["1.B", "Theorem 1.B.1"]
    part.page("part/third", HEAD.format(name="third", title="Third"), front="form: old\n")
    part.change("docs/part/index.md", "second\n", "second\nthird\n")
    assert part.build(builder="html").code == 0
    assert numbers(part, "part") == before | {"third": ["1.3"]}


def test_a_side_page_stands_last_and_is_linked_to(part):
    part.change("docs/part/first.md", " and {ref}`sec:away:top`", "")
    part.change("docs/part/index.md", "second\naside\n", "aside\nsecond\n")
    built = part.build()
    assert built.code != 0
    assert "PE133 the side page is linked to from no chapter" in built.about("away")
    assert "PE133 the side page stands before a chapter" in built.about("aside")


def test_pages_without_a_number_count_their_own(book):
    table = "```{{code-cell}} python\n:tags: [hide-input]\nfrom pe_book.show.drawing.table import Column, Table\n```\n\n"
    table += (
        ":::{{tabled}} Table(Column('a', ['b']), Column('c', ['d']))\n:name: tab:{name}:one\nA table.\n:::\n"
    )
    for name in ("first", "second"):
        book.page(name, HEAD.format(name=name, title=name.title()) + table.format(name=name))
    book.page("index", HEAD.format(name="index", title="Index") + "```{toctree}\nfirst\nsecond\n```\n")
    built = book.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    found = numbers(book)
    assert found["first"] == found["second"] == ["Table 1"]
