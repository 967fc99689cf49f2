"""What docs/_ext/driver/look.py measures, held to its word on pages that have one fault each.

Every page of the site is measured in tests/site/test_visits.py.
"""

from pathlib import Path

import pytest

GOOD = """<article class="bd-article"><figure id="fig-one"><div class="panels">
<svg class="pe-panel" width="300" height="60" viewBox="0 0 300 60">{svg}</svg></div>{html}</figure>
</article>"""
TWO_TEXTS = (
    '<text x="10" y="20" style="font: 11px sans-serif">first</text>'
    '<text x="{x}" y="{y}" style="font: {size}px sans-serif" transform="{turn}">second</text>'
)


def texts(x=150, y=20, size=11, turn=""):
    return GOOD.format(svg=TWO_TEXTS.format(x=x, y=y, size=size, turn=turn), html="")


STYLES = Path(__file__).resolve().parents[3] / "docs" / "_themes" / "executable_book" / "static"
SHEETS = "".join(
    f'<link rel="stylesheet" href="{(STYLES / name).as_uri()}">'
    for name in ("katex/katex.min.css", "shell.css", "book.css", "drawn.css", "tables.css")
)


def article(html, sheets=""):
    return f'{sheets}<article class="bd-article" style="width: 300px">{html}</article>'


def formula(pieces, number="", style="overflow: auto hidden; width: 300px"):
    """A display formula as KaTeX writes it; a piece is its width in px, and what stands between is kept."""
    bases = "".join(
        p
        if isinstance(p, str)
        else f'<span class="base"><span style="display: inline-block; width: {p}px">x</span></span>'
        for p in pieces
    )
    html = f'<span class="katex-html">{bases}</span>'
    return article(
        f'<div class="math">{number}<span class="katex-display" style="display: block; {style}">'
        f'<span class="katex">{html}</span></span></div>',
        SHEETS,
    )


def table(columns=8, first="name", style="", box='tabindex="0"', sheets=SHEETS, words="0.12345 and on"):
    cells = "".join(
        f'<td class="number" style="white-space: nowrap">{words}</td>' for _ in range(columns - 1)
    )
    rows = f"<tr><th>{first}</th>{cells}</tr>" * 2
    return article(
        f'<style>{style}</style><div class="pst-scrollable-table-container" {box}>'
        f'<table class="table"><tbody>{rows}</tbody></table></div>',
        sheets,
    )


def line(html):
    """A paragraph so narrow that it breaks wherever it may."""
    return article(f'<p style="width: 0">{html}</p>')


INLINE = (
    '<span class="math"><span class="katex"><span class="katex-html">'
    '<span class="base" style="display: inline-block">xyz</span></span></span></span>'
)

FAULTS = {
    "overlap": (texts(x=20), "texts overlap"),
    "small": (texts(size=10), "small text"),
    "out to the right": (texts(x=290), "text leaves its panel"),
    "a wide panel": (texts().replace('width="300"', 'width="400"'), "figure cut"),
    "a wide box": (
        '<article class="bd-article"><div class="admonition" style="width: 500px">x</div></article>',
        "box cut",
    ),
    "a wide page": ('<div style="width: 500px">x</div>', "page scrolls"),
    "a wide heading": (article('<h2 style="overflow: auto">%s</h2>' % ("Encoding" * 9)), "heading cut"),
    "a long formula": (formula([200, 200]), "formula cut"),
    "a formula made small": (formula([200], style="font-size: 10px"), "formula shrunk"),
    "a number over its formula": (
        formula([280], '<span class="eqno" style="position: absolute; right: 80px">(1.1)</span>'),
        "number over formula",
    ),
    "a table without a box": (
        table(style=".pst-scrollable-table-container {overflow: visible !important}"),
        "table cut",
    ),
    "a first column that leaves": (
        table(style="tr > th {position: static !important}"),
        "first column leaves",
    ),
    "a wide first column": (table(first="name " * 9, style="th {min-width: 220px}"), "first column too wide"),
    "a wide second column": (table(words="0.12345 and " * 6), "second column out of sight"),
    "a table that hides that it scrolls": (
        table(style=".pst-scrollable-table-container {background: none !important}"),
        "nothing shows that it scrolls",
    ),
    "a table for the mouse": (table(box=""), "a keyboard cannot scroll it"),
    "a broken word of code": (
        article('<p style="width: 70px; overflow-wrap: anywhere"><code>RuntimeError</code></p>'),
        "word broken",
    ),
    "a broken number": (
        article('<table style="width: 40px; table-layout: fixed"><tr><td>1.2 × 10 000</table>'),
        "number broken",
    ),
    "a full stop on a line of its own": (line(f"{INLINE}. And so on"), "punctuation starts a line"),
    "a low button": ('<button style="width: 44px; height: 40px">x</button>', "small control"),
    "two marks side by side": (
        article('<p>Caption <a class="headerlink" href="#x">#</a><a class="headerlink" href="#y">#</a></p>'),
        "small target",
    ),
}
HARMLESS = {
    "apart": texts(),
    "a halo": texts().replace(
        "</svg>", '<text x="10" y="20" style="font: 11px sans-serif">first</text></svg>'
    ),
    "a subscript": texts().replace("second", 'T<tspan dy="3" style="font-size: 7.7px">2</tspan>'),
    "a formula that breaks where it may": formula([200, '<span class="gap two"> </span>', 200]),
    "a table of the book": table(),
    "a full stop that follows": article(f"<p>{INLINE}. And so on</p>"),
    "a link in a sentence": article(
        '<p style="line-height: 12px">See <a href="#x">a</a><a href="#y">b</a> there</p>'
    ),
    "items apart": article(
        '<ul style="line-height: 24px"><li><a href="#x">one</a><li><a href="#y">two</a></ul>'
    ),
}


@pytest.fixture(scope="module")
def tab(browser):
    context = browser.new_context(viewport={"width": 360, "height": 780}, device_scale_factor=2)
    yield context.new_page()
    context.close()


def found(look, tab, folder, html):
    """What is wrong, folds closed and open."""
    (folder / "page.html").write_text(f"<!doctype html><body style='margin: 0'>{html}", encoding="utf-8")
    look.open_settled(tab, (folder / "page.html").as_uri())
    return look.measured(tab)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(look, tab, tmp_path, name):
    html, kind = FAULTS[name]
    assert any(f": {kind}: " in line for line in found(look, tab, tmp_path, html))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_passes(look, tab, tmp_path, name):
    assert found(look, tab, tmp_path, HARMLESS[name]) == []
