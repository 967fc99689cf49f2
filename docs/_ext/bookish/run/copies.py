"""A fork server for kernels: one process has the libraries loaded, and each kernel is a copy of it.

What is copied, and how, is in docs/_jupyter/kernels/python3/copied.py.
"""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parents[3] / "_jupyter" / "kernels" / "python3" / "launch.py"


def start() -> subprocess.Popen[bytes] | None:
    """Start it, unless it is there; elsewhere than on Linux a copy of loaded libraries may not work."""
    if sys.platform != "linux" or "PE_KERNELS" in os.environ:
        return None
    address = os.path.join(tempfile.mkdtemp(prefix="pe-"), "kernels")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        command = [sys.executable, LAUNCHER, "--copied", str(listener.fileno())]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()])
    os.environ["PE_KERNELS"] = address
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """It ends when nobody holds its input."""
    process.communicate()
    os.environ.pop("PE_KERNELS", None)
