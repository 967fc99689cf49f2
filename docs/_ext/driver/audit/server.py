"""Serve a folder as a host does: compressed, under a prefix, with a Content-Security-Policy."""

from __future__ import annotations

import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".xml": "application/xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
}
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".md", ".csv", ".xml"}


@cache
def compressed(file: Path, changed: int) -> bytes:
    return gzip.compress(file.read_bytes(), 6)  # the level at which hosts compress while they serve


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = Path()
    prefix = "/"
    policy = ""

    def do_GET(self) -> None:
        file, status = self.file_of(unquote(urlsplit(self.path).path)), 200
        if file is None:
            file, status = self.folder / "404.html", 404
        zipped = file.suffix in COMPRESSED
        body = b"not found"
        if not file.is_file():
            zipped = False
        else:
            body = compressed(file, file.stat().st_mtime_ns) if zipped else file.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if zipped and body:
            self.send_header("Content-Encoding", "gzip")
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        self.end_headers()
        self.wfile.write(body)

    def file_of(self, path: str) -> Path | None:
        """The file behind an address; None outside the prefix, outside the folder, or where there is none."""
        if not path.startswith(self.prefix):
            return None
        file = (self.folder / path.removeprefix(self.prefix)).resolve()
        file = file / "index.html" if file.is_dir() else file
        return file if file.is_file() and file.is_relative_to(self.folder) else None

    def log_message(self, *_: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the browser left before a file was finished


@contextmanager
def served(folder: Path, prefix: str = "/", policy: str = POLICY) -> Iterator[str]:
    """The address at which the folder can be opened meanwhile; it ends with the prefix."""
    attributes = {"folder": folder.resolve(), "prefix": prefix, "policy": policy}
    server = Server(("127.0.0.1", 0), type("FolderHandler", (Handler,), attributes))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
