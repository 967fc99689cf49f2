"""Numbering: side pages count by letters, pages without a number by themselves, and move nobody else.

Sphinx numbers a side page as the next chapter of its part (2.9), so the chapter that comes after would take
its number away. It numbers the tables of all pages without a number in one row, so one more on a page of
the reference would shift those of the pages behind.
"""

from string import ascii_uppercase
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.foreign import counted, section_numbers
from bookish.run.record import record_of


def number_by_themselves(app: Sphinx, env: Any) -> list[str]:
    """Change what Sphinx has counted; every build writes all pages anew, so none is named here."""
    for listed in env.toctree_includes.values():
        sides = [page for page in listed if record_of(env, page).front.get("form") == "side"]
        for letter, page in zip(ascii_uppercase, sides, strict=False):
            if number := section_numbers(env, page).get(""):
                renumber(env, page, len(number), (*number[:-1], letter))
    for page in env.toctree_includes:  # its own sections would be counted behind its chapters
        section_numbers(env, page).update({anchor: () for anchor in section_numbers(env, page) if anchor})
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


def setup(app: Sphinx) -> None:
    app.connect("env-get-updated", number_by_themselves, priority=900)  # behind Sphinx
