"""What `make notebooks` runs of a page: its notebook, with the stubs of the one for students."""

import pytest
from nbformat import v4

from driver import notebook_runs

SOLUTION = "# begin solution\ny = 2\n# end solution\nassert y == 2"
PAGE = f":::{{solution}} exr:a:b\n```{{code-cell}} python\n{SOLUTION}\n```\n:::\n"
STUB = {"pe_book": {"exercise": "exr:a:b"}}


def notebook(*cells):
    made = [v4.new_code_cell(source, metadata=metadata) for source, metadata in cells]
    return v4.new_notebook(cells=made)


@pytest.fixture
def whole(monkeypatch):
    monkeypatch.setattr(notebook_runs, "solution_cell", lambda text, label: SOLUTION)
    solved = notebook_runs.split_solution(SOLUTION)[1]
    return notebook(("x = 1", {}), ("by_hand = 3", {}), (solved, {}), ("x", {}))


def test_a_stub_runs_before_its_solution(whole):
    students = notebook(("x = 1", {}), ("raise NotImplementedError", STUB), ("x", {}))
    joined, wrong = notebook_runs.joined(whole, students, PAGE)
    assert wrong == []
    sources = [cell["source"] for cell in joined["cells"]]
    assert sources[2] == "raise NotImplementedError"
    assert [*sources[:2], *sources[3:]] == [cell["source"] for cell in whole["cells"]]


@pytest.mark.parametrize("other", [("x = 2", {}), ("z", {})])
def test_a_cell_that_students_alone_have_is_seen(whole, other):
    _, wrong = notebook_runs.joined(whole, notebook(("x = 1", {}), other), PAGE)
    assert wrong == ["cell 2 for students is no cell of the whole, or not in its order"]
