"""Spans of code that no style sheet and no script asks for are left out, and nothing else."""

import re
from pathlib import Path

from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from shell import light

STATIC = Path(__file__).resolve().parents[3] / "docs" / "_static"
CODE = 'def f(x, *, y=1.5):  # why\n    return f"{x < y}" and not x @ y\n\n\nclass A(B): ...\n'
SESSION = ">>> import numpy as np\n>>> np.eye(2)\narray([[1., 0.],\n       [0., 1.]])\n"


def named_in_the_style_sheet():
    text = (STATIC / "code.css").read_text(encoding="utf-8")
    groups = re.findall(r"\.highlight (:is\([^)]*\)|\.[a-z]\w*)", text)
    return {name for group in groups for name in re.findall(r"\.([a-z]\w*)", group)}


def asked_by_scripts():
    text = (STATIC / "reading.js").read_text(encoding="utf-8")
    return set(re.findall(r"\.(g[pot]|linenos)\b", text))


def test_what_has_a_style_or_a_use_keeps_its_span():
    assert len(asked_by_scripts()) == 4
    assert named_in_the_style_sheet() | asked_by_scripts() == light.STYLED


def test_the_code_is_the_same_and_only_styled_spans_are_left():
    for lexer, code in (("ipython3", CODE), ("pycon", SESSION)):
        before = highlight(code, get_lexer_by_name(lexer), HtmlFormatter())
        after = light.without_plain_tokens(before)
        old, new = BeautifulSoup(before, "html.parser"), BeautifulSoup(after, "html.parser")
        assert new.get_text() == old.get_text()
        kept = [(span["class"], span.text) for span in new.find_all("span", class_=True)]
        assert kept == [
            (span["class"], span.text)
            for span in old.find_all("span", class_=True)
            if span["class"][0] in light.STYLED
        ]
        assert 0 < len(kept) < len(old.find_all("span", class_=True))


def test_spans_outside_code_stay():
    html = '<p><span class="n">n</span></p><pre><span class="n">n</span></pre>'
    assert light.without_plain_tokens(html) == '<p><span class="n">n</span></p><pre>n</pre>'
