"""Every page on the smallest phone of the book, 360 px wide, as docs/_ext/phone.py measures it.

One built site can be measured alone: `PE_SITE=docs/_build/html pytest tests/site/test_phone.py`. The first
tests hold the measure to its word, on pages that have one fault each.
"""

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
        html='<details class="data-twin" open><div style="overflow: auto"><p style="width: 900px">1</div>',
    ),
}


def found(phone, browser, folder, html):
    (folder / "page.html").write_text(f"<!doctype html><body style='margin: 0'>{html}", encoding="utf-8")
    results = phone.look_at(browser, folder, ["page.html"])
    return phone.report(results), {wrong["kind"] for wrong in results["page.html"]["found"]}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(phone, browser, tmp_path, name):
    html, kind = FAULTS[name]
    lines, kinds = found(phone, browser, tmp_path, html)
    assert kind in kinds, lines


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_passes(phone, browser, tmp_path, name):
    assert found(phone, browser, tmp_path, HARMLESS[name])[0] == []


def test_every_page_of_the_site(phone, browser, pages, site):
    results = phone.look_at(browser, site, [page.relative_to(site).as_posix() for page in pages])
    wrong = phone.report(results)
    assert wrong == [], "\n".join(["", *wrong, phone.summary(results)])
