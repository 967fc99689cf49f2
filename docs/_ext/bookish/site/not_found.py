"""The 404 page: a host answers with it at any depth, so its links are absolute.

They begin with the path of ``html_baseurl``, which the hosting workflow sets (``PE_SITE_URL``). Without it
they stay relative, as a copy on a disk needs them.

sphinx-notfound-page leaves the links of the text relative, and makes the others absolute on a disk too.
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx

PAGE = "404.html"
RELATIVE = re.compile(r'(\s(?:href|src|action|data-content_root)=")(?!#|/|[a-zA-Z][\w+.-]*:)(?:\./)?([^"]*)"')


def prefix(url: str) -> str:
    """The path under which a site is hosted, with a slash at both ends."""
    path = urlsplit(url).path.strip("/")
    return f"/{path}/" if path else "/"


def absolute(html: str, url: str) -> str:
    """A page at the root of a site with links that hold wherever it is shown; ``url`` is that of the site."""
    return RELATIVE.sub(rf'\g<1>{prefix(url)}\g<2>"', html)


def make_absolute(app: Sphinx, exception: Exception | None) -> None:
    file = Path(app.outdir) / PAGE
    if exception or not app.config.html_baseurl or not file.exists():
        return
    text = absolute(file.read_text(encoding="utf-8"), app.config.html_baseurl)
    file.write_text(text, encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", make_absolute)
