"""Every build starts from nothing: the files of an earlier build are neither read nor kept."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.errors import ConfigError

MADE_BY_SPHINX = ".buildinfo"


def empty_output(app: Sphinx) -> None:
    """Delete what an earlier build wrote: renamed pages, data of removed figures, an old index."""
    out = Path(app.outdir)
    if not (out / MADE_BY_SPHINX).exists():
        return
    for entry in out.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    if sys.flags.optimize:
        raise ConfigError(
            "Python runs with -O, which takes assertions out: unset PYTHONOPTIMIZE and run again"
        )
    # the pages that Sphinx saves do not notice changes of other pages, so all are read again; this takes
    # seconds, because kernel.executions keeps the outputs of their kernels
    Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)
    app.connect("builder-inited", empty_output)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
