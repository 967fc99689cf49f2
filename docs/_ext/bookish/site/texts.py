"""For machines and hosts: each page's text as Markdown, llms.txt, the sitemap, and links of the 404 page.

The address comes from the environment variable PE_SITE_URL (``html_baseurl`` in conf.py). Without it links
are relative, and there is no sitemap. A host answers with the 404 page at any depth, so its links are
absolute: they begin with the path of that address.

sphinx-llms-txt lists pages without what they are about, in an order that differs from build to build, and
links from the root of the host. sphinx-sitemap lists the index, the search and the 404 page too, and warns
where a site has no address. sphinx-notfound-page leaves the links of the text relative.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.record import record_of
from bookish.site.markdown import markdown


def base(app: Sphinx) -> str:
    """The address of the site with a slash at its end, or nothing."""
    url: str = app.config.html_baseurl
    return url.rstrip("/") + "/" if url else ""


def write_text(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The text of a page, and in the page a link to it."""
    if not isinstance(doctree, nodes.document) or pagename not in in_order(app):
        return
    here = app.builder.get_target_uri(pagename)

    def link(target: str) -> str:
        if target.startswith("#"):
            target = here.rpartition("/")[2] + target
        return urljoin(urljoin(base(app), here), target) if base(app) else target

    file = Path(app.outdir, f"{pagename}.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(markdown(doctree, app.env, pagename, link), encoding="utf-8", newline="\n")
    address = f"{pagename.rpartition('/')[2]}.md"
    context["metatags"] = (
        context.get("metatags", "") + f'\n<link rel="alternate" type="text/markdown" href="{address}">'
    )


def in_order(app: Sphinx) -> list[str]:
    """The pages as the contents have them, without orphans such as the page for an error."""
    others = (page for page in sorted(app.env.found_docs) if "orphan" not in app.env.metadata[page])
    return list(dict.fromkeys([*app.env.collect_relations(), *others]))


def by_part(app: Sphinx, pages: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The title of each part of the book, and those of the pages that are in it."""
    for folder, group in groupby(pages, key=lambda page: page.rpartition("/")[0]):
        found = list(group)
        home = f"{folder}/index"
        title = app.env.titles[home if home in app.env.titles else found[0]].astext()
        yield title if folder else "The book", found


def listing(app: Sphinx) -> Iterator[str]:
    """llms.txt: title, summary, and for each part of the book its pages with what they are about."""
    root = app.config.root_doc
    front = {page: record_of(app.env, page).front for page in app.env.found_docs}
    yield f"# {app.config.project}"
    if front[root].get("description"):
        yield f"\n> {front[root]['description']}"
    yield "\nEvery page has its text as Markdown at the same address with .md for .html."
    for title, pages in by_part(app, in_order(app)):
        yield f"\n## {title}\n"
        for page in pages:
            about = front[page].get("description", "")
            yield f"- [{app.env.titles[page].astext()}]({base(app)}{page}.md){': ' * bool(about)}{about}"


def sitemap(app: Sphinx) -> str:
    """The pages of the book; listings of sources, the index and the search are left out."""
    addresses = [base(app) + app.builder.get_target_uri(page) for page in in_order(app)]
    lines = [f"<url><loc>{escape(address)}</loc></url>" for address in addresses]
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    )
    return "\n".join([head, *lines, "</urlset>\n"])


def write_lists(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    files = {"llms.txt": "\n".join(listing(app)) + "\n", "robots.txt": "User-agent: *\nAllow: /\n"}
    files["archive.json"] = "{}\n"  # who hosts an archive says so there (driver/archive.py)
    if base(app):
        files["sitemap.xml"] = sitemap(app)
        files["robots.txt"] += f"Sitemap: {base(app)}sitemap.xml\n"
    for name, text in files.items():
        Path(app.outdir, name).write_text(text, encoding="utf-8", newline="\n")


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
    app.connect("html-page-context", write_text)
    app.connect("build-finished", write_lists)
    app.connect("build-finished", make_absolute)
