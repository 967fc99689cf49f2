"""Rows that readers filter: by name, by words and by what a column lists; shared and unknown names."""

import json
import re
from pathlib import Path

import pytest

from pe_book.evidence.family.who_uses_what.listed import rows
from tests.site.conftest import page_of

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "_static" / "listed.js"
ROWS = [
    ("Llama 3.1 8B", "Llama 3.1, Meta-Llama-3.1-8B", "rotary, scaled", "500,000"),
    ("Mistral 7B v0.1", "Mistral 7B", "rotary, window", "10,000"),
    ("Mistral 7B v0.3", "Mistral 7B", "rotary", "1,000,000"),
    ("GPT-2", "gpt2", "learned table", ""),
]
HEADS = ("model", "encoding", "base")


def table():
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    body = "".join(
        f'<tr><td><strong>{name}</strong> <span class="also">{also}</span></td>'
        + "".join(
            f'<td><span class="of-column">{head}</span>{cell}</td>' if cell else "<td></td>"
            for head, cell in zip(HEADS[1:], cells, strict=True)
        )
        + "</tr>"
        for name, also, *cells in ROWS
    )
    asked = 'data-kind="encoding" data-words="Name or words" data-counted="models" data-sorted="base"'
    return (
        f'<pe-listed {asked} data-unknown="not here"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></pe-listed>"
    )


@pytest.fixture
def listed(browser):
    page = browser.new_page()
    page.set_content(table())
    page.add_script_tag(path=SCRIPT)
    yield page
    page.close()


def shown(page):
    return page.locator("tbody tr:not([hidden]) strong").all_inner_texts()


def said(page):
    return page.locator("[role=status]").inner_text()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("llama3.1", ["Llama 3.1 8B"]), ("Llama-3.1", ["Llama 3.1 8B"]), ("gpt 2", ["GPT-2"]),
        ("window", ["Mistral 7B v0.1"]), ("table", ["GPT-2"]),
        ("mistral", ["Mistral 7B v0.1", "Mistral 7B v0.3"]),
        ("500,000", ["Llama 3.1 8B"]), ("encoding", []), ("", [name for name, *_ in ROWS]),
    ],
)  # fmt: skip
def test_a_name_is_found_however_it_is_written_and_so_are_words(listed, typed, found):
    listed.get_by_label("Name or words").fill(typed)
    assert shown(listed) == found


def test_a_shared_name_and_an_unknown_one_are_said_in_one_line(listed):
    words = listed.get_by_label("Name or words")
    words.fill("Mistral 7B")
    assert said(listed) == (
        "2 of 4 models: “Mistral 7B” is a name of Mistral 7B v0.1 and of Mistral 7B v0.3; they may differ"
    )
    words.fill("nobody")
    assert said(listed) == "0 of 4 models: not here"
    words.fill("gpt2")
    assert said(listed) == "1 of 4 models"


def test_what_a_column_lists_filters_and_a_column_sorts(listed):
    listed.get_by_label("encoding").select_option("rotary")
    assert shown(listed) == [name for name, *_ in ROWS[:3]]
    listed.get_by_label("encoding").select_option("every encoding")
    listed.get_by_label("Sorted by").select_option("base")
    assert shown(listed) == ["Mistral 7B v0.1", "Llama 3.1 8B", "Mistral 7B v0.3", "GPT-2"]
    listed.get_by_label("Sorted by").select_option("as listed")
    assert shown(listed) == [name for name, *_ in ROWS]


def test_a_link_to_a_row_that_is_filtered_out_shows_it(listed):
    listed.get_by_label("Name or words").fill("llama3.1")
    listed.evaluate("document.querySelector('tbody tr:last-child').id = 'last'; location.hash = 'last'")
    listed.wait_for_function("document.querySelector('tbody tr:last-child').checkVisibility()")
    assert shown(listed) == [name for name, *_ in ROWS]


def test_every_model_has_a_row_to_link_to_and_the_search_knows_its_names(site):
    text = page_of(site, "family/who-uses-what.html").read_text(encoding="utf-8")
    index = (site / "_static" / "search-index.js").read_text(encoding="utf-8")
    entries = json.loads(index.partition("= ")[2])["entries"]
    models = {entry[4]: entry for entry in entries if entry[0] == "Model"}
    assert {*models} == {one.name for one in rows()}
    for one in rows():
        _, _, anchor, _, _, also, *_ = models[one.name]
        assert re.search(rf'<tr[^>]* id="{anchor}"', text), one.name
        assert {*one.called} <= {*also}, one.name
