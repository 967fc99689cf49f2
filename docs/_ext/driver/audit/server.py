"""Serve a folder as a host does: compressed, under a prefix, with a Content-Security-Policy."""

import gzip
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
LIVE_POLICY = f"{POLICY}; script-src 'self' 'wasm-unsafe-eval'"  # of a site whose cells run
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".md", ".csv", ".xml"}


@cache
def compressed(file: Path, changed: int) -> bytes:
    return gzip.compress(file.read_bytes(), 6)  # the level at which hosts compress while they serve


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    prefix, policy = "/", POLICY

    def send_head(self) -> io.BytesIO:
        status, file = 200, Path(self.translate_path(self.path[len(self.prefix) - 1 :]))
        file = file / "index.html" if file.is_dir() else file
        if not self.path.startswith(self.prefix) or not file.is_file():
            status, file = 404, Path(self.directory, "404.html")
        zipped, body = file.is_file() and file.suffix in COMPRESSED, b"not found"
        if file.is_file():
            body = compressed(file, file.stat().st_mtime_ns) if zipped else file.read_bytes()
        self.send_response(status)
        headers = {"Content-Type": self.guess_type(file), "Content-Length": len(body)}
        headers |= {"Cache-Control": "max-age=600", "Content-Security-Policy": self.policy}
        for name, value in (headers | ({"Content-Encoding": "gzip"} if zipped else {})).items():
            self.send_header(name, str(value))
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the browser left before a file was finished


@contextmanager
def served(folder: Path, prefix: str = "/", policy: str = POLICY) -> Iterator[str]:
    """The address at which the folder can be opened meanwhile; it ends with the prefix."""
    handler = type("PrefixHandler", (Handler,), {"prefix": prefix, "policy": policy})
    server = Server(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
