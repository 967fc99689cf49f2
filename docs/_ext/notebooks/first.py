"""What a notebook says first: what it is, and the cell that installs the package where it is missing."""

from __future__ import annotations

CPU = "https://download.pytorch.org/whl/cpu"
TORCH = f"""
if find_spec("torch") is None:  # this page needs PyTorch as well; these are the wheels for CPUs
    %pip install -q torch --index-url {CPU}
"""
INSTALL = """\
# {what}{where}
# Where they are installed, this cell does nothing.
from importlib.util import find_spec
from pathlib import Path

if find_spec("pe_book") is None:
    wheel = "{wheel}"
    beside = [file for folder in (".", "..") if (file := Path(folder, wheel)).is_file()]
{from_address}\
    if not beside:
        advice = "put it beside this notebook and run this cell again"
        raise ModuleNotFoundError(f"There is no {{wheel}} here: {{advice}}.")
    %pip install -q {{beside[0]}}
{torch}"""
FROM_ADDRESS = """\
    if not beside:
        beside = [f"{base}notebooks/{{wheel}}"]
"""


def install(wheel: str, base: str, torch: bool) -> str:
    """The cell that installs; `base` is the address of the site, or empty."""
    what = "The package of the book, pe_book, and PyTorch." if torch else "The package of the book, pe_book."
    text = INSTALL.format(
        what=what,
        wheel=wheel,
        where="" if base else "\n# The book's page Notebooks has the file of pe_book.",
        from_address=FROM_ADDRESS.format(base=base) if base else "",
        torch=TORCH if torch else "",
    )
    return (text if torch else text.replace("Where they are", "Where it is")).rstrip("\n")


def head(project: str, version: str, licences: dict[str, str], page: str, students: bool) -> str:
    """Below the title: which book, which edition for whom, under which licences."""
    kind = "Notebook for students: exercises are to be filled in, solutions are on the page"
    kind = kind if students else "Notebook with solutions"
    book = f"[{project}]({page})" if page else project
    return f"*{kind}. {book}, version {version}. Text {licences['text']}, code {licences['code']}.*"
