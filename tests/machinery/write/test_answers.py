"""Fields of exercises by hand: what is shipped for a value, and what a page with fields looks like."""

import json

import pytest
from bs4 import BeautifulSoup

from bookish.write.answers.values import Digits, Fault, given

WHOLE = Digits()
PAGE = """(sec:hand:top)=
# By hand

```{code-cell} python
import pe_book as pe
row = pe.encode(1, 4)
```

::::{exercise} [by hand, level 1, 5 min] Four numbers
:label: exr:hand:four

Compute them.

:::{answer} The row, $x$ first
:is: row
:decimals: 3

- `row[::-1]`: the fast pair
  comes *first*.
:::

```{answer} Is it long?
:choices: yes | no
:is: bool(row @ row > 1)

- `no`: add the squares of $1$ pair, and of the other.
```
::::

:::{solution-start} exr:hand:four
:label: sol:hand:four
:class: dropdown
:::

Two turns.

:::{solution-end}
:::
"""


@pytest.mark.parametrize(
    ("value", "digits", "rows"),
    [
        (6, WHOLE, [[6]]),
        (6.0, WHOLE, [[6]]),
        (0.5, Digits(decimals=2), [[[0.5, 2]]]),
        ([0.25, 0.00390625], Digits(significant=3), [[[0.25, 3], [0.00390625, 5]]]),
        ([1000.0, 0.0], Digits(significant=2), [[[1000.0, -2], [0.0, 1]]]),
        ([[1, 2], [3]], WHOLE, [[1, 2], [3]]),
    ],
)
def test_values_are_shipped_in_rows(value, digits, rows):
    assert given(value, [], digits, [], "")["v"] == rows


def test_kinds_units_and_choices():
    assert given(1, [], WHOLE, [], "degrees") == {"k": "number", "v": [[1]], "w": [], "u": "degrees"}
    assert given([1], [[2, 3]], WHOLE, [], "") == {"k": "list", "v": [[1]], "w": [[[2, 3]]]}
    assert given([[1]], [], WHOLE, [], "")["k"] == "matrix"
    assert given(True, ["no"], WHOLE, ["no", "yes"], "") == {
        "k": "choice",
        "c": ["no", "yes"],
        "v": 1,
        "w": [0],
    }
    assert given(5, [0.5], WHOLE, [], "")["w"] == [[[[0.5, 3]]]]
    assert given([0, 1, 1], [[0, 1, -1]], WHOLE, [], "", [1, 1, 0])["v"] == [[0, 1, None]]


@pytest.mark.parametrize(
    ("value", "mistakes", "digits", "choices", "code", "matters"),
    [
        ([0, 1], [[0, 3]], WHOLE, [], "PE713", [1, 0]),
        ([0, 1], [], WHOLE, [], "PE712", [1]),
        (1, [], WHOLE, [], "PE712", [1]),
        ([], [], WHOLE, [], "PE712", None),
        ([1, [2]], [], WHOLE, [], "PE712", None),
        ("text", [], WHOLE, [], "PE712", None),
        (True, [], WHOLE, [], "PE712", None),
        ("maybe", [], WHOLE, ["yes", "no"], "PE712", None),
        ("yes", [], WHOLE, ["yes"], "PE711", None),
        ([0.5, 1.0], [[0.5, 1.00014]], Digits(4), [], "PE713", None),
    ],
)
def test_what_cannot_be_judged_is_refused(value, mistakes, digits, choices, code, matters):
    """Beside what the catalogue of refusals plants."""
    with pytest.raises(Fault) as fault:
        given(value, mistakes, digits, choices, "", matters)
    assert fault.value.code == code


def test_a_page_holds_its_fields_without_script(book):
    book.page("index", PAGE, front="exercises: answer\n")
    built = book.build(builder="html")
    assert built.code == 0, built.output[-2000:]
    html = (book.root / "out" / "index.html").read_text(encoding="utf-8")
    row, long = BeautifulSoup(html, "html.parser").find_all("pe-answer")
    made = json.loads(row["data-is"])
    assert (made["k"], len(made["v"][0]), made["w"]) == ("list", 4, [[made["v"][0][::-1]]])
    assert row.label.get_text(" ").split()[-4:] == ["each", "to", "3", "decimals"]
    assert row.find("p", hidden=True).get_text() == "the fast pair comes first."
    assert row.find(class_="line")
    assert not row.find(["input", "button", "form"])
    assert long.label.get_text() == "Is it long?: yes or no"
    assert json.loads(long["data-is"])["v"] == 0
    assert "_static/answers.js" in html
    text = (book.root / "out" / "index.md").read_text(encoding="utf-8")
    assert (
        "- The row, $x$ first, each to 3 decimals: \\_\\_\\_\\_" in text or "each to 3 decimals: ____" in text
    )
    assert "fast pair" not in text
