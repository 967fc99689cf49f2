"""What a notebook says first: what it is, and the cell that installs both wheels; where it can be opened."""

from urllib.parse import quote, urlencode, urlsplit

BRANCH = "notebooks"  # of the repository: it holds what the site has below notebooks/, as it is
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

if find_spec("pe_book") is None or find_spec("pe_book.show") is None:
    wheels = {wheels}
    homes = [home for home in (".", "..") if all(Path(home, wheel).is_file() for wheel in wheels)]
{from_address}\
    if not homes:
        advice = "put them beside this notebook and run this cell again"
        raise ModuleNotFoundError(f"{{' and '.join(wheels)}} are not here: {{advice}}.")
    both = " ".join(f"{{homes[0]}}/{{wheel}}" for wheel in wheels)
    %pip install -q {{both}}
{torch}"""
FROM_ADDRESS = """\
    homes.append("{base}notebooks")
"""


def install(wheels: tuple[str, ...], base: str, torch: bool) -> str:
    """The cell that installs; `base` is the address of the site, or empty."""
    what = "The package of the book, pe_book, with what its pages use besides, pe_book_study"
    text = INSTALL.format(
        what=f"{what}, and PyTorch." if torch else f"{what}.",
        wheels="[\n" + "".join(f'        "{wheel}",\n' for wheel in wheels) + "    ]",
        where="" if base else "\n# The book's page Notebooks has the files of both wheels.",
        from_address=FROM_ADDRESS.format(base=base) if base else "",
        torch=TORCH if torch else "",
    )
    return text.rstrip("\n")


def head(project: str, version: str, licences: dict[str, str], page: str, students: bool) -> str:
    """Below the title: which book, which edition for whom, under which licences."""
    kind = "Notebook for students: exercises are to be filled in, solutions are on the page"
    kind = kind if students else "Notebook with solutions"
    book = f"[{project}]({page})" if page else project
    return f"*{kind}. {book}, version {version}. Text {licences['text']}, code {licences['code']}.*"


def launch_links(source: str, notebook: str) -> list[tuple[str, str]]:
    """Names and addresses, by the address of the repository and the path of the notebook in the branch."""
    if not source:
        return []
    where = urlsplit(source.removesuffix("/").removesuffix(".git"))
    path = where.path.strip("/")
    lab = urlencode({"labpath": notebook})
    if where.netloc != "github.com":
        repository = quote(f"{where.scheme}://{where.netloc}/{path}", safe="")
        return [("Binder", f"https://mybinder.org/v2/git/{repository}/{BRANCH}?{lab}")]
    colab = f"https://colab.research.google.com/github/{path}/blob/{BRANCH}/{quote(notebook)}"
    return [("Colab", colab), ("Binder", f"https://mybinder.org/v2/gh/{path}/{BRANCH}?{lab}")]
