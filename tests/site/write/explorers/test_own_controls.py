"""What one explorer alone has, in Chromium: buttons, typed rows and numbers, a pasted config, a canvas."""

import re
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

from pe_book.evidence.index import outputs
from pe_book.evidence.records.model_tour import recorded
from pe_book.evidence.why.exact import THREE_WORDS
from pe_book.show.index import VECTORS
from tests.show.drawing.test_style import luminance
from tests.site.write.explorers.conftest import CELLS, PHONE, said


def painted(page):
    return page.evaluate("document.querySelector('.live canvas').toDataURL()")


def test_both_move_until_one_stands_at_the_end(opened):
    page = opened("pe-rotary", "?pe-rotary=show:neighbours")
    scores, hands = page.locator(".scores").text_content(), page.locator(".dials").inner_html()
    page.get_by_role("button", name="Both one on").click()
    assert [page.get_by_label(name).input_value() for name in ("Query at m", "Key at n")] == ["6", "3"]
    assert page.get_by_label("Query at m").get_attribute("aria-valuetext") == "position 6"
    assert page.locator(".scores").text_content() == scores
    assert page.locator(".dials").inner_html() != hands
    back = page.get_by_role("button", name="Both one back")
    for _ in range(3):  # the key stops at the beginning, and so does the query
        back.click()
    assert back.is_disabled()
    assert page.get_by_label("Query at m").input_value() == "3"


def test_the_circle_plays_until_the_reader_stops_it(opened):
    page = opened("pe-circle")
    word = page.get_by_role("slider", name="Word")
    page.get_by_role("button", name="Play").click()
    expect(word).to_have_value(re.compile("[89]|[1-9][0-9]"))  # a slow machine leaves out some
    page.get_by_role("button", name="Pause").click()
    stands = word.input_value()
    page.wait_for_timeout(900)
    assert word.input_value() == stands
    assert f"The angle is {stands} / " in said(page)


def test_without_motion_a_press_moves_the_circle_by_a_word(opened):
    page = opened("pe-circle", reduced_motion="reduce")
    word = page.get_by_role("slider", name="Word")
    before = int(word.input_value())
    page.get_by_role("button", name="One on").click()
    page.wait_for_timeout(900)
    assert int(word.input_value()) == before + 1


def test_one_pair_hides_what_belongs_to_all(opened):
    page = opened("pe-rotary")
    of_all = page.locator(".live :is(.dials > div:nth-child(2), .curves, .scores, details)")
    assert not any(one.is_visible() for one in of_all.all())
    page.get_by_label("Show").select_option("halves")
    assert all(one.is_visible() for one in of_all.all())


def test_rows_can_be_edited_and_a_slip_is_told_in_words(opened):
    page = opened("pe-rotary", "?pe-rotary=show:neighbours")
    page.get_by_text("Other numbers").click()
    query, key = page.get_by_label("Numbers of the query"), page.get_by_label("Numbers of the key")
    query.fill("0, 0, 0, 0, 0, 0, 2, 1")
    key.fill("1, 1, 1, 1, 1, 1, −3, 0.5")
    score = "At n − m = −3 the score is −5.49."  # (2, 1) and (−3, 0.5), turned by −0.003
    assert said(page) == score
    slips = (key, "key", "1, 2"), (key, "key", "1, 2, 3, 4, 5, 6, 7, x"), (query, "query", "")
    for field, name, slip in slips:
        field.fill(slip)
        assert page.locator(".live .wrong").text_content() == (
            f"The {name} wants 8 numbers between −100 and 100, with commas between them."
        )
        assert said(page) == score
        key.fill("1, 1, 1, 1, 1, 1, −3, 0.5")


CONTRASTS = """() => {
    const numbers = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number)
    const paper = numbers(getComputedStyle(document.body).backgroundColor)
    return [...document.querySelectorAll(".curves g")].map((e) => [
        e.classList.contains("faint"), Number(getComputedStyle(e).opacity), paper,
        numbers(getComputedStyle(e.querySelector("path")).stroke)
    ])
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_curve_that_is_not_chosen_is_faint_and_can_be_seen(opened, scheme):
    page = opened("pe-rotary", "?pe-rotary=show:halves")
    page.emulate_media(color_scheme=scheme)
    found = page.evaluate(CONTRASTS)
    assert [faint for faint, *_ in found] == [True, False]
    for _, part, paper, colour in found:
        mixed = part * np.array(colour) + (1 - part) * np.array(paper)
        seen = [luminance("#" + bytes(map(round, one)).hex()) + 0.05 for one in (mixed, paper)]
        assert max(seen) / min(seen) >= 3  # WCAG 1.4.11


def test_fewer_heads_take_the_last_head(opened):
    page = opened("pe-bias", "?pe-bias=heads:16,head:16")
    page.get_by_label("Heads", exact=True).fill("4")
    assert said(page) == "Head 4 of 4: slope 0.0039, so a weight halves every 177.4 tokens."
    assert page.get_by_label("Head", exact=True).get_attribute("aria-valuetext") == "4 of 4"
    assert page.locator("[name=heads] + .number").text_content() == "4"
    page.get_by_label("Added to scores").select_option("table")
    assert page.locator(".biases circle").nth(3).get_attribute("cy") == "34.36"  # two points at distance 3
    assert said(page) == "The last word looks most at the words 3 and 4 back, with weight 0.35 each."


# ---- the canvas


def test_a_cell_is_chosen_by_a_finger_and_by_keys_and_stays_in_a_table_that_shrinks(opened):
    page = opened("pe-matrix")
    table = page.locator("canvas")
    box = table.bounding_box()
    table.tap(position={"x": 40.5 / 128 * box["width"], "y": 12.5 / 50 * box["height"]})
    assert said(page).startswith("Word 12, column 40: ")
    for key, cell in (
        ("ArrowLeft", "12, column 39"),
        ("PageDown", "22, column 39"),
        ("End", "22, column 127"),
    ):
        table.press(key)
        assert said(page).startswith(f"Word {cell}: ")
    page.locator("[name=n]").fill("9")
    page.locator("[name=d]").fill("4")
    assert said(page).startswith("Word 8, column 3: ")
    assert (
        page.locator(".live .mark").get_attribute("style")
        == "left: 75%; top: 88.8889%; width: 25%; height: 11.1111%;"
    )


def test_colours_are_those_of_the_page(opened):
    page = opened("pe-matrix")
    dark, axis = painted(page), "getComputedStyle(document.querySelector('.live .hand')).stroke"
    stroke = page.evaluate(axis)
    page.get_by_role("button", name="Dark colours").click()
    assert painted(page) != dark
    assert page.evaluate(axis) != stroke


def test_the_tour_paints_rows_and_weights_and_a_key_moves_its_word(opened):
    """The second layer of two; where a model has one the step goes back to that."""
    tour = recorded()
    one, page = (
        tour.inside(16, 2),
        opened("pe-tour", "?pe-tour=model:width%2016%2C%20two%20layers,n:12,word:9"),
    )
    words = one.words[[ord(letter) - ord("A") for letter in tour.text[:12]]]
    steps = {"word": words / 2, "position": one.positions[:12] / 2, "sum": (words + one.positions[:12]) / 2}
    for step, cells in {**steps, "layer 2": -one.weights[1, :12, :12]}.items():
        page.locator("[name=step]").select_option(step)
        due = np.where(np.abs(cells) < 0.1, 0, np.clip(cells, -1, 1)).ravel()  # too faint to have a colour
        painted = np.array(page.evaluate(CELLS))
        np.testing.assert_allclose(np.where(due, painted, 0), due, rtol=0, atol=0.005)
    assert said(page).startswith(f"Layer 2: word 9 gives {one.weights[1, 9, 4]:.2f} of its weight to ")
    page.locator("canvas").press("ArrowUp")
    page.locator("[name=model]").select_option("width 16, one layer")
    weight = tour.inside(16, 1).weights[0, 8, 3]
    assert said(page).startswith(f"Layer 1: word 8 gives {weight:.2f} of its weight to B, ")


def test_words_have_the_numbers_of_the_package_with_and_without_a_mask_and_positions(opened):
    page = opened("pe-order", "?pe-order=order:man%20dog%20bites")
    for mask, places in product((False, True), repeat=2):
        page.get_by_label("Causal mask").set_checked(mask)
        page.get_by_label("Positions").set_checked(places)
        cells = page.locator(".orders .numbers > [data-word]").all_text_contents()
        told = outputs("man dog bites", VECTORS, causal=mask, places=places)
        assert cells == ["".join(f"{x:.2f}" for x in row) for row in told]


def test_under_a_mask_the_last_word_notices_after_two_layers(look, browser, whole):
    page = browser.new_page(viewport=PHONE)
    look.open_settled(page, f"{whole}why/order-blindness.html")
    masked = page.locator("pe-order").nth(1)
    masked.scroll_into_view_if_needed()
    masked.get_by_role("button", name="Swap Nitish and killed").press("Enter")
    cells = masked.locator(".numbers > [data-word]").all_text_contents()
    found = [outputs("killed Nitish lion", THREE_WORDS, causal=True, layers=depth) for depth in (1, 2)]
    assert cells == ["".join(f"{x:.2f}" for x in row) for rows in found for row in rows]
    assert "Answered: not after one layer, but after two." in masked.locator(".said").text_content()
    masked.get_by_label("Causal mask").uncheck()
    assert (
        "“lion” has the same numbers after one layer, and has the same"
        in masked.locator(".said").text_content()
    )
    page.close()


def test_a_word_is_dragged_to_another_place(opened):
    page = opened("pe-order")
    words = page.locator(".orders .word")
    inside = [(box["x"] + 40, box["y"] + 10) for box in (word.bounding_box() for word in words.all())]
    page.mouse.move(*inside[0])
    page.mouse.down()
    for to, order in ((1, "bites dog man"), (2, "bites man dog")):
        page.mouse.move(*inside[to], steps=8)
        assert words.all_text_contents() == order.split()
    page.mouse.up()
    assert page.locator(".orders [style*=translate]").count() == 0
