"""What docs/_ext/driver/phone.py measures, held to its word on pages that have one fault each.

Every page of the site is measured in tests/site/test_visits.py.
"""

import io
import re
from pathlib import Path

import pytest
from PIL import Image

from tests.site.conftest import page_of

GOOD = """<article class="bd-article"><figure id="fig-one"><div class="panels">
<svg class="pe-panel" width="300" height="60" viewBox="0 0 300 60">{svg}</svg></div>{html}</figure>
</article>"""
TWO_TEXTS = (
    '<text x="10" y="20" style="font: 11px sans-serif">first</text>'
    '<text x="{x}" y="{y}" style="font: {size}px sans-serif" transform="{turn}">second</text>'
)


def texts(x=150, y=20, size=11, turn=""):
    return GOOD.format(svg=TWO_TEXTS.format(x=x, y=y, size=size, turn=turn), html="")


STYLES = Path(__file__).resolve().parents[3] / "docs" / "_static"
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
    "overlap, turned": (texts(x=0, y=0, turn="translate(20 30) rotate(-60)"), "texts overlap"),
    "overlap by two px in height": (texts(x=10, y=27), "texts overlap"),
    "small": (texts(size=10), "small text"),
    "small by its panel": (
        texts().replace('width="300" height="60"', 'width="250" height="50"'),
        "small text",
    ),
    "a script too small": (
        texts().replace("second", 'T<tspan dy="3" style="font-size: 6px">2</tspan>'),
        "small text",
    ),
    "out to the right": (texts(x=290), "text leaves its panel"),
    "out at the top": (texts(y=4), "text leaves its panel"),
    "a wide panel": (texts().replace('width="300"', 'width="400"'), "figure cut"),
    "a panel that scrolls in its box": (
        texts().replace('"panels"', '"panels" style="width: 200px; overflow-x: auto"'),
        "figure cut",
    ),
    "a panel cut by its box": (
        texts().replace('"panels"', '"panels" style="width: 200px; overflow: hidden"'),
        "figure cut",
    ),
    "a small word beside the panel": (
        texts().replace("<svg", '<span style="font-size: 9px">panel</span><svg'),
        "small text",
    ),
    "within a fold": ("<details>" + texts(x=20) + "</details>", "texts overlap"),
    "a wide box": (
        '<article class="bd-article"><div class="admonition" style="width: 500px">x</div></article>',
        "box cut",
    ),
    "a wide page": ('<div style="width: 500px">x</div>', "page scrolls"),
    "a wide page with closed folds": (
        "<details>x</details><style>details:not([open]) {width: 500px}</style>",
        "page scrolls",
    ),
    "a wide heading": (article('<h2 style="overflow: auto">%s</h2>' % ("Encoding" * 9)), "heading cut"),
    "a long formula": (formula([200, 200]), "formula cut"),
    "a long formula in a fold": (f"<details>{formula([200, 200])}</details>", "formula cut"),
    "a long formula without a box": (formula([200, 200], style="overflow: visible"), "formula cut"),
    "a statement longer than a line": (formula([350, '<span class="gap two"> </span>', 50]), "formula cut"),
    "a formula made small": (formula([200], style="font-size: 10px"), "formula shrunk"),
    "a number over its formula": (
        formula([280], '<span class="eqno" style="position: absolute; right: 80px">(1.1)</span>'),
        "number over formula",
    ),
    "a long formula in the text": (
        article(
            '<p><span class="katex"><span class="katex-html"><span class="base" '
            'style="display: inline-block; width: 400px">x</span></span></span></p>'
        ),
        "formula cut",
    ),
    "a table without a box": (
        table(style=".pst-scrollable-table-container {overflow: visible !important}"),
        "table cut",
    ),
    "a first column that leaves": (
        table(style="tr > th {position: static !important}"),
        "first column leaves",
    ),
    "a first column that lets through": (
        table(style="tr > th {background: none !important}"),
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
    "a broken word in a cell": (
        article(
            '<table style="width: 40px; table-layout: fixed; overflow-wrap: anywhere"><tr><td>seconds</table>'
        ),
        "word broken",
    ),
    "a broken number": (
        article('<table style="width: 40px; table-layout: fixed"><tr><td>1.2 × 10 000</table>'),
        "number broken",
    ),
    "a full stop on a line of its own": (line(f"{INLINE}. And so on"), "punctuation starts a line"),
    "a comma behind a link": (line(f"<a>{INLINE}</a>, and so on"), "punctuation starts a line"),
    "a bracket broken off": (
        article('<p style="width: 0; overflow-wrap: anywhere">(abc)</p>'),
        "punctuation starts a line",
    ),
    "a low button": ('<button style="width: 44px; height: 40px">x</button>', "small control"),
    "a low fold": ("<details><summary>More</summary></details>", "small control"),
    "a low link of the contents": ('<nav><a href="#x">Waves</a></nav>', "small control"),
    "a low link in a window": (
        '<button popovertarget="w" style="width: 44px; height: 44px"></button>'
        '<nav id="w" popover><a href="#x">Waves</a></nav>',
        "small control",
    ),
    "two marks side by side": (
        article('<p>Caption <a class="headerlink" href="#x">#</a><a class="headerlink" href="#y">#</a></p>'),
        "small target",
    ),
    "items close together": (
        article('<ul style="line-height: 16px"><li><a href="#x">one</a><li><a href="#y">two</a></ul>'),
        "small target",
    ),
}
HARMLESS = {
    "apart": texts(),
    "one below the other": texts(x=10, y=32),
    "turned away": texts(x=0, y=0, turn="translate(150 40) rotate(-40)"),
    "a halo": texts().replace(
        "</svg>", '<text x="10" y="20" style="font: 11px sans-serif">first</text></svg>'
    ),
    "a subscript": texts().replace("second", 'T<tspan dy="3" style="font-size: 7.7px">2</tspan>'),
    "hidden": texts().replace(">second", ' visibility="hidden">second'),
    "a table in its own box": GOOD.format(
        svg="",
        html='<details class="data-twin" open><summary style="padding: 14px">Data</summary>'
        '<div style="overflow: auto"><p style="width: 900px">1</div>',
    ),
    "a formula that breaks where it may": formula([200, '<span class="gap two"> </span>', 200]),
    "a number beside its formula": formula([180], '<span class="eqno">(1.1)</span>', style=""),
    "a number below its formula": formula([290], '<span class="eqno">(1.1)</span>', style=""),
    "a table of the book": table(),
    "a table that fits": table(columns=2, box="", sheets=""),
    "code broken behind a dot": article(
        '<p style="width: 70px; overflow-wrap: break-word"><code>pe_book.<wbr>waves</code></p>'
    ),
    "a formula tied to its full stop": SHEETS
    + article(f'<p style="width: 30px">A <span class="tied">{INLINE}.</span> And so'),
    "a full stop that follows": article(f"<p>{INLINE}. And so on</p>"),
    "a high button": '<button style="width: 44px; height: 44px">x</button>',
    "a link in a sentence": article(
        '<p style="line-height: 12px">See <a href="#x">a</a><a href="#y">b</a> there</p>'
    ),
    "marks apart": article('<p>Caption <a class="headerlink" href="#x">#</a></p>'),
    "items apart": article(
        '<ul style="line-height: 24px"><li><a href="#x">one</a><li><a href="#y">two</a></ul>'
    ),
}


@pytest.fixture(scope="module")
def tab(browser):
    context = browser.new_context(viewport={"width": 360, "height": 780}, device_scale_factor=2)
    yield context.new_page()
    context.close()


def found(phone, look, tab, folder, html):
    """The kinds of what is wrong, folds closed and open."""
    (folder / "page.html").write_text(f"<!doctype html><body style='margin: 0'>{html}", encoding="utf-8")
    look.open_settled(tab, (folder / "page.html").as_uri())
    looks = [phone.measure(tab, folds_open=opened, ink=opened) for opened in (False, True)]
    return {wrong["kind"] for one in looks for wrong in one["found"]}


def each_kind_once():
    """Of each kind the first fault, and the others for now and then."""
    first = {kind: name for name, (_, kind) in reversed(FAULTS.items())}
    return [
        pytest.param(name, marks=() if first[kind] == name else pytest.mark.thorough)
        for name, (_, kind) in FAULTS.items()
    ]


@pytest.mark.parametrize("name", each_kind_once())
def test_a_fault_is_found(phone, look, tab, tmp_path, name):
    html, kind = FAULTS[name]
    assert kind in found(phone, look, tab, tmp_path, html)


@pytest.mark.thorough
@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_passes(phone, look, tab, tmp_path, name):
    assert found(phone, look, tab, tmp_path, HARMLESS[name]) == set()


def test_the_command_tells_page_place_and_width(phone, browser, tmp_path):
    (tmp_path / "page.html").write_text(f"<!doctype html>{FAULTS['a wide box'][0]}", encoding="utf-8")
    lines = phone.report(phone.look_at(browser, tmp_path, ["page.html"]))
    assert any(line.startswith("page.html  x  box cut: ") and line.endswith("[360 px]") for line in lines), (
        lines
    )


def test_the_shade_of_a_table_is_seen_until_its_end(browser, tmp_path):
    """The edge of the box, photographed at the beginning and at the end."""
    (tmp_path / "page.html").write_text(f"<!doctype html>{table()}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 360, "height": 300})
    page.goto((tmp_path / "page.html").as_uri())
    box = page.locator(".pst-scrollable-table-container")
    edge = box.bounding_box()
    strip = {"x": edge["x"] + edge["width"] - 3, "y": edge["y"] + 2, "width": 3, "height": edge["height"] - 8}
    box.evaluate("e => { for (const cell of e.querySelectorAll('td')) cell.style.color = 'transparent' }")
    more = page.screenshot(clip=strip)
    box.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    done = page.screenshot(clip=strip)
    page.close()
    assert more != done


def test_code_shows_where_it_goes_on(look, browser, site):
    """A shade lies where code is cut; at the end of the code it is gone."""
    page = browser.new_page(viewport={"width": 360, "height": 640})
    look.open_settled(page, page_of(site, "sinusoidal/computing.html").as_uri())
    code = page.locator("pre:visible").all()
    cut = [box for box in code if box.evaluate("e => e.scrollWidth > e.clientWidth + 1")]
    for box, scheme in zip(cut[:2], ("light", "dark"), strict=True):
        page.emulate_media(color_scheme=scheme)
        box.scroll_into_view_if_needed()
        started = edge_of(box)
        box.evaluate("e => { e.scrollLeft = e.scrollWidth }")
        page.wait_for_timeout(50)
        ended = edge_of(box)
        ground = tuple(map(int, re.findall(r"\d+", box.evaluate("e => getComputedStyle(e).backgroundColor"))))
        assert away(started, ended) > 30, (scheme, started, ended)
        assert away(ended, ground[:3]) < 10, (scheme, ended, ground)
    page.close()


def away(one, other):
    return max(abs(x - y) for x, y in zip(one, other, strict=True))


def edge_of(box):
    """The colour at the right edge, just above the lower corner, where no letter stands."""
    picture = Image.open(io.BytesIO(box.screenshot())).convert("RGB")
    return picture.getpixel((picture.width - 2, picture.height - 3))
