"""Holds pe_book.numerics.cache to its word: so many bytes and no more, the least recently used first."""

import multiprocessing
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pe_book.numerics import cache
from pe_book.numerics.cache import cached, cached_bytes, clear, keep_at_most, update_cached
from pe_book.numerics.exact import precisely
from pe_book.sinusoidal.computing import rows, table

ENTRY = cache._ENTRY


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    clear()
    before = keep_at_most(64 * 2**20)
    yield
    keep_at_most(before)
    clear()


def names() -> list[Any]:
    return [key[1] for key in cache._entries]


def test_the_least_recently_used_goes_first() -> None:
    keep_at_most(3 * (1000 + ENTRY))
    for name in "abc":
        cached(("letter", name), lambda: b"", lambda _: 1000)
    cached(("letter", "a"), lambda: pytest.fail("a is kept"), lambda _: 1000)
    cached(("letter", "d"), lambda: b"", lambda _: 1000)
    assert names() == ["c", "a", "d"]
    assert cached_bytes() == 3 * (1000 + ENTRY)


def test_what_is_larger_than_all_is_returned_and_not_kept() -> None:
    keep_at_most(5000)
    cached(("letter", "a"), lambda: b"", lambda _: 1000)
    assert cached(("letter", "b"), lambda: "made", lambda _: 9000) == "made"
    assert names() == ["a"]


def test_a_smaller_limit_drops_at_once_and_zero_keeps_nothing() -> None:
    for name in "abc":
        cached(("letter", name), lambda: b"", lambda _: 1000)
    keep_at_most(2 * (1000 + ENTRY))
    assert names() == ["b", "c"]
    assert keep_at_most(0) == 2 * (1000 + ENTRY)
    assert cached_bytes() == 0
    np.testing.assert_array_equal(table(300, 64, start=5), table(305, 64)[5:])
    assert cached_bytes() == 0


def test_a_changed_value_counts_once() -> None:
    for size in (100, 5000, 20):
        update_cached(("letter", "a"), lambda _, size=size: b"x" * size, len)  # type: ignore[misc]
        assert cached_bytes() == size + ENTRY


def test_a_kind_can_be_forgotten_alone() -> None:
    table(200, 64)
    kinds = {key[0] for key in cache._entries}
    assert {"frequencies", "steps", "blocks", "edges", "certificates"} <= kinds
    clear("certificates")
    assert {key[0] for key in cache._entries} == kinds - {"certificates"}


def test_two_thousand_calls_over_forty_widths_leave_memory_flat() -> None:
    """A soak in small: neither what is counted nor what Python holds grows, and the tables are right."""
    keep_at_most(4 * 2**20)
    rng = np.random.default_rng(11)
    widths = [*range(2, 66, 2), 96, 128, 256, 384, 512, 768, 1024, 4096]
    assert len(widths) == 40
    tracemalloc.start()
    traced = []
    for call in range(2000):
        d, start, n = int(rng.choice(widths)), int(2 ** rng.uniform(0, 40)), int(rng.integers(1, 80))
        found = table(n, d, start=start)
        assert cached_bytes() <= 4 * 2**20
        if call >= 600:  # full by then
            traced.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    first, last = np.median(traced[:200]), np.median(traced[-200:])
    assert first > 3 * 2**20
    assert last - first < 2**20
    np.testing.assert_array_equal(found[-1], rows([start + n - 1], d)[0])


def test_threads_that_share_it_lose_nothing_but_time() -> None:
    keep_at_most(2**20)
    right = {d: table(300, d) for d in range(20, 60, 4)}
    wrong, start = [], threading.Barrier(6)

    def ask(seed: int) -> None:
        rng = np.random.default_rng(seed)
        start.wait()
        for _ in range(60):
            d = int(rng.choice(list(right)))
            if not np.array_equal(table(300, d), right[d]):
                wrong.append(d)
            if rng.random() < 0.1:
                clear()

    asked = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for thread in asked:
        thread.start()
    for thread in asked:
        thread.join()
    assert wrong == []
    assert cached_bytes() == sum(size for _, size in cache._entries.values())


def _child(answers: Any) -> None:
    clear()
    answers.put(float(table(1, 6, start=3)[0, 0]))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("lock", [lambda: cache._lock, lambda: precisely(100)], ids=["kept", "precision"])
def test_a_child_process_does_not_wait_for_a_lock_that_a_thread_of_its_parent_held(lock: Any) -> None:
    context = multiprocessing.get_context("fork")
    answers, cached_now, enough = context.Queue(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock() as _:
            cached_now.set()
            enough.wait(0.5)

    holder = threading.Thread(target=hold)
    holder.start()
    cached_now.wait()
    child = context.Process(target=_child, args=(answers,))
    child.start()
    enough.set()
    holder.join()
    assert answers.get(timeout=30) == float(table(1, 6, start=3)[0, 0])
    child.join()
