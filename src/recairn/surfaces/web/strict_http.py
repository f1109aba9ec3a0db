"""The reader of HTTP: what it refuses by itself, because it is none, carries the policy as well."""

from __future__ import annotations

from uvicorn.protocols.http.h11_impl import H11Protocol

from recairn.surfaces.web.border import HEADERS


class StrictHttp(H11Protocol):
    """uvicorn's own, which answers what it cannot read without asking the border."""

    def send_400_response(self, msg: str) -> None:
        body = b"this is no HTTP that is taken here"
        head = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *HEADERS,
        ]
        lines = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in head)]
        self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.close()
