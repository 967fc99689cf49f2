"""Links and scripts of all pages, what `make audit` makes of Lighthouse, and the archive."""

import shutil
import zipfile

import pytest

from driver import archive
from tests.site import links


@pytest.fixture(scope="module")
def documents(site, pages):
    return links.documents_of(site)


def test_every_link_and_anchor_leads_somewhere_wherever_the_site_lies(site, documents):
    assert links.complaints(site, documents) == []


def test_no_page_holds_a_script(documents):
    assert {page: document.inline for page, document in documents.items() if document.inline} == {}


# ---- the same on pages that are wrong

HEAD = """<!doctype html><html lang=en><title>x</title><link rel=icon href="data:,">
<meta name=viewport content="width=device-width"><main><h1 id='top-of-it'>x</h1>"""
LINKS = {
    "gone.html": "is missing",
    "there.html#gone": "names an anchor that its page lacks",
    "/there.html": "does not begin at its page",
    "../other/there.html": "leaves the site",
    "folder/": "is a folder, which opens only from a server",
    "There.html": "is missing",
}
GOOD = ("there.html", "there.html#top-of-it", "#", "#top", "folder/index.html?x=1", "https://example.org/")
INLINE = "<script>go()</script><p onclick='go()'>x</p><a href='javascript:go()'>x</a>"
DATA = "<script type='application/json'>{}</script><script src=there.html></script>"


def test_links_that_lead_nowhere_and_scripts_inside_a_page_are_seen_and_others_left_alone(tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ("folder/index.html", "there.html"):
        (tmp_path / name).write_text(HEAD, encoding="utf-8")
    body = "".join(f"<a href='{address}'>x</a>" for address in (*LINKS, *GOOD))
    (tmp_path / "page.html").write_text(HEAD + body + DATA + INLINE, encoding="utf-8")
    found = links.documents_of(tmp_path)
    expected = [f"page.html: {address} {wrong}" for address, wrong in LINKS.items()]
    assert links.complaints(tmp_path, found) == [
        *expected,
        "page.html: javascript:go() begins with javascript:",
    ]
    assert len(found["page.html"].inline) == 3


# ---- what the audit makes of Lighthouse


def test_speed_is_the_median_and_the_rest_the_worst(audit, monkeypatch):
    reports = iter(report_of(speed, best) for speed, best in ((90, 100), (97, 96), (99, 100)))
    monkeypatch.setattr(audit.run, "run_once", lambda url, device: next(reports))
    seen = audit.run.score("page", "mobile", 3)
    assert (seen.categories["performance"], seen.categories["best-practices"]) == (97, 96)
    assert (seen.runs, seen.failed) == ([90, 97, 99], ["planted"])
    assert audit.run.too_low("mobile", seen) == ["best-practices 96 on mobile, at least 100: planted"]
    assert len(audit.run.too_low("desktop", seen)) == 2


def report_of(speed, best):
    scores = {"performance": speed, "accessibility": 100, "best-practices": best, "seo": 100}
    kept = [{"id": "planted", "weight": 1}, {"id": "unweighted", "weight": 0}]
    return {
        "categories": {name: {"score": mark / 100, "auditRefs": kept} for name, mark in scores.items()},
        "audits": {"planted": {"score": best // 100}, "unweighted": {"score": 0}},
    }


# ---- the archive


def test_the_archive_opens_without_a_server(look, browser, site, pages, tmp_path):
    file = archive.write_archive(site, tmp_path)
    with zipfile.ZipFile(file) as packed:
        packed.extractall(tmp_path / "unpacked")
    (top,) = (tmp_path / "unpacked").iterdir()
    home = top.as_uri() + "/"
    page = browser.new_page(viewport=look.PHONE)
    errors = look.collect_errors(page, home)
    for opened in ("index.html", "search.html", "sinusoidal/shift.html"):
        look.open_settled(page, home + opened)
    page.click(".search-button")
    page.fill(".search-dialog input", "omega")
    page.click(".search-dialog .search-hits a >> nth=0")
    page.wait_for_url(lambda url: url.startswith(home) and "sinusoidal/shift.html" not in url)
    page.close()
    assert errors == []


def test_a_hosted_site_offers_the_archive_that_lies_beside_it(browser, audit, site, tmp_path):
    shutil.copytree(site / "_static", tmp_path / "site" / "_static")
    for name in ("index.html", archive.OFFERED):
        shutil.copy(site / name, tmp_path / "site")
    page = browser.new_page()
    offered = page.locator(".archive")
    with audit.server.served(tmp_path / "site", "/book/") as home:
        with page.expect_response("**/" + archive.OFFERED):
            page.goto(home + "index.html")
        page.wait_for_timeout(100)
        assert not offered.is_visible()
        file = archive.write_archive(tmp_path / "site", tmp_path)
        archive.put_beside(file, tmp_path / "site")
    with audit.server.served(tmp_path / "site", "/book/") as home:
        page.goto(home + "index.html")
        offered.wait_for(state="visible")
        assert offered.inner_text() == f"The whole site, {-(-file.stat().st_size // 10**6)} MB"
        assert page.request.get(home + offered.get_attribute("href")).body() == file.read_bytes()
    page.close()
    assert archive.write_archive(tmp_path / "site", tmp_path / "again").read_bytes() == file.read_bytes()
