"""What the book says of itself, read from ``pyproject.toml``: version, Pythons, requirements, citation."""

import tomllib
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2] / "pyproject.toml"


def read() -> dict[str, Any]:
    """All of ``pyproject.toml``; the pages are built from a checkout, where it stands beside the package.

    Returns
    -------
    dict

    Examples
    --------
    >>> read()["project"]["name"]
    'pe_book'
    """
    return tomllib.loads(HOME.read_text(encoding="utf-8"))


def version() -> str:
    """The version that the book and its package share.

    Returns
    -------
    str

    Examples
    --------
    >>> version().count(".")
    2
    """
    return str(read()["project"]["version"])


def pythons(requires: str | None = None) -> tuple[str, str]:
    """The oldest and the newest Python that the book runs on.

    Parameters
    ----------
    requires : str, optional
        A requirement like ``">=3.11,<3.15"``; that of the project if not given.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> pythons(">=3.11,<3.15")
    ('3.11', '3.14')
    """
    requires = read()["project"]["requires-python"] if requires is None else requires
    oldest, below = (bound.lstrip("<>=") for bound in requires.split(","))
    major, minor = below.split(".")
    return oldest, f"{major}.{int(minor) - 1}"


def requirements() -> list[str]:
    """What the package itself needs, by name.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "numpy" in requirements()
    True
    """
    return [name.split(">")[0] for name in read()["project"]["dependencies"]]


def bibtex() -> str:
    """The entry with which the book is cited.

    Returns
    -------
    str

    Examples
    --------
    >>> bibtex().splitlines()[0]
    '@misc{pe_book,'
    """
    project, book = read()["project"], read()["tool"]["pe_book"]
    authors = " and ".join("{" + author["name"] + "}" for author in project["authors"])
    fields = {"author": authors, "title": "{" + book["title"] + "}", "version": project["version"]}
    if "Homepage" in project.get("urls", {}):
        fields["url"] = project["urls"]["Homepage"]
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items()]
    return "\n".join(["@misc{pe_book,", *lines, "}"])
