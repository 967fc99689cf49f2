"""A module behind a command of the Makefile, or of an author: `python docs/_ext/driver look FILE PREFIX`."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from book import ROOT, Refusal

    sys.path.append(str(ROOT))  # the package of this checkout, which is not installed
    try:
        runpy.run_module("driver." + sys.argv.pop(1), run_name="__main__", alter_sys=True)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(2)
