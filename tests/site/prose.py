"""The numbers that a built page says in prose: outside of formulas, figures, code and its furniture."""

import re
from functools import cache

from bs4 import BeautifulSoup

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
PROSE = ".bd-article :is(p, li, dd, td, figcaption)"
FOREIGN = ".data-twin, .cell-source, .computed, .headerlink, .visually-hidden, .formats"
# most of a page: taken out before the rest is parsed
LARGE = re.compile(r'<(?:(svg|pre|script)\b|(div) class="math\b)[^>]*>.*?</(?:\1|\2)>', re.DOTALL)
FORMULA = re.compile(r'<span class="math\b')
SPAN = re.compile(r"<(/?)span\b")


def numbers(text):
    return set(NUMBER.findall(text))


def without_formulas(html):
    """The spans of formulas are many, one in the other."""
    kept, at = [], 0
    while begin := FORMULA.search(html, at):
        kept.append(html[at : begin.start()])
        depth = 0
        for mark in SPAN.finditer(html, begin.start()):
            depth += -1 if mark[1] else 1
            if depth == 0:
                break
        at = html.index(">", mark.end()) + 1
    return "".join([*kept, html[at:]])


@cache
def numbers_of_prose(page):
    html = without_formulas(LARGE.sub("", page.read_text(encoding="utf-8")))
    soup = BeautifulSoup(html, "html.parser")
    for foreign in soup.select(FOREIGN):
        foreign.decompose()
    for gap in soup.select("wbr"):
        gap.unwrap()
    soup.smooth()  # what a line may break in two is one number
    return numbers(" ".join(part.get_text(" ") for part in soup.select(PROSE)))
