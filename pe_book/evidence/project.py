"""What the book says of itself, read from ``pyproject.toml``: version, Pythons, requirements, citation."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2] / "pyproject.toml"


def read() -> dict[str, Any]:
    """All of ``pyproject.toml``; the pages are built from a checkout, where it stands beside the package.

    >>> read()["project"]["name"]
    'pe_book'
    """
    return tomllib.loads(HOME.read_text(encoding="utf-8"))


def version() -> str:
    """The version that the book and its package share.

    >>> version().count(".")
    2
    """
    return str(read()["project"]["version"])


def pythons(requires: str | None = None) -> tuple[str, str]:
    """The oldest and the newest Python of a requirement, that of the project if none is given.

    >>> pythons(">=3.11,<3.15")
    ('3.11', '3.14')
    """
    requires = read()["project"]["requires-python"] if requires is None else requires
    oldest, below = (bound.lstrip("<>=") for bound in requires.split(","))
    major, minor = below.split(".")
    return oldest, f"{major}.{int(minor) - 1}"


def requirements() -> list[str]:
    """What the package itself needs, by name.

    >>> "numpy" in requirements()
    True
    """
    return [name.split(">")[0] for name in read()["project"]["dependencies"]]


def year(changelog: str | None = None) -> str:
    """The year behind the version in a changelog, or in the project's; empty before there is a date.

    >>> year(f"## {version()}, 2031-05-04"), year(f"## {version()}, not yet released")
    ('2031', '')
    """
    file = HOME.with_name("CHANGELOG.md")
    if changelog is None:
        changelog = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = re.search(rf"^## {re.escape(version())}, (\d{{4}})-\d\d-\d\d$", changelog, re.MULTILINE)
    return found[1] if found else ""


def citation() -> dict[str, Any]:
    """What every way of citing the book is made from: the entry below, and the windows beside theorems.

    Returns
    -------
    dict
        ``authors``, a list; ``title``, ``version``; ``year``, empty before the release; ``issues``, where an
        error is reported, empty if ``pyproject.toml`` does not say it.

    Examples
    --------
    >>> citation()["title"]
    'Positional Encoding: the executable book'
    """
    authors = [author["name"] for author in read()["project"]["authors"]]
    title = read()["tool"]["pe_book"]["title"]
    issues = _address("Issues")
    new = f"{issues.rstrip('/')}/new" if issues else ""
    return {"authors": authors, "title": title, "version": version(), "year": year(), "issues": new}


def edition(record: dict[str, Any]) -> str:
    """The version of a :func:`citation` and its year, or that it is not yet released.

    >>> edition({"version": "1.2.0", "year": "2031"}), edition({"version": "0.1.0", "year": ""})
    ('version 1.2.0 (2031)', 'version 0.1.0 (not yet released)')
    """
    return f"version {record['version']} ({record['year'] or 'not yet released'})"


def reference() -> str:
    """The book in a list of references, as text.

    >>> reference().startswith(f"{citation()['authors'][0]}. {citation()['title']}, version")
    True
    """
    record = citation()
    said = f"{', '.join(record['authors'])}. {record['title']}, {edition(record)}."
    return f"{said} {_address('Homepage')}".strip()


def bibtex() -> str:
    """The entry with which the book is cited.

    >>> bibtex().splitlines()[0]
    '@misc{pe_book,'
    """
    record = citation()
    note = f"Version {record['version']}" + ("" if record["year"] else ", not yet released")
    return _entry("misc", _given(record) | {"note": note, "url": _address("Homepage")})


def biblatex() -> str:
    """The same for biblatex, which has a field for the version.

    >>> f"  version = {{{version()}}}," in biblatex().splitlines()
    True
    """
    record = citation()
    more = {"version": record["version"], "note": "" if record["year"] else "Not yet released"}
    home = _address("Homepage")
    return _entry("online" if home else "misc", _given(record) | more | {"url": home})


def for_tex(text: str) -> str:
    r"""A text with the signs escaped that TeX reads as its own.

    >>> for_tex("pe_book & co")
    'pe\\_book \\& co'
    """
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


def _address(of: str) -> str:
    hosted = os.environ.get("PE_SITE_URL", "") if of == "Homepage" else ""
    return hosted or str(read()["project"].get("urls", {}).get(of, ""))


def _given(record: dict[str, Any]) -> dict[str, str]:
    authors = " and ".join(f"{{{for_tex(name)}}}" for name in record["authors"])
    return {"author": authors, "title": f"{{{for_tex(record['title'])}}}", "year": record["year"]}


def _entry(kind: str, fields: dict[str, str]) -> str:
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if value]
    return "\n".join([f"@{kind}{{pe_book,", *lines, "}"])
