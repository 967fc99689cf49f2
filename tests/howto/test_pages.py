"""What holds for the code of every how-to page."""

import code
import tomllib

import pytest

from bookish.notebooks.first import CPU
from bookish.run.cells import from_text
from tests.howto.cells import FOLDER, PAGES, blocks, cells, text


class Typed(code.InteractiveConsole):
    """The prompt of Python 3.11, which ends a block at its first empty line; nothing is run."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []

    def runcode(self, code: object) -> None:
        pass

    def showsyntaxerror(self, filename: str | None = None, **_: object) -> None:
        self.refused.append(self.buffer[-1] if self.buffer else "")


def refused_at_a_prompt(source: str) -> list[str]:
    prompt = Typed()
    for line in [*source.splitlines(), ""]:
        prompt.push(line)
    return prompt.refused


def test_an_empty_line_in_a_class_is_seen():
    assert refused_at_a_prompt("class A:\n    a = 1\n\n    b = 2\n")
    assert refused_at_a_prompt("for i in 'ab':\n    print(i)\nprint(i)\n")
    assert not refused_at_a_prompt("class A:\n    a = 1\n    b = 2\n\nprint(A)\n")


@pytest.mark.parametrize("page", PAGES)
def test_code_can_be_pasted_at_a_plain_prompt(page):
    assert {
        found[0]: found for found in map(refused_at_a_prompt, [*cells(page), *blocks(page)]) if found
    } == {}


def go_on(page: str) -> bool:
    """Whether a later cell needs an earlier one."""
    known: set[str] = set()
    for cell in from_text(text(page)):
        if not cell.hidden:
            if cell.needs & known:
                return True
            known |= cell.binds
    return False


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_once_that_its_blocks_go_on(page):
    assert text(page).count("blocks below go on from this one") == go_on(page)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_takes_the_package_says_where_to_get_it(page):
    assert any("pe_book" in cell for cell in cells(page))
    assert "<sec:howto:install>" in text(page)


def test_the_index_of_cpu_wheels_is_that_of_the_readme():
    assert "```{install}" in text("index")  # which writes this index
    assert CPU in (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8").replace('"', " ").split()


def test_the_repository_is_named_once_it_has_an_address():
    project = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if source := project.get("urls", {}).get("Source"):
        assert source in text("index")
    else:
        assert "://" not in text("index").replace("https://download.pytorch.org/", "")
