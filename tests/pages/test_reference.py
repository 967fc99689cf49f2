"""The reference pages: terms, exercises, sources and what of the package they list."""

import inspect
import re
import shutil
from dataclasses import replace
from importlib import import_module

import pytest
from sphinx.pycode import ModuleAnalyzer

import pe_book as pe
from bookish.write.listing import PLACE
from pe_book.catalogue import PLACES
from pe_book.family.doors.models import models
from pe_book.inputs.checking import LAYOUTS
from pe_book.show.family import score_bias
from pe_book.show.reference import api
from pe_ext import interface
from tests.pages.sources import DOCS, ROOT, pages, text_of

INTERFACE = interface()


def test_every_page_with_exercises_promises_answers():
    """And so the build refuses one without a solution, or whose check takes every try (PE706, PE709)."""
    asking = [text for page in pages() if "{exercise} [" in (text := page.read_text(encoding="utf-8"))]
    assert len(asking) > 20
    assert all("\nexercises: answer\n" in text for text in asking)


def test_every_convention_is_a_term():
    block = re.search(r"```\{glossary\}\n(.*?)\n```", text_of("reference/glossary"), re.DOTALL)
    terms = {line for line in block[1].splitlines() if not line.startswith((" ", ":"))}
    chosen = {"base", "dtype", "exponent", "ladder", "layout", "pair index", "parity", "position"}
    assert {*LAYOUTS, *chosen, "relative position", "shift matrix"} <= terms


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
    keys = {key for key, _ in entries()}
    cited |= {source for source, *_ in score_bias.BIASES} & keys  # its table cites them
    cited |= {item.key for model in models() for item in model.evidence if item.key}
    assert cited == keys


def documented():
    both = INTERFACE.listing("numpy") + INTERFACE.listing("torch")
    return re.findall(r"automodule:: (\S+)\n((?:   :.*\n)*)", both)


def test_every_module_of_definitions_is_on_the_page():
    shown = {module for module, _ in documented()}
    for path in sorted((ROOT / "pe_book").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        room = name.split(".")[1] if "." in name else "show"
        if room not in ("inputs", "nn", "census", "show", "evidence", "__main__", "_names", "_version"):
            assert name in shown or not re.search(r"^(def|class) ", path.read_text("utf-8"), re.MULTILINE), (
                name
            )
    homes = {home for record in pe.catalogue() for home in (record.numpy, record.torch) if home}
    assert homes <= shown


@pytest.mark.parametrize("side", ["numpy", "torch"])
def test_a_module_is_listed_once_under_a_label_of_its_own(side):
    modules, labels, titles = zip(*INTERFACE.sections(side), strict=True)
    assert len(set(modules)) == len(modules)
    assert len(set(filter(None, labels))) == len(labels) - labels.count("")
    assert all(title.strip() for title, label in zip(titles, labels, strict=True) if label)
    names = [path.stem for path in (DOCS / "reference" / "api").glob("*.md")]
    for name in names if side == "numpy" else ["torch"]:
        page = text_of(f"reference/api/{name}" if side == "numpy" else "reference/api-torch")
        (asked,) = PLACE.findall(page)
        assert asked.split()[0] == name
        assert "automodule" not in page
    assert side == "torch" or {INTERFACE.asked_for(module).split()[0] for module in modules} == set(names)


@pytest.mark.parametrize("page", ["why", "sinusoidal", "family", "package"])
def test_the_overview_lists_what_the_pages_document(page):
    assert f":::{{entries}} {page}\n" in text_of("reference/api")
    found = "\n".join(INTERFACE.rows(page))
    for module, _, _ in INTERFACE.sections("numpy"):
        if INTERFACE.asked_for(module).split()[0] != page:
            continue
        own = import_module(f"pe_book.{module}")
        for name, thing in vars(own).items():
            documented = inspect.isfunction(thing) or inspect.isclass(thing)
            listed = name in getattr(own, "__all__", [name]) and name[0] != "_"
            if documented and listed and thing.__module__ == own.__name__ and thing.__doc__:
                assert f"{{py:obj}}`{name} <{own.__name__}.{name}>`" in found


def test_a_module_that_the_catalogue_does_not_list_joins_its_part(tmp_path):
    for file in ("pe_book/family/swinging_angles.py", "pe_book/family/swinging.py", "pe_book/beyond/grid.py"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def turned() -> None: ...\n", encoding="utf-8")
    shutil.copytree(DOCS / "reference" / "api", tmp_path / "docs" / "reference" / "api")
    page = tmp_path / "docs" / "family" / "swinging.md"
    page.parent.mkdir(parents=True)
    page.write_text("(sec:swing:top)=\n# Swinging\n", encoding="utf-8")
    rows = replace(INTERFACE, root=tmp_path).sections("numpy")
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
