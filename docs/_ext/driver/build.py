"""One build: `python docs/_ext/driver build FOLDER DOCTREES [NAME=VALUE ...]`, settings of conf.py by name.

Sphinx answers an unexpected failure with a report to its developers. Here it is one line: what to do.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import traceback
from functools import cache
from importlib import metadata
from pathlib import Path

from environment import ROOT

DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}


def advice(error: BaseException) -> str:
    """One line for a failure that is nobody's page."""
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        where = error.filename or "while the site was written"
        return f"The disk is full ({where}): free some space, then build again."
    if isinstance(error, OSError) and error.errno in NOT_WRITABLE:
        return f"{error.filename or error} cannot be written: make the folder writable, then build again."
    if isinstance(error, ImportError):
        return f"The environment is broken ({error}): run clean with ALL=yes, then build again."
    return f"The build stopped: {type(error).__name__}: {error}"


def cause(error: BaseException) -> tuple[BaseException, str]:
    """The error and its traceback; a process that reads pages in parallel sends the latter as text."""
    inner = getattr(error, "orig_exc", None)
    return (inner, str(getattr(error, "traceback", ""))) if isinstance(inner, BaseException) else (error, "")


def build(out: Path, doctrees: Path, settings: dict[str, str], jobs: int) -> int:
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    if not sys.stdout.isatty():
        nocolor()
    try:
        with patch_docutils(str(ROOT)), docutils_namespace():
            app = Sphinx(
                ROOT / "docs", ROOT, out, doctrees, "html",
                settings, freshenv=True, warningiserror=True, parallel=jobs,
            )  # fmt: skip
            app.build()
            return app.statuscode
    except SphinxError as error:
        inner, trace = cause(error)
        if inner is error:
            print(f"{error.category}: {error}", file=sys.stderr)
            return 2
        raise inner from RuntimeError(trace)


def main(arguments: list[str]) -> int:
    gc.freeze()
    gc.set_threshold(500_000, 20, 20)  # doctrees are many small objects that live until the build ends
    # the bibliography asks for them at each citation; they do not change during a build
    metadata.entry_points = cache(metadata.entry_points)
    out, doctrees = (Path(argument).resolve() for argument in arguments[:2])
    settings = dict(argument.split("=", 1) for argument in arguments[2:])
    jobs = int(settings.pop("jobs", "1"))
    try:
        out.mkdir(parents=True, exist_ok=True)
        return build(out, doctrees, settings, jobs)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever it is, the build has failed; the advice comes before the traceback
        print(advice(error), file=sys.stderr)
        if not isinstance(error, OSError | ImportError):
            traceback.print_exc()
        return 2


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT)]
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
