"""Folds and the first-screen box in Chromium: links open folds, print shows them, no script is needed."""

from contextlib import contextmanager

import pytest

from tests.conftest import make_book

PAGE = """(sec:folds:top)=
# The shift theorem of the sinusoidal table

:::{first-screen}
:needs: {ref}`the end <sec:folds:end>`, a matrix product, and a pencil
write down the matrix that moves every row by the same number of tokens, and say what it cannot do.
:::

A first sentence on the main path.

:::{depth-start} A deeper look at $x$
:label: dep:folds:deep
:::

(sec:folds:inside)=
## Inside

:::{prf:theorem} Small
:label: thm:folds:small

Nothing is large.
:::

$$ y = x $$ (eq:folds:same)

```{code-cell} python
:tags: [hide-input]
x = 1
```

:::{depth-end}
:::

(sec:folds:end)=
## The end

:::{exercise} [by hand, level 1, 5 min] One
:label: exr:folds:one

Do it.
:::

:::{solution-start} exr:folds:one
:label: sol:folds:one
:class: dropdown
:::

```{code-cell} python
y = 2
```

:::{solution-end}
:::

Links into the folds: {ref}`dep:folds:deep` and {eq}`eq:folds:same`.
"""
DEPTH, SOLUTION = "details.depth", "details.solution"
INTO = {  # an address, and the fold that it opens
    "dep-folds-deep": DEPTH,
    "sec-folds-inside": DEPTH,
    "thm:folds:small": DEPTH,
    "equation-eq-folds-same": DEPTH,
    "cell-1": DEPTH,
    "sol:folds:one": SOLUTION,
    "cell-2": SOLUTION,
}
SHOWN = "(css) => document.querySelector(css).checkVisibility({ contentVisibilityAuto: true })"


@pytest.fixture(scope="module")
def folds(tmp_path_factory):
    book = make_book(tmp_path_factory.mktemp("folds"))
    question = "question: Why does one matrix move every row of the table by the same step?"
    book.page("why/folds", PAGE, front="form: new\n", title="Folds")
    book.change("docs/why/folds.md", "question: What is tried out on this page?", question)
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\nwhy/folds\n```\n")
    built = book.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    return book.root / "out" / "why" / "folds.html"


@pytest.fixture
def opened(look, browser, folds):
    @contextmanager
    def start(address="", **settings):
        context = browser.new_context(**{"viewport": look.DESKTOP, **settings})
        page = context.new_page()
        page.goto(folds.as_uri() + address, wait_until="load")
        yield page
        context.close()

    return start


def is_open(page, css):
    return page.evaluate("(css) => document.querySelector(css).open", css)


def test_what_is_led_to_is_open(opened):
    with opened() as page:
        assert not is_open(page, DEPTH)
        assert not is_open(page, SOLUTION)
        for address, css in INTO.items():
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = false))")
            page.evaluate("(address) => (location.hash = address)", address)
            page.wait_for_function("(css) => document.querySelector(css).open", arg=css)
            assert page.evaluate(SHOWN, f"[id='{address}']"), address
        link = page.get_by_role("link", name="A deeper look")
        for _ in range(2):  # the second time the address is the same
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = false))")
            link.click()
            page.wait_for_function("(css) => document.querySelector(css).open", arg=DEPTH)


def test_a_page_that_is_opened_at_a_fold_shows_it(opened):
    for address, css in (("dep-folds-deep", DEPTH), ("sol:folds:one", SOLUTION)):
        with opened(f"#{address}") as page:
            assert is_open(page, css)


def test_print_shows_what_is_folded(opened):
    with opened() as page:
        assert not page.evaluate(SHOWN, "[id='thm:folds:small']")
        page.emulate_media(media="print")
        for address in INTO:
            assert page.evaluate(SHOWN, f"[id='{address}']"), address
        assert not is_open(page, DEPTH)


def test_title_question_and_box_are_one_screen_of_a_phone(opened):
    with opened(viewport={"width": 360, "height": 640}) as page:
        box = page.locator(".opening")
        assert "Why does one matrix move every row" in box.inner_text()
        assert "about 1 minute" in box.inner_text()
        bottom = page.evaluate("document.querySelector('.opening').getBoundingClientRect().bottom")
        assert bottom <= 1.05 * 640
        for css in (DEPTH, SOLUTION):
            assert page.locator(f"{css} > summary").bounding_box()["height"] >= 44
