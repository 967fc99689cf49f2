"""Derivations in the built pages: what KaTeX set, by the annotation that it keeps, is what was checked."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tests.evidence.derivations.displayed import derivations, read_back

HELD = re.compile(r'<div class="(?:[^"]* )?derivation\b')


class Boxes(HTMLParser):
    """The displayed formulas in each box of a derivation, as LaTeX."""

    def __init__(self):
        super().__init__()
        self.boxes = []
        self.depth = 0  # divs around, from that of the box on
        self.displayed, self.noting = False, False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "div" and (self.depth or "derivation" in (given.get("class") or "").split()):
            self.boxes += [[]] if not self.depth else []
            self.depth += 1
        if tag == "math":
            self.displayed = given.get("display") == "block"
        self.noting = tag == "annotation" and self.depth > 0 and self.displayed
        if self.noting:
            self.boxes[-1].append("")

    def handle_endtag(self, tag):
        self.depth -= tag == "div" and self.depth > 0
        self.noting = False

    def handle_data(self, data):
        if self.noting:
            self.boxes[-1][-1] += data


def test_what_the_site_displays_is_read_back_and_checked(site, pages):
    of_page = {}
    for shown in derivations():
        of_page.setdefault(site / f"{shown.page}.html", []).append(shown.derivation)
    assert of_page
    for page in pages:
        reader = Boxes()
        text = page.read_text(encoding="utf-8")
        reader.feed(text if HELD.search(text) else "")
        expected = of_page.pop(page, [])
        assert len(reader.boxes) == len(expected), page
        for derivation, displayed in zip(expected, reader.boxes, strict=True):
            again = read_back(derivation, displayed)
            assert (again.start, again.steps) == (derivation.start, derivation.steps)
    assert not of_page
