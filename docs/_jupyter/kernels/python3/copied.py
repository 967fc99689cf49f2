"""A kernel is a copy of a process that has the libraries loaded: most of its start is imports.

A build starts one such process (run/copies.py) and leaves its address in ``PE_KERNELS``. The launcher of a
kernel asks there for a copy, stays until the copy has ended, and hands on what interrupts it. Where there is
none, or where what Python and the libraries read once is set otherwise, it becomes the kernel itself.
"""

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

LIBRARIES = (
    "numpy", "mpmath", "ipykernel.ipkernel", "ipykernel.kernelapp", "matplotlib_inline.backend_inline",
    "matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "torch",
)  # fmt: skip
READ_ONCE = (
    "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES",
    "LD_LIBRARY_PATH", "PE_TORCH",
)  # fmt: skip
INPUT = 0  # of the process that is copied: it ends with whoever holds the other end


def read_once() -> list[str | None]:
    return [*map(os.environ.get, READ_ONCE), Path(os.environ["MATPLOTLIBRC"]).read_text(encoding="utf-8")]


def ask() -> bool:
    """Have a copy made and stay until it has ended; False if none was made."""
    if not (address := os.environ.pop("PE_KERNELS", "")):
        return False
    request = {"read": read_once(), "environment": dict(os.environ), "path": sys.path, "arguments": sys.argv}
    with socket.socket(socket.AF_UNIX) as line, contextlib.suppress(OSError):
        line.connect(address)
        socket.send_fds(line, [json.dumps({**request, "folder": os.getcwd()}).encode() + b"\n"], [0, 1, 2])
        if copy := line.recv(32):
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda number, _: os.kill(int(copy), number))
            line.recv(1)  # returns when the copy has ended
            return True
    return False


def serve(listener: socket.socket) -> None:
    """Load the libraries, and return in each copy that is asked for."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as a kernel sets it
    for name in LIBRARIES if os.environ.get("PE_TORCH") != "no" else LIBRARIES[:-1]:
        with contextlib.suppress(ImportError):
            import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a copy
    while INPUT not in select.select([listener, INPUT], [], [])[0]:
        line, _ = listener.accept()
        request, streams = received(line)
        if request["read"] == read_once() and not os.fork():
            listener.close()
            become(line, request, streams)
            return
        for number in (line.detach(), *streams):
            os.close(number)
    shutil.rmtree(os.path.dirname(listener.getsockname()))
    sys.exit()


def received(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    text, streams, _, _ = socket.recv_fds(line, 1 << 16, 3)
    while not text.endswith(b"\n"):
        text += line.recv(1 << 16)
    return json.loads(text), streams


def become(line: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Be the kernel that was asked for, and end when its launcher does."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path[:], sys.argv[:] = request["path"], [*request["arguments"], "--PageKernelApp.parent_handle=1"]
    line.send(str(os.getpid()).encode())
    threading.Thread(target=end_with, args=[line], daemon=True).start()


def end_with(launcher: socket.socket) -> None:
    launcher.recv(1)
    os._exit(1)
