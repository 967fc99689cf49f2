"""Derivations in the built pages: what KaTeX set, by the annotation that it keeps, is what was checked."""

import html
import re

from tests.evidence.derivations.displayed import derivations
from tests.site.conftest import page_of

SET = re.compile(r'<annotation encoding="application/x-tex">(.*?)</annotation>', re.DOTALL)
DISPLAYED = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)


def test_what_the_site_displays_is_what_was_checked(site):
    assert derivations()
    for shown in derivations():
        text = page_of(site, f"{shown.page}.html").read_text(encoding="utf-8")
        following = map(html.unescape, SET.findall(text))
        lost = [one for one in DISPLAYED.findall(shown.derivation.markdown()) if one not in following]
        assert lost == [], shown
