"""Spans of code without a style are left out and paths told shorter; what is seen stays what it was."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from hypothesis import given
from hypothesis import strategies as st
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from bookish.site import minify
from bookish.write import accessibility
from pe_book.show.sinusoidal import waves

STATIC = Path(__file__).resolve().parents[3] / "docs" / "_themes" / "executable_book" / "static"
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
    assert named_in_the_style_sheet() | asked_by_scripts() == minify.STYLED


def test_the_code_is_the_same_and_only_styled_spans_are_left():
    for lexer, code in (("ipython3", CODE), ("pycon", SESSION)):
        before = highlight(code, get_lexer_by_name(lexer), HtmlFormatter())
        after = minify.without_plain_tokens(before)
        old, new = BeautifulSoup(before, "html.parser"), BeautifulSoup(after, "html.parser")
        assert new.get_text() == old.get_text()
        kept = [(span["class"], span.text) for span in new.find_all("span", class_=True)]
        assert kept == [
            (span["class"], span.text)
            for span in old.find_all("span", class_=True)
            if span["class"][0] in minify.STYLED
        ]
        assert 0 < len(kept) < len(old.find_all("span", class_=True))


def test_long_lines_are_elements_that_say_how_deep_they_begin():
    code = "if here:\n    return some_function(of_one_thing, and_another)\n"
    html = minify.without_plain_tokens(highlight(code, get_lexer_by_name("python"), accessibility.Lines()))
    [line] = BeautifulSoup(html, "html.parser").find_all("span", class_="line")
    assert (line.text, line["style"]) == (code.splitlines(keepends=True)[1], "--deep: 4")


def test_spans_outside_code_stay():
    html = '<p><span class="n">n</span></p><pre><span class="n">n</span></pre>'
    assert minify.without_plain_tokens(html) == '<p><span class="n">n</span></p><pre>n</pre>'


# ---- drawings

place = st.integers(-99_999, 99_999).map(lambda hundredth: f"{hundredth / 100:.2f}".rstrip("0").rstrip("."))


@st.composite
def paths(draw):
    """As matplotlib writes them: one command in each line, rounded to hundredths."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines.append(f"M {draw(place)} {draw(place)}")
        for command in draw(st.lists(st.sampled_from("LLLQC"), max_size=6)):
            count = {"L": 2, "Q": 4, "C": 6}[command]
            lines.append(" ".join([command, *(draw(place) for _ in range(count))]))
        lines += draw(st.sampled_from([[], ["z"]]))
    return "\n".join(lines) + "\n"


def drawn(path):
    """What a reader of paths that is not ours makes of it."""
    pen = RecordingPen()
    parse_path(path, pen)
    return [(name, [(round(x, 6), round(y, 6)) for x, y in points]) for name, points in pen.value]


@given(paths())
def test_a_path_from_corner_to_corner_leads_to_the_same_places(path):
    html = f'<svg xmlns="x" class="pe-panel"><path d="{path}"/></svg>'
    short = re.search(r' d="([^"]*)"', minify.with_short_paths(html))[1]
    assert drawn(short) == drawn(path)


@pytest.mark.parametrize("path", ["M 0 0\nL 1 1\nz\nL 2 2\n", "M 0 0\nL 1 1 2 2\n", "M 0 0\nz\nz\n"])
def test_a_path_that_matplotlib_does_not_write_stays(path):
    assert minify.from_corner_to_corner(path) == path


def test_a_figure_keeps_all_that_is_seen_of_it():
    before = waves.sine_and_cosine().html()
    after = minify.with_short_paths(before)
    assert len(after) < 0.9 * len(before)
    old, new = (BeautifulSoup(html, "html.parser") for html in (before, after))
    assert [text.text for text in new.find_all("text")] == [text.text for text in old.find_all("text")]
    old_paths, new_paths = (
        [(drawn(path["d"]), path.get("style")) for path in html.find_all("path")] for html in (old, new)
    )
    assert new_paths == [path for path in old_paths if path[1] != "fill: none"]
    assert {path[1] for path in old_paths} - {path[1] for path in new_paths} == {"fill: none"}


def test_other_drawings_stay():
    html = '<svg class="icon"><path d="M 0 0\nL 1 1\n" style="fill: none"/>\n</svg>'
    assert minify.with_short_paths(html) == html
