"""The rooms of the machinery: small enough to be seen at once, and imports between them point one way."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
EXT = REPO / "docs" / "_ext"
MOST = 14  # modules in one folder
ROOMS = {"driver", "kernel", "lint", "page", "shell"}


def modules(top: Path) -> dict[str, Path]:
    """Every module below a folder by its dotted name; a package by its own."""
    named = {}
    for file in top.rglob("*.py"):
        parts = file.relative_to(top).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return named


def imported(text: str, known: Iterable[str]) -> Iterator[str]:
    """The modules that a text imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name their room"
            for alias in node.names:
                either = (f"{node.module}.{alias.name}", node.module)
                yield from [name for name in either if name in known][:1]


def arrows(top: Path = EXT) -> dict[str, set[str]]:
    """For each module those that it imports."""
    known = modules(top)
    return {
        name: set(imported(file.read_text(encoding="utf-8"), known)) - {name} for name, file in known.items()
    }


def between_rooms(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same between rooms; a module outside them is one by itself."""
    rooms: dict[str, set[str]] = {}
    for name, others in found.items():
        room, *_ = name.split(".")
        rooms.setdefault(room, set()).update({other.split(".")[0] for other in others} - {room})
    return rooms


def circle(found: dict[str, set[str]]) -> list[str]:
    """Names that import each other in a circle; empty if there is none."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize(
    "top", [EXT, REPO / "tests" / "machinery", REPO / "tests" / "site"], ids=lambda top: top.name
)
def test_no_folder_has_more_modules_than_can_be_seen_at_once(top):
    folders = [top, *(path for path in top.rglob("*") if path.is_dir())]
    crowded = {
        folder: len(held)
        for folder in folders
        if len(held := [file for file in folder.glob("*.py") if file.name != "__init__.py"]) > MOST
    }
    assert crowded == {}


def test_every_module_but_the_front_of_the_driver_has_a_room():
    assert {name.split(".")[0] for name in modules(EXT)} == ROOMS | {"book", "environment"}


def test_imports_of_modules_and_of_rooms_make_no_circle():
    found = arrows()
    assert sum(map(len, found.values())) > len(found), "imports are seen"
    assert circle(found) == []
    assert circle(between_rooms(found)) == []


def test_a_circle_is_seen(tmp_path):
    for name, text in {
        "kernel/cells": "def late():\n    from lint import numerals",
        "lint/numerals": "from kernel.flow import parsed",
        "kernel/flow": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)
    found = arrows(tmp_path)
    assert circle(found) == []
    assert sorted(set(circle(between_rooms(found)))) == ["kernel", "lint"]
    (tmp_path / "kernel/flow.py").write_text("from kernel import cells")
    assert sorted(set(circle(arrows(tmp_path)))) == ["kernel.cells", "kernel.flow", "lint.numerals"]
