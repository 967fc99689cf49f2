"""Explorers on pages of their own: the built page with its one figure, opened in a tenth of the time."""

import shutil

import pytest

from tests.site.conftest import SITE, page_of
from tests.site.page.explorers.test_explorers_stand import PAGES

# every number is compared on the phone; wide, where the same script runs, now and then
WINDOWS = [(360, "dark"), pytest.param(1300, "light", marks=pytest.mark.thorough)]


def some_of(planted, *kept):
    """The names of what is planted: those that are kept for every run, and the others."""
    assert planted.keys() >= {*kept}
    return [pytest.param(name, marks=() if name in kept else pytest.mark.thorough) for name in planted]


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
