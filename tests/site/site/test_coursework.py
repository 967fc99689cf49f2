"""The list of exercises, its file, and what a student takes from a page, as built."""

import csv
import re
from functools import cache

import pytest
from bs4 import BeautifulSoup

from bookish.run.solutions.marks import KINDS, LEVELS
from bookish.site.coursework import COLUMNS, FILE
from tests.site.conftest import SITE


@pytest.fixture(scope="module")
def rows(pages):
    with (SITE / FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def soup(page):
    return BeautifulSoup((SITE / page).read_text(encoding="utf-8"), "html.parser")


def test_each_line_of_the_file_leads_to_an_exercise_of_that_name_and_mark(rows):
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) > 90
    assert len({row["label"] for row in rows}) == len(rows)
    for row in rows:
        page, _, label = row["address"].rpartition("#")
        page = page[page.index(page.split("/")[-2]) :] if "://" in page else page
        text = (SITE / page).read_text(encoding="utf-8")
        box = BeautifulSoup(text[text.rindex("<", 0, text.index(f'id="{label}"')) :][:5000], "html.parser")
        words = " ".join(box.find(class_="admonition-title").get_text().split())
        assert words.startswith(f"Exercise {row['number']} "), row
        assert words.rstrip("#").endswith(f"{row['kind']} · level {row['level']} · {row['minutes']} min"), row
        assert row["title"].split()[0] in words
        assert row["version"]


def test_the_list_names_all_in_order_and_counts_them(rows):
    page = soup("coursework/exercises.html")
    listed = page.select(".exercise-list li a")
    assert [link["href"].rpartition("#")[2] for link in listed] == [row["label"] for row in rows]
    minutes = sum(int(row["minutes"]) for row in rows)
    table = page.select_one("table")
    counted = [
        [cell.get_text(strip=True) for cell in line.select("td, th")] for line in table.select("tbody tr")
    ]
    for kind, *numbers, of_kind, taken in counted:
        mine = [row for row in rows if kind in (row["kind"], "all")]
        assert list(map(int, numbers)) == [
            sum(row["level"] == str(level) for row in mine) for level in LEVELS
        ]
        assert int(of_kind) == len(mine)
        assert int(taken.replace(",", "")) == sum(int(row["minutes"]) for row in mine)
    assert [line[0] for line in counted] == [*KINDS, "all"]
    assert int(counted[-1][-1].replace(",", "")) == minutes
    assert page.select_one("a[href$='.csv']")["href"] == f"../{FILE}"
    itself = [item for item in page.select(".exercise-list li") if "checks itself" in item.get_text()]
    assert len(itself) == sum(row["checks itself"] == "yes" for row in rows)
    assert {row["checks itself"] for row in rows if row["kind"] == "in code"} == {"yes"}


def test_a_lecture_fits_its_minutes_and_its_homework_is_summed(rows):
    section = soup("coursework/index.html").find(id="sec-coursework-lectures")
    section = section if section.name == "section" else section.find_parent("section")
    (most,) = map(int, re.findall(r"of (\d+) minutes", section.h2.get_text()))
    lectures = section.select(".map:not(.exercise-list) > .map-total")
    taken = [int(re.search(r"(\d+) minutes", one.get_text())[1]) for one in lectures]
    assert len(taken) == 2
    assert max(taken) <= most
    minutes = {row["label"]: int(row["minutes"]) for row in rows}
    for homework in section.select(".exercise-list"):
        labels = [link["href"].rpartition("#")[2] for link in homework.select("li a")]
        hours, rest = divmod(sum(map(minutes.get, labels)), 60)
        time = f"{hours} h {rest} min" if hours else f"{rest} min"
        assert f"Together {len(labels)} exercises, {time}." == homework.select_one(".map-total").get_text()


def test_a_wrong_try_is_closed_until_it_is_asked_for(pages):
    tries = soup("family/rotary.html").select("details.wrong-try")
    assert [one.get("open") for one in tries] == [None] * len(tries) != []
