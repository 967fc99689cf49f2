"""Cells print in the page what is printed there, and exercises are judged; what is shipped is what is pinned.

What holds of every page is asked of a few; `make thorough` asks all.
"""

import json
import zipfile

import pytest

from bookish.live import pages_of
from tests.site.conftest import REPO, SITE, extension
from tests.site.live.conftest import PAGE, differing, misjudged

FEW = ["sinusoidal/shift.html", "why/order-blindness.html"]  # and PAGE


# ---------------------------------------------------------------- without a browser


def test_the_site_itself_is_as_it_was_and_pages_that_need_torch_run_nothing(live):
    for name in ("index.html", PAGE, "sinusoidal/production.html"):
        assert "_static/live" not in (SITE / name).read_text(encoding="utf-8")
    assert not (SITE / "_static" / "live").exists()
    assert PAGE in live.pages
    assert "sinusoidal/production.html" not in live.pages
    other = (live.folder / "sinusoidal/production.html").read_text(encoding="utf-8")
    assert "_static/live" not in other
    assert extension("bookish.live").NOT_HERE in other


def test_what_is_shipped_is_listed_with_version_licence_and_checksum(live):
    lock = json.loads((live.folder / "_static/live/lock.json").read_text(encoding="utf-8"))
    sha256 = extension("bookish.live.runtime").sha256
    assert not lock["published"]  # of the one that stands in
    for one in lock["files"]:
        data = (live.folder / "_static/live" / one["file"]).read_bytes()
        assert (len(data), sha256(data)) == (one["bytes"], one["sha256"])
        assert one["version"]
        assert one["licence"]
        assert one["source"]
    with zipfile.ZipFile(next(live.folder.glob("_static/live/mpmath-*.zip"))) as opened:
        assert any("LICEN" in name for name in opened.namelist())


def test_a_numpy_that_is_not_the_pinned_one_is_refused(tmp_path):
    runtime, refusal = extension("bookish.live.runtime"), extension("book").Refusal
    (tmp_path / runtime.SHIPPED["numpy"]["file"]).write_bytes(b"another")
    with pytest.raises(refusal, match="is not the one that"):
        runtime.numpy_wheel(str(tmp_path), tmp_path)
    with pytest.raises(refusal, match="cannot be had there"):
        runtime.numpy_wheel(str(tmp_path / "nowhere"), tmp_path)


# ---------------------------------------------------------------- pages

OTHERS = [
    pytest.param(page, marks=pytest.mark.thorough)
    for page in pages_of(SITE, REPO / "docs")
    if page not in [*FEW, PAGE]
]


@pytest.mark.parametrize("page", FEW + OTHERS)
def test_a_page_computes_what_it_prints_and_judges_its_exercises(live, tab, address, page):
    assert differing(live, tab, address, page) == []
    assert list(misjudged(tab, page)) == []
