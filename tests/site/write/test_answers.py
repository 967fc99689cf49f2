"""Fields: each answer and each declared mistake is judged for every page, and typed in Chromium for some."""

import html
import json
import re
from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_UP

import pytest
from playwright.sync_api import expect

from tests.show.typed import fields, judged, pages, values
from tests.site.conftest import page_of, skip_or_fail

PAGE = "family/rotary.html"
EVERY_KIND = ("family/rotary", "family/relative", "sinusoidal/production", "why/order-blindness")  # of field
SHIPPED = re.compile(r'<pe-answer data-is="([^"]*)"')
ROUNDED = "Rounded wrongly"


def evaluated(page):
    """What the kernel said at the last build; without that build there is nothing to compare with."""
    try:
        return values(page)
    except FileNotFoundError:
        skip_or_fail(f"{page} has not been built here: run `make html` first")


def trials(page):
    """For each field of a page what is typed, how it is judged, and what is said: from source and kernel."""
    said = evaluated(page)
    for place, field in enumerate(fields(page)):
        right = said[field.options["is"]]
        typed = field.typed(right)
        yield place, typed, "right", ["Right."]
        for how in () if field.choices() else (ROUND_DOWN, ROUND_UP):  # one of them cuts, the other goes on
            other = field.typed(right, how)
            if other not in (typed, field.typed(right, ROUND_HALF_DOWN)):  # a half goes either way
                yield place, other, "rounded", [ROUNDED]
        for expression, words in field.mistakes:
            wrong = expression if expression in field.choices() else field.typed(said[expression])
            yield place, wrong, "mistake", fragments(words)


def fragments(words):
    """The parts of a sentence between its formulas, code and emphasis."""
    return [part.strip() for part in re.split(r"\$[^$]*\$|`[^`]*`|\*", words) if part.strip()]


# ---------------------------------------------------------------- without a browser


@pytest.mark.parametrize("page", pages())
def test_each_field_ships_what_the_kernel_said(site, page):
    text = page_of(site, f"{page}.html").read_text(encoding="utf-8")
    given = [json.loads(html.unescape(one)) for one in SHIPPED.findall(text)]
    assert len(given) == len(fields(page)) > 0
    rows = list(trials(page))
    said = judged([(typed, given[place]) for place, typed, *_ in rows])
    assert [(row, one) for row, one in zip(rows, said, strict=True) if one[0] != row[2]] == []


# ---------------------------------------------------------------- in the browser


def typed_into(page, place, text):
    """Type or choose, check by Enter or by the button in turn, and read how it is judged and what is said."""
    box = page.locator("pe-answer").nth(place)
    if box.locator("fieldset").count():
        box.get_by_label(text, exact=True).check()
        box.get_by_role("button").click()
    else:
        field = box.locator("input, textarea")
        field.fill(text)
        if place % 2:
            field.press("Enter")
        else:
            box.get_by_role("button").click()
    return box.get_attribute("data-how"), box.locator("[role=status]").text_content()


def wrong_on(page, rows):
    found = []
    for place, text, how, words in rows:
        got, said = typed_into(page, place, text)
        if got != how or not all(part in said.replace("’", "'") for part in words):
            found.append((place, text, how, got, said))
    return found


@pytest.mark.parametrize("name", EVERY_KIND)
def test_every_answer_and_every_mistake_is_told(look, tab, home, name):
    errors = look.collect_errors(tab, home)
    look.open_settled(tab, f"{home}{name}.html")
    assert wrong_on(tab, trials(name)) == []
    assert errors == []


def test_what_is_said_in_a_field_has_its_colours_and_names(look, browser, home, axe):
    """And whatever stands there before somebody types: see test_visits.py."""
    page = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme="dark")
    look.open_settled(page, f"{home}family/relative.html")
    low = page.evaluate("""() => [...document.querySelectorAll(
        "pe-answer :is(input:not([type=radio]), textarea, button, fieldset label)")].filter((e) =>
        e.getBoundingClientRect().height < 44 || e.getBoundingClientRect().width < 44).length""")
    assert (low, look.list_overflowing(page)) == (0, [])
    typed_into(page, 0, "0")
    page.evaluate(axe)
    found = look.ask(page, "() => axe.run('pe-answer').then((r) => r.violations.map((v) => v.id))")
    assert found == []
    page.close()


def test_enter_begins_a_row_until_all_are_there(look, browser, home):
    page = browser.new_page()
    look.open_settled(page, f"{home}family/relative.html")
    box = page.locator("pe-answer:has(textarea)").first
    for row in ("2 1 0 0", "3 2 1 0", "4 3 2 1"):
        box.locator("textarea").press_sequentially(row)
        box.locator("textarea").press("Enter")
        assert box.locator("[role=status]").text_content() == ""
    box.locator("textarea").press_sequentially("4 4 3 2")
    box.locator("textarea").press("Enter")
    assert box.locator("[role=status]").text_content() == "Right."
    page.close()


def test_without_script_a_field_is_a_line(browser, home):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(home + PAGE)
    assert page.locator("pe-answer :is(input, button, form)").count() == 0
    first = page.locator("pe-answer").first
    first.scroll_into_view_if_needed()
    expect(first).to_have_text("Columns of halves in the order of neighbours", use_inner_text=True)
    page.context.close()


def test_pages_without_fields_load_no_script_of_them(pages):
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert ("answers.js" in text) == ("<pe-answer " in text), page.name


def test_it_works_from_a_folder(look, browser, site):
    page = browser.new_page()
    look.open_settled(page, page_of(site, PAGE).resolve().as_uri())
    right = evaluated("family/rotary")[fields("family/rotary")[0].options["is"]]
    assert typed_into(page, 0, " ".join(map(str, right))) == ("right", "Right.")
    box = page.locator("pe-answer").first
    box.locator("input").press_sequentially("2")  # what is said goes when something else is typed
    assert box.locator("[role=status]").text_content() == ""
    page.close()
