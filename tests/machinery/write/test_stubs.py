"""A stub as a reader sees it: its code, and below it what it means when it runs."""

from bs4 import BeautifulSoup

from bookish.write.exercises import SAYS

PAGE = """(sec:stub:top)=
# Stubs

:::{exercise} [in code, level 1, 5 min] Add one
:label: exr:stub:one

Do it.

{stub}`exr:stub:one`
:::

:::{solution-start} exr:stub:one
:label: sol:stub:one
:class: dropdown
:::

```{code-cell} python
def successor(n):
    # begin solution
    return n + 1
    # end solution
assert successor(1) == 2, (
    f'1 came to {successor(1)} where 2 is due: see "Stubs"')
```

:::{solution-end}
:::

```python
x = 1
```
"""
CUT = """def successor(n):
    raise NotImplementedError("nothing is filled in yet")
assert successor(1) == 2, (
    f'1 came to {successor(1)} where 2 is due: see "Stubs"')"""


def test_a_line_below_each_stub_says_when_it_is_right(book):
    book.page("index", PAGE)
    built = book.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    soup = BeautifulSoup((book.root / "out" / "index.html").read_text(encoding="utf-8"), "html.parser")
    (says,) = soup.find_all(class_="stub-says")
    assert says.get_text() == SAYS == "If your code runs without an error, it has passed all checks."
    stub = says.find_previous_sibling("div")
    assert "stub" in stub["class"]
    assert stub.get_text().strip() == CUT  # what is copied is the code alone
    assert says.find_parent(class_="exercise")
    text = (book.root / "out" / "index.md").read_text(encoding="utf-8")
    assert text.count(SAYS) == 1
    assert f"```\n\n{SAYS}" in text
