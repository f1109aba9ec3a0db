"""What every request passes before anything answers it: ours in name, origin, form and size.

Other pages in the same browser, and names that are pointed at this machine, are the enemy: they may
send what they like to our port. docs/security.md numbers the rules.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from math import ceil

from recairn.surfaces.web.keys import TooManyWrongKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from recairn.surfaces.web.keys import Keys

# Bytes of a request's body; the largest memory has 100,000 characters.
MOST_BYTES = 1_000_000
# Bytes of the address of a request.
MOST_ADDRESS = 8_000
# Requests that are answered at once; a browser opens six connections.
MOST_REQUESTS = 32
# Seconds in which a body must have come.
BODY_S = 10.0

# Nothing but our own files runs or is shown, and no text becomes HTML on its way to the screen.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types lit-html"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"x-frame-options", b"DENY"),
)
# Headers that mean something to us, and of which two would let each reader believe another one.
_ONCE = ("host", "origin", "content-type", "content-length", "authorization", "sec-fetch-site")
KEY_ADDRESS = "/api/key"
_SHOWN = "the terminal of `recairn serve` shows where"


class Refusal(Exception):
    """A request goes no further; the status and the words for it."""

    def __init__(self, status: int, message: str, hint: str = "", *, retry_s: float = 0.0) -> None:
        super().__init__(message)
        # Seconds after which it may be tried again; 0 where that would not help.
        self.retry_s = retry_s
        self.status = status
        self.message = message
        self.hint = hint


class Border:
    """An ASGI application in front of another one."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], keys: Keys) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._keys = keys
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        self._running += 1
        try:
            await self._admit(scope, receive, guarded)
        except Refusal as refusal:
            await send_refusal(guarded, refusal)
        except Exception as fault:  # ours: even then nothing leaves without the policy
            traceback.print_exception(fault)
            if not begun:
                await send_refusal(guarded, Refusal(500, "recairn made a mistake", _SHOWN))
        finally:
            self._running -= 1

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = single(scope)
        self._check_sender(headers)
        _check_form(scope, headers)
        if self._running > MOST_REQUESTS:
            raise Refusal(503, "too many requests at once", "try again in a moment")
        path = scope["path"]
        if path.startswith("/api/") and path != KEY_ADDRESS:
            self._check_token(headers)
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await body_of(receive)
        if path == KEY_ADDRESS:
            await self._exchange(body, send)
            return
        scope["recairn.body"] = json_object(body)
        await self._app(scope, receive, send)

    def _check_sender(self, headers: dict[str, str]) -> None:
        """Rules 2 and 4: the name that was typed is ours, and so is the page that asks."""
        host = headers.get("host", "")
        if host not in self._hosts:
            raise Refusal(421, "this page does not answer under that name")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            raise Refusal(403, "another page may not ask here")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Refusal(
                403, "another page may not ask here", "type the address, or open it from `serve`"
            )

    def _check_token(self, headers: dict[str, str]) -> None:
        """Rule 3: whoever asks for data shows a token of this process."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self._keys.knows(token.strip()):
            raise Refusal(401, "this needs a key", "recairn serve --open opens the page with one")

    async def _exchange(self, body: bytes, send: Send) -> None:
        key = json_object(body).get("key")
        try:
            token = self._keys.exchange(key) if isinstance(key, str) else None
        except TooManyWrongKeys:
            raise Refusal(429, "too many wrong keys", "wait a minute") from None
        if token is None:
            raise Refusal(
                403,
                "this key was used already, is too old, or is none",
                "end `recairn serve` with Ctrl-C and start it again for a new one",
            )
        await send_json(send, 200, {"token": token})


def single(scope: Scope) -> dict[str, str]:
    """The headers by name; two of one that counts are refused."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in headers and key in _ONCE:
            raise Refusal(400, f"the header {key} stands there twice")
        headers[key] = value.decode("latin-1")
    return headers


def _check_form(scope: Scope, headers: dict[str, str]) -> None:
    """Rule 5: GET reads, POST writes, and what is written is JSON of a bearable size."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS:
        raise Refusal(414, "this address is too long")
    if scope["method"] in ("GET", "HEAD"):
        return
    if scope["method"] != "POST" or not scope["path"].startswith("/api/"):
        raise Refusal(405, f"{scope['method']} is not known here")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "only application/json is taken")
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MOST_BYTES:
        raise Refusal(413, f"more than {MOST_BYTES:,} bytes are not taken")


async def body_of(receive: Receive, most: int = MOST_BYTES) -> bytes:
    """The whole body, whatever its announced length was; rule 8 sets the seconds."""
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the request ended early")
                piece = message.get("body", b"")
                size += len(piece)
                if size > most:
                    raise Refusal(413, f"more than {most:,} bytes are not taken")
                pieces.append(piece)
                if not message.get("more_body"):
                    return b"".join(pieces)
    except TimeoutError:
        raise Refusal(408, "the request came too slowly") from None


def json_object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise Refusal(400, "this is no JSON") from None
    if not isinstance(value, dict):
        raise Refusal(400, "a JSON object is wanted")
    return value


async def send_refusal(send: Send, refusal: Refusal) -> None:
    error = {"kind": "Refused", "message": refusal.message, "hint": refusal.hint}
    more: list[tuple[bytes, bytes]] = []
    if refusal.status == 401:
        more.append((b"www-authenticate", b"Bearer"))
    if refusal.status == 405:
        more.append((b"allow", b"POST"))
    if refusal.retry_s:
        more.append((b"retry-after", str(ceil(refusal.retry_s)).encode()))
    await send_json(send, refusal.status, {"error": error}, more)


async def send_json(
    send: Send, status: int, document: object, more: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """A JSON document, with `more` headers."""
    body = json.dumps(document).encode()
    headers = [
        *more,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
