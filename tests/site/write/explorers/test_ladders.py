"""The explorer of ladders: its fields, the box that takes a config, and its folds."""

import json

from pe_book.config.checking import check_config
from tests.site.conftest import REPO
from tests.site.write.explorers.conftest import PHONE, STATE, WRITTEN, said

CONFIGS = REPO / "pe_book" / "evidence" / "family" / "configs"


def typed(page, label, value):
    fold = page.locator("details").filter(has_text="Another head")
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    page.get_by_role("spinbutton", name=label, exact=True).fill(value)


def test_the_slider_sets_the_asked_length_by_its_keys(opened):
    page = opened("pe-ladders")
    page.get_by_role("slider", name="Asked / trained").focus()
    for key, times in (("ArrowRight", 9), ("End", 64), ("Home", 1)):
        page.keyboard.press(key)
        assert page.locator("[name=asked]").input_value() == f"{4096 * times}"
        assert (
            page.get_by_role("slider", name="Asked / trained").get_attribute("aria-valuetext")
            == f"{times} times"
        )


def test_what_cannot_be_computed_is_said_and_the_picture_stays(opened):
    page = opened("pe-ladders")
    before = page.evaluate(STATE, "pe-ladders")
    for label, stood, value, says in (
        ("Columns that turn", "128", "127", "an even number from 4 to 4096, got 127."),
        ("Base", "10000", "", "a number from 1.01 to 1000000000000000, got nothing."),
        ("Asked length", "32768", "-5", "a whole number from 1 to 1000000000, got -5."),
        ("Factor", "", "0.5", "a number from 1 to 10000, got 0.5."),
    ):
        drawing = page.locator(".live svg").first.inner_html()
        typed(page, label, value)
        assert said(page) == f"{label} must be {says}"
        assert page.locator(".live svg").first.inner_html() == drawing
        typed(page, label, stood)
        assert page.evaluate(STATE, "pe-ladders") == before


def test_a_pasted_config_is_taken_with_a_length_and_nothing_of_it_stays_when_another_is_refused(opened):
    page = opened("pe-ladders")
    page.locator("summary", has_text="Read a config.json").click()
    area, length = page.get_by_label("Text of a config.json"), page.get_by_label("Tokens to read")
    button, told = page.get_by_role("button", name="Read it"), page.locator("details [role=status]")
    config = json.loads((CONFIGS / "llama-3.1-8b.json").read_text(encoding="utf-8"))["config"]

    def read(text, tokens=""):
        area.fill(text)
        assert told.text_content() == ""
        length.fill(tokens)
        button.click()
        return told.locator("p").all_text_contents()

    assert button.is_disabled()
    answer = str(check_config(config).answer).split("\n")
    assert read(json.dumps(config, indent=2)) == [*answer, "The box looks for no mistakes in the file."]
    fields = page.locator("[type=number]").evaluate_all("(all) => all.map((e) => e.value)")
    assert fields == ["128", "500000", "8192", "131072", "8"]
    assert page.get_by_label("Asked / trained").get_attribute("aria-valuetext") == "16 times"
    assert page.locator("option:checked").text_content().startswith("Config: llama3: ")
    assert page.locator("option[value=linear]").text_content().endswith(" beyond 65,536")  # 8 times 8,192
    answer = str(check_config(config, length=102400).answer).split("\n")
    assert read(json.dumps(config), "100k")[:3] == answer
    assert page.locator("[name=asked]").input_value() == "102400"
    for wrong, tokens, says in (
        ('{"model_type": "llama", "head_dim": 7}', "", "an even number from 4 to 4096, got 7."),
        (json.dumps(config), "long", "The length must be"),
    ):
        read(json.dumps(config))
        read(wrong, tokens)
        assert told.text_content().startswith("Nothing is taken. ")
        assert says in told.text_content()
        left = page.locator(".live").inner_text() + str(
            page.locator(".live :is(input, select)").evaluate_all("(all) => all.map((e) => e.value)")
        )
        assert not any(word in left for word in ("llama3", "500000", "131,072", "131072", "8,192", "covered"))
        assert not page.locator(".live svg").first.is_visible()
        assert not page.locator(".live .said").is_visible()
    page.wait_for_timeout(WRITTEN)
    assert "llama3" not in page.url
    read(json.dumps(config))
    assert page.locator(".live svg").first.is_visible()
    page.get_by_role("button", name="Reset").click()
    assert told.text_content() == ""


def test_a_pair_is_chosen_by_a_tap_on_the_curve(opened):
    page = opened("pe-ladders")
    picture = page.locator(".live svg:not(.dial)")
    box = picture.bounding_box()
    picture.click(position={"x": box["width"] * (32 + 272 * 50.5 / 64) / 312, "y": box["height"] / 2})
    assert page.locator(".told").text_content().startswith("Pair 50: ")


def test_what_a_fold_changes_stands_on_its_screen(opened):
    page = opened("pe-ladders")
    tall = page.evaluate("""() => {
        const live = document.querySelector(".live")
        const at = (selector) => live.querySelector(selector).getBoundingClientRect()
        const tall = []
        for (const fold of live.querySelectorAll("details")) {
            fold.open = true
            tall.push(at("svg:not(.dial)").bottom - fold.getBoundingClientRect().top)
        }
        return [...tall, live.querySelectorAll("details[open]").length]
    }""")
    assert max(tall[:-1]) <= 1.05 * PHONE["height"], tall
    assert tall[-1] == 1  # one fold closes the other
