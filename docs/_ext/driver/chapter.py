"""Lay out a chapter: `make chapter NAME=family/rotary TITLE="Rotary"`; PART="Its title" begins a new part.

The files are drafts that build, pass their tests and are found by everything that lists chapters.
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
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
ROOMS = {
    "pe_book/{part}/__init__.py": "Definitions of the part {part!r}.",
    "pe_book/show/{part}/__init__.py": "Figures, tables and derivations of the part {part!r}.",
    "pe_book/evidence/{part}/__init__.py": "Experiments and decisions of the part {part!r}.",
}
LONGEST = 60  # letters of a title
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*/[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TOCTREE = re.compile(r"(^```\{toctree\}\n(?:.*\n)*?)(```)$", re.MULTILINE)


class Refusal(Exception):
    """Why no chapter is laid out, and what would do."""


def parts(root: Path) -> list[str]:
    """The parts of the book, as folders."""
    return sorted(file.parent.name for file in root.glob("docs/*/index.md"))


def chapter(name: str, title: str, part_title: str = "", root: Path = ROOT) -> list[Path]:
    """Write the files of a chapter, enter it where its part and the labels are listed; the files written."""
    part, slug, stem = checked(name, title, part_title, root)
    names = {"part": part, "slug": slug, "stem": stem}
    files = {root / path.format(**names): template for path, template in FILES.items()}
    refuse_taken(slug, list(files), root)
    words = {"TITLE": title, "PART_TITLE": part_title, "PART": part, "STEM": stem, "WORD": slug}
    if part_title:
        begin_part(part, words, root)
    for file, template in files.items():
        write(file, filled(template, words))
    enter(root / "docs" / part / "index.md", slug)
    with (root / "docs" / "labels.lock").open("a", encoding="utf-8") as lock:
        known = root.joinpath("docs", "reference", "api", f"{part}.md").is_file()
        lock.write(f"sec:api:{slug} reference/api/{part if known else 'package'}\n")
    return list(files)


def checked(name: str, title: str, part_title: str, root: Path) -> tuple[str, str, str]:
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
    known = parts(root)
    if part == "reference" or (part not in known and not part_title):
        listed = ", ".join(one for one in known if one != "reference")
        raise Refusal(f'There is no part {part!r}; take one of {listed}, or begin one with PART="Its title".')
    if part in known and part_title:
        raise Refusal(f"The part {part!r} is there already: leave PART out.")
    return part, slug, stem


def refuse_taken(slug: str, files: list[Path], root: Path) -> None:
    """Refuse what would write over a file, or use a label again."""
    faces = [file.with_suffix("") / "__init__.py" for file in files]  # a chapter may be a folder
    there = [file.relative_to(root).as_posix() for file in sorted({*files, *faces}) if file.exists()]
    if there:
        raise Refusal(f"The chapter is there already: {', '.join(there)}.")
    for label in (f"sec:{slug}:top", f"sec:api:{slug}"):
        homes = [file for file in root.glob("docs/**/*.md") if f"({label})=" in file.read_text("utf-8")]
        lock = (root / "docs" / "labels.lock").read_text(encoding="utf-8")
        if homes or re.search(rf"^{label} ", lock, re.MULTILINE):
            raise Refusal(f"The label {label} has been used: choose another NAME.")


def begin_part(part: str, words: dict[str, str], root: Path) -> None:
    """The rooms of a new part, its page, and its line among the parts on the front page."""
    for path, line in ROOMS.items():
        write(root / path.format(part=part), f'"""{line.format(part=part)}"""\n')
    write(root / "docs" / part / "index.md", filled("part.md.txt", words))
    enter(root / "docs" / "index.md", f"{part}/index")


def enter(page: Path, entry: str) -> None:
    """Put an entry last into the first table of contents of a page; its author moves it where it belongs."""
    text = page.read_text(encoding="utf-8")
    if not TOCTREE.search(text):
        raise Refusal(f"{page} has no table of contents that could take {entry}.")
    page.write_text(TOCTREE.sub(rf"\g<1>{entry}\n\g<2>", text, count=1), encoding="utf-8")


def filled(template: str, words: dict[str, str]) -> str:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    text = re.sub(r"@([A-Z_]+)@", lambda found: words[found[1]], text)
    imports = re.compile(r"(?:^from pe_book\..*\n)+", re.MULTILINE)  # their order depends on the names
    return imports.sub(lambda block: "".join(sorted(block[0].splitlines(keepends=True))), text)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def main(name: str, title: str, part_title: str) -> int:
    try:
        written = chapter(name, title, part_title)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    for file in written:
        print(file.relative_to(ROOT))
    part = name.partition("/")[0]
    print(f"It stands last in docs/{part}/index.md. Build it: make page P={name}; then see CONTRIBUTING.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
