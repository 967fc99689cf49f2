"""Every page is opened and asked everything there: wide, then narrow, and in the weekly set narrow and dark.

It comes from a server, compressed, under a prefix as on a project's site, and with a
Content-Security-Policy; in the dark it comes from its folder.

One built site can be looked at alone: `PE_SITE=docs/_build/html pytest tests/site/test_visits.py`.
"""

import random
from functools import partial

import pytest

from tests.site.conftest import SITE, extension, skip_or_fail

PREFIX = "/some/prefix/"
OPENED = {"light": (1300, 360), "dark": (360,)}  # px
NAMES = sorted(page.relative_to(SITE).as_posix() for page in SITE.rglob("*.html"))
NAMES = [name for name in NAMES if not name.startswith("_static/")]
# listings of source come from one template: the longest, the middle one and the shortest stand for all
LISTINGS = sorted(
    (name for name in NAMES if name.startswith("pe_book/")), key=lambda name: (SITE / name).stat().st_size
)
FEW = LISTINGS[:: max(1, (len(LISTINGS) - 1) // 2)]
PAGES = [name for name in NAMES if name not in LISTINGS] + FEW
# colours and targets, and what a finger and a folder change, are those of stylesheets and scripts: a page of
# each kind stands for all, but in the weekly set
IN_BOTH = {"index.html", "why/order-blindness.html", "sinusoidal/waves.html", "reference/conventions.html",
           "reference/api.html", "search.html", *FEW[:1]}  # fmt: skip


@pytest.fixture(scope="module")
def homes(audit):
    with audit.server.served(SITE, PREFIX) as home:
        yield {"light": home, "dark": SITE.as_uri() + "/"}


@pytest.fixture(scope="module")
def wrong_with(browser):
    """What is wrong with a page that is opened at an address, in a scheme, at widths, with axe or without."""
    visits = extension("tests.site.visits")
    return partial(visits.wrong_with, visits.Tabs(browser))


def test_there_is_a_site():
    if not PAGES:
        skip_or_fail("there is no site: run `make html` first")


VISITS = [
    pytest.param(page, scheme, marks=() if scheme == "light" or page in IN_BOTH else pytest.mark.thorough)
    for page in PAGES
    for scheme in OPENED
]


@pytest.mark.parametrize(("page", "scheme"), VISITS)
def test_nothing_is_wrong_with_a_page(wrong_with, homes, axe, page, scheme):
    axe = axe if scheme == "light" or page in IN_BOTH else ""
    assert wrong_with(homes[scheme], page, scheme, OPENED[scheme], axe, page in IN_BOTH) == []


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page in PAGES if page not in IN_BOTH])
def test_nothing_is_wrong_with_the_styles_of_a_page(wrong_with, homes, axe, page):
    assert wrong_with(homes["light"], page, "light", (1300,), axe) == []


# beside the front page those of which most is left for later on a phone
ON_PHONES = ("index.html", "why/order-blindness.html", "sinusoidal/waves.html")
OTHERS = [
    *((page, "light") for page in ON_PHONES),
    *(pytest.param(page, "dark", marks=pytest.mark.thorough) for page in PAGES),
]


@pytest.mark.parametrize(("page", "scheme"), OTHERS)
def test_nothing_is_wrong_on_another_phone_and_in_a_dark_window(wrong_with, homes, axe, page, scheme):
    """No stylesheet makes a difference between 360 and 390 px; lines break at other words."""
    assert wrong_with(homes["light"], page, scheme, (390, 1300) if scheme == "dark" else (390,), axe) == []


# ---- the same eyes on a page that has one mistake of each kind

HEAD = """<!doctype html><html lang=en><title>x</title><link rel=icon href="data:,">
<meta name=viewport content="width=device-width"><main><h1 id=top-of-it>x</h1>
<div class=bd-article-container style="overflow-x: auto" tabindex=0><article class=bd-article>"""
STYLE = """<style>
    html {overflow-anchor: none}
    .headerlink {display: inline-block; width: 24px; height: 24px}
    .small {width: 12px} .hidden {opacity: 0} .cover {position: absolute; inset: 0}
    .shy:not(:focus) {opacity: 0} @media (hover: none) {.shy.shy {opacity: 1}}
</style>"""
NUMBERED = """<figure id={0} style="position: relative"><svg width=60 height=60></svg>
<figcaption>A <a class="headerlink {1}" href="#{2}">#</a></figcaption>{3}</figure>"""
BOTH = "light dark"
WRONG = {  # what is planted, how it is told, and where it can be seen
    "layout shift": (
        "<div id=late></div><script src=late.js></script><p style='height: 2000px'>pushed</p>",
        "layout shift: 0.",
        "light",
    ),
    "axe": ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "axe: image-alt", BOTH),
    "policy": ("<script>document.title = 'y'</script>", "policy: script-src", "light"),
    "weight": ("<script src=heavy.js></script>", "bytes JavaScript", "light"),
    "another host": ("<img alt='' src='http://192.0.2.1/x.png'>", "asked elsewhere: http://192.0.2.1", BOTH),
    "missing file": ("<img alt='' src='gone.png'>", "gone.png", BOTH),
    "absolute path": ("<img alt='' src='/there.png'>", "there.png", BOTH),
    "console": ("<script src=said.js></script>", "console: planted", BOTH),
    "error of the page": ("<script src=thrown.js></script>", "page error: planted", BOTH),
    "keyboard": (
        "<div style='width: 60px; overflow-x: auto'><p style='width: 99px'>unreached</p></div>",
        "keyboard: div.: unreached",
        BOTH,
    ),
    "wide": ("<p style='width: 1500px'>wide</p>", "phone: page scrolls: 15", "light"),
    "wide on a phone": ("<div class=admonition style='width: 500px'>x</div>", "box cut", "dark"),
    "no #": ("<figure id=bare><figcaption>A</figcaption></figure>", "figure bare: no #", BOTH),
    "elsewhere": (NUMBERED.format("led", "", "top-of-it", ""), "figure led: # leads elsewhere", BOTH),
    "not seen": (NUMBERED.format("hid", "hidden", "hid", ""), "figure hid: # not seen", BOTH),
    "small": (NUMBERED.format("tiny", "small", "tiny", ""), "figure tiny: # has 12", BOTH),
    "covered": (
        NUMBERED.format("under", "", "under", "<div class=cover></div>"),
        "figure under: # is covered",
        BOTH,
    ),
    "not seen by a mouse": (NUMBERED.format("last", "shy", "last", ""), "cited: #last: # not seen", "light"),
}
SCRIPTS = {
    "late.js": "addEventListener('scroll', () => (document.querySelector('#late').style.height = '300px'))",
    "heavy.js": f"/*{random.Random(0).randbytes(150_000).hex()}*/",
    "said.js": "console.error('planted')",
    "thrown.js": "throw new Error('planted')",
}


@pytest.mark.parametrize("scheme", OPENED)
def test_each_mistake_is_told(wrong_with, audit, axe, tmp_path, scheme):
    for name, text in SCRIPTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    body = "".join(planted for planted, _, where in WRONG.values() if scheme in where)
    (tmp_path / "page.html").write_text(f"{HEAD}{STYLE}{body}</article></div></main>", encoding="utf-8")
    with audit.server.served(tmp_path, PREFIX) as home:
        address = {"light": home, "dark": tmp_path.as_uri() + "/"}[scheme]
        told = wrong_with(address, "page.html", scheme, OPENED[scheme], axe)
    expected = {name: said for name, (_, said, where) in WRONG.items() if scheme in where}
    assert {name for name, said in expected.items() if not any(said in line for line in told)} == set(), told


def test_a_page_that_cannot_be_reached_is_told(wrong_with, homes):
    (told, *_) = wrong_with(homes["light"], "gone.html", "light", (1300,), "")
    assert "404" in told
