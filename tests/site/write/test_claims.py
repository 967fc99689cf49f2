"""The claims of the built site: each has its box, a line leads to it, and the filter finds what it should."""

import re

import pytest

from pe_book.evidence.claims import claims
from pe_book.evidence.claims.contradictions import contradictions
from tests.site.conftest import page_of


@pytest.fixture(scope="module")
def listed(browser, look, site):
    context = browser.new_context(viewport=look.PHONE)
    page = context.new_page()
    page.goto(page_of(site, "evidence/claims.html").as_uri())
    yield page
    context.close()


def text_of(site, name):
    return page_of(site, name).read_text(encoding="utf-8")


def boxes(site):
    folder = page_of(site, "evidence/claims/order.html").parent
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.html")))
    return re.findall(r'id="(cla:claims:[ck]\d+)"', text)


def test_every_claim_and_contradiction_has_one_box(site):
    expected = [f"cla:claims:{one.key.lower()}" for one in (*claims(), *contradictions())]
    assert sorted(boxes(site)) == sorted(expected)


def test_the_list_leads_to_every_box(site):
    lines = re.search(r"<pe-listed .*?</pe-listed>", text_of(site, "evidence/claims.html"), re.DOTALL)[0]
    targets = re.findall(r'href="claims/\w+\.html#(cla:claims:c\d+)"', lines)
    assert targets == [f"cla:claims:{claim.key.lower()}" for claim in claims()]


def shown(page):
    return page.evaluate("[...document.querySelectorAll('pe-listed li')].filter((li) => !li.hidden).length")


def with_word(beginning):
    """How many claims have a word that begins so, in the statement or in what is right."""
    begins = re.compile(rf"\b{beginning}", re.IGNORECASE)
    return sum(bool(begins.search(f"{claim.said} {claim.right}")) for claim in claims())


def test_the_filter_narrows_by_verdict_and_by_words(listed):
    verdict = listed.get_by_label("Verdict")
    words = listed.get_by_label("Words of the statement, or of what is right")
    assert shown(listed) == len(claims())
    told = [claim for claim in claims() if claim.told == "sources disagree"]
    verdict.select_option("sources disagree")
    assert shown(listed) == len(told)
    said = listed.locator("pe-listed [role=status]").inner_text()
    assert said == f"{len(told)} of {len(claims())} statements"
    verdict.select_option("every verdict")
    words.fill("bert")
    assert shown(listed) == with_word("bert") > 3
    words.fill("whisp")  # stands in what is right alone
    assert shown(listed) == 1
    words.fill("c045")
    assert shown(listed) == 1
    for typed in ("sinusoidal", "√d", "concatenate", "O(n^2)", "extrapolates", "inner product", "rotary"):
        words.fill(typed)
        assert 0 < shown(listed) < len(claims()) / 2, typed
    words.fill("45")  # a number is meant whole, and no key
    assert shown(listed) == 0
    words.fill("")
    assert shown(listed) == len(claims())


def test_a_chapter_leads_to_the_claims_that_it_treats(site):
    below = re.search(
        r'<details class="judged">.*?</details>', text_of(site, "sinusoidal/fitting.html"), re.DOTALL
    )[0]
    assert 'href="../evidence/claims/shift.html#cla:claims:c075"' in below
    assert "cla:claims:c045" not in below
