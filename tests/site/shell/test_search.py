"""The search and the windows of glossary terms, in Chromium, with keyboard, mouse and finger."""

import re
import tomllib
from contextlib import contextmanager

import pytest

PAGE = "sinusoidal/shift.html"
WIDTH = "document.documentElement.clientWidth"
# what somebody types: the kind, the number and the title of what is expected first
EXPECTED = {
    "T_k": ("Term", "", "shift matrix"),
    "T k": ("Term", "", "shift matrix"),
    "Tk": ("Term", "", "shift matrix"),
    "omega": ("Term", "", "frequency"),
    "ω": ("Term", "", "frequency"),
    "10000": ("Term", "", "base"),
    "10,000": ("Term", "", "base"),
    "d_model": ("Term", "", "width"),
    "pe.encode": ("Function", "", "pe.encode()"),
    "encode(": ("Function", "", "pe.encode()"),
    "shift_matrix": ("Function", "", "pe.shift_matrix()"),
    "shift matrix": ("Term", "", "shift matrix"),
    "SinusoidalEncoding": ("Class", "", "pe.nn.SinusoidalEncoding"),
    "Theorem 2.3.1": ("Theorem", "2.3.1", "Shift"),
    "(2.3.1)": ("Equation", "(2.3.1)", None),
    "fig 2.3.1": ("Figure", "2.3.1", None),
    "shift theorem": ("Chapter", "2.3", "The shift theorem"),
    "group law": ("Theorem", "2.3.2", "Group law"),
    "frequency": ("Term", "", "frequency"),
    "KV cache": ("Term", "", "key-value cache"),
    "ulp": ("Term", "", "unit in the last place"),
    "River and Bank": (None, None, "River and Bank"),
    "sinusiodal encodng": ("Chapter", "2", "The sinusoidal encoding"),
    "softmx": ("Term", "", "softmax"),
}
SOMEWHERE = {  # words that have to be there, and where one of the first three hits has to have them
    "RoPE": "rope|rotary",
    "ALiBi": "alibi|linear bias",
    "bfloat16": "bfloat16",
    "sin": "sin",
    "Bank": "bank",
    "Vaswani": "vaswani",
}


@pytest.fixture
def opened(look, browser, site):
    """Open a page from the disk, as somebody with this window, and note what it asks for."""

    @contextmanager
    def start(name=PAGE, **settings):
        context = browser.new_context(**{"viewport": look.DESKTOP, **settings})
        page = context.new_page()
        listening = settings.get("java_script_enabled", True)
        errors = look.collect_errors(page, site.as_uri()) if listening else []
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url.rpartition("/")[2]))
        page.goto((site / name.partition("?")[0]).as_uri() + "".join(name.partition("?")[1:]))
        yield page
        assert errors == []
        context.close()

    return start


def hits(page):
    page.wait_for_function("document.querySelector('[role=status]')?.textContent.match(/hit|Nothing/)")
    return page.locator(".search-hit")


def visible(page):
    return page.locator("dialog.search-dialog").is_visible()


@pytest.fixture(scope="module")
def aliases():
    from shell.search import FILE

    return tomllib.loads(FILE.read_text(encoding="utf-8"))


# ---------------------------------------------------------------- what is found


@pytest.fixture(scope="module")
def find(browser, site):
    """The search itself, without its box."""
    page = browser.new_page()
    page.goto((site / "search.html").as_uri())
    page.wait_for_function("window.peFind && window.peSearchIndex")

    def ask(words):
        return page.evaluate(
            "(words) => peFind.find(words).slice(0, 5).map((hit) => ({...hit, marked: [...hit.marked]}))",
            words,
        )

    yield ask
    page.close()


@pytest.mark.parametrize("words", EXPECTED)
def test_what_one_expects_comes_first(find, words):
    first, *_ = find(words)
    for expected, key in zip(EXPECTED[words], ("kind", "number", "title"), strict=True):
        assert expected in (None, first[key]), [
            (hit["kind"], hit["number"], hit["title"]) for hit in find(words)
        ]


@pytest.mark.parametrize("words", SOMEWHERE)
def test_a_word_of_the_book_is_among_the_first(find, words):
    assert any(
        re.search(SOMEWHERE[words], f"{hit['title']} {hit['text']}".lower()) for hit in find(words)[:3]
    )


def test_every_alias_leads_somewhere(find, aliases):
    assert [group[0] for group in aliases["groups"] if not find(group[0])] == []
    leading = {symbol: find(symbol)[0]["title"] for symbol in aliases["terms"]}
    assert leading == aliases["terms"]


def test_addresses_of_hits_exist(find, site):
    ids = {}
    for words in EXPECTED:
        for hit in find(words):
            file, _, anchor = hit["address"].partition("#")
            if file not in ids:
                ids[file] = set(re.findall(r'\bid="([^"]+)"', (site / file).read_text(encoding="utf-8")))
            assert not anchor or anchor in ids[file], hit["address"]


def test_nothing_is_found_where_nothing_is(find):
    assert find("xyzzyqq") == find("") == find("?!") == []


# ---------------------------------------------------------------- the box


def test_by_keyboard(opened):
    with opened() as page:
        page.locator(".theme-button").focus()
        before = set(page.asked)
        assert not before & {"search-index.js", "search-find.js", "glossary.js"}
        page.keyboard.press("/")
        assert visible(page)
        assert page.evaluate("document.activeElement.matches('input') && document.activeElement.value === ''")
        page.keyboard.type("T_k")
        assert hits(page).first.text_content().startswith("Termshift matrixGlossary")
        assert {"search-index.js", "search-find.js"} <= set(page.asked)
        assert "T_k" in page.locator(".search-hit .search-excerpt mark").first.text_content()
        assert re.fullmatch(r"\d+ hits.*", page.locator("[role=status]").text_content())
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement === document.querySelectorAll('.search-hit')[1]")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.matches('input')")
        page.keyboard.press("Escape")
        assert not visible(page)
        assert page.evaluate("document.activeElement.matches('.theme-button')")
        page.keyboard.press("Control+k")
        assert visible(page)
        page.keyboard.type("T_k")  # over the words that were there
        page.wait_for_function("document.querySelector('.search-hit')")
        page.keyboard.press("Enter")
        page.wait_for_url("**/reference/glossary.html#term-shift-matrix")


def test_a_slash_that_is_typed_opens_nothing(opened):
    with opened() as page:
        page.evaluate("document.querySelector('.bd-article').prepend(document.createElement('input'))")
        page.locator(".bd-article input").focus()
        page.keyboard.press("/")
        assert not visible(page)


def test_on_a_phone(look, opened):
    with opened(viewport=look.PHONE, has_touch=True, is_mobile=True) as page:
        width = page.evaluate(WIDTH)
        page.locator(".search-button").tap()
        page.locator(".search-dialog input").fill("10000")
        assert hits(page).count() > 5
        for box in [hit.bounding_box() for hit in hits(page).all()[:8]]:
            assert box["height"] >= 44
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        page.locator(".search-dialog input").fill("xyzzyqq")
        assert "Try one word" in page.locator(".search-dialog [role=status]").text_content()
        assert page.evaluate(WIDTH) == width
        page.locator(".search-close").tap()
        assert not visible(page)


def test_a_hit_on_the_same_page_closes_the_box(opened):
    with opened() as page:
        page.locator(".search-button").click()
        page.keyboard.type("Theorem 2.3.1")
        hits(page).first.click()
        assert not visible(page)
        assert page.url.endswith("#thm:shift:exists")


def test_the_page_of_the_search(opened):
    with opened("search.html?q=shift_matrix") as page:
        assert "pe.shift_matrix()" in hits(page).first.text_content()
        assert page.locator("h1").text_content() == "Search"
    with opened("search.html", java_script_enabled=False) as page:
        assert page.locator("noscript a").first.get_attribute("href") == "reference/glossary.html"
    with opened(java_script_enabled=False) as page:
        page.locator(".search-button").click()
        page.wait_for_url("**/search.html")


# ---------------------------------------------------------------- terms

TERM = ".bd-article a:has(> .std-term)"


def test_a_term_by_mouse_and_by_keyboard(opened):
    with opened() as page:
        term, window = page.locator(TERM).first, page.locator("#term-window")
        term.scroll_into_view_if_needed()
        term.hover()
        window.wait_for(state="visible")
        assert "T_k" in window.text_content()
        assert term.get_attribute("aria-describedby") == "term-window"
        box, below = term.bounding_box(), window.bounding_box()
        assert below["y"] >= box["y"] + box["height"] or below["y"] + below["height"] <= box["y"]
        window.hover()  # the mouse may go there
        page.wait_for_timeout(700)
        assert window.is_visible()
        page.keyboard.press("Escape")
        assert not window.is_visible()
        page.mouse.move(2, 2)
        page.keyboard.press("Tab")
        term.focus()
        window.wait_for(state="visible")
        page.keyboard.press("Tab")
        assert not window.is_visible()
        assert term.get_attribute("aria-describedby") is None
        term.click()  # and the link is a link
        page.wait_for_url("**/glossary.html#term-shift-matrix")


def test_a_term_by_finger(look, opened):
    with opened(viewport=look.PHONE, has_touch=True, is_mobile=True) as page:
        term, window = page.locator(TERM).first, page.locator("#term-window")
        term.tap()
        window.wait_for(state="visible")
        box = window.bounding_box()
        assert (box["x"], box["width"]) == (0, page.evaluate(WIDTH))
        assert round(box["y"] + box["height"]) == look.PHONE["height"]
        assert term.bounding_box()["y"] + term.bounding_box()["height"] <= box["y"]
        page.locator("h1").first.tap(position={"x": 5, "y": 5})
        assert not window.is_visible()
        term.tap()
        window.wait_for(state="visible")
        term.tap()
        page.wait_for_url("**/glossary.html#term-shift-matrix")


def test_without_javascript_a_term_is_a_link(opened):
    with opened(java_script_enabled=False) as page:
        page.locator(TERM).first.click()
        page.wait_for_url("**/glossary.html#term-shift-matrix")
