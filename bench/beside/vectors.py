"""One MiniLM for all: an OpenAI-compatible `/v1/embeddings` on loopback, in a process of its own.

Each text is embedded once and kept, so that no system pays for being the first to ask. What the
model costs is counted for nobody but recairn, which runs it inside its own process.
"""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

MODEL = "all-MiniLM-L6-v2"


class _Vectors(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer: headers and body apart would wait for each other.
    wbufsize = -1
    model: Any
    known: dict[str, list[float]]
    lock: Lock

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"]
        texts = [texts] if isinstance(texts, str) else texts
        with self.lock:
            new = [text for text in dict.fromkeys(texts) if text not in self.known]
            for text, vector in zip(new, self.model.embed_documents(new), strict=True):
                self.known[text] = list(vector)
        binary = asked.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": place, "embedding": _written(self.known[text], binary)}
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        self._answer({"object": "list", "model": MODEL, "data": data, "usage": usage})

    def _answer(self, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def _written(vector: list[float], binary: bool) -> Any:
    if not binary:
        return vector
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@contextmanager
def vector_server(models: str) -> Iterator[str]:
    """The address of a running server, which ends with the block."""
    command = [sys.executable, os.path.abspath(__file__), models]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        port = child.stdout.readline().strip()
        if not port:
            raise SystemExit("the vectors' server did not start")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        child.kill()
        child.wait()


def main() -> None:
    from recairn.embed.minilm import MiniLM

    _Vectors.model = MiniLM(os.path.join(sys.argv[1], "minilm"))
    _Vectors.known, _Vectors.lock = {}, Lock()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Vectors)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
