"""The front page and the reference pages: what they compute, and what they promise to list."""

import inspect
import re
import tomllib
from importlib import import_module
from itertools import permutations
from pathlib import Path

import numpy as np
import pe_entries
import pe_listing
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sphinx.pycode import ModuleAnalyzer

import pe_book as pe
from pe_book.catalogue import PLACES
from pe_book.checking import LAYOUTS
from pe_book.evidence import index as verdicts
from pe_book.evidence import project
from pe_book.evidence.reference.readings import Reading, every_reading, readings, swapped, table_of
from pe_book.family.models import models
from pe_book.show import index as front
from pe_book.show.reference import api, conventions
from pe_book.sinusoidal.formula import encode
from tests.chapters import parts

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
VECTORS = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}
ORDERS = [" ".join(order) for order in permutations(VECTORS)]
READINGS = every_reading()


def pages():
    return [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]


def text_of(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


# --- index ---


@pytest.mark.parametrize("order", ORDERS)
def test_each_word_keeps_its_numbers_in_every_order(order):
    expected = {"Nitish": (4 / 5, 3 / 5), "killed": (3 / 5, 4 / 5), "lion": (3 / 4, 3 / 4)}
    found = verdicts.outputs(order, VECTORS)
    np.testing.assert_allclose(found, [expected[word] for word in order.split()], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.mean(axis=0), 43 / 60, rtol=0, atol=1e-15)


def test_with_places_even_the_mean_knows_the_order():
    means = [tuple(verdicts.outputs(order, VECTORS, places=True).mean(axis=0).round(4)) for order in ORDERS]
    assert len(set(means)) == len(ORDERS)


def test_the_figure_says_what_its_data_say():
    alone, placed = (
        front.shuffle("Nitish killed lion", order, VECTORS).alt.split("Attention, each word told its place: ")
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
    assert f"  version = {{{metadata['version']}}}," in entry.splitlines()
    assert entry.count("{") == entry.count("}")


def test_every_exercise_has_a_solution_and_one_in_code_has_one_that_is_checked():
    asked, answered = [], {}
    for page in pages():
        text = page.read_text(encoding="utf-8")
        asked += re.findall(r"\{exercise\} \[(.*?)\].*\n:label: (\S+)", text)
        solutions = re.findall(r"\{solution-start\} (\S+)\n(.*?)\{solution-end\}", text, re.DOTALL)
        answered |= dict(solutions)
    assert len(asked) > 50
    for kind, label in asked:
        assert label in answered, f"{label} has no solution"
        checked = re.search(r"^ *assert |\{holds\}", answered[label], re.MULTILINE)
        assert kind != "in code" or checked, label


def test_the_front_page_says_which_numbers_are_not_computed():
    body = " ".join(text_of("index").split())
    given = sum(
        len(re.findall(r"^  \d+: ", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in pages()
    )
    quoted = sum("{quoted}" in page.read_text(encoding="utf-8") for page in pages())
    recorded = list((ROOT / "pe_book" / "evidence").glob("*.json"))
    for number, found, said in (
        ("settings", given, "settings, which an author gives"),
        ("quoted", quoted, "what others measured, which is quoted"),
        ("recorded", len(recorded), "speeds, recorded"),
    ):
        assert not found or said in body, number
    assert not re.search(r"\b[Ee]very (table|figure|number)", text_of("index") + text_of("../README"))


def test_parts_stand_in_their_order_and_every_reference_page_is_listed():
    trees = re.findall(r"```\{toctree\}\n(.*?)```", text_of("index"), re.DOTALL)
    assert [line for line in trees[0].splitlines() if "/" in line][:2] == ["why/index", "sinusoidal/index"]
    assert ":numbered:" in trees[0]
    assert ":numbered:" not in trees[1]
    assert "reference/index" in trees[1]
    listed = re.findall(r"```\{toctree\}\n(.*?)```", text_of("reference/index"), re.DOTALL)[0].split()
    there = {path.stem for path in (DOCS / "reference").glob("*.md")} - {"index"}
    assert set(listed) - {":hidden:"} == there


# --- conventions ---


@pytest.mark.parametrize("reading", READINGS)
def test_three_printed_rows_say_how_they_were_made(reading):
    assert readings(table_of(3, 6, reading).round(4)) == [reading]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(READINGS), st.integers(2, 40), st.integers(2, 8))
def test_the_true_reading_is_always_among_the_answers(reading, pairs, rows):
    assert reading in readings(table_of(rows, 2 * pairs, reading).round(4))


@pytest.mark.parametrize("wrong_base", [100.0, 1e8])
def test_a_slip_in_the_exponent_is_not_taken_for_a_convention(wrong_base):
    assert readings(encode(range(3), 6, base=wrong_base).round(4)) == []


@settings(deadline=None, max_examples=30)
@given(st.floats(2, 1e5), st.integers(2, 20))
def test_without_the_base_no_printout_tells_the_ladder(base, pairs):
    d_model = 2 * pairs
    released = encode(range(3), d_model, base=base, ladder="tensor2tensor")
    other = base ** (pairs / (pairs - 1))
    np.testing.assert_allclose(encode(range(3), d_model, base=other), released, rtol=0, atol=1e-12)
    assert Reading(0, False, "interleaved", "tensor2tensor") in readings(released.round(4), base=base)
    assert Reading(0, False, "interleaved", "paper") in readings(released.round(4), base=other)


def test_the_base_is_that_of_the_call():
    row = encode(range(3), 6, base=100)
    assert readings(row.round(4)) == []
    assert readings(row.round(4), base=100) == [Reading(0, False, "interleaved", "paper")]
    with pytest.raises(ValueError, match="base must be"):
        readings(row, base=1)


def test_one_wrong_digit_is_not_taken_for_a_convention():
    printout = encode(range(3), 6).round(4)
    printout[1, 2] += 0.0001
    assert readings(printout) == []


def test_an_independent_package_is_read_as_the_paper():
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("positional_encodings.torch_encodings")
    table = library.PositionalEncoding1D(6)(torch.zeros(1, 4, 6))[0].numpy()
    assert readings(table.round(4)) == [Reading(0, False, "interleaved", "paper")]


@pytest.mark.parametrize(
    ("printout", "said"),
    [
        ([0.0, 1.0], "printout must be a matrix"),
        ([[0.0, np.nan]], "printout must be finite"),
        ([[0.0, 1.0, 0.0]], "d_model must be even"),
        (np.zeros((0, 4)), "at least one row"),
    ],
)
def test_a_printout_that_cannot_be_read_is_refused(printout, said):
    with pytest.raises(ValueError, match=said):
        readings(printout)


def test_the_row_of_the_conventions_page():
    cells = {row[0]: row[1:] for row in conventions.one_row(1, 6).cells}
    assert cells["this book, the paper"] == ("0.8415", "0.5403", "0.0464", "0.9989", "0.0022", "1.0000")
    assert cells["slip: exponent $i/d$"][2:4] == ("0.2138", "0.9769")
    assert cells["positions from 1"][1] == "−0.4161"
    assert cells["halves, cosines first"] == ("0.5403", "0.9989", "1.0000", "0.8415", "0.0464", "0.0022")
    assert len(set(cells.values())) == len(cells)


def test_the_turned_row_of_the_conventions_page():
    rows = conventions.one_turn(1, 6, 4).cells
    programs = {f"{first} {last}": (program, length) for first, last, program, length in rows}
    assert len(programs) == len(rows) == 13  # what is seen names one program
    named = {program: seen for seen, (program, _) in programs.items()}
    assert named["neighbours in the first columns"] == "−1.14 1.92 2.96 4.03 5.00 6.00"
    assert named["halves in the first columns"].startswith("−1.98 1.96 2.46 4.02")
    assert named["neighbours in the last columns"].startswith("1.00 2.00")
    assert named["halves in the last columns: MiniCPM3"] == "1.00 2.00 −2.59 3.94 5.23 6.04"
    assert programs["1.00 2.00 −1.74 4.94 4.69 6.05"][0].endswith("given as halves: DeepSeek-V3")
    assert named["halves, slow pairs stopped: p-RoPE"].split()[2] == "3.00"
    assert programs["−1.14 2.04 2.99 4.69 4.72 6.01"][0] == "mixed: table in halves, turn of neighbours"
    assert programs["−2.83 −3.13 2.72 4.04 5.00 6.01"][0] == "mixed: table of neighbours, turn of halves"
    mixed = {program for program, length in programs.values() if length != f"{91**0.5:.2f}"}
    assert mixed == {program for program in named if program.startswith("mixed")}


def test_swapping_a_pair_twice_changes_nothing():
    rows = encode(range(5), 8)
    for layout in LAYOUTS:
        once = swapped(rows, layout)
        assert not np.array_equal(once, rows)
        np.testing.assert_array_equal(swapped(once, layout), rows)
    halves = encode(range(5), 8, layout="halves")
    np.testing.assert_array_equal(swapped(halves, "halves")[:, :4], halves[:, 4:])


# --- glossary, bibliography, programming interface ---


def glossary():
    block = re.search(r"```\{glossary\}\n(.*?)\n```", text_of("reference/glossary"), re.DOTALL)
    assert block
    return [line for line in block[1].splitlines() if line and not line.startswith((" ", ":"))]


def test_every_term_is_defined_once_and_every_convention_is_a_term():
    terms = glossary()
    assert len(terms) == len(set(terms))
    used = {
        (re.search(r"<(.+)>", found) or re.search("(.+)", found))[1]
        for page in pages()
        for found in re.findall(r"\{term\}`([^`]+)`", page.read_text(encoding="utf-8"))
    }
    assert used <= set(terms), used - set(terms)
    chosen = {"base", "dtype", "exponent", "ladder", "layout", "pair index", "parity", "position"}
    assert {*LAYOUTS, *chosen, "relative position", "shift matrix"} <= set(terms)


def entries():
    text = (DOCS / "references.bib").read_text(encoding="utf-8")
    return re.findall(r"^@\w+\{([^,]+),\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)


def test_bibliography_entries_are_sorted_whole_and_unique():
    keys = [key for key, _ in entries()]
    assert keys == sorted(set(keys))
    for key, fields in entries():
        for field in ("author", "title", "year"):
            assert re.search(rf"^\s*{field}\s*=\s*\{{", fields, re.MULTILINE), f"{key} has no {field}"


def test_what_is_cited_is_there_and_what_is_there_is_cited():
    sources = [*pages(), *sorted((ROOT / "pe_book").rglob("*.py"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    cited = {key for keys in re.findall(r"\{?:?cite:[tp]\}?:?`([^`]+)`", text) for key in keys.split(",")}
    cited |= set(re.findall(r"\{quoted\}`[^`<]*<([\w:-]+)", text))
    cited |= {item.key for model in models() for item in model.evidence if item.key}
    assert cited == {key for key, _ in entries()}


def documented():
    both = pe_listing.listing("numpy") + pe_listing.listing("torch")
    return re.findall(r"automodule:: (\S+)\n((?:   :.*\n)*)", both)


def test_every_module_of_definitions_is_on_the_page():
    rooms = [path for part in (*parts(), "nn") for path in (ROOT / "pe_book" / part).glob("*.py")]
    modules = {f"pe_book.{path.parent.name}.{path.stem}" for path in rooms if path.stem != "__init__"}
    # what the public modules share
    inner = {f"pe_book.nn.{name}" for name in ("added", "float64", "memory", "tensors", "turn_table")}
    assert modules - inner <= {module for module, _ in documented()}
    assert {record.numpy for record in pe.catalogue() if record.numpy} <= {*modules, "pe_book.catalogue"}
    assert {record.torch for record in pe.catalogue() if record.torch} <= modules - inner


@pytest.mark.parametrize("side", ["numpy", "torch"])
def test_a_module_is_listed_once_under_a_label_of_its_own(side):
    modules, labels, titles = zip(*pe_listing.sections(side), strict=True)
    assert len(set(modules)) == len(modules)
    assert len(set(filter(None, labels))) == len(labels) - labels.count("")
    assert all(title.strip() for title, label in zip(titles, labels, strict=True) if label)
    names = [path.stem for path in (DOCS / "reference" / "api").glob("*.md")]
    for name in names if side == "numpy" else ["torch"]:
        page = text_of(f"reference/api/{name}" if side == "numpy" else "reference/api-torch")
        assert pe_listing.PLACE.findall(page) == [name]
        assert "automodule" not in page
    assert side == "torch" or {pe_listing.page_of(module) for module in modules} == set(names)


@pytest.mark.parametrize("page", ["why", "sinusoidal", "family", "package"])
def test_the_overview_lists_what_the_pages_document_and_keeps_the_old_addresses(page):
    assert f":::{{entries}} {page}\n" in text_of("reference/api")
    rows = list(pe_entries.rows(page))
    old = {anchor for anchors, _ in rows for anchor in anchors}
    found = "\n".join(row for _, row in rows)
    for module, label, _ in pe_listing.sections("numpy"):
        if pe_listing.page_of(module) != page:
            continue
        own = import_module(f"pe_book.{module}")
        for name, thing in vars(own).items():
            documented = inspect.isfunction(thing) or inspect.isclass(thing)
            listed = name in getattr(own, "__all__", [name]) and name[0] != "_"
            if documented and listed and thing.__module__ == own.__name__ and thing.__doc__:
                assert f"{own.__name__}.{name}" in old
                assert f"{{py:obj}}`{name} <{own.__name__}.{name}>`" in found
        assert not label or f"sec-api-{label}" in old


def test_a_module_that_the_catalogue_does_not_list_joins_its_part(tmp_path):
    for file in ("pe_book/family/swinging_angles.py", "pe_book/family/swinging.py", "pe_book/beyond/grid.py"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('"""A module."""\n', encoding="utf-8")
    page = tmp_path / "docs" / "family" / "swinging.md"
    page.parent.mkdir(parents=True)
    page.write_text("(sec:swing:top)=\n# Swinging\n", encoding="utf-8")
    rows = pe_listing.sections("numpy", tmp_path)
    family = [row for row in rows if row[0].startswith("family.")]
    assert family[-2:] == [
        ("family.swinging", "swing", "Family: swinging"),
        ("family.swinging_angles", "swinging-angles", "Family: swinging angles"),
    ]
    assert rows[-1] == ("beyond.grid", "grid", "Beyond: grid")


def test_no_field_is_documented_as_an_alias_for_its_number():
    for module, options in documented():
        if module.startswith("pe_book.nn."):
            continue  # has no named tuples, and cannot be imported where torch is left out
        excluded = set(re.findall(r"\w+", "".join(re.findall(r":exclude-members: (.*)", options))))
        explained = {name for _, name in ModuleAnalyzer.for_module(module).find_attr_docs()}
        for name, found in vars(import_module(module)).items():
            named = isinstance(found, type) and hasattr(found, "_fields") and name[0] != "_"
            if named and found.__module__ == module:
                bare = set(found._fields) - explained
                assert bare <= excluded, f"{module}.{name}: {bare - excluded}"
        functions = dict(inspect.getmembers(import_module(module), inspect.isfunction))
        own = {name for name, found in functions.items() if found.__module__ == module}
        assert not own & excluded, module  # a field would hide a function of its name


def test_every_everyday_name_is_listed_with_what_it_is():
    rows = api.everyday_names().cells
    assert [row[0].split("`")[1].split()[0] for row in rows] == [f"pe.{name}" for name in sorted(pe._HOME)]
    assert all(row[1].endswith(".") and ":" not in row[1].replace(": ", "") for row in rows)
    assert {row[2] for row in rows} <= {*PLACES, "—"} - {"none"}
    assert all((DOCS / row[3].split("`")[1].removeprefix("/")).with_suffix(".md").is_file() for row in rows)
