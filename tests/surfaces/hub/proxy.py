"""What stands between laptops and a server: it notes every request, and harms some of them."""

from __future__ import annotations

import gzip
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What may befall a request: nothing, no way there, no way back, half a way back, twice, late.
FINE, CUT, LOST, HALF, TWICE, LATE = "fine", "cut", "lost", "half", "twice", "late"
HARMS = (CUT, LOST, HALF, TWICE, LATE)


class Proxy:
    """`ports` are those of the servers behind it, asked in turn; `harm` is the share of harms."""

    def __init__(self, ports: list[int], seed: int = 0, harm: float = 0.0) -> None:
        self.ports, self.harm = ports, harm
        self.seen: list[str] = []
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._turn = 0

    def _next(self) -> tuple[int, str]:
        with self._lock:
            self._turn += 1
            fate = FINE
            if self._chance.random() < self.harm:
                fate = self._chance.choice(HARMS)
            return self.ports[self._turn % len(self.ports)], fate

    @property
    def wire(self) -> str:
        """Everything that laptops sent, unpacked."""
        with self._lock:
            return "\n".join(self.seen)

    def note(self, head: str, body: bytes) -> None:
        text = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        with self._lock:
            self.seen.append(head + "\n" + text.decode("utf-8", "replace"))

    def exchange(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        port, fate = self._next()
        self.note(f"{handler.command} {handler.path}\n{handler.headers}", body)
        if fate == CUT:
            handler.close_connection = True
            return
        try:
            if fate == TWICE:
                self._ask(port, handler, body)
            status, headers, text = self._ask(port, handler, body)
        except (OSError, HTTPException):
            handler.close_connection = True
            return
        if fate == LATE:
            time.sleep(0.02)
        if fate == LOST:
            handler.close_connection = True
            return
        handler.send_response(status)
        for name, value in headers:
            if name.lower() not in ("connection", "date", "transfer-encoding"):
                handler.send_header(name, value)
        handler.end_headers()
        if fate == HALF:
            handler.wfile.write(text[: len(text) // 2])
            handler.close_connection = True
            return
        handler.wfile.write(text)

    def _ask(self, port: int, handler: Any, body: bytes) -> tuple[int, Any, bytes]:
        line = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            headers = dict(handler.headers.items())
            headers["Host"] = f"127.0.0.1:{port}"
            line.request(handler.command, handler.path, body or None, headers)
            answer = line.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            line.close()


@contextmanager
def standing_between(proxy: Proxy) -> Iterator[str]:
    """The address of the proxy, while it runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            proxy.exchange(self, self.rfile.read(length))

        do_GET = do_POST = _pass

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads along."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A laptop that was killed leaves its line broken."""

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
