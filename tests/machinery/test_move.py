"""A section of the real book gets a page of its own, as an author would do it: nothing else changes its number."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from driver.labels import lock_labels
from kernel.cells import from_text
from lint.lock import anchor, read

REPO = Path(__file__).resolve().parents[2]
PAGE, LABEL, SIDE = "sinusoidal/fitting", "sec:shift:beyond", "sinusoidal/beyond"
FRONT = """---
file_format: mystnb
kernelspec: {{name: python3, display_name: Python 3}}
title: {title}
description: A section that has got a page of its own, moved as it stands to see that nothing else moves.
question: What happens to the rest if a section moves?
form: side
given: {{}}
needs: numpy
status: complete
---

"""
LEFT = f"What stood here has {{ref}}`a page of its own <{LABEL}>`.\n\n"
NOT_COPIED = shutil.ignore_patterns("_build", "_ext", "_jupyter", "_static", "_templates", "__pycache__")


def imports_above(text: str, line: int) -> str:
    """What cells above a line import, in a visible cell for what readers paste and a hidden one for the rest."""
    found: dict[bool, list[str]] = {False: [], True: []}
    for cell in from_text(text):
        for statement in ast.parse(cell.source).body if cell.line < line else ():
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                found[cell.hidden].append(ast.unparse(statement))
    hidden = ":tags: [remove-input, remove-output]\n"
    return "\n".join(
        f"```{{code-cell}} python\n{hidden if disappears else ''}" + "\n".join(lines) + "\n```\n"
        for disappears, lines in found.items()
        if lines
    )


def move(docs: Path) -> None:
    """The section, its heading now a title, below front matter and imports; a link where it stood."""
    old = docs / f"{PAGE}.md"
    text = old.read_text(encoding="utf-8")
    start = text.index(f"({LABEL})=\n")
    end = text.index("\n(sec:", start) + 1
    section = text[start:end].replace("\n## ", "\n# ", 1)
    title = re.search(r"^# (.*)", section, re.MULTILINE)[1]
    head, brace, rest = section.partition("```\n\n")  # behind the numbers that it gives
    imports = imports_above(text, text[:start].count("\n"))
    new = FRONT.format(title=title) + head + brace + imports + "\n" + rest
    (docs / f"{SIDE}.md").write_text(new, encoding="utf-8")
    old.write_text(text[:start] + LEFT + text[end:], encoding="utf-8")
    index = docs / "sinusoidal" / "index.md"
    listed = re.sub(
        r"(\{toctree\}.*?)(\n```)", r"\1\nbeyond\2", index.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    index.write_text(listed, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(new_book, tmp_path_factory):
    book = new_book(tmp_path_factory.mktemp("copy"))
    shutil.copytree(REPO / "docs", book.root / "docs", ignore=NOT_COPIED, dirs_exist_ok=True)
    shutil.copytree(REPO / "tests", book.root / "tests", ignore=NOT_COPIED)
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(REPO / name, book.root / name)
    return book


@pytest.mark.thorough
def test_a_section_becomes_a_page_and_nothing_else_moves(copy):
    file = copy.root / "docs" / "labels.lock"
    lock = read(file)
    before = {label: entry.place for label, entry in lock.entries.items()}
    start = (copy.root / "docs" / f"{PAGE}.md").read_text(encoding="utf-8").partition(f"({LABEL})=")[2]
    section = set(
        re.findall(
            r"\b(?:label: |name: |\()((?:thm|lem|fig|tab|eq|dep):\S+?)\)?$",
            start.partition("\n(sec:")[0],
            re.MULTILINE,
        )
    )
    section.add(LABEL)
    move(copy.root / "docs")
    if not lock.making:
        lock.edition, lock.making = lock.edition + 1, True
        file.write_text(lock.text(), encoding="utf-8")

    first = copy.build("-j", "2")
    complaints = re.findall(r"docs/(\S+)\.md.*?WARNING: (PE\d+|.*)", first.output)
    assert complaints == [(PAGE, "PE406")], first.output[-3000:]
    lock_labels(copy.root / "docs", copy.root)
    after = read(file).entries
    assert {label for label in before if after[label].place.page != before[label].page} == section
    assert {after[label].place.page for label in section} == {SIDE}
    renumbered = {label for label in before if after[label].place != before[label]}
    assert {before[label].page for label in renumbered} == {PAGE}
    assert re.fullmatch(r"2\.[A-Z]", after[LABEL].place.number)

    built = copy.build("-j", "2", builder="html")
    assert built.code == 0, built.output[-3000:]
    came = (copy.root / "out" / f"{SIDE}.html").read_text(encoding="utf-8")
    published = {label: after[label] for label in section if after[label].since < lock.edition}
    assert published
    for label, entry in published.items():  # an address that nobody has seen leads nowhere
        stood = entry.former[max(entry.former)].page
        left = (copy.root / "out" / f"{stood}.html").read_text(encoding="utf-8")
        assert f'href="{SIDE.partition("/")[2]}.html#{anchor(label)}"' in left
        assert f'id="{anchor(label)}"' in left
    for label in section:
        assert f'id="{anchor(label)}"' in came
