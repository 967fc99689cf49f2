"""Where the notebooks of a repository can be opened in a browser.

The addresses expect a branch `notebooks` of the repository that holds what the site has below `notebooks/`,
as it is: `family/rotary.ipynb`, `family/rotary-students.ipynb`, the wheel, and the `requirements.txt` from
which Binder makes its environment. Nothing is offered where no repository is configured.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit

BRANCH = "notebooks"


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


def nbgitpuller(hub: str, source: str, notebook: str) -> str:
    """The address with which a JupyterHub of one's own fetches the branch and opens a notebook."""
    source = source.removesuffix("/").removesuffix(".git")
    folder = urlsplit(source).path.rpartition("/")[2]
    asked = {"repo": source, "branch": BRANCH, "urlpath": f"lab/tree/{folder}/{notebook}"}
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(asked)}"
