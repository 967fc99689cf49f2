"""The bundle of static files: which the site ships, by the rules of bundle.toml beside the theme.

What is named there is shipped, and of the theme and the extensions nothing else. A file of our own that is
not named stops the build. Stylesheets and scripts of our own are written one for each subject and shipped as
one file of each kind, so that a page asks for little.
"""

import re
import shutil
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

from sphinx.application import Sphinx

from bookish.run.refusals import refuse

DOCS = Path(__file__).resolve().parents[3]
THEME = DOCS / "_themes" / "executable_book"
OWN = (THEME / "static", DOCS / "_static")
RULES = tomllib.loads((THEME / "bundle.toml").read_text(encoding="utf-8"))
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
JOINED: dict[str, list[str]] = RULES["joined"]
STYLES: list[str] = tomllib.loads((THEME / "theme.toml").read_text(encoding="utf-8"))["theme"]["stylesheets"]
EXPLORERS = {name: [f"explorers/{file}" for file in of.split()] for name, of in RULES["explorers"].items()}
ELEMENTS: dict[str, list[str]] = RULES["elements"]


def is_kept(file: str) -> bool:
    """Whether a file of _static is shipped as it is."""
    return any(fnmatchcase(file, pattern) for pattern in RULES["kept"])


def files_of(body: str) -> dict[str, list[str]]:
    """What a page loads, in order: files for maths where it has formulas, and so on."""
    asked = [STYLES, RULES["scripts"]]
    asked += [files for element, files in (EXPLORERS | ELEMENTS).items() if f"<{element} " in body]
    kinds: dict[str, dict[str, None]] = {"css": {}, "js": {}}
    for file in (file for files in asked for file in files):
        if 'class="katex' in body or "katex" not in file:
            kinds[file.rpartition(".")[2]][file] = None
    return {"styles": [*kinds["css"]], "scripts": [*kinds["js"]]}


def ship(app: Sphinx, exception: Exception | None) -> None:
    """Join our own files, and take from _static what no page asks for."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    files = sorted(path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file())
    files = [file for file in files if file not in JOINED]
    others = [file for file in files if not is_kept(file)]
    named = {part for parts in JOINED.values() for part in parts}
    for file in others:
        if file not in named and any((folder / file).is_file() for folder in OWN):
            refuse("PE901", None, file=file)
    for joined, parts in JOINED.items():
        texts = [(static / part).read_text(encoding="utf-8") for part in parts if part in files]
        if joined.endswith(".css"):
            texts = [COMMENT.sub("", text) for text in texts]  # a reader has no use for them
        (static / joined).write_text("\n".join(texts), encoding="utf-8")
    for file in others:
        (static / file).unlink()
    for folder in sorted((path for path in static.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            shutil.rmtree(folder)


def setup(app: Sphinx) -> None:
    app.connect("build-finished", ship, priority=950)
