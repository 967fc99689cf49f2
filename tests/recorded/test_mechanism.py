"""What a change of a page asks for: on a page of a few lines, and in figures that are drawn."""

import copy
import random
from dataclasses import replace

import pytest

from tests.recorded import reading, record, test_recorded
from tests.recorded.reading import Page, Pair
from tests.show import walk

TEXT = """---
title: Waves
---
# Waves

The weights {holds}`halve at each
step <falls_by_half(w)>`. After {{ w.argmin() }} of {{ len(w) }} steps the last is
$\\val{w[-1]:.2f}$. It is small.

- {holds}`Ahead <first < second>`, and {holds}`**not monotone** <not monotone(kernel)>`.

```{code-cell} python
x = 1  # {{ no_field }}
```

:::{drawn} show.curves(w)
:name: fig:a:curves
The weights of {{ heads }} heads. Half are flat.
:::

````{exercise} [by hand, level 1, 5 min] Buckets
:label: exr:a:bucket
```{answer} The bucket of 20
:is: bucket(20)
:choices: 4 | 5

- `bucket(19)`: that is the one before.
```
````
"""


def of(text, bound=("w",), **pairs):
    return Page(reading.said(text) | pairs, set(bound))


def test_statements_sentences_and_fields_are_read():
    assert reading.said(TEXT) == {
        "held": [
            Pair("halve at each step", ("falls_by_half(w)",)),
            Pair("Ahead", ("first < second",)),
            Pair("**not monotone**", ("not monotone(kernel)",)),
        ],
        "evaluated": [
            Pair("After {} of {} steps the last is ${}$.", ("w.argmin()", "len(w)", "w[-1]:.2f")),
            Pair("{} The weights of {} heads.", ("show.curves(w)", "heads")),
            Pair("{} The bucket of 20", ("bucket(20)",)),
            Pair("{}: that is the one before.", ("bucket(19)",)),
        ],
    }


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("halve at each", "double at each"),
        ("falls_by_half(w)", "falls_by_half(w, slack=9)"),
        ("first < second", "second < first"),
        ("<not monotone(kernel)>", "<monotone(kernel)>"),
        ("**not monotone**", "**monotone**"),
        ("w[-1]", "w[-2]"),
        ("argmin", "argmax"),
        ("len(w)", "len(v)"),
        ("show.curves(w)", "show.curves(2 * w)"),
        (":is: bucket(20)", ":is: bucket(21)"),
    ],
)
def test_a_half_that_changes_alone_is_shown(was, now):
    assert was in TEXT
    (told,) = record.to_look_at(reading.said(TEXT), of(TEXT.replace(was, now)))
    assert "  - " in told
    assert "  + " in told


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("halve at each\nstep", "halve at\neach step"),
        ("halve at each\nstep <falls_by_half(w)>", "double <doubles(w)>"),
        ("After {{ w.argmin() }} of", "Behind {{ w.argmin() }} of all"),
        ("It is small.", "It is tiny."),
        ("- {holds}`Ahead <first < second>`, and", "-"),
        ("It is small.", "It {holds}`is small <w[-1] < 1>`, {{ w[-1] }}."),
        ("Ahead", "*ahead*,"),
        ("{{ w.argmin() }} of", "{{w.argmin()}} of"),
        ("x = 1", "x = 2"),
    ],
)
def test_what_changes_with_its_other_half_or_around_it_is_not(was, now):
    assert was in TEXT
    assert record.to_look_at(reading.said(TEXT), of(TEXT.replace(was, now))) == []


def test_a_variable_may_be_renamed_and_another_one_not_taken():
    other = TEXT.replace("(w)", "(weights)").replace("w.arg", "weights.arg").replace("w[", "weights[")
    assert record.to_look_at(reading.said(TEXT), of(other, bound=["weights"])) == []
    assert len(record.to_look_at(reading.said(TEXT), of(other, bound=["w", "weights"]))) == 3
    assert len(record.to_look_at(reading.said(TEXT), of(other, bound=[]))) == 3


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (["0.6", "2", "3"], 1),
        (["1.39", "2", "4", "3"], 0),
        (["2", "3"], 0),
        (["2", "3", "1.39"], 0),
        (["0.6"], 1),
    ],
)
def test_another_print_in_place_of_one_is_shown(now, told):
    was = {"printed": [Pair("print(x)", (one,)) for one in ("1.39", "2", "3")]}
    page = Page({"printed": [Pair("print(y)", (one,)) for one in now]}, set())
    assert len(record.to_look_at(was, page)) == told


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (["no | `scale=2`", "yes | as it is"], 1),
        (["yes | `scale=1`", "no | as it is"], 1),
        (["yes | as it is", "no | `scale=1`"], 1),
        (["no | `scale=1`", "no | as it is", "yes | as it is"], 0),
        (["no | `scale=1`"], 0),
    ],
)
def test_another_word_in_a_table_is_shown(now, told):
    head = "bias divided too | call"
    was = {"words of tables": [Pair("tab:a:b", (head, "no | `scale=1`", "yes | as it is"))]}
    page = Page({"words of tables": [Pair("tab:a:b", (head, *now))]}, set())
    assert len(record.to_look_at(was, page)) == told
    assert record.to_look_at({}, page) == []


def test_a_record_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "HERE", tmp_path)
    pairs = reading.said(TEXT) | {"printed": [Pair("print(x)", ("  1  2", "", "  3")), Pair("x", ("1",))]}
    figures = {"figures": [Pair("fig:a:b", ("panel x", "  Line y", "says", "caption"))]}
    record.record("family/a", pairs)
    assert record.recorded("family/a") == pairs
    record.record("family/a", figures)
    assert record.recorded("family/a") == pairs | figures
    record.record("family/a", {kind: [] for kind in record.KINDS})
    assert not record.file_of("family/a").exists()


@pytest.mark.parametrize("page", test_recorded.PAGES)
def test_every_statement_and_field_of_a_page_is_read(page):
    """What the kernel was asked when the page was built is found in its text."""
    asked, said = reading.asked(page), reading.said(reading.text_of(page))
    found = {one for pairs in said.values() for pair in pairs for one in pair.decided}
    assert asked["holds"] | asked["text"] <= found, f"unread, or changed since: make page P={page}"
    assert asked["holds"] <= {pair.decided[0] for pair in said["held"]}


# ---------------------------------------------------------------- figures


@pytest.fixture
def one_page(tmp_path, monkeypatch):
    """The record of a page, its figures, and a folder in which a test may change it."""
    page, label = next(pair for pair in test_recorded.FIGURES if pair[0].startswith("why/"))
    shown = {page: walk.shown(page)}
    pairs = record.recorded(page)
    monkeypatch.setattr(walk, "shown", lambda asked: shown[asked])
    monkeypatch.setattr(record, "HERE", tmp_path)
    return page, label, pairs


def test_one_figure_is_recorded_without_the_others(one_page, monkeypatch):
    """Only its lines change; what is gone goes."""
    page, label, right = one_page
    tinted = [
        Pair("fig:that:is-gone" if one.words == label else one.words, ("tinted", *one.decided))
        for one in right["figures"]
    ]
    record.record(page, right | {"figures": tinted})
    monkeypatch.setattr(test_recorded, "RECORDING", "harmless")
    told = rf"(?s)  \+ panel .*\nlook at {label}; .*: make page P={page} RECORD=yes"
    with pytest.raises(pytest.fail.Exception, match=told):
        test_recorded.test_a_figure_is_as_somebody_has_seen_it(page, label)
    monkeypatch.setattr(test_recorded, "RECORDING", "looked")
    test_recorded.test_a_figure_is_as_somebody_has_seen_it(page, label)
    expected = [now if now.words == label else was for now, was in zip(right["figures"], tinted, strict=True)]
    assert record.recorded(page) == right | {"figures": expected}


@pytest.mark.parametrize("change", ["colour", "where", "title", "caption", "alt", "order"])
def test_another_look_is_another_description(change):
    """Colours, rows, titles, captions and the order of marks that nobody has seen are refused."""
    dice = random.Random(change)
    page, label = dice.choice([pair for pair in test_recorded.FIGURES if pair[0].startswith("why/")])
    found = walk.shown(page)[label]
    figure = copy.copy(found.made)
    panel = copy.copy(figure.panels[0])
    marks = list(panel.marks)
    if change == "colour":
        place = next(n for n, mark in enumerate(marks) if hasattr(mark, "colour"))
        marks[place] = replace(marks[place], colour="red" if marks[place].colour != "red" else "blue")
    elif change == "where":
        place = next(n for n, mark in enumerate(marks) if hasattr(mark, "where"))
        marks[place] = replace(marks[place], where={"another": "row"})
    elif change == "order":
        marks = [*marks, marks[0]]
    object.__setattr__(panel, "marks", tuple(marks))
    if change == "title":
        object.__setattr__(panel, "title", "another " + panel.title)
    figure.panels = (panel, *figure.panels[1:])
    figure.template += " And more." if change == "alt" else ""
    caption = found.caption + " In red." if change == "caption" else found.caption
    changed = test_recorded.described(replace(found, made=figure, caption=caption))
    assert changed not in record.recorded(page)["figures"]
    assert test_recorded.described(found) in record.recorded(page)["figures"]
