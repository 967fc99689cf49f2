"""Lay out a chapter: `make chapter NAME=family/rotary TITLE="Rotary"`.

The files are drafts that build, pass their tests and are found by everything that lists chapters. TWIN=yes
adds the definition for tensors and the line of the catalogue that makes both a name of the package.
"""

import keyword
import re
import sys
from pathlib import Path

from book import MOST, ROOT, Refusal, option
from bookish.lint.lock import FILE, read
from driver import stubs
from driver.page import shown_and_pasted

TEMPLATES = Path(__file__).with_name("chapter")
FILES = {
    "pe_book/{part}/{stem}.py": "definitions.py.txt",
    "tests/{part}/test_{stem}.py": "test_definitions.py.txt",
    "docs/{part}/{slug}.md": "page.md.txt",
    "pe_book/show/{part}/{stem}.py": "show.py.txt",
    "tests/show/{part}/recomputed_{stem}.py": "recomputed.py.txt",
    "pe_book/evidence/{part}/{stem}.py": "evidence.py.txt",
    "tests/evidence/{part}/test_{stem}.py": "test_evidence.py.txt",
}
TWIN = {
    "pe_book/nn/functional/{stem}.py": "twin.py.txt",
    "tests/nn/functional/test_{stem}.py": "test_twin.py.txt",
}
NAMED = "angle"  # what the drafts define
LINE = '    ("{named}", "none", "{part}.{stem}", "nn.functional.{stem}", "{part}/{slug}", "?"),\n'
LONGEST = 60  # letters of a title
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*/[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
NO_CHAPTERS = {"coursework", "evidence", "howto", "reference"}  # folders whose pages are of other kinds
TOCTREE = re.compile(r"(^```\{toctree\}\n(?:.*\n)*?)(```)$", re.MULTILINE)


def parts(root: Path) -> list[str]:
    return sorted({file.parent.name for file in root.glob("docs/*/index.md")} - NO_CHAPTERS)


def chapter(name: str, title: str, twin: str = "", root: Path = ROOT) -> list[Path]:
    """Write the files of a chapter, enter it where its part and the labels are listed; the files written."""
    part, slug, stem = checked(name, title, root)
    if twin not in ("", "no", "yes"):
        raise Refusal(f"TWIN must be yes or no, got {twin!r}.")
    with_twin = twin == "yes"
    names = {"part": part, "slug": slug, "stem": stem}
    templates = FILES | (TWIN if with_twin else {})
    refuse_taken(slug, [root / path.format(**names) for path in templates], with_twin, root)
    files = {placed(path.format(**names), root): template for path, template in templates.items()}
    words = {"TITLE": title, "PART": part, "STEM": stem, "WORD": slug}
    for file, template in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(template, words), encoding="utf-8")
    enter(root / "docs" / part / "index.md", slug)
    known = root.joinpath("docs", "reference", "api", f"{part}.md").is_file()
    labels = {f"sec:api:{slug}": f"reference/api/{part if known else 'package'}"}
    if with_twin:
        catalogue(LINE.format(named=NAMED, **names), root)
        labels[f"sec:apitorch:{slug}"] = "reference/api-torch"
    lock = read(root / "docs" / FILE)
    lock.pages |= labels
    (root / "docs" / FILE).write_text(lock.text(), encoding="utf-8")
    no_longer_planned(part, slug, root)
    return list(files)


def checked(name: str, title: str, root: Path) -> tuple[str, str, str]:
    """The part, the address and the name in Python; refused if they would not do."""
    example = 'as in NAME=family/rotary TITLE="Rotary"'
    if not NAME.fullmatch(name):
        raise Refusal(f"NAME must be a part and a name in small letters, {example}; got {name!r}.")
    if not 0 < len(title.strip()) <= LONGEST or re.search(r'[\n"\\]', title):
        raise Refusal(f"TITLE must be {LONGEST} letters or fewer, without quotes, {example}; got {title!r}.")
    part, _, slug = name.partition("/")
    stem = slug.replace("-", "_")
    for word in (part, stem):
        if keyword.iskeyword(word) or not word.isidentifier() or word in ("index", "nn", "show", "evidence"):
            raise Refusal(f"NAME must be importable from Python, {example}; got {name!r}.")
    if part not in parts(root):
        raise Refusal(f"There is no part {part!r} for chapters; take one of {', '.join(parts(root))}.")
    return part, slug, stem


def refuse_taken(slug: str, files: list[Path], with_twin: bool, root: Path) -> None:
    """Refuse what would write over a file, or use a label or a public name again."""
    faces = [file.with_suffix("") / "__init__.py" for file in files]  # a chapter may be a folder
    there = [file.relative_to(root).as_posix() for file in sorted({*files, *faces}) if file.exists()]
    if there:
        raise Refusal(f"The chapter is there already: {', '.join(there)}.")
    for label in (f"sec:{slug}:top", f"sec:api:{slug}", f"sec:apitorch:{slug}"):
        homes = [file for file in root.glob("docs/**/*.md") if f"({label})=" in file.read_text("utf-8")]
        if homes or label in read(root / "docs" / FILE).pages:
            raise Refusal(f"The label {label} has been used: choose another NAME.")
    if with_twin and f'("{NAMED}",' in (root / "pe_book" / "catalogue.py").read_text(encoding="utf-8"):
        cure = "give that one the name it is to have, in its files and in pe_book/catalogue.py, first"
        raise Refusal(f"pe.{NAMED} is the name of another draft with a twin: {cure}.")


def placed(path: str, root: Path) -> Path:
    """Where a module goes: where its folder is full, it is the face of a folder of its own."""
    file = root / path
    modules = [one for one in file.parent.glob("*.py") if one.name != "__init__.py"]
    if len(modules) < MOST or file.suffix != ".py":
        return file
    folder, _, _ = path.rpartition("/")
    if path.startswith("tests/"):
        cure = "move some that belong together into a folder of their own first"
        raise Refusal(f"{folder} has {MOST} modules, and a folder has no more: {cure}.")
    return file.with_suffix("") / "__init__.py"


def catalogue(line: str, root: Path) -> None:
    file = root / "pe_book" / "catalogue.py"
    text = file.read_text(encoding="utf-8")
    rows = re.finditer(r'^    \(\s*"(\w+)",', text, re.MULTILINE)
    at = next(row.start() for row in rows if row[1] > NAMED)
    file.write_text(text[:at] + line + text[at:], encoding="utf-8")


def no_longer_planned(part: str, slug: str, root: Path) -> None:
    """What has a page is listed from it: its line in the plan goes, and its part with the last one."""
    file = root / "docs" / "planned.yml"
    text = re.sub(rf"(?m)^({part}:\n(?:  .*\n)*?)    {slug}: .*\n", r"\1", file.read_text(encoding="utf-8"))
    text = re.sub(rf"(?m)^{part}:\n(?:  title: .*\n)?  chapters:\n(?!    )", "", text)
    file.write_text(text, encoding="utf-8")


def enter(page: Path, entry: str) -> None:
    """Put an entry into the first table of contents of a page, behind the chapters, before the side pages."""
    text = page.read_text(encoding="utf-8")
    found = TOCTREE.search(text)
    if not found:
        raise Refusal(f"{page} has no table of contents that could take {entry}.")
    listed = found[1].splitlines()
    first = next((n for n, line in enumerate(listed) if is_side(page.parent / f"{line}.md")), len(listed))
    entries = "".join(f"{line}\n" for line in [*listed[:first], entry, *listed[first:]])
    page.write_text(text[: found.start()] + entries + text[found.start(2) :], encoding="utf-8")


def is_side(page: Path) -> bool:
    return page.exists() and "\nform: side\n" in page.read_text(encoding="utf-8")


def filled(template: str, words: dict[str, str]) -> str:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    text = re.sub(r"@([A-Z_]+)@", lambda found: words[found[1]], text)
    imports = re.compile(r"(?:^from pe_book\..*\n)+", re.MULTILINE)  # their order depends on the names
    return imports.sub(lambda block: "".join(sorted(block[0].splitlines(keepends=True))), text)


def main() -> int:
    name = option("NAME")
    for file in chapter(name, option("TITLE"), option("TWIN")):
        print(file.relative_to(ROOT))
    part = name.partition("/")[0]
    print(f"It stands behind the chapters in docs/{part}/index.md.")
    print(f"Build it: make page P={name}; then see CONTRIBUTING.md.")
    if option("TWIN") == "yes":
        stubs.main()
    return shown_and_pasted(name, recording="looked")


if __name__ == "__main__":
    sys.exit(main())
