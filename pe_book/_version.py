"""Which version a copy of the package is, whatever other copies are installed."""

import tomllib
from importlib.metadata import distributions
from pathlib import Path

UNKNOWN = "0+unknown"  # a version that PEP 440 accepts, and that is older than any


def version_of_copy(folder: str) -> str:
    """The version of the copy of pe_book in `folder`: what lies beside it says so, and nothing else is asked.

    A checkout has its pyproject.toml there, an installed copy its own metadata. A copy that somebody took
    into another project has neither, and is ``"0+unknown"``.

    >>> version_of_copy("/nowhere/pe_book")
    '0+unknown'
    """
    beside = Path(folder).parent
    try:
        project = tomllib.loads((beside / "pyproject.toml").read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):  # there is none, or not one that can be read
        project = None
    if isinstance(project, dict) and project.get("name") == "pe_book" and "version" in project:
        return str(project["version"])
    installed = [found.version for found in distributions(name="pe_book", path=[str(beside)])]
    return installed[0] if installed and installed[0] else UNKNOWN
