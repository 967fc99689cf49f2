"""Every build starts from nothing: the files of an earlier build are neither read nor kept."""

import gc
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError

from bookish.run.foreign import forget_pages, keep_entry_points

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


def share_out(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Give each process long pages and short ones: Sphinx cuts the list into pieces, about two for each."""
    longest_first = sorted(docnames, key=lambda name: (-env.doc2path(name).stat().st_size, name))
    pieces = 2 * app.parallel
    docnames[:] = [name for first in range(pieces) for name in longest_first[first::pieces]]


def setup(app: Sphinx) -> None:
    if sys.flags.optimize:
        raise ConfigError(
            "Python runs with -O, which takes assertions out: unset PYTHONOPTIMIZE and run again"
        )
    gc.freeze()
    gc.set_threshold(500_000, 20, 20)  # doctrees are many small objects that live until the build ends
    keep_entry_points()
    # the pages that Sphinx saves do not notice changes of other pages, so all are read again; this takes
    # seconds, because run.executions keeps the outputs of their kernels
    forget_pages(app)
    app.connect("builder-inited", empty_output)
    app.connect("env-before-read-docs", share_out)
