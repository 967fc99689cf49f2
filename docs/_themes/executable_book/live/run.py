"""Runs a cell in the reader's browser, as the kernel of the book does; worker.js calls it.

Nothing that a cell writes is taken for anything but text.
"""

import ast
import io
import linecache
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

MOST = 100_000  # characters that are shown of what a cell prints
AT_ONCE = 200  # lines that are sent as they are printed, and then
OFTEN = 0.1  # seconds between two messages
pages: dict[str, dict[str, Any]] = {}


class Printed(io.TextIOBase):
    """Hands on what is printed, until it is too much."""

    def __init__(self, send: Callable[[str], None]):
        self.send, self.waiting, self.left = send, "", MOST
        self.dropped, self.messages, self.sent = 0, 0, time.monotonic()

    def write(self, text: str) -> int:
        """Keep what still has room."""
        kept = text[: self.left]
        self.left -= len(kept)
        self.dropped += len(text) - len(kept)
        self.waiting += kept
        if "\n" in kept and (self.messages < AT_ONCE or time.monotonic() - self.sent > OFTEN):
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what waits."""
        if self.waiting:
            self.send(self.waiting)
            self.messages += 1
        self.waiting, self.sent = "", time.monotonic()


def told(error: BaseException, name: str) -> tuple[str, int]:
    """An error as Python tells it, from the cell on, and the line of the cell."""
    while (at := error.__traceback__) is not None and at.tb_frame.f_code.co_filename == __file__:
        error.__traceback__ = at.tb_next
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    if isinstance(error, SyntaxError) and error.filename == name:
        error.__traceback__ = None  # the parser's own
        lines = [error.lineno]
    return "".join(traceback.format_exception(error)), (lines or [0])[-1] or 0


def run(code: str, name: str, names: str, send: Callable[[str], None]) -> list[Any]:
    """Run code among these names; its value as text, the error, its line, its kind, characters left out."""
    own = pages.setdefault(names, {"__name__": "__main__"}) if names else {"__name__": "__main__"}
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    out = Printed(send)
    value, error, line, kind = "", "", 0, ""
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = out
    try:
        value = run_in(own, code, name)
    except BaseException as raised:
        kind = "torch" if getattr(raised, "name", "") == "torch" else type(raised).__name__
        error, line = told(raised, name)
        if kind != "torch":
            kind += ": " + str(raised.msg if isinstance(raised, SyntaxError) else raised)
    finally:
        sys.stdout, sys.stderr = before
    out.flush()
    return [value[:MOST], error[-MOST:], line, kind, out.dropped + max(0, len(value) - MOST)]


def run_in(own: dict[str, Any], code: str, name: str) -> str:
    """The value of the last line as the page would print it, if it is an expression and has one."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), own)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), name, "eval"), own)
    return "" if value is None or code.rstrip().endswith(";") else repr(value)
