"""What can be wrong with a notebook, said in words: the tests ask it of the site, and of what they spoil."""

import base64
import io
import json
import re

import nbformat
from PIL import Image

from bookish.notebooks.execute import code_of as code_cells
from bookish.run.cells import from_text
from bookish.run.solutions import BEGIN, split_solution
from tests.site.conftest import REPO

IMAGE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)")
CODE = re.compile(r"^(`{3,}).*?^\1`*$|(`+).+?\2", re.MULTILINE | re.DOTALL)
LEFT = {
    "source of the page": re.compile(
        r"\{(?:ref|numref|eq|prf:ref|term|cite:?\w*|py:\w+|math|holds|quoted|free|eval|doc)\}`"
        r"|^(?:`{3,}|:{3,})\{|\{\{|\\val\b|%[a-z]+%",
        re.MULTILINE,
    ),
    "words for a picture": re.compile(r"Picture:"),
    "a class of the page": re.compile(r"sd_hide|visually-hidden"),
    "a break that MathJax does not know": re.compile(r"\\allowbreak"),
}
RULE = re.compile(r"^\| --- \|", re.MULTILINE)
OWN = {"jupyter", "tags", "pe_book"}

MACHINE = re.compile(r"""["'(\s]/(?:home|root|tmp|Users)/""")


def page_text(page):
    return (REPO / "docs" / f"{page}.md").read_text(encoding="utf-8")


def text_cells(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def complaints(notebook, students=False):
    """What a reader of a notebook would stumble over."""
    nbformat.validate(notebook)
    wrong = []
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        wrong.append("is no notebook of the format 4.5")
    about = notebook.metadata
    if about.kernelspec.name != "python3" or not about.title or not {"text", "code"} <= about.license.keys():
        wrong.append("does not say what it is")
    if str(REPO) in json.dumps(notebook) or MACHINE.search(json.dumps(notebook)):
        wrong.append("holds a path of the machine")
    if len({cell.id for cell in notebook.cells}) < len(notebook.cells):
        wrong.append("has two cells of one id")
    for source in text_cells(notebook):
        if not source.strip():
            wrong.append("has an empty cell")
        wrong += pictures(source)
        prose = CODE.sub("", IMAGE.sub("", source))
        wrong += [f"has {what}: {found[0]!r}" for what, mark in LEFT.items() if (found := mark.search(prose))]
        wrong += tables(source)
    if students and any(cell.outputs or cell.execution_count for cell in code_cells(notebook)):
        wrong.append("has been executed")
    return wrong


def pictures(source):
    wrong = []
    for alt, data in IMAGE.findall(source):
        with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
            picture.load()
            if min(picture.size) < 60 or len(picture.convert("RGB").getcolors(2**24)) < 3:
                wrong.append("has a picture of nothing")
        if len(alt) < 40:
            wrong.append(f"has a picture that says nothing: {alt!r}")
    without = source.count("data:image") + source.count("attachment:") - len(IMAGE.findall(source))
    return wrong + ["has an image of another form"] * without


def tables(source):
    """The header of a table stands once, above its rule, and every row is as wide."""
    wrong = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", source, re.MULTILINE):
        lines = block.strip().split("\n")
        rules = [place for place, line in enumerate(lines) if set(line) <= set("| -") and "---" in line]
        if rules != [1] or lines[0] in lines[1:]:
            wrong.append(f"has a table without one head: {lines[0]}")
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        if len(widths) > 1:
            wrong.append(f"has a table whose rows differ: {lines[0]}")
    return wrong


def shown_code(page):
    """The code of a page that a reader sees, without the marks of solutions; of which some is folded."""
    cells = [cell for cell in from_text(page_text(page)) if not cell.hidden]
    code = [split_solution(cell.source)[1] if BEGIN in cell.source else cell.source for cell in cells]
    return [(text, cell.folded) for text, cell in zip(code, cells, strict=True)]


def code_differs(notebook, page):
    """Whether the code of a whole notebook is not that of its page, in its order, blank lines included."""
    here = [cell.source for cell in code_cells(notebook)][1:]
    texts = "\n".join(text_cells(notebook))
    wanted = [
        text for text, folded in shown_code(page) if not (folded and f"```python\n{text}\n```" in texts)
    ]
    return here != wanted


def solution_lines(page):
    """Lines that stand in solutions alone: their code, and what their cells and words say."""
    text = page_text(page)
    parts = re.findall(r"\{solution-start\}.*?\{solution-end\}", text, re.DOTALL)
    rest = re.sub(r"\{solution-start\}.*?\{solution-end\}", "", text, flags=re.DOTALL)
    stubs = [split_solution(cell.source)[0] for cell in from_text(text) if cell.fold and BEGIN in cell.source]
    known = {line.strip() for line in (rest + "\n" + "\n".join(stubs)).splitlines()}
    lines = {line.strip() for part in parts for line in part.splitlines()[1:]}
    return {line for line in lines - known if len(line) > 12 and not line.startswith((":", "`", "#"))}


def gives_away(notebook, page):
    """Lines of solutions that are in a notebook."""
    whole = {line.strip() for cell in notebook.cells for line in cell.source.splitlines()}
    return sorted(solution_lines(page) & whole)
