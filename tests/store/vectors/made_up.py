"""An embedding server on loopback whose vectors mean nothing but are always the same."""

from __future__ import annotations

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import hypot

# As many as the static model has, so that only the fingerprint tells the two apart.
DIM = 256


def made_up_vector(text: str, model: str) -> list[float]:
    """A direction of length one that follows from the text and the model's name."""
    digest = hashlib.shake_256(f"{model}\n{text}".encode()).digest(DIM)
    row = [byte - 127.5 for byte in digest]
    length = hypot(*row)
    return [value / length for value in row]


class Listening(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *args) -> None:
        """Clients that are killed are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entries = [
            {"index": index, "embedding": made_up_vector(text, asked["model"])}
            for index, text in enumerate(asked["input"])
        ]
        content = json.dumps({"data": entries}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args) -> None:
        """Tests are quiet."""


def configure(memory, url: str, model: str = "first") -> None:
    """Tells a memory where its external model is."""
    for key, value in (("url", url), ("model", model), ("dim", str(DIM))):
        memory.set_config(f"embedding.external.{key}", value)
