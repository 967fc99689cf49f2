"""The lines of code on which rows on models rest, in the libraries of the versions that they name."""

import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from pe_book.evidence.family.who_uses_what.listed import LISTED

READ = {
    one["name"]: one
    for one in tomllib.loads(LISTED.read_text(encoding="utf-8"))["more"]
    if one.get("read", "").endswith(".py")
}


@pytest.mark.parametrize("name", READ)
def test_a_line_that_was_read_stands_there(name: str) -> None:
    one = READ[name]
    package, _, rest = one["read"].partition("/")
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed")
    if version(package) != one["version"].split()[-1]:
        pytest.skip(f"{package} is another version than {one['version']}")
    text = Path(found.origin).parent.joinpath(rest).read_text(encoding="utf-8")
    assert one["line"] in text
