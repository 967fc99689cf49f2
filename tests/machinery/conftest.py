"""How two workers share these tests out: by file, the dearest first; weekly tests, which are long, one by one."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRST = (
    "test_planted",
    "test_incremental",
    "test_chapter",
    "test_false_builds",
    "test_follows",
    "test_whole_book",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    own = [item for item in items if HERE in item.path.parents]
    for item in own:
        if not (item.get_closest_marker("thorough") or item.get_closest_marker("xdist_group")):
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(HERE).as_posix()))
    dear = {name: place for place, name in enumerate(FIRST)}
    own.sort(key=lambda item: dear.get(item.path.stem, len(dear)))
    items[:] = [*own, *(item for item in items if HERE not in item.path.parents)]
