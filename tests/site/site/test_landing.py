"""The first screen, the map, and the page for wrong addresses, as a browser shows them."""

import posixpath
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from bookish.site import map as book_map
from bookish.site import texts
from tests.chapters import ROOT
from tests.site.conftest import page_of

PHONES = [(360, 640), (390, 700)]
DESKTOP = (1300, 800)
TOUCH = 44

FIRST_SCREEN = """() => {
    const box = (e) => {
        const {top, bottom, left, right, height} = e.getBoundingClientRect()
        return {text: e.textContent, href: e.getAttribute('href'), top, bottom, left, right, height}
    }
    const boxes = (selector) => [...document.querySelectorAll(selector)].map(box)
    return {seen: boxes('h1, h1 ~ p:first-of-type, #fig-index-shuffle .orders'), ways: boxes('.ways a')}
}"""
CARDS = """() => [...document.querySelectorAll('.map')].map((map) =>
    [...map.querySelectorAll('li')].map((li) => ({
        href: li.querySelector('a')?.getAttribute('href') ?? '',
        state: li.querySelector('.map-state')?.textContent ?? '',
        question: li.querySelector('.map-question')?.textContent ?? '',
        seen: [...li.querySelectorAll('img')].filter((e) => e.checkVisibility()).map((e) => e.src),
        hit: [...li.querySelectorAll('a')].map((e) => {
            li.scrollIntoView({block: 'center', behavior: 'instant'})
            const {left, top, width} = li.getBoundingClientRect()
            return document.elementFromPoint(left + width / 2, top + 4)?.closest('a') === e
        }).every(Boolean),
    })))"""
WAYS = [
    "why/order-blindness.html#sec-order-top",
    "howto/index.html#sec-howto-top",
    "coursework/exercises.html#sec-exercises-top",
]
ROUTE = "why/order-blindness sinusoidal/formula sinusoidal/waves sinusoidal/shift family/doors family/rotary"
# what a page of the route may also link to: what one looks up or does, and the source of what is shown
LOOKED_UP = ("reference/", "howto/", "pe_book/", "notebooks/", "_data/", "_sources/")
PARTS = ["why", "sinusoidal", "family", "evidence", "coursework", "howto", "reference"]


@pytest.mark.parametrize(("width", "height"), [*PHONES, DESKTOP])
def test_the_first_screen_says_the_subject_and_shows_what_can_be_touched(browser, look, site, width, height):
    page = browser.new_page(viewport={"width": width, "height": height})
    look.open_settled(page, (site / "index.html").as_uri())
    found = page.evaluate(FIRST_SCREEN)
    page.close()
    assert len(found["seen"]) == 3
    assert [way["href"] for way in found["ways"]] == WAYS
    for box in [*found["seen"], *(found["ways"] if width == DESKTOP[0] else ())]:
        assert 0 <= box["top"] < box["bottom"] <= 1.05 * height, box
        assert 0 <= box["left"] < box["right"] <= width + 1, box
    assert min(way["height"] for way in found["ways"]) >= TOUCH


def cards(browser, look, site, name, scheme="light"):
    page = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    look.open_settled(page, (site / name).as_uri())
    found = page.evaluate(CARDS)
    page.close()
    return found


def test_the_front_page_has_the_first_route_with_its_minutes_and_every_part(browser, look, site):
    route, parts = cards(browser, look, site, "index.html")
    assert [card["href"] for card in route] == [f"{page}.html" for page in ROUTE.split()]
    assert [card["href"] for card in parts] == [f"{part}/index.html" for part in PARTS]
    text = (site / "index.html").read_text(encoding="utf-8")
    minutes = sum(int(card["state"].removesuffix(" min")) for card in route)
    assert f"Together {minutes} minutes" in text
    for card in route:  # what the page says of itself
        page = (site / card["href"]).read_text(encoding="utf-8")
        minutes = card["state"].removesuffix(" min")
        assert f"about {minutes} minute" in page or ", without the exercises" not in page
    assert all(card["seen"] and card["hit"] and card["question"].endswith("?") for card in [*route, *parts])


# a chapter's first reading: its links outside folds, exercises and sources
ASIDE = "details *, section[id$='-exercises'] *, section[id$='-sources'] *"
MAIN_PATH = f".bd-article a[href]:not([href^='#'], [href*='://'], {ASIDE})"  # labels have colons, too


def beyond_the_route(name, text):
    """The chapters to which a page of the route sends whoever reads it for the first time."""
    links = BeautifulSoup(text, "html.parser").select(MAIN_PATH)
    pages = {posixpath.normpath(posixpath.join(name, "..", link["href"].partition("#")[0])) for link in links}
    route = {f"{page}.html" for page in ROUTE.split()}
    return sorted(one for one in pages - route if not one.startswith(LOOKED_UP))


@pytest.mark.parametrize("name", ROUTE.split())
def test_a_page_of_the_route_sends_nobody_off_it(site, name):
    text = page_of(site, f"{name}.html").read_text(encoding="utf-8")
    assert beyond_the_route(name, text) == []


def test_a_way_off_the_route_is_noticed_where_a_first_reading_meets_it():
    article = '<article class="bd-article">{}</article>'.format
    off, fold = '<p><a href="../why/first-attempts.html#thm:y">there</a></p>', "<details>{}</details>".format
    parts = '<section id="sec-a-sources">{}</section>', '<section id="sec-a-theorem">{}</section>'
    asides = [fold("<details></details>" + off), parts[0].format("<section></section>" + off)]
    asides += [
        '<a href="waves.html#sec-waves-top">w</a>',
        '<a href="../reference/api.html">a</a>',
        '<a href="#x">x</a>',
    ]
    for aside in asides:
        assert beyond_the_route("sinusoidal/shift", article(aside)) == []
        assert beyond_the_route("sinusoidal/shift", article(aside + parts[1].format(off))) == [
            "why/first-attempts.html"
        ]


@pytest.mark.parametrize("part", PARTS)
def test_an_overview_has_a_card_for_each_page_with_its_picture(browser, look, site, part):
    found, *_ = cards(browser, look, site, f"{part}/index.html", "dark")
    text = (ROOT / "docs" / part / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"{toctree}\n:hidden:\n\n(.*?)```", text, re.DOTALL)[1].split()
    assert [card["href"].removesuffix(".html") for card in found] == listed
    planned = book_map.planned(ROOT / "docs").get(part, {}).get("chapters", {})
    shown = (site / part / "index.html").read_text(encoding="utf-8")
    assert not planned or f"Not written yet: {'; '.join(planned.values())}." in shown
    for card in found:
        assert card["hit"], card
        assert card["question"].endswith("?")
        own = (site / part / card["href"]).read_text(encoding="utf-8")
        assert len(card["seen"]) == 1 or 'class="drawn' not in own
        for file in card["seen"]:
            assert "color-scheme: dark" in (site / "_data" / Path(file).name).read_text("utf-8")


@pytest.mark.parametrize("url", ["https://name.github.io/", "https://book.readthedocs.io/en/latest/"])
def test_a_wrong_address_at_any_depth_leads_on(browser, audit, site, url):
    prefix = texts.prefix(url)
    page = texts.absolute((site / "404.html").read_text(encoding="utf-8"), url)
    with audit.server.served(site, prefix) as home:
        tab = browser.new_page(viewport={"width": 360, "height": 640})
        failed = []
        tab.on("response", lambda answer: failed.append(answer.url) if answer.status != 200 else None)
        wrong = f"{home}no/such/page.html"
        tab.route(wrong, lambda route: route.fulfill(status=404, body=page, content_type="text/html"))
        tab.goto(wrong, wait_until="load")
        assert failed == [wrong], "the page itself, and nothing that it loads"
        links = tab.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href.split('#')[0])")
        assert f"{home}search.html" in links
        for link in {*links} - {wrong}:
            assert tab.request.get(link).status == 200, link
        tab.close()


def test_links_that_are_no_relative_addresses_stay():
    kept = '<a href="#top"></a><a href="https://a.b/c"></a><img src="data:x"><a href="/d">'
    assert texts.absolute(kept, "https://h.org/en/latest/") == kept
    html = '<html data-content_root="./"><a href="./"></a><script src="_static/a.js"></script>'
    assert texts.absolute(html, "https://h.org/book") == (
        '<html data-content_root="/book/"><a href="/book/"></a><script src="/book/_static/a.js"></script>'
    )
