"""The first screen, the map, and the page for wrong addresses, as a browser shows them."""

import functools
import http.server
import re
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookish.site import map as book_map
from bookish.site import not_found
from tests.chapters import ROOT, chapters

PHONES = [(360, 640), (390, 700)]
DESKTOP = (1300, 800)
TOUCH = 44

FIRST_SCREEN = """() => {
    const box = (e) => {
        const {top, bottom, left, right, height} = e.getBoundingClientRect()
        return {text: e.textContent, href: e.getAttribute('href'), top, bottom, left, right, height}
    }
    return {
        texts: [...document.querySelectorAll('h1, .landing > p, .landing .install :is(p, pre)')].map(box),
        ways: [...document.querySelectorAll('.landing .ways a')].map(box),
        panels: [...document.querySelectorAll('#fig-index-shuffle svg')].map(box),
    }
}"""
MAP = """() => ({
    lines: [...document.querySelectorAll('.map-lines > li')].map((li) => ({
        href: li.querySelector('a')?.getAttribute('href') ?? '',
        state: li.querySelector('.map-state')?.textContent ?? '',
        question: li.querySelector('.map-question')?.textContent ?? '',
    })),
    tall: [...document.querySelectorAll('.map a')].map((a) => a.getBoundingClientRect().height),
})"""
WAYS = [
    "why/order-blindness.html#sec-order-top",
    "howto/index.html#sec-howto-top",
    "coursework/exercises.html#sec-exercises-top",
]


@pytest.mark.parametrize(("width", "height"), [*PHONES, DESKTOP])
def test_the_first_screen_says_what_for_whom_and_where_to_start(browser, look, site, width, height):
    page = browser.new_page(viewport={"width": width, "height": height})
    look.open_settled(page, (site / "index.html").as_uri())
    found = page.evaluate(FIRST_SCREEN)
    page.close()
    assert [way["href"] for way in found["ways"]] == WAYS
    for box in [*found["texts"], *found["ways"]]:
        assert 0 <= box["top"] < box["bottom"] <= 1.05 * height, box
        assert 0 <= box["left"] < box["right"] <= width + 1, box
    assert min(way["height"] for way in found["ways"]) >= TOUCH
    (commands,) = (box["text"] for box in found["texts"] if "pip install" in box["text"])
    alone, torch = commands.strip().splitlines()
    assert re.fullmatch(r"pip install \S+\.whl", alone)
    assert torch.startswith(f'pip install "{alone.rpartition(" ")[2]}[torch]"')
    if width == DESKTOP[0]:
        middles = [(panel["top"] + panel["bottom"]) / 2 for panel in found["panels"]]
        assert max(middles) <= height, "most of the picture is seen, too"


def test_the_map_lists_every_chapter_and_nothing_that_is_not_there(browser, look, site):
    page = browser.new_page(viewport={"width": 360, "height": 640})
    look.open_settled(page, (site / "index.html").as_uri())
    found = page.evaluate(MAP)
    page.close()
    written = [line for line in found["lines"] if line["href"]]
    docs = ROOT / "docs"
    groups = [file.relative_to(docs).with_suffix("").as_posix() for file in docs.glob("evidence/*/*.md")]
    assert sorted(line["href"].removesuffix(".html") for line in written) == sorted([*chapters(), *groups])
    assert all(line["question"].endswith("?") and line["state"].endswith(" min") for line in written)
    planned = [line for line in found["lines"] if not line["href"]]
    plan = book_map.planned(ROOT / "docs")
    assert len(planned) == sum(len(part["chapters"]) for part in plan.values())
    assert {line["state"] for line in planned} == {"not written"}
    assert min(found["tall"]) >= 24


@contextmanager
def hosted(folder, prefix, page):
    """A folder under a prefix of a local host, which answers with a page where there is nothing."""

    class Host(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            file = Path(folder) / path.removeprefix(prefix)
            if path.startswith(prefix) and file.is_file() and file.name != "404.html":
                self.path = path.removeprefix(prefix[:-1])
                return super().do_GET()
            self.send_response(404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())
            return None

        def log_message(self, *words):
            pass

    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=str(folder)))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{host.server_port}"
    finally:
        host.shutdown()
        host.server_close()


@pytest.mark.parametrize("url", ["https://name.github.io/", "https://book.readthedocs.io/en/latest/"])
def test_a_wrong_address_at_any_depth_leads_on(browser, site, url):
    prefix = not_found.prefix(url)
    page = not_found.absolute((site / "404.html").read_text(encoding="utf-8"), url)
    with hosted(site, prefix, page) as home:
        tab = browser.new_page(viewport={"width": 360, "height": 640})
        failed = []
        tab.on("response", lambda answer: failed.append(answer.url) if answer.status != 200 else None)
        wrong = f"{home}{prefix}no/such/page.html"
        tab.goto(wrong, wait_until="load")
        assert failed == [wrong], "the page itself, and nothing that it loads"
        links = tab.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href.split('#')[0])")
        assert f"{home}{prefix}search.html" in links
        for link in {*links} - {wrong}:
            assert tab.request.get(link).status == 200, link
        tab.close()


def test_links_that_are_no_relative_addresses_stay():
    kept = '<a href="#top"></a><a href="https://a.b/c"></a><img src="data:x"><a href="/d">'
    assert not_found.absolute(kept, "https://h.org/en/latest/") == kept
    html = '<html data-content_root="./"><a href="./"></a><script src="_static/a.js"></script>'
    assert not_found.absolute(html, "https://h.org/book") == (
        '<html data-content_root="/book/"><a href="/book/"></a><script src="/book/_static/a.js"></script>'
    )
