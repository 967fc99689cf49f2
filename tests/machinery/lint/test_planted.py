"""One line is changed in a page that builds, or a cell or a text is planted; the build must fail and say why."""

import re

import pytest

from bookish.run.refusals import catalogue
from tests.machinery.lint import planted_pages as pages
from tests.machinery.lint.planted_pages import CHAPTER, PLAIN, SHOWN

GIVEN = "{6: width of the example}"

# what the catalogue plants, and what Sphinx and MyST refuse by themselves: line that builds, line that must not, words
PLANTED = {
    f"{code} {planted['name']}": (planted["passes"], planted["refused"], [code, *planted["says"]])
    for code, entry in catalogue().items()
    for planted in entry.get("planted", ())
    if "passes" in planted
} | {
    "unknown citation": ("{cite:t}`vaswani2017`", "{cite:t}`planted2017`", ["planted2017"]),
    "dead reference": ("<sec:small:numbers>", "<sec:small:planted>", ["planted", "undefined label"]),
    "nested cell": ("Nothing is large.\n", "```{code-cell} python\nplanted_word\n```\n", ["code-cell"]),
    "cell inside a solution": (":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n",
        "::::{solution} exr:small:one\n:label: sol:small:three\n\n```{code-cell} python\nplanted_word\n```\n::::\n\n"
        ":::{solution-start} exr:small:one\n:label: sol:small:one\n:class: dropdown\n:::\n", ["code-cell"]),
}  # fmt: skip


# a whole cell, and a text that stands alone or behind a cell, with the code that refuses it
CELLS, TEXTS = (
    {
        f"{code} {planted['name']}": (planted[kind], code)
        for code, entry in catalogue().items()
        for planted in entry.get("planted", ())
        if kind in planted
    }
    for kind in ("cell", "text")
)
TITLE = "(sec:{name}:top)=\n# Page\n\n"
CELL = "```{{code-cell}} python\n{code}\n```\n\n"
SHADOWED = """list, dict, sorted, print, bool, type, str, len, eval, compile, open, isinstance = [None] * 12
_os = _json = _sys = _files = ask = None
from pe_book.sinusoidal.formula import encode
x = encode(1, 4).size + 1
"""
ALONE = {
    "shadowed": CELL.format(code=SHADOWED) + "{holds}`five <x == 5>`, {{ x }}.\n\n```python\n>>> x\n5\n```",
    "false-shadow": CELL.format(code=SHADOWED) + "{holds}`six <x == 6>`",
    "in-a-link": CELL.format(code="x = 0.5") + "[{{ x:.2f }}](#sec:in-a-link:top)",
    "no-kernel": "{holds}`it holds <x < 1>`\n\n:::{drawn} picture\n:name: fig:bare:one\nA.\n:::\n\n"
    "```{math}\n:label: eq:bare:one\ny = \\val{x}\n```\n\n```python\n>>> 1 + 1\n3\n```",
}


# what is planted in a line of its own and stops no cell: such plants share a page with those of other codes
OF_A_LINE = {
    "PE202", "PE203", "PE212", "PE301", "PE302", "PE304", "PE305", "PE306", "PE307", "PE311", "PE312", "PE314",
    "PE321", "PE322", "PE323", "PE324", "PE331", "PE332", "PE333", "PE705", "PE801",
}  # fmt: skip
WRITTEN = [fault for fault in PLANTED if fault.startswith("PE601")]  # refused when the page is written
GOING_ON = "PE203", "PE207"  # such cells stop no other: they stand on one page


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


def fits(group: list[str], fault: str) -> bool:
    """Whether a fault can stand on a page that has others, and is told from them by its code."""
    codes = [PLANTED[one][2][0] for one in [*group, fault]]
    text = template_with(PLANTED[group[0]][0])
    if text is not template_with(PLANTED[fault][0]) or len(set(codes)) < len(codes) or set(codes) - OF_A_LINE:
        return False
    for one in group:
        text = text.replace(*PLANTED[one][:2], 1)
    return PLANTED[fault][0] in text


GROUPS: list[list[str]] = []
for planted_fault in PLANTED:
    fitting = next((group for group in GROUPS if fits(group, planted_fault)), [])
    GROUPS += [] if fitting else [fitting]
    fitting.append(planted_fault)
CELL_PAGES = {page_name(fault): [fault] for fault, (_, code) in CELLS.items() if code not in GOING_ON}
CELL_PAGES["going-on"] = [fault for fault, (_, code) in CELLS.items() if code in GOING_ON]


def said_of(messages, page: str) -> list[str]:
    """What was said of a page, complaint by complaint; some have lines."""
    return re.split(r"^(?=/)", messages.about(page), flags=re.MULTILINE)


def page_of(book, name: str, template: str, *plants: tuple[str, str]) -> None:
    if template is CHAPTER:
        path = book.page(f"why/{name}", template, front="form: new\n")
    else:
        front = "exercises: answer\n" if "{exercise}" in template and template is not pages.MARKED else ""
        path = book.page(name, template, given=GIVEN, front=front)
    text = path.read_text(encoding="utf-8")
    for good, bad in plants:
        assert good in text, f"{good!r} is not on the page"
        text = text.replace(good, bad, 1)
    path.write_text(text.replace("small:", f"{name}:"), encoding="utf-8")


@pytest.fixture(scope="module")
def messages(new_book, tmp_path_factory):
    """One strict build of all pages, broken and whole: what it said about each."""
    book = new_book(tmp_path_factory.mktemp("planted"))
    for name, template in WHOLE.items():
        page_of(book, name, template)
    for group in GROUPS:
        plants = [PLANTED[fault][:2] for fault in group]
        page_of(book, page_name(group[0]), template_with(plants[0][0]), *plants)
    alone = {
        page: "".join(CELL.format(code=CELLS[fault][0]) for fault in faults)
        for page, faults in CELL_PAGES.items()
    }
    for fault, (text, _) in TEXTS.items():
        alone[page_name(fault)] = (CELL.format(code="x = 1") if ">>>" in text else "") + text
    for name, text in (alone | ALONE).items():
        book.page(name, TITLE.format(name=name) + text + "\n")
    kernel = "file_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n"
    book.change("docs/no-kernel.md", kernel, "")
    listed = sorted(file.relative_to(book.root / "docs") for file in book.root.glob("docs/[!_]*/*.md"))
    listed += sorted(file.relative_to(book.root / "docs") for file in book.root.glob("docs/*.md"))
    toctree = "\n".join(["sources", *(file.with_suffix("").as_posix() for file in listed)])
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{toctree}\n```\n")
    book.page("sources", "(sec:sources:top)=\n# Sources\n\n```{bibliography}\n```\n")
    before = sorted(file.name for file in (book.root / "docs").iterdir())
    built = book.build()
    assert "build finished with problems" in built.output, built.output[-3000:]
    built.output += book.build("-D", f"pe_only={' '.join(map(page_name, WRITTEN))}", builder="html").output
    written = sorted(file.name for file in (book.root / "docs").iterdir())
    assert written == before, "a cell wrote into the book"
    return built


@pytest.mark.parametrize("page", WHOLE)
def test_the_passing_twin(messages, page):
    assert messages.about(page) == ""


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: page_name(group[0]))
def test_planted(messages, group):
    """The page that differs by a line from a passing one is named, with the reason, in one message for each line."""
    said = said_of(messages, page_name(group[0]))
    for fault in group:
        words = PLANTED[fault][2]
        assert any(all(word in one for word in words) for one in said), f"{fault}: {words} in none of\n{said}"


@pytest.mark.parametrize("page", CELL_PAGES)
def test_cells(messages, page):
    for number, fault in enumerate(CELL_PAGES[page], 1):
        code, said = CELLS[fault][1], said_of(messages, page)
        assert any(code in one and (f"cell {number}" in one or code == "PE214") for one in said), (
            fault,
            said,
        )


@pytest.mark.parametrize("fault", TEXTS)
def test_texts(messages, fault):
    complaint = messages.about(page_name(fault))
    assert TEXTS[fault][1] in complaint, complaint


def test_the_names_of_a_page_disturb_no_question(messages):
    assert messages.about("shadowed") == ""
    assert "PE324" in messages.about("false-shadow")


def test_a_number_in_a_link_cannot_lead_to_its_cell(messages):
    assert "PE801 x:.2f" in messages.about("in-a-link")


def test_a_page_without_a_kernel_says_so(messages):
    """Everything that would ask one is refused at its place; nothing of the book raises."""
    said = messages.about("no-kernel")
    for words in ("PE213 a doctest would not be run: the page has no kernel", "PE313", "PE501"):
        assert words in said
    # a kernel of another page may die between these lines, with its own words
    assert "/docs/_ext/" not in said
    assert "KeyError" not in said


def test_same_alt_for_different_data(book):
    book.page("index", SHOWN, given=GIVEN)
    book.change("docs/index.md", ":::{drawn} picture(bank)", ":::{drawn} picture(bank, same)")
    book.change("docs/index.md", ":::{drawn} picture(river)", ":::{drawn} picture(river, same)")
    built = book.build()
    assert built.code != 0
    assert "PE507" in built.output
