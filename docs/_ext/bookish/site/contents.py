"""Where a page stands in the book: its numbering, its part, the contents, what is on it, before and after it.

Sphinx numbers a side page as the next chapter of its part (2.9), so the chapter that comes after would take
its number away: side pages count by letters. It numbers the tables of all pages without a number in one row,
so one more on a page of the reference would shift those of the pages behind: they count by themselves.
"""

from dataclasses import dataclass
from html import escape
from string import ascii_uppercase
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from bookish.run import foreign
from bookish.run.foreign import counted, section_numbers
from bookish.run.record import record_of
from bookish.write.nodes import number_of


def number_by_themselves(app: Sphinx, env: Any) -> list[str]:
    """Change what Sphinx has counted; every build writes all pages anew, so none is named here."""
    for listed in env.toctree_includes.values():
        sides = [page for page in listed if record_of(env, page).front.get("form") == "side"]
        for letter, page in zip(ascii_uppercase, sides, strict=False):
            if number := section_numbers(env, page).get(""):
                renumber(env, page, len(number), (*number[:-1], letter))
    for page in env.toctree_includes:  # its own sections would be counted behind its chapters
        section_numbers(env, page).update({anchor: () for anchor in section_numbers(env, page) if anchor})
        for numbers in counted(env, page).values():
            numbers.update({one: (*old[:-2], n) for n, (one, old) in enumerate(numbers.items(), 1)})
    for page in env.found_docs:
        if not section_numbers(env, page):
            for numbers in counted(env, page).values():
                before = min((number[0] for number in numbers.values()), default=1) - 1
                numbers.update({one: (number[0] - before,) for one, number in numbers.items()})
    return []


def renumber(env: Any, page: str, length: int, number: tuple[Any, ...]) -> None:
    """Give a page another number, and all that is counted below it."""
    for numbers in (section_numbers(env, page), *counted(env, page).values()):
        numbers.update({one: (*number, *old[length:]) for one, old in numbers.items() if old})
    env.titles[page]["secnumber"] = number
    for link in env.tocs[page].findall(nodes.reference):
        if old := link.get("secnumber"):
            link["secnumber"] = (*number, *old[length:])


LONGEST = 24  # entries of "On this page" with subsections; a longer list names the sections alone


@dataclass(frozen=True)
class Entry:
    """A page in the contents, with the pages below it."""

    page: str
    number: str
    title: str
    below: "tuple[Entry, ...]" = ()

    def holds(self, page: str) -> bool:
        return page == self.page or any(entry.page == page for entry in self.below)


def entry(app: Sphinx, page: str) -> Entry:
    below = tuple(entry(app, name) for name in app.env.toctree_includes.get(page, ()))
    title = escape(app.env.titles[page].astext(), quote=False)
    return Entry(page, number_of(app.env, page), title, below)


def contents(app: Sphinx) -> list[list[Entry]]:
    """The parts of the book: a list for each table of contents of the first page."""
    root = app.config.root_doc
    trees = app.env.tocs[root].findall(addnodes.toctree)
    return [[entry(app, page) for _, page in tree["entries"] if page in app.env.titles] for tree in trees]


def part_of(groups: list[list[Entry]], page: str) -> Entry | None:
    """The part to which a chapter belongs; none for the page of a part itself."""
    return next((part for parts in groups for part in parts if part.holds(page) and part.page != page), None)


def on_this_page(app: Sphinx, page: str) -> str:
    """Links to the sections of a page, as a list; nothing where there are fewer than two."""
    toc = foreign.sections_of(app, page)
    sections = next((item.children[1] for item in toc.findall(nodes.list_item) if len(item) > 1), None)
    if not isinstance(sections, nodes.bullet_list) or len(sections) < 2:
        return ""
    if len(list(sections.findall(nodes.list_item))) > LONGEST:
        for deeper in [below for item in sections for below in item.children[1:]]:
            deeper.parent.remove(deeper)
    for link in sections.findall(nodes.reference):
        link.attributes.pop("secnumber", None)  # the chapter's number before each would say nothing new
    return foreign.html_of(app, sections)


def neighbours(app: Sphinx, page: str, context: dict[str, Any]) -> list[dict[str, str]]:
    """The page before and the one after: where each is, its title, and the question that it answers."""
    names, found = foreign.neighbours(app, page), []
    for key, way, name in zip(("prev", "next"), ("Previous", "Next"), names, strict=True):
        if name and context.get(key):
            question = record_of(app.env, name).front.get("question", "")
            words = {"way": way, "rel": key, "question": escape(question, quote=False)}
            found.append({**words, "link": context[key]["link"], "title": context[key]["title"]})
    return found


def setup(app: Sphinx) -> None:
    app.connect("env-get-updated", number_by_themselves, priority=900)  # behind Sphinx
