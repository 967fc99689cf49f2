"""How a value, a size and a shortage of memory are put into words, whatever the value is."""

import os
import reprlib
import sys
from math import floor, log10

import numpy as np

_MOST = 2**30  # bytes that one call of a definition may take
_LONGEST = 60  # characters of a value that a message shows
_LONG_INTEGER = 10**24  # from here on an integer is shown by its size


def shown(value: object) -> str:
    """`value` as a message shows it: in full where it is short, and never an error of its own.

    >>> shown("six"), shown(-(10**5000))
    ("'six'", 'about -1.00e+5000')
    """
    try:
        text = str(value) if isinstance(value, np.number) else " ".join(_short.repr(value).split())
    except Exception:  # a repr that fails must not hide what was wrong with the value
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def physical_memory() -> int:
    """The memory of this machine in bytes.

    >>> physical_memory() > 2**28
    True
    """
    if sys.platform == "win32":
        return _windows_memory()
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def amount(n_bytes: int) -> str:
    """A number of bytes as text.

    >>> amount(3 * 2**30), amount(10**400)
    ('3.0 GiB', 'about 1.00e+400 bytes')
    """
    if n_bytes >= 2**70:
        return f"{shown(max(n_bytes, _LONG_INTEGER))} bytes"
    size, unit = float(n_bytes), 0
    while size >= 1024 and unit < 6:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB')[unit]}"


def room_for(n_bytes: int, name: str, value: object, *, most: int | None = None) -> None:
    """Refuse, before memory is asked for, a `value` that would take more than there is.

    `n_bytes`, what the call would take, is a Python integer, so that it cannot overflow; `most` of them may
    be taken: 1 GiB if not given, or :func:`physical_memory`.

    >>> room_for(8 * 10**12, "seq_len", 10**12)
    Traceback (most recent call last):
        ...
    ValueError: seq_len must be smaller: 1000000000000 would take 7.3 TiB of memory, and 1.0 GiB may be used
    """
    limit = _MOST if most is None else most
    if n_bytes > limit:
        room = f"{amount(limit)} may be used" if most is None else f"there are {amount(limit)}"
        raise ValueError(
            f"{name} must be smaller: {shown(value)} would take {amount(n_bytes)} of memory, and {room}"
        )


class _Short(reprlib.Repr):
    """Few entries of a container; integers of any length."""

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxstring = self.maxlong = 2 * _LONGEST
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = 8

    def repr_int(self, x: int, level: int) -> str:
        """An integer, by its leading digits if it is long: Python refuses to write more than 4300 digits."""
        if abs(x) < _LONG_INTEGER:
            return repr(x)
        size = log10(abs(x))
        lead, exponent = round(10 ** (size - floor(size)), 2), floor(size)
        if lead >= 10:
            lead, exponent = 1.0, exponent + 1
        return f"about {'-' if x < 0 else ''}{lead:.2f}e+{exponent}"


_short = _Short()


def _windows_memory() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 6),
        )

    status = Status(length=ctypes.sizeof(Status))
    ctypes.WinDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return int(status.total)
