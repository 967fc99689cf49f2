"""One module of the driver, run in the environment: `python docs/_ext/driver look FILE PREFIX`."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    runpy.run_module("driver." + sys.argv.pop(1), run_name="__main__", alter_sys=True)
