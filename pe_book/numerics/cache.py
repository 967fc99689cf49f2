"""What is computed once and kept: frequencies, edges, certificates, all within one number of bytes.

The least recently used go first. ``functools.lru_cache`` counts entries, and an entry here is a kilobyte for
one caller and sixteen megabytes for another.
"""

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

from pe_book.inputs.checking import whole_number

T = TypeVar("T")

MOST = 64 * 2**20  # bytes, until keep_at_most says otherwise

_ENTRY = 512  # bytes that a key and what holds it take, about

_entries: OrderedDict[tuple[Hashable, ...], tuple[Any, int]] = OrderedDict()
_lock = RLock()
_state = {"most": MOST, "held": 0}


def cached(key: tuple[Hashable, ...], make: Callable[[], T], n_bytes: Callable[[T], int]) -> T:
    """What is kept under a key, or else what `make` returns, which is kept from then on.

    The first item of a key names the kind of thing. `make` is called without any lock held, so two threads
    may both call it; either result will do. The result takes as many bytes as `n_bytes` says of it, and is
    shared with every other caller: not to be written to.

    >>> cached(("example", 1), lambda: b"once", len), cached(("example", 1), lambda: b"again", len)
    (b'once', b'once')
    >>> clear("example")
    """
    with _lock:
        found = _entries.get(key)
        if found is not None:
            _entries.move_to_end(key)
            value: T = found[0]
            return value
    value = make()
    _put(key, value, n_bytes(value))
    return value


def update_cached(
    key: tuple[Hashable, ...], update: Callable[[T | None], T], n_bytes: Callable[[T], int]
) -> None:
    """Put under a key what `update` makes of the value there, or of None; nobody changes it in between.

    >>> update_cached(("example", 2), lambda found: found or b"new", len)
    >>> cached(("example", 2), lambda: b"again", len)
    b'new'
    >>> clear("example")
    """
    with _lock:
        found = _entries.get(key)
        value = update(None if found is None else found[0])
        _put(key, value, n_bytes(value))


def _put(key: tuple[Hashable, ...], value: object, n_bytes: int) -> None:
    with _lock:
        _drop(key)
        n_bytes += _ENTRY
        if n_bytes <= _state["most"]:
            _entries[key] = value, n_bytes
            _state["held"] += n_bytes
        while _state["held"] > _state["most"]:
            _drop(next(iter(_entries)))


def keep_at_most(n_bytes: int) -> int:
    """Set how many bytes are kept in all, 64 MiB at first; 0 keeps nothing. Returns what it was.

    >>> before = keep_at_most(2**20)
    >>> cached_bytes() <= 2**20
    True
    >>> keep_at_most(before) == 2**20
    True
    """
    n_bytes = whole_number(n_bytes, "n_bytes", least=0)
    with _lock:
        before, _state["most"] = _state["most"], n_bytes
        while _state["held"] > n_bytes:
            _drop(next(iter(_entries)))
    return before


def cached_bytes() -> int:
    """How many bytes are kept now, by all tables together.

    >>> cached_bytes() >= 0
    True
    """
    return _state["held"]


def clear(*kinds: str) -> None:
    """Drop all that is kept of some kinds, or of every kind.

    >>> clear()
    >>> cached_bytes()
    0
    """
    with _lock:
        for key in [key for key in _entries if not kinds or key[0] in kinds]:
            _drop(key)


def _drop(key: tuple[Hashable, ...]) -> None:
    found = _entries.pop(key, None)
    if found is not None:
        _state["held"] -= found[1]


def guard_during_fork(lock: Any) -> None:
    """Let no process be forked while another thread holds a lock: its copy in the child would stay locked.

    >>> guard_during_fork(RLock())
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


guard_during_fork(_lock)
