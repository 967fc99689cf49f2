"""A claim that its evidence contradicts stops the build; what stands has its anchor, its verdict and its source."""

import pytest
from bs4 import BeautifulSoup

PAGE = """(sec:small:top)=
# Claims

```{code-cell} python
:tags: [remove-input, remove-output]
from pe_book.evidence.claims import claims
from pe_book.show.evidence import claims as show
```

```{claims} show.only("C044")
```

(sec:small:bank)=
## The row of the second word

It is the formula's.

```{claims} show.Told(tuple(entry for entry in show.index().entries if entry["key"] == "C044"))
:lines:
```
"""
CONTRADICTED = """(sec:false:top)=
# Claims

```{code-cell} python
:tags: [remove-input, remove-output]
from pe_book.show.evidence import claims as show
```

```{claims} show.only("C045")
```

```{claims} show.only("C046")
```

```{claims} show.only("C057")
```
"""
RECORD = "pe_book/evidence/claims/formula.toml"


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    """A book with a claim that stands, and one that its evidence contradicts."""
    book = new_book(tmp_path_factory.mktemp("claims"))
    book.page("index", PAGE)
    book.change(RECORD, 'chapter = "sec:formula:bank"\n\n[C045]', 'chapter = "sec:small:bank"\n\n[C045]')
    book.page("false", CONTRADICTED)
    book.change("docs/index.md", "# Claims\n", "# Claims\n\n```{toctree}\nfalse\n```\n")
    book.change(
        RECORD,
        'told = "false"\nchapter = "sec:formula:bank"\n\n[C046]',
        'told = "true"\nchapter = "sec:false:top"\n\n[C046]',
    )
    book.change(RECORD, "which rounds to {rounded}:", "which rounds to 0.214:")
    book.change("pe_book/evidence/claims/waves.toml", "{neighbours <steps == 1>}", "{neighbours <steps > 1>}")
    return book, book.build(builder="html")


def test_a_claim_has_its_anchor_its_verdict_and_its_source(built):
    book, done = built
    assert done.about("index") == ""
    page = BeautifulSoup((book.root / "out" / "index.html").read_text(encoding="utf-8"), "html.parser")
    box = page.select_one(".proof.claim")
    assert box["id"] == "cla:claims:c044"
    title = box.select_one(":scope > .admonition-title")
    assert title.select_one(".caption-number").get_text() == "Claim C044 "
    assert title.select_one(".verdict").get_text() == "true"
    assert title.select_one("a.headerlink")["href"] == "#cla:claims:c044"
    assert "It gets another verdict if its position is 1." in box.get_text()
    assert box.select_one(".cell-source a")["href"].endswith("evidence/claims/formula.html#DECIDED")
    # a line that leads to the box, with or without a script
    line = page.select_one("pe-listed li")
    assert line.a["href"] == "#cla:claims:c044"
    # and below the page that treats it
    assert page.select_one(".judged li").get_text().split() == line.p.get_text().split()
    # the filter finds it by what is right, too
    assert line.select_one("[data-words]")["data-words"] == "So it is."


def test_a_claim_that_its_evidence_contradicts_stops_the_build(built):
    _, done = built
    assert done.code != 0
    words = "PE511 the claim C045 is told as true, and its evidence says false: “The row of the second word"
    assert words in done.about("false")


def test_a_typed_number_and_words_that_the_evidence_denies_stop_the_build(built):
    said = built[1].about("false")
    assert "PE512 C046 types 0.214 in what is right: “It is ▯, which rounds to 0.214" in said
    assert "PE511 the claim C057 is told as true" in said
    assert "not supported: neighbours <steps > 1>" in said
