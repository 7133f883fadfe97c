"""A site on this machine that serves files as raw.githubusercontent.com does, and breaks off on request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """Files by path, where a download breaks (once, after this many bytes), and the requests received."""

    files: dict[str, bytes]
    breaks: dict[str, int] = field(default_factory=dict)
    knows_ranges: bool = True
    says_length: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    address: str = ""


@contextmanager
def serving(files: dict[str, bytes], **how: object) -> Iterator[Site]:
    """Serve files while the block runs."""
    site = Site(files, **how)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            byte_range = self.headers.get("Range")
            site.requests.append((self.path, byte_range))
            content = site.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            start = (
                int(byte_range.removeprefix("bytes=").removesuffix("-")) if byte_range and site.knows_ranges else None
            )
            if start is not None and start >= len(content):
                self.send_error(416)
                return
            self.send_response(200 if start is None else 206)
            rest = content[start or 0 :]
            if site.says_length:
                self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: site.breaks.pop(self.path, len(rest))])

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
