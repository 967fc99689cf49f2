"""How two workers share the tests out: `-p tests.driver.sharing`.

A file goes to one worker, which makes once what its tests have in common. Files that need pages executed go
together, so that a page is executed once. In the weekly set, whose tests are long, and in the comparison with
other libraries, each test goes by itself. What takes longest begins: nothing long is left alone at the end.
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
ALWAYS_WHOLE = (  # what their tests share takes longer than they do
    "tests/machinery/driver/test_chapter.py",
    "tests/parity/test_planted.py",
    "tests/parity/classes/test_sweep.py",
)
FIRST = [
    "tests/test_typing.py",
    PAGES,
    "tests/fuzz/test_fuzz.py",
    "tests/fuzz/test_stacked.py",
    "tests/machinery/lint/test_planted.py",
    "tests/machinery/run/test_incremental.py",
    "tests/machinery/driver/test_chapter.py",
    "tests/machinery/lint/test_false_builds.py",
    "tests/machinery/lint/test_follows.py",
    "tests/machinery/test_whole_book.py",
]


def unit_of(nodeid: str, weekly: bool) -> str:
    """A file, the files that go together, or a test."""
    file = nodeid.partition("::")[0]
    if weekly or file.startswith("tests/parity/"):
        return file if file in ALWAYS_WHOLE else nodeid
    return TOGETHER.get(file, file)


class Sharing(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid, self.config.option.markexpr == "thorough")


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    config.option.loadscopereorder = False  # by the number of tests, which says nothing of their time
    return Sharing(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {unit: number for number, unit in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(unit_of(item.nodeid, weekly=False), len(FIRST)))
