"""What laptops exchange with a team's server: /sync/1, lines of JSON, an answer for each record.

    GET  hello                     who you are here, what is known and how much goes at once
    POST share {"project"}         lets the team read and write a project here
    POST push  (a record a line)   an answer a line, after one with the time and their number
    GET  pull ?project&after       a page: one line about it, then a record a line
    GET  wait ?project&after …     whether there is news, within 25 seconds; no data
    POST erased {"replica","uids"} what was destroyed on a machine, as the team was told to
    GET  erased ?project           on how many machines it was
    GET  policy ?project           the rules that admins made team policy
    POST policy {"project","uid","version"}  makes a rule one, for admins; without a version it ends
    POST leave                     the token that is shown counts no longer

Whoever repeats a request does no harm, and a body that came in part is known by its number of
lines.
"""

from __future__ import annotations

import json
import traceback
from functools import partial
from urllib.parse import parse_qs

from recairn.core.errors import RecairnError, StoreError
from recairn.core.kinds import KINDS
from recairn.core.members import ADMIN, WRITER, may
from recairn.core.times import now_ms
from recairn.surfaces.hub.gate import CALLER, HEADERS_READ
from recairn.surfaces.web.border import MOST_BYTES, Refusal, body_of, json_object, send_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

    from starlette.types import Receive, Scope, Send

    from recairn.engine import Recairn
    from recairn.surfaces.hub.audit import Audit
    from recairn.surfaces.hub.callers import Caller, Callers
    from recairn.surfaces.hub.counters import Metrics
    from recairn.surfaces.hub.desks import Desks
    from recairn.surfaces.hub.news import News

    Handler = Callable[[Scope, Receive, Send], Awaitable[None]]

ADDRESS = "/sync/1"
VERSIONS = (1,)
# Records and bytes of a push or of a page; what is packed may be larger inside than on its way.
MOST_RECORDS = 500
# Projects one may wait for at once, and destroyed memories that are acknowledged at once.
_MOST_WATCHED, _MOST_ERASED = 100, 10_000
# Characters of a name or of a cursor.
_LONGEST = 200
_LINES = b"application/x-ndjson"
# Bytes below which packing costs more than it saves.
_WORTH_PACKING = 1_000
# How hard it is packed: 6 would spare a twentieth of the bytes, and take twice as long.
_PACKED = 4


class Sync:
    """The part of the server that laptops talk to."""

    def __init__(
        self, desks: Desks, callers: Callers, news: News, audit: Audit, metrics: Metrics
    ) -> None:
        self._desks, self._callers, self._news = desks, callers, news
        self._audit, self._metrics = audit, metrics
        self._handlers: dict[tuple[str, str], Handler] = {
            ("GET", "hello"): self._hello,
            ("POST", "share"): self._share,
            ("POST", "push"): self._push,
            ("GET", "pull"): self._pull,
            ("GET", "wait"): self._wait,
            ("POST", "erased"): self._acknowledge,
            ("GET", "erased"): self._erased,
            ("GET", "policy"): self._policies,
            ("POST", "policy"): self._set_policy,
            ("POST", "leave"): self._leave,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path"].removeprefix(f"{ADDRESS}/")
        handler = self._handlers.get((scope["method"], name))
        if handler is None:
            known = any(path == name for _, path in self._handlers)
            raise Refusal(405 if known else 404, "there is nothing here")
        await handler(scope, receive, send)

    async def _hello(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope[CALLER]
        hosted = await self._desks.call(lambda memory: memory.hosted_projects())
        await send_json(
            send,
            200,
            {
                "versions": VERSIONS,
                "time": now_ms(),
                "limits": {"records": MOST_RECORDS, "bytes": MOST_BYTES},
                "kinds": list(KINDS),
                "member": caller.member,
                "role": caller.role,
                "device": caller.device,
                "fenced": caller.projects is not None,
                "projects": [name for name in hosted if caller.may_name(name)],
            },
        )

    async def _share(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope[CALLER]
        _need_writer(caller)
        project = json_object(await body_of(receive, MOST_BYTES)).get("project")
        if not isinstance(project, str) or not 0 < len(project.strip()) <= _LONGEST:
            raise Refusal(400, "name a project", '{"project": "NAME"}')
        _need_project(caller, project)
        await self._desks.call(lambda memory: memory.host_project(project))
        self._audit.note("share", caller, project=project)
        await send_json(send, 200, {"project": project})

    async def _push(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope[CALLER]
        _need_writer(caller)
        body = _unpacked(scope[HEADERS_READ], await body_of(receive, MOST_BYTES))
        records = _records(body)
        said = await self._desks.call(partial(_push_answers, caller, records))
        counts: dict[str, int] = {}
        for answer in said["answers"]:
            counts[answer["answer"]] = counts.get(answer["answer"], 0) + 1
        for name, number in counts.items():
            self._metrics.travelled(name, number)
        self._audit.note("push", caller, **counts)
        first = {"time": said["time"], "count": len(records)}
        await _send_lines(scope, send, [first, *said["answers"]])

    async def _pull(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = _query(scope)
        project, after = _one(query, "project"), _one(query, "after", "")
        _need_project(scope[CALLER], project)
        limit = _one(query, "limit", str(MOST_RECORDS))
        if not limit.isascii() or not limit.isdigit() or not 0 < int(limit[:6]) <= MOST_RECORDS:
            raise Refusal(400, f"limit is a number up to {MOST_RECORDS}")
        page = await self._desks.call(
            lambda memory: memory.pull_page(project, after, int(limit), MOST_BYTES)
        )
        records = page.pop("records")
        self._metrics.travelled("pulled", len(records))
        await _send_lines(scope, send, [{**page, "count": len(records)}, *records])

    async def _wait(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = _query(scope)
        projects, cursors = query.get("project", []), query.get("after", [])
        if not 0 < len(projects) <= _MOST_WATCHED or len(projects) != len(cursors):
            raise Refusal(400, "each project needs a cursor", "?project=NAME&after=CURSOR")
        for project in projects:
            _need_project(scope[CALLER], project)
        self._metrics.running -= 1  # who waits keeps nobody else from asking
        try:
            news = await self._news.about(list(zip(projects, cursors, strict=True)))
        finally:
            self._metrics.running += 1
        if news is None:
            raise Refusal(503, "too many wait already", retry_s=10)
        await send_json(send, 200, {"news": news})

    async def _acknowledge(self, scope: Scope, receive: Receive, send: Send) -> None:
        said = json_object(await body_of(receive, MOST_BYTES))
        replica, uids = said.get("replica"), said.get("uids")
        if not (isinstance(replica, str) and 0 < len(replica) <= _LONGEST):
            raise Refusal(400, "name the replica")
        if not (isinstance(uids, list) and len(uids) <= _MOST_ERASED) or not all(
            isinstance(uid, str) and len(uid) <= _LONGEST for uid in uids
        ):
            raise Refusal(400, f"uids are at most {_MOST_ERASED:,} texts")
        # Which machine it is the token says: nobody speaks for another one.
        device = _machine(scope[CALLER].member, scope[CALLER].device)
        await self._desks.call(lambda memory: memory.acknowledge_erasures(device, uids))
        await send_json(send, 200, {"acknowledged": len(uids)})

    async def _erased(self, scope: Scope, receive: Receive, send: Send) -> None:
        project = _one(_query(scope), "project")
        _need_project(scope[CALLER], project)
        await send_json(send, 200, await self._desks.call(partial(_erasures, project)))

    async def _policies(self, scope: Scope, receive: Receive, send: Send) -> None:
        project = _one(_query(scope), "project")
        _need_project(scope[CALLER], project)
        policies = await self._desks.call(lambda memory: memory.team_policies(project))
        await send_json(send, 200, {"policies": policies})

    async def _set_policy(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope[CALLER]
        if not may(caller.role, ADMIN):
            raise Refusal(403, f"{caller.member} is a {caller.role}: team policy is an admin's")
        said = json_object(await body_of(receive, MOST_BYTES))
        project, uid, version = (said.get(name) for name in ("project", "uid", "version"))
        named = [project, uid] if version is None else [project, uid, version]
        if not all(isinstance(word, str) and 0 < len(word) <= _LONGEST for word in named):
            raise Refusal(400, "name a project, a memory and its version")
        _need_project(caller, str(project))
        words = None if version is None else str(version)
        await self._desks.call(partial(_with_policy, caller, str(project), str(uid), words))
        what = "policy" if version is not None else "policy ended"
        self._audit.note(what, caller, project=str(project), uid=str(uid))
        await send_json(send, 200, {"uid": uid, "policy": version is not None})

    async def _leave(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope[CALLER]
        await self._desks.call(lambda memory: memory.revoke_device(caller.member, caller.device))
        self._callers.forget(caller)
        self._audit.note("leave", caller)
        await send_json(send, 200, {"left": True})


def _push_answers(caller: Caller, records: list[Any], memory: Recairn) -> dict[str, Any]:
    """The answers to a push. A record on which all fails is refused alone: else it would keep
    everything behind it on its laptop for ever."""
    hosted = [name for name in memory.hosted_projects() if caller.may_name(name)]
    take = partial(memory.take_push, member=caller.member, projects=hosted)
    try:
        return take(records)
    except StoreError:
        raise
    except Exception as error:
        if len(records) <= 1:
            return {"answers": [_faulty(error)] * len(records), "time": now_ms()}
    said = [_push_answers(caller, [record], memory) for record in records]
    return {"answers": [taken["answers"][0] for taken in said], "time": now_ms()}


def _faulty(error: Exception) -> dict[str, str]:
    if isinstance(error, RecairnError):
        return {"answer": "refused", "why": error.message[:_LONGEST]}
    traceback.print_exception(error)
    return {"answer": "refused", "why": f"the server failed on it ({type(error).__name__})"}


def _erasures(project: str, memory: Recairn) -> dict[str, Any]:
    """What was destroyed, and on how many of the machines that come in."""
    at = now_ms()
    machines = {
        _machine(row.member, row.name)
        for row in memory.devices()
        if row.revoked_at is None and row.expires_at > at and row.seen_at
    }
    erasures = [
        {
            "uid": erasure["uid"],
            "at": erasure["at"],
            "acknowledged": len(machines.intersection(erasure["acknowledged"])),
        }
        for erasure in memory.erasures(project)
    ]
    return {"erased": erasures, "devices": len(machines)}


def _machine(member: str, device: str) -> str:
    return f"{member}/{device}"


def _with_policy(
    caller: Caller, project: str, uid: str, version: str | None, memory: Recairn
) -> None:
    memory.set_team_policy(project, uid, version, admin=caller.member)


def _need_writer(caller: Caller) -> None:
    if not may(caller.role, WRITER):
        raise Refusal(403, f"{caller.member} is a {caller.role} of the team, who reads")


def _need_project(caller: Caller, project: str) -> None:
    if not caller.may_name(project):
        raise Refusal(403, f"this token is not for {project[:_LONGEST]}")


def _query(scope: Scope) -> dict[str, list[str]]:
    # Without it an empty cursor, which is the beginning, would be missing.
    return parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _one(query: dict[str, list[str]], name: str, usual: str | None = None) -> str:
    values = query.get(name, [] if usual is None else [usual])
    if len(values) != 1 or len(values[0]) > _LONGEST or (usual is None and not values[0]):
        raise Refusal(400, f"the address names one {name}", f"?{name}=…")
    return values[0]


def _unpacked(headers: dict[str, str], body: bytes) -> bytes:
    """The body as it was before it was packed, which may not be longer than one that is not."""
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed == "identity":
        return body
    if packed != "gzip":
        raise Refusal(415, "only gzip is unpacked")
    import zlib

    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        text = unpacking.decompress(body, MOST_BYTES + 1)
    except zlib.error:
        raise Refusal(400, "this is no gzip") from None
    if len(text) > MOST_BYTES or unpacking.unconsumed_tail:
        raise Refusal(413, f"more than {MOST_BYTES:,} bytes are not taken")
    if not unpacking.eof:
        raise Refusal(400, "the request ended early")
    return text


def _records(body: bytes) -> list[Any]:
    """A record a line; what is no JSON stays in its place, so that answers fit."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    if len(lines) > MOST_RECORDS:
        raise Refusal(413, f"more than {MOST_RECORDS} records are not taken at once")
    return [_parsed(line) for line in lines]


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


async def _send_lines(scope: Scope, send: Send, documents: Iterable[Any]) -> None:
    body = b"".join(
        json.dumps(document, separators=(",", ":")).encode() + b"\n" for document in documents
    )
    headers = [(b"content-type", _LINES)]
    if "gzip" in scope[HEADERS_READ].get("accept-encoding", "") and len(body) > _WORTH_PACKING:
        import gzip

        body = gzip.compress(body, _PACKED, mtime=0)
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
