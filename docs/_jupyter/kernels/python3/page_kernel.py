"""The kernel of a page: an ordinary one that notes what the page uses and refuses what a page may not do.

What the build asks of it arrives as JSON and is answered here, outside the page's names: a page that calls a
variable ``list`` or ``print`` disturbs nothing. Not noticed: what a cell asks by ``Path.exists`` alone, and
what a C library opens by itself.
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
from pkgutil import resolve_name
from typing import Any

from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp

ROOT = os.path.join(os.environ["PE_BOOK_ROOT"], "")
PACKAGES = os.path.join(sys.prefix, "")  # .venv may lie inside the book
ASKED = '{"page":'
ANSWER = "application/vnd.page-kernel+json"
MOST_TEXT = 1_000_000  # characters that one cell may print

NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork")
FILE_CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate")
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(RuntimeError):
    """What a page may not do while it is built."""


class TooMuchOutput(BaseException):
    """More text than a page can hold; not an Exception, so that no cell swallows it."""


class AuditHook:
    """Sees every file, folder, process and connection that Python opens."""

    def __init__(self) -> None:
        self.running = False  # a cell or a question is being executed
        self.files: set[str] = set()
        self.listed: set[str] = set()  # folders whose every name matters
        self.searched: set[str] = set()  # folders in which an import looked for modules
        self.refused: list[str] = []
        self.printed = 0

    def path_in_book(self, path: Any) -> str | None:
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
            if (path := self.path_in_book(path)) is None:
                return
            writes = set(mode or "") & set("wax+") or (flags or 0) & WRITE_FLAGS
            if not writes:
                self.files.add(path)
            elif self.running:
                self.refuse(f"writes {os.path.relpath(path, ROOT)}")
        elif event in ("os.listdir", "os.scandir"):
            if path := self.path_in_book(args[0] if args and args[0] is not None else "."):
                by_import = "importlib" in sys._getframe(1).f_code.co_filename
                (self.searched if by_import else self.listed).add(path)
        elif event == "sqlite3.connect":
            name = os.fsdecode(args[0])
            if path := self.path_in_book(name.removeprefix("file:").partition("?")[0]):
                self.files.add(path)
        elif not self.running:
            return
        elif event in NETWORK:
            self.refuse(f"asks the network ({event})")
        elif event in PROCESSES:
            self.refuse(f"starts a process ({event})")
        elif event in FILE_CHANGES and (path := self.path_in_book(args[0])):
            self.refuse(f"changes {os.path.relpath(path, ROOT)}")


audit = AuditHook()


class CountedStream(OutStream):
    """A stream that ends a cell which does not end printing."""

    def write(self, string: str) -> int | None:
        audit.printed += len(string)
        if audit.running and audit.printed > MOST_TEXT:
            audit.running = False
            raise TooMuchOutput(f"more than {MOST_TEXT:,} characters")
        return super().write(string)


def other(value: Any) -> Any:
    """Other values of the same kind: what a wrong solution could have given."""
    if isinstance(value, dict):
        return {name: other(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(other(part) for part in value)
    if isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool"):
        return not value if isinstance(value, bool) else ~value
    if value is None or isinstance(value, str) or not hasattr(value, "__add__"):
        return value
    return value + 1 if isinstance(value, int) else value + (abs(value) + 1) / 8


def plain(value: Any) -> Any:
    """Arrays, tuples and scalars of libraries as lists and numbers of Python."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [plain(part) for part in value]
    if isinstance(value, str | bool | int):
        return value
    return float(value)


class Answers:
    """What the build may ask: one method per kind of question, each given the page's names."""

    def __init__(self, names: dict[str, Any]):
        self.names = names

    def value(self, expression: str) -> Any:
        return eval(compile(ast.parse(expression, mode="eval"), "<page>", "eval"), self.names, {})

    def text(self, field: str) -> str:
        """An expression with a format, as in an f-string."""
        return str(self.value(f"f'''{{{field}}}'''"))

    def plain(self, field: str) -> Any:
        """A value as lists, numbers and texts, for a field in which a reader types it."""
        return plain(self.value(field))

    def holds(self, check: str) -> dict[str, Any]:
        value = self.value(check)
        decided = type(getattr(value, "holds", value)).__name__ in ("bool", "bool_")
        found = getattr(value, "evidence", {}) if decided else {}
        evidence = {name: str(part) for name, part in found.items()}
        return {"true": decided and bool(value), "shown": repr(value)[:400], "evidence": evidence}

    def shown(self, expression: str, kind: str, home: str, check: str) -> Any:
        """What a class of the book makes, if its own function has nothing against it."""
        result = self.value(expression)
        if not isinstance(result, resolve_name(f"{home}:{kind}")):
            return {"other": f"{type(result).__name__} is no {kind}"}
        if check:
            resolve_name(check)(result)
        if kind == "Told":
            return result.records()
        if kind != "Figure":
            return result.markdown()
        picture = base64.b64encode(result.png()).decode()
        made = {"html": result.html(), "alt": result.alt, "csv": result.csv(), "png": picture}
        explored = {"explorer": result.explorer, "explored": result.explored()} if result.explorer else {}
        return made | explored

    def doctest(self, block: str, page: str) -> str:
        """What a failing block says; nothing if it passes."""
        import doctest  # not earlier: it derives from pdb.Pdb, which the kernel's start replaces

        report = io.StringIO()
        test = doctest.DocTestParser().get_doctest(block, self.names, page, None, 0)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        doctest.DocTestRunner(verbose=False, optionflags=flags).run(test, out=report.write)
        return report.getvalue()

    def alone(self, variants: dict[str, str]) -> dict[str, list[str] | None]:
        """How each of these cells ends that knows no other: None, or the exception and what it says."""
        return {name: self.ends(code) for name, code in variants.items()}

    def ends(self, code: str) -> list[str] | None:
        names = {"__name__": "__main__", "_pe_other": other}
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, "<variant>", "exec"), names)
        except Exception as error:  # whatever a wrong solution raises
            return [type(error).__name__, str(error)]
        return None

    def used(self) -> dict[str, Any]:
        """What the page has read, so that a change of it executes the page again."""
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        return {
            "files": sorted(audit.files | {path for path in map(audit.path_in_book, files) if path}),
            "listed": sorted(audit.listed),
            "searched": sorted(audit.searched),
        }


class PageKernel(IPythonKernel):
    """Executes cells as IPython does, and answers questions beside them."""

    async def do_execute(
        self, code: str, silent: bool, store_history: bool = True, *args: Any, **options: Any
    ) -> Any:
        audit.refused.clear()
        audit.printed, audit.running = 0, True
        try:
            if not store_history and code.startswith(ASKED):
                return self.answer(json.loads(code)["page"])
            reply = await super().do_execute(code, silent, store_history, *args, **options)
        finally:
            audit.running = False
        failed = [Refused(what) for what in audit.refused]
        if reply["status"] == "ok" and failed:  # the cell caught the error
            report = {"ename": type(failed[0]).__name__, "evalue": str(failed[0]), "traceback": []}
            report["traceback"] = [f"{report['ename']}: {report['evalue']}"]
            self.send_response(self.iopub_socket, "error", report)
            reply.update(report, status="error")
        return reply

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        out, errors = io.StringIO(), io.StringIO()
        method = question.pop("method")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                given = {"value": getattr(Answers(self.shell.user_ns), method)(**question)}
        except Exception as error:
            given = {"error": f"{type(error).__name__}: {error}", "name": getattr(error, "name", None)}
        if audit.refused:
            given = {"error": f"it {audit.refused[0]}"}
        if "error" not in given and errors.getvalue().strip():
            given = {"error": errors.getvalue().strip()}
        said = {"data": {ANSWER: json.dumps(given)}, "metadata": {}, "transient": {}}
        self.send_response(self.iopub_socket, "display_data", said)
        count = self.execution_count
        return {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}


class PageKernelApp(IPKernelApp):
    """Without anybody's settings and start-up files."""

    kernel_class = PageKernel
    outstream_class = f"{__name__}.CountedStream"

    def load_config_file(self, *args: Any, **options: Any) -> None:
        """No user's settings are read."""

    def init_code(self) -> None:
        """No user's start-up code is run; from here on all that is opened is counted for the page."""
        sys.stdout.flush()
        sys.stderr.flush()
        sys.addaudithook(audit)
