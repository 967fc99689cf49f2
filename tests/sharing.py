"""How `make test` shares its files between workers: `-p tests.sharing`, and `-n 2` or more.

A file goes to one worker, which makes once what its tests have in common. Files that need the pages executed
go together, so that a page is executed once. What takes longest begins, so that nothing long is left alone.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadFileScheduling

PAGES = "what is executed of pages"
TOGETHER = {
    "tests/show/test_whole.py": PAGES,
    "tests/show/test_snapshots.py": PAGES,
    "tests/show/test_planted.py": PAGES,
    "tests/show/drawing/test_legible.py": PAGES,
    "tests/pages/test_pasted.py": PAGES,
}
FIRST = ("tests/test_typing.py", PAGES, "tests/fuzz/test_fuzz.py", "tests/fuzz/test_stacked.py")


class Sharing(LoadFileScheduling):
    """A file is a unit, and so are the files of pages together."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return TOGETHER.get(file, file)

    def schedule(self) -> None:
        super().schedule()


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Sharing:
    return Sharing(config, log)
