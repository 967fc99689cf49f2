"""The built site and a browser, for the tests that open pages in it."""

import importlib
import importlib.util
import os
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

REPO = Path(__file__).resolve().parents[2]
EXT = REPO / "docs" / "_ext"
SITE = Path(os.environ.get("PE_SITE", REPO / "docs" / "_build" / "html")).resolve()
ISSUES = "https://example.org/code/issues/new"
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")


def skip_or_fail(what):
    """What is not there is skipped at home and fails where it must be there."""
    (pytest.fail if IN_CI else pytest.skip)(what)


def extension(name):
    """A module of docs/_ext that an author also runs by itself."""
    if importlib.util.find_spec("playwright") is None:
        skip_or_fail("Playwright is not installed: pip install -r requirements.txt")
    if str(EXT) not in sys.path:
        sys.path.append(str(EXT))
    return importlib.import_module(name)


@pytest.fixture(scope="session")
def look():
    """docs/_ext/driver/look.py, which also serves an author who looks at one page."""
    return extension("driver.look")


@pytest.fixture(scope="session")
def audit():
    """The parts of `make audit` that tests use too."""
    return SimpleNamespace(**{name: extension(f"driver.audit.{name}") for name in ("server", "run")})


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    brought = importlib.util.find_spec("axe_playwright_python")
    if brought is None:
        skip_or_fail("axe is not installed: pip install -r requirements.txt")
    return Path(brought.origin).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def browser(look):
    with ExitStack() as stack:
        try:
            found = stack.enter_context(look.chromium())
        except LookupError as error:
            skip_or_fail(str(error))
        yield found


@pytest.fixture(scope="module")
def tab(browser, look):
    """A page that one test after the other goes on with: a new one costs half of an opening."""
    opened = browser.new_page(viewport=look.DESKTOP)
    yield opened
    opened.close()


@pytest.fixture
def visited(look, browser):
    """Open a page from its folder, as somebody with this window, and note what it asks for."""

    @contextmanager
    def start(folder, name, **settings):
        context = browser.new_context(**{"viewport": look.DESKTOP, **settings})
        page = context.new_page()
        listening = settings.get("java_script_enabled", True)  # else scripts are refused, as they should be
        errors = look.collect_errors(page, folder.as_uri()) if listening else []
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url.rpartition("/")[2]))
        page.goto(f"{folder.as_uri()}/{name}", wait_until="load")
        yield page
        assert errors == []
        context.close()

    return start


@pytest.fixture(scope="session")
def pages():
    found = sorted(SITE.rglob("*.html"))
    found = [page for page in found if "_static" not in page.relative_to(SITE).parts]
    if not found:
        skip_or_fail("there is no site: run `make html` first")
    return found


@pytest.fixture(scope="session")
def site():
    return SITE


def page_of(site, name):
    """A page of the built site."""
    if not (site / name).is_file():
        skip_or_fail(f"{site} has no {name}: run `make html` first")
    return site / name


@pytest.fixture(scope="module")
def home(request, audit, site):
    """The address at which the site is served; modules of one page name it PAGE, and need it built."""
    page_of(site, getattr(request.module, "PAGE", "index.html"))
    with audit.server.served(site, "/a/prefix/") as address:
        yield address


@pytest.fixture
def hosted(site, tmp_path):
    """A page as it is where addresses are configured, and perhaps a year."""

    def of(name, year=""):
        text = page_of(site, name).read_text(encoding="utf-8")
        text = text.replace(f"{'../' * name.count('/')}_static", (site / "_static").as_uri())
        text = text.replace("&#34;issues&#34;: &#34;&#34;", f"&#34;issues&#34;: &#34;{ISSUES}&#34;")
        text = text.replace("&#34;year&#34;: &#34;&#34;", f"&#34;year&#34;: &#34;{year}&#34;")
        head = f'<head><link rel="canonical" href="https://example.org/{name}">'
        (tmp_path / "page.html").write_text(text.replace("<head>", head, 1), encoding="utf-8")
        return tmp_path / "page.html"

    return of
