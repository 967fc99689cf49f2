"""The front page: what it computes, and what it promises."""

import re
import tomllib
from types import SimpleNamespace

import numpy as np
import pytest
from pybtex.database import parse_string

from bookish.site import map as book_map
from pe_book.evidence import index as verdicts
from pe_book.evidence import project
from pe_book.show import index as front
from pe_book.sinusoidal.formula import encode
from tests.pages.sources import ROOT, pages, text_of

VECTORS = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}


def test_the_figure_says_what_its_data_say():
    alone, placed = (
        front.shuffle("Nitish killed lion", order, VECTORS).alt.split(
            "Attention, each word told its position: "
        )
        for order in ("lion killed Nitish", "Nitish killed lion")
    )
    for word, (first, second) in {"Nitish": (0.8, 0.6), "killed": (0.6, 0.8), "lion": (0.75, 0.75)}.items():
        assert alone[0].count(f"{word} ({first:.2f}, {second:.2f})") == 2
        assert f"{word} ({first:.2f}, {second:.2f})" not in alone[1]
    # two equal orders are told to have equal numbers
    one, _, other = placed[1].removesuffix(".").partition("; ")
    assert one == other


def test_the_row_with_the_slip_is_wrong_where_the_page_says_so():
    slipped = encode(1, 6, base=100)
    by_hand = [wave(1 / 10000 ** (i / 6)) for i in range(3) for wave in (np.sin, np.cos)]
    assert slipped == pytest.approx(by_hand, abs=1e-15)
    assert list(verdicts.wrong_entries(slipped, 1)) == [2, 3, 4, 5]
    assert list(verdicts.wrong_entries(encode(1, 6), 1)) == []
    assert "| 2 | 0.214 | **0.046** |" in front.two_rows(slipped, 1).markdown()
    assert "**" not in front.two_rows(encode(1, 6), 1).markdown()


def test_what_has_one_home_is_not_typed_on_the_front_page():
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    body = text_of("index").split("---\n", 2)[2]
    book, project = metadata["tool"]["pe_book"], metadata["project"]
    for value in (project["version"], project["authors"][0]["name"], book["title"], book["text-licence"]):
        assert value not in body
    # the head of the page cannot ask the package, so it is held to it here
    assert f'title: "{book["title"]}"' in text_of("index")


def test_what_the_project_says_of_itself_is_what_its_one_home_says():
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.version() == metadata["version"]
    assert metadata["requires-python"] == f">={project.pythons()[0]},<3.{int(project.pythons()[1][2:]) + 1}"
    assert project.pythons(">=3.9,<3.11") == ("3.9", "3.10")
    assert [name.split(">")[0] for name in metadata["dependencies"]] == project.requirements()
    entry = project.bibtex()
    edition = f"Version {metadata['version']}" + ("" if project.year() else ", not yet released")
    assert f"  note = {{{edition}}}," in entry.splitlines()
    for form in (entry, project.biblatex()):
        [(key, read)] = parse_string(form, "bibtex").entries.items()
        assert (key, read.fields["title"]) == ("pe_book", f"{{{project.citation()['title']}}}")
        assert metadata["version"] in read.fields["note"] + read.fields.get("version", "")
        assert read.fields.get("year", "") == project.year()
        assert ("ot yet released" in read.fields.get("note", "")) == (not project.year())
        # an underscore outside a formula stops LaTeX
        names = " and ".join(map(str, read.persons["author"]))
        assert not re.search(r"(?<!\\)[_&%$#]", names + read.fields["title"] + read.fields["note"])


def test_the_front_page_says_how_to_cite_the_book_and_each_thing_in_it(monkeypatch):
    monkeypatch.setenv("PE_SITE_URL", "https://book.example/")
    for form in (project.reference(), project.bibtex(), project.biblatex()):
        assert "https://book.example/" in form
    told = text_of("index").partition("(sec:index:cite)=")[2].partition("```{toctree}")[0]
    for form in ("reference", "bibtex", "biblatex"):
        assert f"project.{form}()" in told
    words = " ".join(told.split())
    for thing in ("theorem", "definition", "example", "exercise", "figure", "table", "formula"):
        assert thing in words.partition("there is a #")[0]


# what the front page calls each record of something that no build computes
RECORDED = {
    "audit": "the audit", "fuzz": "odd calls", "claims": "claims under planted mistakes",
    "length_generalisation": "a study of longer texts", "model_tour": "the insides of small models",
    **dict.fromkeys(("bench", "bench_rotary", "bench_bias"), "speeds"),
    **dict.fromkeys(("classes", "parity", "versions"), "the comparison with other libraries"),
}  # fmt: skip


def test_the_front_page_says_which_numbers_are_not_computed():
    body = " ".join(text_of("index").split())
    given = sum(
        len(re.findall(r"^  \d+: ", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in pages()
    )
    quoted = sum("{quoted}" in page.read_text(encoding="utf-8") for page in pages())
    recorded = body.partition("recorded by a command of its own")[2].partition(". ")[0]
    for number, found, said in (
        ("settings", given, "settings, which an author gives"),
        ("quoted", quoted, "what others measured, which is quoted"),
    ):
        assert not found or said in body, number
    for record in (ROOT / "pe_book" / "evidence" / "records").glob("*.json"):
        assert RECORDED[record.stem] in recorded, record.stem
    assert not re.search(r"\b[Ee]very (table|figure|number)", text_of("index") + text_of("../README"))


def test_parts_stand_in_their_order():
    trees = re.findall(r"```\{toctree\}\n(.*?)```", text_of("index"), re.DOTALL)
    assert [line for line in trees[0].splitlines() if "/" in line][:2] == ["why/index", "sinusoidal/index"]
    assert ":numbered:" in trees[0]
    assert not any(":numbered:" in tree for tree in trees[1:])
    assert [tree.split()[-1] for tree in trees[1:]] == ["coursework/index", "reference/index"]


def test_a_planned_chapter_that_has_a_page_is_no_longer_planned():
    """The file says what is missing; it never hides or doubles what is there."""
    for part, entry in book_map.planned(ROOT / "docs").items():
        for name in entry["chapters"]:
            page = ROOT / "docs" / part / f"{name}.md"
            assert not page.exists(), f"take {part}/{name} out of planned.yml"
    env = SimpleNamespace(toctree_includes={}, found_docs={"family/rotary"})
    plan = {"family": {"chapters": {"rotary": "Rotary", "relative": "Relative"}}}
    assert [line.title for line in book_map.chapters(env, "family", plan)] == ["Relative"]


def test_titles_and_headings_have_at_most_sixty_letters():
    for file in (ROOT / "docs").glob("[a-z]*/**/*.md"):
        text = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1", "", file.read_text(encoding="utf-8"))
        assert [one for one in re.findall(r"(?m)^#+ (.+)", text) if len(one) > 60] == [], file
