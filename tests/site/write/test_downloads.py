"""What a reader takes along from a figure: five things under each, each of them that figure's."""

import csv
import html
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from pe_book.evidence import project
from pe_book.show.drawing.raster import WIDTH
from tests.site.conftest import page_of

SVG = "{http://www.w3.org/2000/svg}"
FIGURE = re.compile(r'<figure class="[^"]*\bdrawn\b.*?</figure>', re.DOTALL)
FILES = ("svg", "png", "csv")
ONLY_HERE = re.compile(r'var\(|light-dark\(|\bclass="|<style|<filter|currentColor|paint-order')
TAGS = re.compile(r"<[^>]+>")


def text_of(found):
    return html.unescape(TAGS.sub("", found[1])) if found else ""


def complaints(figure, folder):
    """What is wrong with what stands below one figure of a page in a folder."""
    wrong = []
    links = {
        link.rpartition(".")[2]: folder / link for link in re.findall(r'<a href="([^"]+)" download', figure)
    }
    if tuple(links) != FILES or not all(file.is_file() for file in links.values()):
        return [f"files: {links}"]
    name = re.search(r' id="([^"]+)"', figure)[1]
    if any(file.stem != name for file in links.values()):
        wrong.append("files of another figure")
    number = text_of(re.search(r'<span class="caption-number">(.*?)</span>', figure)).strip()
    shown = html.unescape(re.search(r'role="img" aria-label="([^"]*)"', figure)[1])
    alt = text_of(re.search(r'<dd class="alt">(.*?)</dd>', figure, re.DOTALL))
    credit = text_of(re.search(r'<dd class="credit">(.*?)</dd>', figure, re.DOTALL))
    if alt != shown:
        wrong.append(f"alternative text: {alt}")
    licence = project.read()["tool"]["pe_book"]["text-licence"]
    if not credit.startswith(f"{project.reference()} {number}. {licence}."):
        wrong.append(f"credit: {credit}")
    return (
        wrong
        + wrong_svg(links["svg"].read_text(encoding="utf-8"), number, f"{alt} {credit}")
        + wrong_rest(links, figure)
    )


def wrong_svg(text, number, told):
    root = ET.fromstring(text)
    wrong = [f"only a page knows {what}" for what in set(ONLY_HERE.findall(text))]
    if root.findtext(f"{SVG}title") != number or root.findtext(f"{SVG}desc") != told:
        wrong.append("the SVG is called otherwise")
    if not list(root.iter(f"{SVG}path")) and not list(root.iter(f"{SVG}text")):
        wrong.append("the SVG is empty")
    ids = {one.get("id") for one in root.iter() if one.get("id")}
    asked = {name for pair in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text) for name in pair if name}
    return wrong + [f"the SVG lacks {name}" for name in asked - ids]


def wrong_rest(links, figure):
    wrong = []
    with Image.open(links["png"]) as picture:
        picture.load()
        root = ET.fromstring(links["svg"].read_text(encoding="utf-8"))
        ratio = float(root.get("height")) / float(root.get("width"))
        if picture.width != WIDTH or abs(picture.height - WIDTH * ratio) > 1:
            wrong.append(f"the PNG has {picture.size} pixels")
        if np.ptp(np.asarray(picture.convert("L").resize((80, 40)), float)) < 30:
            wrong.append("the PNG is empty")
    header, *rows = list(csv.reader(io.StringIO(links["csv"].read_text(encoding="utf-8"))))
    table = re.search(r"<table>(.*?)</table>", figure, re.DOTALL)[1]
    lines = [re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", row) for row in table.split("</tr>")[:-1]]
    shown = [[html.unescape(cell) for cell in line] for line in lines]
    if ("before you move the controls" in figure) != ("<pe-" in figure):
        wrong.append("whether its files are what is drawn before somebody moves it")
    if shown != [header, *rows][: len(shown)] or len(shown) < min(len(rows), 8):
        wrong.append("the file is not the table")
    return wrong


@pytest.fixture(scope="module")
def figures(pages):
    """Every figure of the site with its page."""
    return [(page, one) for page in pages for one in FIGURE.findall(page.read_text(encoding="utf-8"))]


def test_every_figure_has_all_five(figures, site):
    assert len(figures) > 80
    assert any("<pe-" in page.read_text(encoding="utf-8") for page, _ in figures)
    wrong = {
        f"{page.relative_to(site)} {re.search(' id=.([^ >]+).', figure)[1]}": found
        for page, figure in figures
        if (found := complaints(figure, page.parent))
    }
    assert wrong == {}


def test_no_file_belongs_to_no_figure(figures, site):
    named = {re.search(r' id="([^"]+)"', figure)[1] for _, figure in figures}
    assert {file.name for file in (site / "_data").glob("fig-*")} == {
        f"{name}.{ending}" for name in named for ending in FILES
    }


# ---- in the browser


def opened(browser, look, site, size, **options):
    page = browser.new_page(viewport=size, **options)
    look.open_settled(page, page_of(site, "family/rotary.html").as_uri())
    return page


def test_without_script_all_five_are_there(browser, look, site):
    context = browser.new_context(java_script_enabled=False, viewport=look.PHONE)
    page = context.new_page()
    page.goto(page_of(site, "family/rotary.html").as_uri())
    twin = page.locator("#fig-rotary-hands details.data-twin")
    twin.locator("summary").focus()
    page.keyboard.press("Enter")
    assert twin.locator(".files a").all_inner_texts() == ["SVG", "PNG", "CSV"]
    assert twin.locator("dd.credit").is_visible()
    assert twin.locator("dd.alt").is_visible()
    assert twin.locator("button").count() == 0
    assert twin.locator(":scope > *").last.locator("table").count() == 1  # behind all that is pressed
    context.close()


def test_what_is_copied_is_what_stands_there(browser, look, site):
    page = opened(browser, look, site, look.PHONE)
    twin = page.locator("#fig-rotary-hands details.data-twin")
    twin.locator("summary").focus()
    page.keyboard.press("Enter")
    twin.locator("button").first.wait_for()
    page.evaluate(
        "navigator.clipboard && (navigator.clipboard.writeText = async (text) => { window.copied = text })"
    )
    for name, kind in (("alternative text", "alt"), ("credit", "credit")):
        button = twin.get_by_role("button", name=f"Copy {name}")
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("window.copied")
        assert page.evaluate("window.copied") == twin.locator(f"dd.{kind}").inner_text()
        page.evaluate("window.copied = ''")
    twin.locator("summary").click()
    twin.locator("summary").click()
    assert twin.locator("dl button").count() == 2, "offered once"
    page.close()
