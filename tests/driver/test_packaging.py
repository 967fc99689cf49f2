"""The package stands on numpy and mpmath alone, and its metadata says the same everywhere."""

import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from bookish.notebooks import wheel as notebook_wheels

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BOOK = PYPROJECT["project"], PYPROJECT["tool"]["pe_book"]
REQUIREMENTS = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PINNED = {r.name.lower().replace("_", "-"): next(iter(r.specifier)).version for r in REQUIREMENTS}


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---------------------------------------------------------------- the wheels


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """That of the package, and the one that its pages use besides."""
    place = tmp_path_factory.mktemp("wheels")
    names = notebook_wheels.names_of(PROJECT["version"])
    notebook_wheels.build_wheels(place, names, place / "kept")
    return place / names[0], place / names[1]


@pytest.fixture(scope="module")
def clean_python(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment that holds numpy and the wheel, and nothing else.

    numpy is copied from the environment of the tests, so that no network is needed. pip has to be content
    with it: told to look nowhere, it refuses a wheel that requires anything more.
    """
    place = tmp_path_factory.mktemp("clean") / "environment"
    venv.create(place, with_pip=False)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    )
    for name in ("numpy", "mpmath"):
        needed = metadata.distribution(name)
        for top in {Path(file.parts[0]) for file in needed.files or []} - {Path("..")}:
            shutil.copytree(
                needed.locate_file(top), packages / top, ignore=shutil.ignore_patterns("__pycache__", "tests")
            )
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", wheels[0], cwd=place)
    return python


def test_the_wheels_share_the_package_out_and_hold_nothing_else(wheels: tuple[Path, Path]) -> None:
    opened = [zipfile.ZipFile(wheel) for wheel in wheels]
    names = set(opened[0].namelist())
    package = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "pe_book").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    drawn = {
        name for name in package if name.startswith(("pe_book/census/", "pe_book/evidence/", "pe_book/show/"))
    }
    for wheel, expected in zip(opened, (package - drawn, drawn), strict=True):
        inside = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
        assert inside == {name: (ROOT / name).read_bytes() for name in expected}
    assert "pe_book/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_second_wheel_comes_and_goes_beside_the_first(
    clean_python: Path, wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    pip = (sys.executable, "-m", "pip", "--python", clean_python)
    program = (
        "from importlib.util import find_spec; import pe_book;"
        "print(pe_book.encode(0, 2), bool(find_spec('pe_book.show')), bool(find_spec('pe_book.evidence')))"
    )
    run(*pip, "install", "--no-index", "--no-deps", wheels[1], cwd=tmp_path)
    needed = "from importlib.metadata import requires; print(*requires('pe_book_study'), sep='\\n')"
    said = run(clean_python, "-I", "-c", needed, cwd=tmp_path).splitlines()
    assert said == [f"pe_book=={PROJECT['version']}", *BOOK["study"]]
    assert run(clean_python, "-I", "-c", program, cwd=tmp_path).strip() == "[0. 1.] True True"
    run(*pip, "uninstall", "-y", "pe_book_study", cwd=tmp_path)
    assert run(clean_python, "-I", "-c", program, cwd=tmp_path).strip() == "[0. 1.] False False"


def test_wheel_works_with_numpy_and_mpmath_alone(clean_python: Path, tmp_path: Path) -> None:
    program = """
import sys
from importlib.util import find_spec
import pe_book as pe

used = [getattr(pe, name) for name in dir(pe)]
there = [name for name in ("torch", "matplotlib", "sympy", "numba") if name in sys.modules or find_spec(name)]
print(pe.__version__, pe.encode([0, 1], 6)[0].tolist(), there, pe.__file__, sep="|")
"""
    said = run(clean_python, "-I", "-W", "error", "-c", program, cwd=tmp_path).strip()
    *told, file = said.split("|")
    assert told == [PROJECT["version"], "[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]", "[]"]
    assert ROOT not in Path(file).parents


@pytest.mark.parametrize("room", ["show", ""])
def test_definitions_load_nothing_heavy_where_it_is_installed(room: str, tmp_path: Path) -> None:
    """With torch and matplotlib at hand, no module of definitions loads them; those that draw do."""
    folder = ROOT / "pe_book" / room
    rooms = ("show", "nn", "evidence") if not room else ()
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted(folder.rglob("*.py"))
        if file.relative_to(folder).parts[0] not in rooms
    ]
    program = f"""
import sys
from importlib import import_module
sys.path.insert(0, {str(ROOT)!r})
for name in {modules!r}:
    import_module(name)
print([name for name in ("torch", "matplotlib", "sympy") if name in sys.modules])
"""
    loaded = ["matplotlib"] if room else []
    assert run(sys.executable, "-c", program, cwd=tmp_path).strip() == str(loaded)


# ---------------------------------------------------------------- one home for each fact


def test_citation_says_what_pyproject_says() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["title"] == BOOK["title"]
    assert citation["version"] == PROJECT["version"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]
    assert citation["license"] == [BOOK["code-licence"], BOOK["text-licence"].replace(" ", "-")]
    assert citation["keywords"] == PROJECT["keywords"]
    # what is not set is left out, and appears here once it is set
    urls = PROJECT.get("urls", {})
    assert citation.get("repository-code") == urls.get("Source")
    assert citation.get("url") == urls.get("Homepage")


def test_changelog_begins_with_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d[\w.]*)", changes, re.MULTILINE)[0] == PROJECT["version"]


def test_readme_names_the_title_and_both_licences() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# {BOOK['title']}\n")
    for fact in (BOOK["code-licence"], BOOK["text-licence"]):
        assert fact in readme


def test_readme_picture_is_what_the_package_draws() -> None:
    from pe_book.show import readme

    figure = readme.picture()
    advice = "draw it anew: python -m pe_book.show.readme"
    assert readme.PATH.read_text(encoding="utf-8") == readme.standalone(figure), advice
    assert f"![{figure.alt}](docs/_static/{readme.PATH.name})" in (ROOT / "README.md").read_text(
        encoding="utf-8"
    )


# ---------------------------------------------------------------- the pins


def test_every_requirement_is_pinned_once() -> None:
    assert len(PINNED) == len(REQUIREMENTS)
    for requirement in REQUIREMENTS:
        (pin,) = requirement.specifier
        assert pin.operator == "==", requirement
        assert Version(pin.version).local is None, f"{requirement} can be had from one index only"


def test_every_platform_gets_the_same_but_for_what_it_alone_has() -> None:
    conditional = {r.name: str(r.marker) for r in REQUIREMENTS if r.marker}
    assert all(marker.startswith("sys_platform ") for marker in conditional.values()), conditional
    assert not [name for name in PINNED if name.startswith(("nvidia", "triton"))], (
        "CUDA is torch's own business"
    )


def test_pins_are_within_what_the_package_accepts() -> None:
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    wanted = [Requirement(line) for line in PROJECT["dependencies"] + extras + BOOK["study"]]
    for requirement in wanted + [Requirement(line) for line in PYPROJECT["build-system"]["requires"]]:
        if requirement.name != PROJECT["name"]:
            assert requirement.specifier.contains(PINNED[requirement.name]), requirement
    assert [Requirement(line).name for line in PROJECT["dependencies"]] == ["numpy", "mpmath"]


def test_each_direct_requirement_has_its_reason() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    direct, _, pulled_in = text.partition("# ---- what these pull in")
    assert pulled_in
    lines = direct.splitlines()
    for before, line in pairwise(lines):
        if "==" in line:
            assert re.match("# [a-z0-9]", before), f"why {line}?"


def test_the_same_pythons_everywhere() -> None:
    oldest, end = re.findall(r"3\.(\d+)", PROJECT["requires-python"])
    newest = int(end) - 1
    makefile, readme = [(ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "README.md")]
    assert f"Python 3.{oldest} to 3.{newest}" in readme
    assert f"(3, {oldest}) <= sys.version_info[:2] <= (3, {newest})" in makefile
