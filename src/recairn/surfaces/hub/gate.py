"""What every request to a team's server passes: our name, no other page, a token, a bearable size.

Behind the gate each part answers for itself: the page and its API, MCP, and what laptops exchange.
"""

from __future__ import annotations

import traceback
from contextlib import suppress
from time import monotonic

from recairn import __version__
from recairn.core import errors
from recairn.core.members import ADMIN
from recairn.surfaces.hub.limits import Buckets
from recairn.surfaces.web.border import (
    HEADERS,
    KEY_ADDRESS,
    MOST_ADDRESS,
    Refusal,
    body_of,
    json_object,
    send_json,
    send_refusal,
    single,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from recairn.surfaces.hub.audit import Audit
    from recairn.surfaces.hub.callers import Caller, Callers
    from recairn.surfaces.hub.counters import Metrics
    from recairn.surfaces.hub.desks import Desks

    Part = Callable[[Scope, Receive, Send], Awaitable[None]]

# Requests that are answered at once, those that wait for news not counted; beyond it 503.
MOST_REQUESTS = 128
# Requests a second of one machine, and at once: a laptop that was away for a week catches up.
RATE, BURST = 20.0, 200.0
# Wrong tokens of one address: ten, and then one every six seconds.
WRONG_RATE, WRONG_BURST = 1 / 6, 10.0
CALLER, HEADERS_READ = "recairn.caller", "recairn.headers"
_HEALTH, _METRICS, _WELL_KNOWN = "/health", "/metrics", "/.well-known/"
# What a token for a few projects may ask of the API; all else looks beyond them.
_FENCED = ("/api/search", "/api/memories")
# Where a part begins to say what it is about (`/api/projects/rename`).
_PARTS = ("/api/", "/mcp", "/sync/1/")


class Gate:
    """An ASGI application in front of the parts of a server."""

    def __init__(
        self, *, hosts: frozenset[str], origins: frozenset[str], desks: Desks, callers: Callers
    ) -> None:
        self._hosts, self._origins = hosts, origins
        self._desks, self.callers = desks, callers
        self._rates = Buckets(RATE, BURST)
        self._wrong = Buckets(WRONG_RATE, WRONG_BURST)
        self._parts: dict[str, Part] = {}
        self.page: ASGIApp | None = None

    def open(self, metrics: Metrics, audit: Audit, parts: dict[str, Part]) -> None:
        """Names the parts by how their addresses begin, and who counts and notes."""
        self._metrics, self._audit = metrics, audit
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        began, status = monotonic(), 500

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        is_read = scope["method"] != "POST"

        async def watched() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = message["type"] != "http.request" or not message.get("more_body")
            return message

        self._metrics.running += 1
        try:
            await self._admit(scope, watched, guarded)
        except Exception as error:
            refusal = _refusal(error)
            self._note(scope, refusal)
            if refusal.retry_s and not is_read:
                # Who is to come again must read so: a line cut while they send would not say it.
                with suppress(Refusal):
                    await body_of(watched)
            await send_refusal(guarded, refusal)
        finally:
            self._metrics.running -= 1
            self._metrics.answered(_part(scope["path"]), status, monotonic() - began)

    def _note(self, scope: Scope, refusal: Refusal) -> None:
        if refusal.status in (401, 403, 429):
            self._audit.note(
                "refused",
                scope.get(CALLER),
                status=refusal.status,
                why=refusal.message,
                path=scope["path"],
                address=_address(scope),
            )

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        if path == _HEALTH:
            await self._health(send)
            return
        headers = single(scope)
        self._check_sender(headers)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS:
            raise Refusal(414, "this address is too long")
        if path.startswith(_WELL_KNOWN):
            raise Refusal(404, "there is nothing here", "tokens are given out by an admin")
        if self._metrics.running > MOST_REQUESTS:
            raise Refusal(503, "too many requests at once", retry_s=2)
        scope[HEADERS_READ] = headers
        if path == KEY_ADDRESS and method == "POST":
            await self._exchange(scope, receive, send)
        elif path.startswith((*_PARTS, _METRICS)):
            await self._pass(scope, receive, send)
        elif method not in ("GET", "HEAD"):
            raise Refusal(405, f"{method} is not known here")
        elif self.page is not None:
            await self.page(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands a request that needs a token to the part it is for."""
        path = scope["path"]
        scope[CALLER] = caller = await self.caller(scope, _token(scope[HEADERS_READ]))
        wait_s = self._rates.wait_s(caller.id)
        if wait_s:
            raise Refusal(429, "this machine asks too much", retry_s=wait_s)
        if path == _METRICS:
            await self._tell_metrics(caller, send)
            return
        if path.startswith("/api/") and caller.projects is not None:
            _check_grant(caller, scope)
        await self._part(path)(scope, receive, send)

    def _part(self, path: str) -> Part:
        for start, part in self._parts.items():
            if path == start or path.startswith(f"{start.rstrip('/')}/"):
                return part
        raise Refusal(404, "there is nothing here")

    def _check_sender(self, headers: dict[str, str]) -> None:
        """The name that was typed is ours, and so is the page that asks, if one does."""
        if headers.get("host", "") not in self._hosts:
            raise Refusal(421, "this server does not answer under that name")
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            raise Refusal(403, "another page may not ask here")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Refusal(403, "another page may not ask here", "type the address")

    async def caller(self, scope: Scope, token: str) -> Caller:
        """Whose token it is; refused where it is nobody's, or guessed too often."""
        caller = self.callers.kept(token)
        if caller is not None:
            return caller
        if token:
            caller = await self._desks.call(lambda memory: self.callers.look_up(memory, token))
        if caller is None:
            # Who has a token is let in all the same: a whole office may have one address.
            if self._wrong.wait_s(_address(scope)):
                raise Refusal(429, "too many wrong tokens", retry_s=1 / WRONG_RATE)
            raise Refusal(401, "this needs a token of the team", "an admin gives one out")
        return caller

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The page shows its token once in the address; here a member's own stays what it is."""
        key = json_object(await body_of(receive, MOST_ADDRESS)).get("key")
        token = key if isinstance(key, str) else ""
        await self.caller(scope, token)
        await send_json(send, 200, {"token": token})

    async def _health(self, send: Send) -> None:
        """Whether this process can reach the memory: what a balancer asks."""
        try:
            await self._desks.call(lambda memory: memory.revision())
        except errors.RecairnError:
            raise Refusal(503, "the memory is out of reach", retry_s=5) from None
        await send_json(send, 200, {"ok": True, "version": __version__})

    async def _tell_metrics(self, caller: Caller, send: Send) -> None:
        if caller.role != ADMIN:
            raise Refusal(403, "metrics are for admins")
        body = self._metrics.text().encode()
        headers = [
            (b"content-type", b"text/plain; version=0.0.4"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _refusal(error: Exception) -> Refusal:
    """What is answered to trouble: a mistake of ours gets a sentence, standard error all of it."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, errors.StoreBusy):
        return Refusal(503, error.message, error.hint, retry_s=2)
    if isinstance(error, errors.RecairnError):
        return Refusal(_status(error), error.message, error.hint)
    traceback.print_exception(error)
    return Refusal(500, f"recairn made a mistake ({type(error).__name__})")


def _status(error: errors.RecairnError) -> int:
    if isinstance(error, errors.NotFound):
        return 404
    if isinstance(error, errors.Refused | errors.StoreReadOnly):
        return 403
    return 400 if isinstance(error, errors.BadInput) else 500


def _token(headers: dict[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _check_grant(caller: Caller, scope: Scope) -> None:
    """A token for a few projects asks about one of them, and nothing that shows others."""
    from urllib.parse import parse_qs

    named = parse_qs(scope["query_string"].decode("latin-1")).get("project", [""])
    if not scope["path"].startswith(_FENCED) or len(named) != 1 or not caller.may_name(named[0]):
        names = ", ".join(sorted(caller.projects or ()))
        raise Refusal(403, "this token is for some projects alone", f"add ?project= with {names}")


def _address(scope: Scope) -> str:
    """Where a request came from: as the proxy in front says, which puts that last."""
    for name, value in scope["headers"]:
        if name == b"x-forwarded-for":
            return str(value.decode("latin-1").rpartition(",")[2].strip()[:64])
    client = scope.get("client")
    return str(client[0]) if client else ""


def _part(path: str) -> str:
    """A request's part of the server, for counting: never more words than these."""
    words = path.strip("/").split("/")
    if path.startswith("/sync/1/"):
        return f"sync/{words[2]}" if words[2] in ("hello", "push", "pull", "wait") else "sync"
    return words[0] if words[0] in ("api", "mcp", "health", "metrics") else "page"
