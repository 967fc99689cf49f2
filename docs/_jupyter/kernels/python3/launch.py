"""Start the kernel of a page in an environment that is the same everywhere."""

import os
import socket
import sys
from pathlib import Path

import copied

HERE = Path(__file__).resolve().parent
KEPT = {  # what a process needs to run at all, and what the build has decided
    "PATH", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "COMSPEC", "PATHEXT",
    "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SOURCE_DATE_EPOCH",
    "PYTHONPATH", "PYTHONHASHSEED", "PYTHONNOUSERSITE", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE",
    "NPY_DISABLE_CPU_FEATURES",
}  # fmt: skip
KEPT_KINDS = ("PE_", "JPY_")

if __name__ == "__main__":
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(KEPT_KINDS):
            del os.environ[name]
    os.environ["MATPLOTLIBRC"] = str(HERE.parents[1] / "matplotlibrc")
    if sys.argv[1] == "--copied":
        copied.serve(socket.socket(fileno=int(sys.argv[2])))
    elif copied.ask():
        sys.exit()
    from page_kernel import PageKernelApp  # from the folder of this file, which a page cannot import from

    sys.path[0] = ""  # a page cannot import from the folder of the launcher
    PageKernelApp.launch_instance()
