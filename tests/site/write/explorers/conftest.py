"""Explorers on pages of their own: the built page with its one figure, opened in a tenth of the time."""

import re
import shutil

import pytest

from tests.site.conftest import SITE, page_of

PHONE = {"width": 360, "height": 640}
GIVEN = re.compile(r'<(pe-[a-z]+) data-given="([^"]*)"')


def first_pages():
    """Of each explorer the first page that has it."""
    found = {}
    for page in sorted(SITE.rglob("*.html")):
        for element, _ in GIVEN.findall(page.read_text(encoding="utf-8")):
            found.setdefault(element, page.relative_to(SITE).as_posix())
    return found


PAGES = first_pages()
# all that an explorer shows
STATE = """(element) => {
    const live = document.querySelector(`${element} .live`)
    const all = (selector) => [...live.querySelectorAll(selector)]
    const drawn = [...all("svg *").map((e) => e.outerHTML), ...all("canvas").map((e) => e.toDataURL())]
    const held = all("input, select").map((e) => (e.type === "checkbox" ? e.checked : e.value))
    return [live.textContent, ...drawn, ...held].join("\\n")
}"""
# how much of a cell is painted; orange has more red than blue
CELLS = """() => {
    const canvas = document.querySelector(".live canvas")
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d")
    copy.drawImage(canvas, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    return Array.from({ length: data.length / 4 }, (_, i) =>
        ((data[4 * i] > data[4 * i + 2] ? 1 : -1) * data[4 * i + 3]) / 255)
}"""
WRITTEN = 400  # milliseconds, after which a state stands in the address


def said(page):
    return page.locator(".live .said").text_content()


def alone(text, element):
    """A built page of whose article the figure with this explorer is left."""
    at = text.index(f"<{element} data-given=")
    figure = text[text.rindex("<figure", 0, at) : text.index("</figure>", at)] + "</figure>"
    before, article, rest = text.partition('<article class="bd-article"')
    opening, end = rest.partition(">")[0], rest.rindex("</article>")
    return f"{before}{article}{opening}><section id='alone'><section>{figure}</section></section>{rest[end:]}"


@pytest.fixture(scope="session")
def site(tmp_path_factory, pages):
    """In place of the built site: the pages with explorers, each with its explorer alone."""
    folder = tmp_path_factory.mktemp("explorers")
    for element, page in PAGES.items():
        file = folder / page
        file.parent.mkdir(exist_ok=True)
        file.write_text(alone(page_of(SITE, page).read_text(encoding="utf-8"), element), encoding="utf-8")
    shutil.copytree(SITE / "_static", folder / "_static")
    shutil.copy(SITE / "archive.json", folder)
    return folder


@pytest.fixture(scope="module")
def home(audit, site):
    with audit.server.served(site, "/a/prefix/") as address:
        yield address


@pytest.fixture(scope="module")
def whole(audit, pages):
    """The address of the site as it is."""
    with audit.server.served(SITE, "/a/prefix/") as address:
        yield address


@pytest.fixture
def opened(look, browser, home):
    """Opens the page of an explorer on a phone; at the end none may have told an error."""
    told = []

    def open_one(element, behind="", **media):
        page = browser.new_page(viewport=PHONE, color_scheme="dark", has_touch=True, **media)
        told.append((page, look.collect_errors(page, home)))
        look.open_settled(page, home + PAGES[element] + behind)
        return page

    yield open_one
    for page, errors in told:
        assert errors == []
        page.close()
