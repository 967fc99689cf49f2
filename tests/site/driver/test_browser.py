"""The built site in Chromium: nothing comes from another host, is missing, refused, or sticks out of a phone.

Every page is opened from a server, compressed, under a prefix as on a project's site, and with a
Content-Security-Policy; most are opened from the folder too.
"""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
SITE = Path(os.environ.get("PE_SITE", REPO / "docs" / "_build" / "html"))
PREFIX = "/some/prefix/"


@pytest.fixture
def serve(audit):
    """Serve folders as a host does; gives back the address of each."""
    with ExitStack() as stack:
        yield lambda folder, **how: stack.enter_context(audit.server.served(folder, PREFIX, **how))


def visit(look, browser, addresses, home):
    """Open each address at the width of a phone and note what a reader would stumble over."""
    wrong = {}
    page = browser.new_page(viewport=look.PHONE)
    errors = look.collect_errors(page, home)
    for name, address in addresses.items():
        look.open_settled(page, address)
        page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
        found = errors + look.list_overflowing(page)
        if found:
            wrong[name] = list(dict.fromkeys(found))
        errors.clear()
    page.close()
    return wrong


def relative(site, pages):
    return [page.relative_to(site).as_posix() for page in pages]


def test_every_page_served_under_a_prefix(look, browser, pages, serve):
    home = serve(SITE)
    assert visit(look, browser, {name: home + name for name in relative(SITE, pages)}, home) == {}


def test_pages_from_the_folder(look, browser, pages):
    # the pages of source code are all alike, so one of them will do here
    names = relative(SITE, pages)
    source = [name for name in names if name.startswith("pe_book/")]
    names = [name for name in names if name not in source] + source[:1]
    assert visit(look, browser, {name: (SITE / name).as_uri() for name in names}, SITE.as_uri()) == {}


HEIGHTS = """() => [...document.querySelectorAll('.bd-article > section > section')].map((section) =>
    [section.id, section.offsetHeight, parseFloat(section.style.containIntrinsicBlockSize.split(' ')[1])])"""


@pytest.mark.parametrize("width", [360, 1300])
def test_no_section_is_higher_than_the_place_kept_for_it(look, browser, pages, width):
    """Else what stands at its end lies, for whoever asks before it is laid out, below the next one."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    wrong, found = [], 0
    for name in relative(SITE, pages):
        if name.startswith("pe_book/"):
            continue
        look.open_settled(page, (SITE / name).as_uri())
        for section, height, kept in page.evaluate(HEIGHTS):
            found += 1
            if not height <= kept <= 4 * height:
                wrong.append((name, section, height, kept))
    page.close()
    assert wrong == []
    assert found > 200


def test_no_page_names_a_folder_of_the_machine_that_built_it(pages):
    assert [page.name for page in pages if str(REPO) in page.read_text(encoding="utf-8")] == []


# ---- the same eyes on pages that are wrong

HEALTHY = """<!doctype html><title>x</title><link rel=icon href="data:,">
<meta name=viewport content="width=device-width">"""
PLANTED = {
    "another host": ("<img alt='' src='http://192.0.2.1/x.png'>", "asked elsewhere: http://192.0.2.1/x.png"),
    "a missing file": ("<img alt='' src='gone.png'>", "gone.png"),
    "an absolute path": ("<img alt='' src='/there.svg'>", "there.svg"),
    "an error on the console": ("<script>console.error('planted')</script>", "console: planted"),
    "an error of the page": ("<script>throw new Error('planted')</script>", "page error: planted"),
    "too wide": ("<p style='width: 500px'>wide</p>", "px of content in 390"),
    "too wide inside the article": (
        "<div class='bd-article-container' style='overflow-x: auto'><p style='width: 500px'>wide</p></div>",
        "px of content in",
    ),
}


@pytest.fixture
def planted(tmp_path):
    def write(body):
        (tmp_path / "page.html").write_text(HEALTHY + body, encoding="utf-8")
        (tmp_path / "there.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_wrong_is_seen(name, look, browser, serve, planted):
    body, complaint = PLANTED[name]
    folder = planted(body)
    home = serve(folder, policy="")  # which would refuse what is planted before it goes wrong
    for address, root in ((home + "page.html", home), ((folder / "page.html").as_uri(), folder.as_uri())):
        errors = visit(look, browser, {"page": address}, root).get("page", [])
        assert any(complaint in line for line in errors), (address, errors)


def test_what_is_right_is_left_alone(look, browser, serve, planted):
    folder = planted(
        "<img alt='' src='there.svg'><div style='overflow: auto'><p style='width: 900px'>scrolls</p></div>"
    )
    home = serve(folder)
    assert visit(look, browser, {"page": home + "page.html"}, home) == {}


def test_what_the_policy_refuses_is_seen(look, browser, serve, planted):
    home = serve(planted("<script>document.title = 'planted'</script>"))
    assert "Content Security Policy" in str(visit(look, browser, {"page": home + "page.html"}, home))


def test_a_page_that_cannot_be_reached_is_not_passed_over(look, browser, serve, planted):
    home = serve(planted(""))
    assert "404" in str(visit(look, browser, {"gone": home + "gone.html"}, home))
