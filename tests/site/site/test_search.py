"""The search and the windows of glossary terms, in Chromium, with keyboard, mouse and finger."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

PAGE = "sinusoidal/shift.html"
WIDTH = "document.documentElement.clientWidth"
# what somebody types: the kind, the number and the title of what is expected first
EXPECTED = {
    "T_k": ("Glossary", "", "shift matrix"),
    "T k": ("Glossary", "", "shift matrix"),
    "ω": ("Glossary", "", "frequency"),
    "10,000": ("Glossary", "", "base"),
    "encode(": ("Function", "", "pe.encode()"),
    "shift_matrix": ("Function", "", "pe.shift_matrix()"),
    "SinusoidalEncoding": ("Class", "", "pe.nn.SinusoidalEncoding"),
    "Theorem 2.3.1": ("Theorem", "2.3.1", "Shift"),
    "(2.3.1)": ("Equation", "(2.3.1)", None),
    "fig 2.3.1": ("Figure", "2.3.1", None),
    "shift theorem": ("Chapter", "2.3", None),
    "KV cache": ("Glossary", "", "key-value cache"),
    "River and Bank": (None, None, "River and Bank"),
    "sinusiodal encodng": ("Chapter", "2", None),
    "test my RoPE": ("How-to", "", "Find the bug in your RoPE or position ids"),
    "jupyter": ("Coursework", "", None),
    **dict.fromkeys(("pe.encode", "rotary_from_config", "check_config(", "yarn("), ("Function", None, None)),
    "find the bug": ("How-to", None, None),
    "glossary": ("Reference", None, None),
    "the formula": ("Chapter", None, None),
    "From eight to ten": ("Exercise", None, None),
    "C099": ("Claim", None, None),
}
# what somebody types who has a problem, and the page that has to be among the first three hits
ASKED = tomllib.loads(Path(__file__).with_name("asked.toml").read_text(encoding="utf-8"))
SEARCHES = tomllib.loads(Path(__file__).with_name("searches.toml").read_text(encoding="utf-8"))
FOUND, FIRST = 54, 3  # of sixty searches have at least these a right page among the first
NOT_COVERED = "not covered"
ROWS = "rows first"
ITSELF = "of the book itself"
COVERED = [
    (group, words, pages)
    for group, asked in ASKED.items()
    if group not in (NOT_COVERED, ROWS)
    for words, pages in asked.items()
]
# beside the name of a row, by its page
BESIDE = {
    "family/who-uses-what": (
        "{}", "{} positional encoding", "{} position embedding", "{} encoding", "{} rope", "rope {}",
        "which positional encoding does {} use",
    ),
    "howto/pairing-in-libraries": ("{}", "{} pairing", "{} rope pairing", "which rope pairing does {} use"),
}  # fmt: skip
COMPARING = ("reference/parity", "reference/conventions", "howto/pairing-in-libraries")
READER = Path(__file__).resolve().parents[3] / "pe_book" / "config"


@pytest.fixture
def opened(visited, site):
    return lambda name=PAGE, **settings: visited(site, name, **settings)


def hits(page):
    status = "document.querySelector('.search-box [role=status]')"
    page.wait_for_function(f"{status}?.textContent.match(/hit|Nothing/)")
    return page.locator(".search-hit")


def visible(page):
    return page.locator("dialog.search-dialog").is_visible()


@pytest.fixture(scope="module")
def aliases():
    from bookish.site.search import FILE

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

    ask.said = lambda words: page.evaluate("(words) => peFind.said(words, peFind.find(words))", words)
    yield ask
    page.close()


@pytest.mark.parametrize("words", EXPECTED)
def test_what_one_expects_comes_first(find, words):
    first, *_ = find(words)
    for expected, key in zip(EXPECTED[words], ("kind", "number", "title"), strict=True):
        assert expected in (None, first[key]), [
            (hit["kind"], hit["number"], hit["title"]) for hit in find(words)
        ]


def test_every_alias_leads_somewhere(find, aliases):
    assert [group[0] for group in aliases["groups"] if not find(group[0])] == []
    leading = {symbol: find(symbol)[0]["title"] for symbol in aliases["terms"]}
    assert leading == aliases["terms"]


def test_addresses_of_hits_exist(find, site):
    for hit in [hit for words in EXPECTED for hit in find(words)]:
        file, _, anchor = hit["address"].partition("#")
        text = (site / file).read_text(encoding="utf-8")
        assert not anchor or f' id="{anchor}"' in text, hit["address"]


@pytest.mark.parametrize(("group", "words", "pages"), COVERED)
def test_a_right_page_is_among_the_first_two(find, group, words, pages):
    first, *others = [hit for hit in find(words) if not hit["near"]]
    found = [hit["address"].partition(".html")[0] for hit in (first, *others)]
    named = group == "names first"
    assert {*pages.split()} & {*found[: 1 if named or group == ITSELF else 2]}, found
    if first["kind"] in ("Function", "Class", "Method", "Source"):
        assert named or words in first["title"], "a page comes before code and papers, but for their names"


@pytest.mark.parametrize(("name", "rows"), ASKED[ROWS].items())
def test_a_name_finds_its_row_first_whatever_common_words_stand_beside_it(find, name, rows):
    beside = BESIDE[rows.partition("#")[0]]
    found = {words: find(words.format(name))[0]["address"].replace(".html#", "#") for words in beside}
    assert {words: row for words, row in found.items() if row not in rows.split()} == {}


@pytest.mark.parametrize("words", ASKED[NOT_COVERED])
def test_what_the_book_does_not_cover_is_at_most_near(find, words):
    assert all(hit["near"] for hit in find(words))


@pytest.fixture(scope="module")
def answered(find):
    """What is said to each of the searches, and whether a right page is among its first hits."""

    def right(words, pages):
        hits = [hit["address"].partition(".html")[0] for hit in find(words)[:FIRST] if not hit["near"]]
        wanted = {page.partition("#")[0] for page in pages.split()}
        return not wanted.isdisjoint(hits), find.said(words)

    return {
        (group, words): right(words, SEARCHES[group][words])
        for group in SEARCHES
        for words in SEARCHES[group]
    }


def test_searches_have_their_page_among_the_first(answered):
    missed = [key for key, (found, _) in answered.items() if not found]
    assert len(of_sixty := [words for group, words in missed if group == "sixty"]) <= 60 - FOUND, of_sixty
    assert [words for group, words in missed if group in ("tried", "models", "threads")] == []


@pytest.mark.parametrize(("words", "address"), SEARCHES["threads"].items())
def test_what_people_ask_in_threads_has_its_section(site, words, address):
    page, _, anchor = address.partition("#")
    assert f'id="{anchor}"' in (site / f"{page}.html").read_text(encoding="utf-8"), words


def test_what_is_not_treated_is_said_and_of_no_word_that_pages_have(answered, site):
    index = (site / "_static" / "search-index.js").read_text(encoding="utf-8")
    written = {*re.findall(r"[\w-]+", index.lower())}
    for (group, words), (_, said) in answered.items():
        assert said.startswith("Nothing") == (group == "not treated"), (words, said)
        assert written.isdisjoint(word.lower() for word in re.findall("“(.+?)”", said)), said


def test_a_library_with_a_hyphen_is_one_name_and_leads_to_who_agrees(find):
    from pe_book.evidence.records.parity import recorded

    names = [name for name in recorded().libraries() if "-" in name]
    assert len(names) > 1
    for name in names:
        for words in (name, f"compared with {name}"):
            hits = [hit for hit in find(words)[:2] if hit["address"].startswith(COMPARING)]
            one = name.removesuffix("s")
            assert any(
                one.replace("-", "") in hit["marked"] or {*one.split("-")} <= {*hit["marked"]} for hit in hits
            ), words


def keys_of_the_reader():
    """Names that the reader of configs asks for, as its source and its tables have them."""
    from pe_book.config import classes, keys, widths

    found = {*keys.LENGTHS, *widths.SIZES, *keys.OF_THE_TEXT, *classes.BASES}
    for file in READER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("take", "has", "note"):
                found |= {one.value for one in node.args if isinstance(one, ast.Constant)}
    for model in classes.MODELS.values():
        found |= {model.layout_key, model.two_sided_key, *model.lengths, *model.beside, *model.uncomputed}
    return sorted(one for one in found if isinstance(one, str) and one)


def test_every_key_of_a_config_leads_to_a_page_that_has_it(find):
    lost = {}
    for key in keys_of_the_reader():
        found = [hit["address"] for hit in find(key) if not hit["near"]][:2]
        if not any(
            address.startswith(("family/", "howto/", "sinusoidal/", "reference/conventions"))
            for address in found
        ):
            lost[key] = found
    assert lost == {}


def test_a_table_without_a_number_is_found_by_its_section(find):
    hit = next(hit for hit in find("qk_nope_head_dim") if hit["address"].startswith("family/"))
    assert hit["address"] == "family/reading-a-config.html#sec-config-keys"
    found = [hit["address"] for hit in find("not across the trained length")]
    assert "howto/longer-texts.html#sec-longer-keys" in found


def test_a_pasted_message_leads_to_who_says_it_and_to_the_page(find):
    import pe_book as pe

    with pytest.raises(ValueError, match="rotary_dim") as refused:
        pe.rotary_from_config(
            {"model_type": "gptj", "n_layer": 1, "n_embd": 64, "n_head": 1, "rotary_dim": 128}
        )
    told, page, *_ = find(f"ValueError: {refused.value}")
    assert told["kind"] == "Message"
    assert "rotary_dim must be at most the width of the head" in told["title"]
    assert told["address"].startswith("reference/api/")
    assert page["address"] == "howto/check-a-config.html"


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
        assert hits(page).first.text_content().startswith("Glossaryshift matrix")
        assert {"search-index.js", "search-find.js"} <= set(page.asked)
        assert "T_k" in page.locator(".search-hit .search-excerpt mark").first.text_content()
        assert re.fullmatch(r"\d+ hits.*", page.locator(".search-dialog [role=status]").text_content())
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


def test_what_is_not_covered_is_said_and_the_nearest_stands_apart(opened):
    with opened() as page:
        page.keyboard.press("/")
        page.keyboard.type("Hilbert curve")
        page.wait_for_function("document.querySelector('.search-nearest')")
        said = page.locator(".search-dialog [role=status]").text_content()
        assert said == "Nothing on this in the book: no page speaks of “Hilbert”."
        assert 0 < page.locator(".search-hit").count() <= 5
        assert page.locator(".search-hits").get_attribute("aria-labelledby") == "search-nearest"
        before = page.url
        page.keyboard.press("Enter")  # goes nowhere by itself
        assert page.url == before
        assert visible(page)
        page.keyboard.press("Control+a")
        page.keyboard.type("softmax")
        page.wait_for_function("!document.querySelector('.search-nearest')")
        assert re.fullmatch(r"\d+ hits.*", page.locator(".search-dialog [role=status]").text_content())


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
        term, window = page.locator(TERM).first, page.locator("#meaning-window")
        term.scroll_into_view_if_needed()
        term.hover()
        window.wait_for(state="visible")
        assert "T_k" in window.text_content()
        assert term.get_attribute("aria-describedby") == "meaning-window"
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
        term, window = page.locator(TERM).first, page.locator("#meaning-window")
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
