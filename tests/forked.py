"""Sphinx builds, each in a copy of a process that has the libraries loaded: most of a small build is imports.

Each line of the input asks for a build; its exit code is a line of the output.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

LIBRARIES = (
    "matplotlib",
    "myst_nb.sphinx_ext",
    "numpy",
    "sphinx.builders.dummy",
    "sphinx.builders.html",
    "sphinx.cmd.build",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_book_theme",
    "sphinx_exercise",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
)


@functools.cache
def loaded() -> subprocess.Popen[str]:
    """The process that is copied; it ends with this one."""
    from bookish.run import copies

    with pytest.MonkeyPatch.context() as patch:  # as conf.py sets them
        patch.setenv("PYTHONHASHSEED", "0")
        patch.setenv("OPENBLAS_NUM_THREADS", "1")
        patch.setenv("PE_TORCH", "yes" if find_spec("torch") else "no")
        if kernels := copies.start():
            atexit.register(copies.end, kernels)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # a copy has no threads
    process = subprocess.Popen([sys.executable, "-P", __file__], text=True, env=alone, **pipes)
    atexit.register(process.communicate)
    return process


def build(arguments: list[str]) -> tuple[int, str]:
    """Run Sphinx with these arguments: its exit code, and what it said, complaints last."""
    process = loaded()
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("output", "errors")]
        asked = {"arguments": arguments, "streams": [*map(str, streams)], "environment": dict(os.environ)}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        code = int(process.stdout.readline())
        return code, "".join(file.read_text(encoding="utf-8") for file in streams)


def serve() -> None:
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.freeze()
    gc.set_threshold(500_000, 20, 20)  # as docs/_ext/driver/build.py sets it
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            for number, name in enumerate(asked["streams"], 1):
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
            os.environ.clear()
            os.environ.update(asked["environment"])
            sys.argv[1:] = asked["arguments"]
            sys.exit(sys.modules["sphinx.cmd.build"].main(asked["arguments"]))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
