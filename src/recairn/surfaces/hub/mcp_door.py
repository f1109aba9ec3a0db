"""MCP behind the gate: one request, one answer, in the name of the member whose agent asks."""

from __future__ import annotations

from functools import partial
from urllib.parse import parse_qs

from recairn.core.author import agent_named
from recairn.core.guard import plain_name
from recairn.surfaces.hub.gate import CALLER, HEADERS_READ
from recairn.surfaces.mcp.dispatch import Desk, sets_named
from recairn.surfaces.mcp.http import ONCE, answer, takes_json
from recairn.surfaces.mcp.server import Connection
from recairn.surfaces.web.border import Refusal, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from recairn.engine import Recairn
    from recairn.surfaces.hub.audit import Audit
    from recairn.surfaces.hub.callers import Caller
    from recairn.surfaces.hub.desks import Desks
    from recairn.surfaces.mcp.http import Answer

ADDRESS = "/mcp"
_USUAL = "default"


class MemberSession(Desk):
    """What the tools ask for a memory: the member's, in the project of the address."""

    def __init__(self, memory: Recairn) -> None:
        super().__init__()
        self._open = memory

    def memory(self, caller: str | None = None, *, create: bool = False) -> Recairn:
        """The open memory, in the session that the agent's message names."""
        del create  # a team's memory is there
        memory = self._open
        memory.author = agent_named(self.client)
        memory.session = plain_name(caller) if caller else None
        memory.keeps_apart = True
        return memory

    def settle(self) -> None:
        """Whoever opened the memory settles it."""

    def close(self) -> None:
        """Whoever opened the memory closes it."""


class Mcp:
    """The part of the server at /mcp."""

    def __init__(self, desks: Desks, audit: Audit) -> None:
        self._desks, self._audit = desks, audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            raise Refusal(405, f"{scope['method']} is not known here", "POST one message")
        headers, caller = scope[HEADERS_READ], scope[CALLER]
        _check(scope, headers)
        body = await body_of(receive)
        project, sets = _project_and_sets(scope, caller)
        work = partial(_answer, sets, headers, body)
        reply = await self._desks.of(caller).call(project, work)
        self._audit.note(
            "mcp",
            caller,
            project=project,
            method=headers.get("mcp-method", ""),
            name=headers.get("mcp-name", ""),
            status=reply.status,
        )
        start = [(b"content-length", str(len(reply.body)).encode())]
        if reply.body:
            start.append((b"content-type", b"application/json"))
        await send({"type": "http.response.start", "status": reply.status, "headers": start})
        await send({"type": "http.response.body", "body": reply.body})


def _check(scope: Scope, headers: dict[str, str]) -> None:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "only application/json is taken")
    if not takes_json(headers):
        raise Refusal(406, "answers are application/json")
    for name in ONCE:
        if sum(1 for header, _ in scope["headers"] if header == name.encode()) > 1:
            raise Refusal(400, f"the header {name} stands there twice")


def _project_and_sets(scope: Scope, caller: Caller) -> tuple[str, tuple[str, ...]]:
    """The project and the sets of tools that an address names."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    named = query.get("project", [])
    if not named and caller.projects is not None and len(caller.projects) == 1:
        named = [*caller.projects]
    if len(named) != 1 or not named[0].strip() or named[0] == "*":
        raise Refusal(400, "the address names no project", f"{ADDRESS}?project=NAME")
    if not caller.may_name(named[0]):
        raise Refusal(403, f"this token is not for {named[0]}")
    sets = tuple(sets_named(query.get("tools", [_USUAL])[0]))
    if caller.projects is not None and sets != tuple(sets_named(_USUAL)):
        # Others' tools tell of sessions, tasks and settings of the whole team.
        raise Refusal(403, "a token for some projects has the default tools", "without ?tools=")
    return named[0], sets


def _answer(sets: tuple[str, ...], headers: dict[str, str], body: bytes, memory: Recairn) -> Answer:
    return answer(Connection(MemberSession(memory), sets), headers, body)
