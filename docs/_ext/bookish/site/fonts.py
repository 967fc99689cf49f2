"""Which fonts a page needs: those of its text, and those of its formulas by the stylesheet that sets them.

A font that arrives after the first layout moves what stands around it. The browser asks for a font when it
lays out the first sign of it, which on a long page is late. So theme.js asks for those of every page at once,
and reading.js for the others of its formulas as soon as the page is there.
"""

import re

from bookish.write.bundle import THEME

RULE = re.compile(
    r"(\.katex [^{}]+)\{(?=font-)(?:font-family:(KaTeX_\w+);?)?((?:font-(?:style|weight):\w+;?)*)\}"
)
FACE = re.compile(r'@font-face\{font-family:"?(\w+)"?;font-style:(\w+);font-weight:(\d+);src:url\(([^)]+)\)')
CLASSES = re.compile(r'class="([^"]+)"')
TEXT = ["fonts/source-serif-4-latin-400-normal.woff2", "fonts/source-serif-4-latin-600-normal.woff2"]
ALWAYS = ("400 1em KaTeX_Main", "italic 400 1em KaTeX_Math")


def faces(sheet: str) -> dict[str, str]:
    """The file of every font, by its name in CSS."""
    return {named(family, style, weight): file for family, style, weight, file in FACE.findall(sheet)}


def named(family: str, style: str, weight: str) -> str:
    """A font as CSS writes it: `italic 400 1em KaTeX_Math`."""
    return f"{'' if style == 'normal' else style + ' '}{weight} 1em {family}"


def askers(sheet: str) -> list[tuple[frozenset[str], str]]:
    """Sets of classes, and the font that an element with all of them asks for."""
    found = []
    for selectors, family, more in RULE.findall(sheet):
        style = "italic" if "font-style:italic" in more else "normal"
        font = named(family or "KaTeX_Main", style, "700" if "font-weight:700" in more else "400")
        for selector in selectors.split(","):
            last = [part for part in re.split(r"[ >]", selector) if "." in part][-1]
            found.append((frozenset(last.strip(".").split(".")), font))
    return found


_TEXT = (THEME / "static" / "katex" / "katex.min.css").read_text(encoding="utf-8")
FILES, ASKERS = faces(_TEXT), askers(_TEXT)


def fonts_of(body: str) -> dict[str, list[str]]:
    """Files that a page needs at once, and fonts that its formulas need further down."""
    if 'class="katex' not in body:
        return {"first": TEXT, "later": []}
    elements = {frozenset(words.split()) for words in CLASSES.findall(body)}
    wanted = {font for classes, font in ASKERS if any(classes <= words for words in elements)}
    return {
        "first": [*TEXT, *("katex/" + FILES[font] for font in ALWAYS)],
        "later": sorted(wanted & FILES.keys() - set(ALWAYS)),
    }
