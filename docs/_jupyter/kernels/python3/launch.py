"""The kernel of a page: an ordinary one that remembers which files of the book were opened."""

import os
import sys
import types

ROOT = os.path.join(os.environ["PE_BOOK_ROOT"], "")

opened = types.ModuleType("_pe_opened")
opened.files = set()
sys.modules["_pe_opened"] = opened


def note(event, args):
    if event == "open" and isinstance(args[0], str):
        path = os.path.abspath(args[0])
        if path.startswith(ROOT) and "__pycache__" not in path and not path.endswith(".py"):
            opened.files.add(path)


sys.addaudithook(note)

if __name__ == "__main__":
    sys.path[0] = ""  # the launcher's folder has no business on the path of a page
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
