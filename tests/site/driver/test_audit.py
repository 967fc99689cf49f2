"""A part of `make audit` on every build: links of all pages; test_visits.py opens them as it does."""

import contextlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from driver import archive
from tests.site.conftest import page_of


@pytest.fixture(scope="module")
def documents(audit, site, pages):
    return audit.links.documents_of(site)


def test_every_link_and_anchor_leads_somewhere_wherever_the_site_lies(audit, site, documents):
    assert audit.links.complaints(site, documents) == []


def test_no_page_holds_a_script(documents):
    assert {page: document.inline for page, document in documents.items() if document.inline} == {}


@pytest.mark.parametrize(
    "name",
    ["sinusoidal/computing.html", pytest.param("sinusoidal/production.html", marks=pytest.mark.thorough)],
)
def test_code_far_down_takes_the_focus(audit, look, browser, site, axe, name):
    """Before anybody has scrolled, folds open, axe finds nothing; at the end it looks in test_visits.py."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(page_of(site, name).as_uri(), wait_until="load")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    look.ask(page, "() => document.fonts.ready.then(() => new Promise(requestIdleCallback)).then(() => true)")
    page.evaluate(axe)
    assert look.ask(page, audit.visits.RUN_AXE, audit.visits.RULES) == []
    assert page.locator("pre[tabindex]").count() > 1
    page.close()


# ---- the same on pages that are wrong

HEAD = """<!doctype html><html lang=en><title>x</title><link rel=icon href="data:,">
<meta name=viewport content="width=device-width"><main><h1 id=top-of-it>x</h1>"""
LINKS = {
    "gone.html": "is missing",
    "there.html#gone": "names an anchor that its page lacks",
    "#gone": "names an anchor that its page lacks",
    "/there.html": "does not begin at its page",
    "//example.org/x": "does not begin at its page",
    "../other/there.html": "leaves the site under /en/latest/",
    "folder/": "is a folder, which opens only from a server",
    "There.html": "is missing",
    "https://nowhere/x": "is not an address",
    "javascript:go()": "begins with javascript:",
}


@pytest.fixture
def planted(tmp_path):
    """A site of one page with this in it, and a page to link to."""

    def write(body):
        (tmp_path / "folder").mkdir(exist_ok=True)
        (tmp_path / "folder" / "index.html").write_text(HEAD, encoding="utf-8")
        (tmp_path / "there.html").write_text(HEAD, encoding="utf-8")
        (tmp_path / "page.html").write_text(HEAD + body, encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize("address", LINKS)
def test_a_link_that_leads_nowhere_is_seen(audit, planted, address):
    folder = planted(f"<a href='{address}'>x</a>")
    found = audit.links.complaints(folder, audit.links.documents_of(folder))
    assert f"page.html: {address} {LINKS[address]}" in found


def test_links_that_lead_somewhere_are_left_alone(audit, planted):
    good = (
        "there.html",
        "there.html#top-of-it",
        "#",
        "#top",
        "folder/index.html?x=1",
        "https://example.org/",
    )
    folder = planted("".join(f"<a href='{address}'>x</a>" for address in good))
    assert audit.links.complaints(folder, audit.links.documents_of(folder)) == []


def test_scripts_inside_a_page_are_seen_and_data_are_not(audit, planted):
    folder = planted("<script type='application/json'>{}</script><script src=x.js></script>")
    documents = audit.links.documents_of(folder)
    assert documents["page.html"].inline == []
    folder = planted("<script>go()</script><p onclick='go()'>x</p><a href='javascript:go()'>x</a>")
    assert len(audit.links.documents_of(folder)["page.html"].inline) == 3


SMALL = "<p style='margin-top: 2000px'></p>" + "<a href=# style='display: block; height: 9px'>x</a>" * 3


def test_small_targets_at_the_end_are_found(audit, browser, planted, axe):
    with audit.server.served(planted(SMALL + "</main>")) as home:
        found = audit.visits.visit(
            audit.visits.Tabs(browser), home, audit.visits.Job("page.html", "light", (390,)), axe
        ).findings
    assert [finding for finding in found if "target-size" in finding.what], found


def test_a_page_that_never_answers_is_not_waited_for(audit, browser):
    page = browser.new_page()
    assert audit.visits.ask(page, "async (given) => given + 1", 2) == 3
    with pytest.raises(audit.visits.Unanswered, match=r"did not answer within 0\.2 seconds"):
        audit.visits.ask(page, "() => new Promise(() => {})", patience=0.2)
    with pytest.raises(RuntimeError, match="gone"):
        audit.visits.ask(page, "async () => gone")
    page.close()


def test_what_did_not_answer_is_opened_once_more(audit, monkeypatch):
    jobs = [audit.visits.Job(name, "light", (390,)) for name in ("slow.html", "stuck.html")]
    often = []

    def visit(tabs, home, job, axe):
        often.append(job.page)
        if often.count(job.page) < {"slow.html": 2, "stuck.html": wanted}[job.page]:
            raise audit.visits.Unanswered(job.page)
        return audit.visits.Visit(job.page, job.scheme)

    monkeypatch.setattr(audit.visits, "visit", visit)
    monkeypatch.setattr(audit.visits, "chromium", lambda: contextlib.nullcontext())
    wanted = 1
    seen = audit.visits.visit_all("", jobs, "", 1, said=often.append)
    assert [one.page for one in seen] == ["slow.html", "stuck.html"]
    assert "slow.html light: no answer, opened again" in often
    wanted = 9
    with pytest.raises(audit.visits.Unanswered, match="stuck"):
        audit.visits.visit_all("", jobs, "", 1, said=lambda line: None)


# ---- what is asked of the audit, and what it makes of Lighthouse


def test_what_the_audit_is_asked_is_understood_or_refused(audit):
    run = audit.run
    assert [run.runs_of(given) for given in ("no", "1", "5")] == [0, 1, 5]
    for given in ("4", "0", "many", ""):
        with pytest.raises(run.Refusal, match="odd number"):
            run.runs_of(given)
    pages = [
        "index.html",
        "why/index.html",
        "why/first.html",
        "reference/api.html",
        "reference/glossary.html",
    ]
    assert run.scored_of(pages) == ["index.html", "reference/api.html", "why/first.html"]


def test_a_page_that_is_not_there_is_refused(audit, planted):
    assert audit.run.pages_of(planted(""), "page there.md") == ["page.html", "there.html"]
    with pytest.raises(audit.run.Refusal, match=r"gone\.html"):
        audit.run.pages_of(planted(""), "page gone")


def test_speed_is_the_median_and_the_rest_the_worst(audit, monkeypatch):
    reports = iter(report_of(speed, best) for speed, best in ((90, 100), (97, 96), (99, 100)))
    monkeypatch.setattr(audit.lighthouse, "run_once", lambda url, device: next(reports))
    seen = audit.lighthouse.score("page", "mobile", 3)
    assert (seen.categories["performance"], seen.categories["best-practices"]) == (97, 96)
    assert (seen.runs, seen.failed) == ([90, 97, 99], ["planted"])
    assert audit.lighthouse.too_low("mobile", seen) == ["best-practices 96 on mobile, at least 100: planted"]
    assert len(audit.lighthouse.too_low("desktop", seen)) == 2


def report_of(speed, best):
    scores = {"performance": speed, "accessibility": 100, "best-practices": best, "seo": 100}
    kept = [{"id": "planted", "weight": 1}, {"id": "unweighted", "weight": 0}]
    return {
        "categories": {name: {"score": mark / 100, "auditRefs": kept} for name, mark in scores.items()},
        "audits": {"planted": {"score": best // 100}, "unweighted": {"score": 0}},
    }


# ---- the archive


def test_the_archive_opens_without_a_server(look, audit, browser, site, pages, tmp_path):
    file = archive.write_archive(site, tmp_path)
    with zipfile.ZipFile(file) as packed:
        packed.extractall(tmp_path / "unpacked")
    (top,) = (tmp_path / "unpacked").iterdir()
    home = top.as_uri() + "/"
    opened = ["index.html", "sinusoidal/shift.html", "search.html"]
    assert [str(finding) for finding in audit.visits.glance(browser, home, opened)] == []
    page = browser.new_page(viewport=look.PHONE)
    errors = look.collect_errors(page, home)
    look.open_settled(page, home + "sinusoidal/shift.html")
    page.click(".search-button")
    page.fill(".search-dialog input", "omega")
    page.click(".search-dialog .search-hits a >> nth=0")
    page.wait_for_url(lambda url: url.startswith(home) and "sinusoidal/shift.html" not in url)
    page.close()
    assert errors == []


def test_the_same_site_makes_the_same_archive(tmp_path):
    for name, order in (("first", (1, 2)), ("second", (2, 1))):
        folder = tmp_path / name / "site"
        folder.mkdir(parents=True)
        for number in order:
            (folder / f"{number}.html").write_text(f"page {number}", encoding="utf-8")
    code = (
        "import sys, pathlib; from driver import archive; top = pathlib.Path(sys.argv[1]);"
        "print(archive.write_archive(top / 'site', top))"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / name)],
            check=True, capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for name in ("first", "second")
    ]  # fmt: skip
    first, second = (Path(path).read_bytes() for path in made)
    assert first == second
    assert zipfile.ZipFile(made[0]).infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
