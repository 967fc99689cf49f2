"""The rooms of the book: small enough to be seen at once, and imports between them point one way."""

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from book import MOST

REPO = Path(__file__).resolve().parents[1]
PACKAGE, EXT = REPO / "pe_book", REPO / "docs" / "_ext"
ROOMS = {"bookish", "driver", "lint", "live", "notebooks", "run", "site", "write"}
FRONT = {"_names", "_version", "catalogue", "__main__"}  # of the package, outside its rooms
# from the ground up, as CONTRIBUTING lists them
FLOORS = re.findall(
    r"^\| `pe_book/(\w+)/` \|", (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
)


def modules(top: Path) -> dict[str, Path]:
    """Every module below a folder by its dotted name; a package by its own."""
    base = top if top == EXT or not (top / "__init__.py").exists() else top.parent
    named = {}
    for file in top.rglob("*.py"):
        parts = file.relative_to(base).with_suffix("").parts
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


def arrows(top: Path) -> dict[str, set[str]]:
    """For each module those that it imports; what is imported from a face belongs to it."""
    known = modules(top)
    return {
        name: set(imported(file.read_text(encoding="utf-8"), known)) - {name} for name, file in known.items()
    }


def room_of(name: str) -> str:
    """The room of a module; a module outside the rooms is one by itself."""
    first, *rest = name.split(".")
    return rest[0] if first in ("pe_book", "bookish") and rest else first


def between_rooms(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same between rooms."""
    rooms: dict[str, set[str]] = {}
    for name, others in found.items():
        room = room_of(name)
        rooms.setdefault(room, set()).update({room_of(other) for other in others} - {room})
    return rooms


def circle(found: dict[str, set[str]]) -> list[str]:
    """Names that import each other in a circle; empty if there is none."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("top", [PACKAGE, EXT, REPO / "tests"], ids=lambda top: top.name)
def test_no_folder_has_more_modules_than_can_be_seen_at_once(top):
    folders = [top, *(path for path in top.rglob("*") if path.is_dir())]
    crowded = {
        folder: len(held)
        for folder in folders
        if folder.name != "letters"  # has one for each page
        and len(held := [file for file in folder.glob("*.py") if file.name != "__init__.py"]) > MOST
    }
    assert crowded == {}, "put what belongs together into a folder, or make a module the face of its own"


def test_every_module_but_the_front_has_a_room():
    assert {room_of(name) for name in modules(EXT)} == ROOMS | {"book", "pe_ext"}
    assert {room_of(name) for name in modules(PACKAGE)} == {*FLOORS, *FRONT, "pe_book"}


@pytest.mark.parametrize("top", [PACKAGE, EXT], ids=lambda top: top.name)
def test_imports_of_modules_and_of_rooms_make_no_circle(top):
    found = arrows(top)
    assert sum(map(len, found.values())) > len(found), "imports are seen"
    assert circle(found) == []
    assert circle(between_rooms(found)) == []


def test_what_makes_a_site_of_pages_knows_no_package():
    """It could serve another book: ``pe_ext`` tells it of this one, and the driver is this book's own."""
    files = [file for name, file in modules(EXT).items() if room_of(name) in ROOMS - {"driver"}]
    for file in [*files, *EXT.parent.rglob("_jupyter/**/*.py")]:
        assert not [*imported(file.read_text(encoding="utf-8"), modules(PACKAGE))], file


def test_no_arrow_points_up():
    """What the package's face hands on by name is loaded late, and belongs to no floor."""
    for room, others in between_rooms(arrows(PACKAGE)).items():
        if room in FLOORS:
            above = {other for other in others & set(FLOORS) if FLOORS.index(other) > FLOORS.index(room)}
            assert above == set(), f"{room} stands below {above}"


@pytest.mark.parametrize("room", [file for file in PACKAGE.rglob("__init__.py") if file.parent != PACKAGE],
                         ids=lambda file: file.parent.relative_to(PACKAGE).as_posix())  # fmt: skip
def test_a_module_has_no_name_that_its_face_has_for_something_else(room):
    """Else importing the module would hide the function: whoever comes first would get another thing."""
    tree = ast.parse(room.read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    assert not names & {path.stem for path in room.parent.iterdir() if path.name != "__pycache__"}
