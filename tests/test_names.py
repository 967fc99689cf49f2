"""The names of the package and of its torch side: one list, whoever asks for it."""

import ast
import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import jedi
import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import pe_book as pe
from driver import stubs
from pe_book import _names, nn

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"pe": pe, "nn": nn}
packages = pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
EXTRA = {pe: ["__version__"], nn: []}  # listed, but no function of the book


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---------------------------------------------------------------- one list


@pytest.mark.parametrize("file", stubs.stubs(), ids=lambda file: file.parent.name)
def test_the_stubs_are_what_the_catalogue_makes_of_them(file):
    assert file.read_text(encoding="utf-8") == stubs.stubs()[file], "write them anew: make stubs"


@packages
def test_the_public_list_is_the_table_of_homes_in_order(package):
    assert package.__all__ == sorted([*package._HOME, *(["nn"] if package is pe else [])])


@packages
def test_dir_is_the_public_list(package):
    assert sorted(dir(package)) == sorted(package.__all__ + EXTRA[package])
    assert all(hasattr(package, name) for name in dir(package))


@packages
def test_a_star_import_brings_the_public_names_and_nothing_else(package):
    name = package.__name__
    code = f"before = set(globals()); from {name} import *; print(*(set(globals()) - before - {{'before'}}))"
    assert sorted(run(code).split()) == package.__all__


# ---------------------------------------------------------------- what asks for it


@packages
@pytest.mark.parametrize("by_jedi", [True, False])
def test_completion_of_ipython(package, by_jedi):
    shell = InteractiveShell(user_ns={"p": package})
    completer = IPCompleter(shell=shell, namespace={"p": package}, global_namespace={}, use_jedi=by_jedi)
    with provisionalcompleter():
        found = {c.text.rpartition(".")[2] for c in completer.completions("p.", 2)}
    assert {name for name in found if not name.startswith("_")} == set(package.__all__)


@packages
def test_completion_of_an_editor(package):
    source = f"import {package.__name__} as p\np."
    found = {c.name for c in jedi.Script(source, project=jedi.Project(ROOT)).complete(2, 2)}
    public = {name for name in found if not name.startswith("_")}
    rooms = {path.stem for path in Path(package.__file__).parent.iterdir()}
    assert public - rooms == set(package.__all__) - rooms
    assert set(package.__all__) <= public | {"nn"}


def test_help_lists_every_function_with_its_first_line():
    with redirect_stdout(io.StringIO()) as shown:
        help(pe)
    text = re.sub(r".\x08", "", shown.getvalue())
    functions = text[text.index("\nFUNCTIONS\n") : text.index("\nVERSION\n")]
    for name in pe._HOME:
        first_line = getattr(pe, name).__doc__.splitlines()[0]
        assert re.search(rf"^    {name}\(", functions, re.MULTILINE), name
        assert first_line in functions
    assert pe.__version__ in text[text.index("\nVERSION\n") :]
    listed = re.findall(r"^    (\w+)\(", functions, re.MULTILINE)
    assert listed == sorted(pe._HOME)


# ---------------------------------------------------------------- what importing costs


def test_importing_the_package_loads_the_standard_library_alone():
    code = "import sys; import pe_book, pe_book.nn; print(*sys.modules)"
    bare = run("import sys; print(*sys.modules)").split()
    added = {name.partition(".")[0] for name in set(run(code).split()) - set(bare)}
    assert added - sys.stdlib_module_names == {"pe_book"}
    own = {name for name in run(code).split() if name.startswith("pe_book")}
    assert own == {"pe_book", "pe_book.catalogue", "pe_book.nn"}
    source = (ROOT / "pe_book" / "catalogue.py").read_text(encoding="utf-8")
    assert not [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))
    ]


# ---------------------------------------------------------------- without torch

NO_TORCH = "import sys; sys.modules['torch'] = None; import pe_book as pe; "
ADVICE = "needs torch: pip install 'pe_book[torch]'"


@pytest.mark.parametrize(
    ("statement", "kind", "what"),
    [
        ("pe.nn.encode", "AttributeError", "pe_book.nn.encode"),
        ("from pe_book.nn import encode", "ModuleNotFoundError", "pe_book.nn.encode"),
        (
            "from pe_book.nn.functional.sinusoidal import encode",
            "ModuleNotFoundError",
            "pe_book.nn.functional",
        ),
    ],
)
def test_without_torch_every_way_to_a_name_says_what_to_install(statement, kind, what):
    code = f"try: exec({statement!r})\nexcept {kind} as error: print(type(error).__name__, error)"
    code = NO_TORCH + "\n" + code
    assert run(code).strip() == f"{kind} {what} {ADVICE}"


def test_what_the_tests_of_the_package_share_loads_without_sphinx():
    """`make versions` tries them where only the package and pytest are installed."""
    run("import sys; sys.path[:0] = ['docs/_ext']; sys.modules['sphinx'] = None; import tests.conftest")


def test_without_torch_help_works_and_the_definitions_too():
    code = NO_TORCH + "help(pe.nn); help(pe); print(pe.encode(0, 2))"
    assert run(code).splitlines()[-1] == "[0. 1.]"


def test_an_unknown_name_of_the_torch_side_is_a_plain_attribute_error():
    with pytest.raises(
        AttributeError, match=r"'pe_book.nn' has no attribute 'nonsense'; it offers .*\bencode\b"
    ):
        nn.nonsense  # noqa: B018 - looking is what raises


# ---------------------------------------------------------------- the function and its module share a name


@pytest.mark.parametrize(
    "statement",
    [
        "from pe_book.catalogue import RECORDS",
        "from pe_book import catalogue",
        "import pe_book; del pe_book.catalogue; pe_book.catalogue",
    ],
)
def test_whatever_was_imported_before_the_name_is_the_function(statement):
    code = f"{statement}\nimport sys, pe_book as pe\nmodule = sys.modules['pe_book.catalogue']\n"
    code += "print(pe.catalogue() is module.RECORDS, pe.catalogue.__module__)"
    assert run(code).split() == ["True", "pe_book.catalogue"]


# ---------------------------------------------------------------- names that other libraries have


def said(package, name):
    with pytest.raises(AttributeError) as raised:
        getattr(package, name)
    return str(raised.value)


@packages
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("rope", "pe.nn.RotaryEncoding"),
        ("apply_rotary_pos_emb", "pe.rotate("),
        ("PositionalEncoding", "pe.nn.SinusoidalEncoding"),
        ("inv_freq", "pe.frequencies("),
        ("alibi", "pe.alibi_bias("),
        ("relative_position_bucket", "pe.t5_bucket"),
        ("fire", "FIRE is not in the book yet"),
        ("RotaryEmbeding", "pe.nn.RotaryEncoding"),
        ("relay_out", "did you mean 'relayout'?"),
    ],
)
def test_a_name_of_another_library_is_answered_with_the_one_here(package, name, answer):
    assert answer in said(package, name)
    assert "it offers" not in said(package, name)


def test_what_is_named_in_an_answer_is_there():
    for answer in (*_names.NAMES.values(), *_names.LACKING.values()):
        for path in re.findall(r"\bpe(?:_book)?\.[\w.]+\w", answer):
            *before, last = path.split(".")
            home = {"pe": pe, "pe.nn": nn}.get(".".join(before)) or import_module(".".join(before))
            assert callable(getattr(home, last))


def test_names_that_the_package_has_are_not_answered_as_lacking():
    plain = {record.name.lower().replace("_", "") for record in pe.catalogue()}
    assert not plain & set(_names.NAMES)
    assert not [name for name in plain if name.startswith(tuple(_names.LACKING))]
    assert not set(_names.NAMES) & set(_names.LACKING)
    assert all(key == key.lower().replace("_", "") for key in (*_names.NAMES, *_names.LACKING))
