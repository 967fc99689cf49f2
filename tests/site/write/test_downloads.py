"""What a reader takes along from a figure: five things under each, each of them that figure's."""

import csv
import html
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from pe_book.evidence import project
from pe_book.show.drawing.raster import WIDTH
from tests.site.conftest import page_of

SVG = "{http://www.w3.org/2000/svg}"
FIGURE = re.compile(r'<figure class="[^"]*\bdrawn\b.*?</figure>', re.DOTALL)
FILES = ("svg", "png", "csv")
ONLY_HERE = re.compile(r'var\(|light-dark\(|\bclass="|<style|<filter|currentColor|paint-order')


def complaints(figure, folder):
    """What is wrong with what stands below one figure of a page in a folder."""
    twin = BeautifulSoup(figure[figure.rindex('<details class="data-twin"') :], "html.parser")
    links = {link["href"].rpartition(".")[2]: folder / link["href"] for link in twin.select("a[download]")}
    name = re.search(r' id="([^"]+)"', figure)[1]
    if tuple(links) != FILES or not all(file.is_file() and file.stem == name for file in links.values()):
        return [f"files: {links}"]
    number = BeautifulSoup(
        re.search(r'<span class="caption-number">.*?</span>', figure)[0], "html.parser"
    ).text
    shown = html.unescape(re.search(r'role="img" aria-label="([^"]*)"', figure)[1])
    alt, credit = twin.select_one("dd.alt").text, twin.select_one("dd.credit").text
    wrong = [f"alternative text: {alt}"] * (alt != shown)
    licence = project.read()["tool"]["pe_book"]["text-licence"]
    if not credit.startswith(f"{project.reference()} {number.strip()}. {licence}."):
        wrong.append(f"credit: {credit}")
    if ("before you move the controls" in twin.text) != ("<pe-" in figure):
        wrong.append("whether its files are what is drawn before somebody moves it")
    header, *rows = list(csv.reader(io.StringIO(links["csv"].read_text(encoding="utf-8"))))
    cells = [[cell.text for cell in row.select("th, td")] for row in twin.select("tr")]
    if cells != [header, *rows][: len(cells)] or len(cells) < min(len(rows), 8):
        wrong.append("the file is not the table")
    svg = links["svg"].read_text(encoding="utf-8")
    return [*wrong, *wrong_pictures(svg, links["png"], number.strip(), f"{alt} {credit}")]


def wrong_pictures(svg, png, number, told):
    root = ET.fromstring(svg)
    wrong = [f"only a page knows {what}" for what in set(ONLY_HERE.findall(svg))]
    if root.findtext(f"{SVG}title") != number or root.findtext(f"{SVG}desc") != told:
        wrong.append("the SVG is called otherwise")
    if not list(root.iter(f"{SVG}path")) and not list(root.iter(f"{SVG}text")):
        wrong.append("the SVG is empty")
    ids = {one.get("id") for one in root.iter()}
    asked = {name for pair in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg) for name in pair if name}
    wrong += [f"the SVG lacks {name}" for name in asked - ids]
    with Image.open(png) as picture:
        ratio = float(root.get("height")) / float(root.get("width"))
        if picture.width != WIDTH or abs(picture.height - WIDTH * ratio) > 1:
            wrong.append(f"the PNG has {picture.size} pixels")
        if np.ptp(np.asarray(picture.convert("L").resize((80, 40)), float)) < 30:
            wrong.append("the PNG is empty")
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
    page = browser.new_page(viewport=look.PHONE)
    look.open_settled(page, page_of(site, "family/rotary.html").as_uri())
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
