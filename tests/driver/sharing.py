"""How `make test` shares its files between workers: `-p tests.driver.sharing`.

A file goes to one worker, which makes once what its tests have in common. Files that need pages executed go
together, so that a page is executed once. What takes longest begins: nothing long is left alone at the end.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

PAGES = "what is executed of pages"
TOGETHER = {
    "tests/show/test_whole.py": PAGES,
    "tests/recorded/test_recorded.py": PAGES,
    "tests/recorded/test_mechanism.py": PAGES,
    "tests/show/drawing/test_legible.py": PAGES,
    "tests/pages/test_pasted.py": PAGES,
}
FIRST = ["tests/test_typing.py", PAGES, "tests/fuzz/test_fuzz.py", "tests/fuzz/test_stacked.py"]


def unit_of(nodeid: str) -> str:
    """A file, or the files that go together."""
    file = nodeid.partition("::")[0]
    return TOGETHER.get(file, file)


class Sharing(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    config.option.loadscopereorder = False  # by the number of tests, which says nothing of their time
    return Sharing(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {unit: number for number, unit in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(unit_of(item.nodeid), len(FIRST)))
