"""A kernel is a copy where it can be one, says what a started one says, and ends with whoever asked for it."""

import os
import subprocess
import sys
import time

import pytest

from bookish.run import copies
from tests import forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every kernel is started")

PAGE = """(sec:index:top)=
# Page

```{code-cell} python
import os, sys
made = "a copy" if "--copied" in sys.orig_argv else "started"
seen = sys.path[:2] == ["", os.environ["PYTHONPATH"]], "PE_KERNELS" in os.environ
```

It is {{ made }}: {{ seen }}.
"""


@pytest.mark.parametrize(
    ("variables", "made"),
    [
        ({"PE_KERNELS": "of the tests"}, "a copy"),
        ({"PE_KERNELS": ""}, "started"),
        ({"PE_KERNELS": "/nowhere/kernels"}, "started"),
        ({"PE_KERNELS": "of the tests", "NPY_DISABLE_CPU_FEATURES": "AVX2"}, "started"),
    ],
    ids=["as always", "none", "gone", "another CPU"],
)
def test_a_copy_says_what_a_started_kernel_says(book, variables, made):
    forked.loaded()
    if variables["PE_KERNELS"] == "of the tests":
        variables = {**variables, "PE_KERNELS": os.environ["PE_KERNELS"]}
    book.page("index", PAGE)
    built = book.build(**variables)
    assert built.code == 0, built.output
    found = dict(book.findings()["index"]["found"])
    assert found["made"] == made
    assert found["seen"] == "(True, False)"


@pytest.fixture
def kernels(monkeypatch):
    """A process that is copied, for one test."""
    monkeypatch.delenv("PE_KERNELS", raising=False)
    process = copies.start()
    yield process
    if process.poll() is None:
        copies.end(process)


def children(process: subprocess.Popen[bytes]) -> str:
    return copies.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")


def until(reached) -> bool:
    end = time.monotonic() + 30
    while not reached() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(reached())


def test_a_copy_ends_with_its_launcher(kernels, tmp_path):
    command = [sys.executable, copies.LAUNCHER, "-f", tmp_path / "connection.json"]
    launcher = subprocess.Popen(command)
    assert until(lambda: children(kernels))
    launcher.kill()
    launcher.wait()
    assert until(lambda: not children(kernels))


def test_nothing_is_left_behind(kernels):
    home = copies.Path(os.environ["PE_KERNELS"]).parent
    assert home.exists()
    copies.end(kernels)
    assert not home.exists()
    assert "PE_KERNELS" not in os.environ
