"""The numbers that the article of a built page says outside of formulas, figures, code and its furniture."""

import re
from functools import cache
from html import unescape

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FOREIGN = re.compile(
    r'<(svg|pre|script)\b[^>]*>.*?</\1>|<(a|span|div|details) class="(?:[^"]* )?'
    r"(?:math|data-twin|computed|headerlink|visually-hidden)\b[^>]*>.*?</\2>",
    re.DOTALL,
)
FORMULA = re.compile(r'<span class="math\b')
SPAN = re.compile(r"<(/?)span\b")
TAG = re.compile(r"<[^>]+>")


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
    article = page.read_text(encoding="utf-8").partition('<article class="bd-article"')[2]
    html = FOREIGN.sub(" ", without_formulas(article.partition("</article>")[0]))
    return numbers(unescape(TAG.sub(" ", html.replace("<wbr>", ""))))  # a line may break in a number
