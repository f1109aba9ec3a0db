"""Fetching a page that somebody asked for by its address: once, within limits, nowhere private."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from urllib.parse import urljoin, urlsplit

from recairn.core.errors import BadInput, Refused
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urllib.parse import SplitResult

# Bytes of a page, and seconds all of it may take.
MAX_BYTES = 5_000_000
PATIENCE_S = 20.0
_REDIRECTS = 3
_MOVED = (301, 302, 303, 307, 308)
_AT_ONCE = 1 << 16
_FORMATS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "md",
    "text/x-rst": "rst",
    "application/pdf": "pdf",
    "text/plain": "",
}


@record
class Page:
    """What came back; `format` is empty where the address must tell it."""

    raw: bytes
    format: str


def fetch(url: str) -> Page:
    """The page at an address; Refused when it lies where nobody asked to look.

    A private or loopback address is looked at only when the URL itself names it; a name or a
    redirect that leads to one is refused.
    """
    deadline = time.monotonic() + PATIENCE_S
    here, named = url, True
    for _ in range(_REDIRECTS + 1):
        parts = urlsplit(here)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refused(f"{here} is no http or https address", "give the page's address")
        if parts.username is not None:
            raise Refused("the address holds a user name", "give it without")
        try:
            moved, page = _response(parts, deadline, named=named)
        except (OSError, http.client.HTTPException) as error:
            raise BadInput(f"{here} did not answer: {error}", "try again later") from None
        if page is not None:
            return page
        there = urljoin(here, moved)
        if parts.scheme == "https" and urlsplit(there).scheme != "https":
            raise Refused(f"{here} leads to {there}, which is not https", "fetch that by its name")
        named = named and urlsplit(there).hostname == parts.hostname
        here = there
    raise BadInput(f"{url} leads from one address to the next", "give the last one")


def _response(parts: SplitResult, deadline: float, *, named: bool) -> tuple[str, Page | None]:
    """Where the page moved to, or the page."""
    host = parts.hostname or ""
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    address = _address(host, port, named=named)
    sock = socket.create_connection((address, port), timeout=_seconds_left(deadline))
    # The connection is made here, to the address that was looked at: a second look at the name
    # could give another one.
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        if secure:
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=host)
        connection.sock = sock
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        asking = {"User-Agent": "recairn", "Accept": "text/html, text/plain, */*;q=0.5"}
        connection.request("GET", target, headers={**asking, "Accept-Encoding": "identity"})
        answer = connection.getresponse()
        if answer.status in _MOVED:
            return answer.getheader("Location") or "", None
        if answer.status != 200:
            raise BadInput(f"{parts.geturl()} answered {answer.status} {answer.reason}", "check it")
        kind = (answer.getheader("Content-Type") or "text/plain").partition(";")[0].strip().lower()
        if kind not in _FORMATS:
            raise BadInput(f"{parts.geturl()} is {kind}, no text", "save it and add the file")
        return "", Page(_body(answer, sock, deadline), _FORMATS[kind])
    finally:
        connection.close()
        sock.close()


def _body(answer: http.client.HTTPResponse, sock: socket.socket, deadline: float) -> bytes:
    raw = b""
    while True:
        sock.settimeout(_seconds_left(deadline))
        piece = answer.read1(_AT_ONCE)
        if not piece:
            return raw
        raw += piece
        if len(raw) > MAX_BYTES:
            raise BadInput(f"the page is larger than {MAX_BYTES // 1_000_000} MB", "save it first")


def _seconds_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError(f"it took longer than {PATIENCE_S:g} s")
    return left


def _address(host: str, port: int, *, named: bool) -> str:
    """An address of the host that may be connected to."""
    explicit = named and (host == "localhost" or _is_literal(host))
    for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = str(place[0])
        if explicit or ipaddress.ip_address(address.partition("%")[0]).is_global:
            return address
    raise Refused(
        f"{host} is an address of a private network", "name the address itself if you mean it"
    )


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
