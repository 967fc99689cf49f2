"""The kernel of a page: an ordinary one that notes what the page uses and refuses what a page may not do.

What the build asks of it arrives as JSON and is answered here, outside the page's names: a page that calls a
variable ``list`` or ``print`` disturbs nothing.
"""

import ast
import contextlib
import io
import json
import os
import sys
from importlib import import_module
from typing import Any

from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp

ROOT = os.path.join(os.environ["PE_BOOK_ROOT"], "")
PACKAGES = os.path.join(sys.prefix, "")  # .venv may lie inside the book
ASKED = '{"pe_book":'
ANSWER = "application/vnd.pe-book+json"
MOST_TEXT = 1_000_000  # characters that one cell may print

NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork")
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(RuntimeError):
    """What a page may not do while it is built."""


class Flood(BaseException):
    """More text than a page can hold; not an Exception, so that no cell swallows it."""


class Watch:
    """Sees every file, folder, process and connection that Python opens."""

    def __init__(self) -> None:
        self.running = False  # a cell or a question is being executed
        self.files: set[str] = set()
        self.listed: set[str] = set()  # folders whose every name matters
        self.searched: set[str] = set()  # folders in which an import looked for modules
        self.refused: list[str] = []
        self.printed = 0

    def inside(self, path: Any) -> str | None:
        """The absolute path if it is a file of the book, None otherwise."""
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        path = os.path.abspath(os.fsdecode(path))
        if not path.startswith(ROOT) or path.startswith(PACKAGES) or "__pycache__" in path:
            return None
        return path

    def refuse(self, what: str) -> None:
        self.refused.append(what)
        raise Refused(what)

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if (path := self.inside(path)) is None:
                return
            writes = set(mode or "") & set("wax+") or (flags or 0) & WRITING
            if not writes:
                self.files.add(path)
            elif self.running:
                self.refuse(f"writes {os.path.relpath(path, ROOT)}")
        elif event in ("os.listdir", "os.scandir"):
            if path := self.inside(args[0] if args and args[0] is not None else "."):
                by_import = "importlib" in sys._getframe(1).f_code.co_filename
                (self.searched if by_import else self.listed).add(path)
        elif event == "sqlite3.connect":
            name = os.fsdecode(args[0])
            if path := self.inside(name.removeprefix("file:").partition("?")[0]):
                self.files.add(path)
        elif not self.running:
            return
        elif event in NETWORK:
            self.refuse(f"asks the network ({event})")
        elif event in PROCESSES:
            self.refuse(f"starts a process ({event})")
        elif event in CHANGES and (path := self.inside(args[0])):
            self.refuse(f"changes {os.path.relpath(path, ROOT)}")


watch = Watch()


class CountedStream(OutStream):
    """A stream that ends a cell which does not end printing."""

    def write(self, string: str) -> int | None:
        watch.printed += len(string)
        if watch.running and watch.printed > MOST_TEXT:
            watch.running = False
            raise Flood(f"more than {MOST_TEXT:,} characters")
        return super().write(string)


def memory() -> int | None:
    """The most memory that this process has taken, in MB."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1024 if sys.platform == "linux" else 2**20
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit)


class Answers:
    """What the build may ask: one method per kind of question, each given the page's names."""

    def __init__(self, names: dict[str, Any]):
        self.names = names

    def value(self, expression: str) -> Any:
        return eval(compile(ast.parse(expression, mode="eval"), "<page>", "eval"), self.names, {})

    def text(self, field: str) -> str:
        """An expression with a format, as in an f-string."""
        return str(self.value(f"f'''{{{field}}}'''"))

    def holds(self, check: str) -> dict[str, Any]:
        from pe_book.verdict import Verdict

        value = self.value(check)
        decided = isinstance(value, Verdict) or type(value).__name__ in ("bool", "bool_")
        evidence = (
            {name: str(part) for name, part in getattr(value, "evidence", {}).items()} if decided else {}
        )
        return {"true": decided and bool(value), "shown": repr(value)[:400], "evidence": evidence}

    def shown(self, expression: str, room: str, kind: str) -> Any:
        made = self.value(expression)
        expected = getattr(import_module(f"pe_book.{room}"), kind)
        if not isinstance(made, expected):
            raise TypeError(f"{type(made).__name__} is not a {kind}")
        return {"html": made.html(), "alt": made.alt, "csv": made.csv()} if kind == "Figure" else made.markdown()

    def doctest(self, block: str, page: str) -> str:
        """What a failing block says; nothing if it passes."""
        import doctest  # not earlier: it derives from pdb.Pdb, which the kernel's start replaces

        said = io.StringIO()
        test = doctest.DocTestParser().get_doctest(block, self.names, page, None, 0)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        doctest.DocTestRunner(verbose=False, optionflags=flags).run(test, out=said.write)
        return said.getvalue()

    def used(self) -> dict[str, Any]:
        """What the page has read, so that a change of it executes the page again."""
        modules = [watch.inside(getattr(module, "__file__", None)) for module in list(sys.modules.values())]
        return {
            "files": sorted(watch.files | {path for path in modules if path}),
            "listed": sorted(watch.listed),
            "searched": sorted(watch.searched),
            "memory": memory(),
        }


class PageKernel(IPythonKernel):
    """Executes cells as IPython does, and answers questions beside them."""

    async def do_execute(
        self, code: str, silent: bool, store_history: bool = True, *args: Any, **options: Any
    ) -> Any:
        watch.refused.clear()
        watch.printed, watch.running = 0, True
        try:
            if not store_history and code.startswith(ASKED):
                return self.answer(json.loads(code)["pe_book"])
            reply = await super().do_execute(code, silent, store_history, *args, **options)
        finally:
            watch.running = False
        failed = self.failures or [Refused(what) for what in watch.refused]
        self.failures = []
        if reply["status"] == "ok" and failed:  # the cell hid it: caught, captured, or run inside another
            said = {"ename": type(failed[0]).__name__, "evalue": str(failed[0]), "traceback": []}
            said["traceback"] = [f"{said['ename']}: {said['evalue']}"]
            self.send_response(self.iopub_socket, "error", said)
            reply.update(said, status="error")
        return reply

    failures: list[BaseException] = []  # noqa: RUF012 (replaced, never changed in place)

    def note_failure(self, result: Any) -> None:
        """Called by IPython after everything that it runs, the inside of ``%%capture`` too."""
        if result is not None and (wrong := result.error_before_exec or result.error_in_exec):
            self.failures = [*self.failures, wrong]

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        out, complaints = io.StringIO(), io.StringIO()
        about = question.pop("about")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
                given = {"value": getattr(Answers(self.shell.user_ns), about)(**question)}
        except Exception as error:
            given = {"error": f"{type(error).__name__}: {error}", "name": getattr(error, "name", None)}
        if watch.refused:
            given = {"error": f"it {watch.refused[0]}"}
        if "error" not in given and complaints.getvalue().strip():
            given = {"error": complaints.getvalue().strip()}
        self.send_response(
            self.iopub_socket,
            "display_data",
            {"data": {ANSWER: json.dumps(given)}, "metadata": {}, "transient": {}},
        )
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": [],
            "user_expressions": {},
        }


class PageKernelApp(IPKernelApp):
    """Without anybody's settings and start-up files."""

    kernel_class = PageKernel
    outstream_class = f"{__name__}.CountedStream"

    def load_config_file(self, *args: Any, **options: Any) -> None:
        """Nobody's."""

    def init_code(self) -> None:
        """Nobody's; from here on everything is the page's doing."""
        self.shell.events.register("post_run_cell", self.kernel.note_failure)
        sys.stdout.flush()
        sys.stderr.flush()
        self.shell._sys_modules_keys = set(sys.modules)
        sys.addaudithook(watch)
