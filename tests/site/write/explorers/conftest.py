"""Explorers on pages of their own: the built page with its one figure, opened in a tenth of the time."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from pe_book.evidence.records.length_generalisation import recorded
from tests.site.conftest import SITE, page_of

REPO = Path(__file__).resolve().parents[4]
PHONE = {"width": 360, "height": 640}
PAGES = {
    "pe-order": "index.html",
    "pe-rotary": "family/rotary.html",
    "pe-ladders": "family/context-extension.html",
    "pe-bias": "family/score-bias.html",
    "pe-circle": "sinusoidal/formula.html",
    "pe-matrix": "sinusoidal/waves.html",
    "pe-shift": "sinusoidal/shift.html",
    "pe-fit": "sinusoidal/fitting.html",
    "pe-near": "sinusoidal/distance.html",
    "pe-attempts": "why/first-attempts.html",
    "pe-past": "family/learned.html",
    "pe-lengths": "evidence/length-study.html",
    "pe-tour": "evidence/model-tour.html",
}
FIGURES = {  # where Python draws what stands there without script, and names what the explorer is given
    "pe-order": ("index", "shuffle"),
    "pe-rotary": ("family.turned_hands", "two_positions"),
    "pe-ladders": ("family.scaled_ladders", "wavelengths", 128, 4096, 8),
    "pe-bias": ("family.moved_biases", "last_word"),
    "pe-circle": ("sinusoidal.circle", "hands"),
    "pe-matrix": ("sinusoidal.matrix", "heatmap", 50, 128),
    "pe-shift": ("sinusoidal.turned_planes", "planes"),
    "pe-fit": ("sinusoidal.fitting", "fitted"),
    "pe-near": ("sinusoidal.distance", "near_and_far", 128, 10000, 60),
    "pe-attempts": ("why.measured_attempts", "by_length"),
    "pe-past": ("family.learned", "rules"),
    "pe-lengths": ("evidence.length_curves", "along", recorded()[0]["runs"]),
    "pe-tour": ("evidence.model_tour", "steps"),
}
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
def site(tmp_path_factory):
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


@pytest.fixture(scope="session")
def given():
    """What Python gives each explorer, read from the package and not from the page."""
    if str(REPO) not in sys.path:
        sys.path.insert(0, str(REPO))
    found = {}
    for element, (module, name, *sizes) in FIGURES.items():
        found[element] = getattr(importlib.import_module(f"pe_book.show.{module}"), name)(*sizes).given
    return found


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
